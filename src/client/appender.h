#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <arrow/type_fwd.h>

#include "base/bytes.h"
#include "base/result.h"
#include "client/connection.h"
#include "client/delivery.h"
#include "client/types.h"
#include "format/batch_builder.h"
#include "format/value.h"

// Appender writes rows to a log table. Rows are gathered to one batch a bucket, which leaves when
// it is large enough or old enough; several batches of a bucket may be on their way. With
// idempotence (the default) a row that was acknowledged is in the log once and the rows of a bucket
// keep their order, whatever breaks on the way: batches are numbered, sent again in order with the
// same number, and the server drops what it has. Without it a row may be there twice, and order
// needs in_flight_max 1.
//
// Memory is bounded: append() waits for room, append_row() refuses.
//
// Thread rule: shard-local. Destroying it without close() abandons what is not acknowledged.
//
//   CO_ASSIGN_OR_RETURN(auto appender, co_await Appender::open(connection, path, options));
//   CO_ASSIGN_OR_RETURN(Delivery delivery, co_await appender->append(rows));
//   CO_ASSIGN_OR_RETURN(auto places, co_await delivery.wait());
//   CO_RETURN_IF_ERROR(co_await appender->close());
namespace lakestream::client {

// Which bucket takes rows of a table without bucket key.
enum class NoKeyAssigner : uint8_t {
  kSticky,      // one until its batch is full, then another one
  kRoundRobin,  // each append another one
};

struct AppenderOptions : WriteOptions {
  NoKeyAssigner no_key_assigner = NoKeyAssigner::kSticky;
};

// How batches for append_encoded() are to be encoded.
BatchOptions batch_options_of(const TableInfo& table);

namespace internal {
class AppenderState;
}  // namespace internal

class Appender {
 public:
  // Errors: kTableNotExist; kInvalidTableException for a table with a primary key or partitions.
  static Task<Result<std::unique_ptr<Appender>>> open(std::shared_ptr<Connection> connection,
                                                      TablePath path,
                                                      AppenderOptions options);
  explicit Appender(std::shared_ptr<internal::AppenderState> state);
  ~Appender();
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  const TableInfo& table() const;

  // Takes columns of the table's schema (in its order; names do not matter). Waits while memory is
  // full. Errors: kUnknownServerError for other columns; then no row was taken.
  Task<Result<Delivery>> append(std::shared_ptr<arrow::RecordBatch> rows);
  // Takes one row of all columns and never waits; the values need to live for the call only.
  // Errors: kStorageBackpressureException when memory is full (await room() and repeat);
  // kUnknownServerError for a value that does not fit its column.
  Result<Delivery> append_row(std::span<const Value> row);
  // Ends when there is room for a row.
  Task<Status> room();
  // Sends one finished log batch as it is: schema id, writer and sequence are the caller's. It
  // leaves behind what the bucket has gathered so far. The memory must not be used again, a local
  // server stamps it. Waits while memory is full. Errors: kUnknownServerError when it is no batch.
  Task<Result<Delivery>> append_encoded(BucketId bucket, Bytes batch);

  // Sends what is gathered and waits until all rows taken so far are acknowledged or failed.
  // Errors: the first of a batch that failed since the last flush.
  Task<Status> flush();
  // flush(), then refuses everything.
  Task<Status> close();

  WriteCounters counters() const;
  // Rows taken and not settled yet, in bytes.
  size_t memory_bytes() const;

 private:
  std::shared_ptr<internal::AppenderState> state_;
};

}  // namespace lakestream::client
