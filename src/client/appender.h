#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/bytes.h"
#include "base/result.h"
#include "client/connection.h"
#include "client/types.h"
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

enum class Acks : int32_t {
  kAll = -1,    // all in-sync replicas have it
  kNone = 0,    // the server answers at once
  kLeader = 1,  // the leader has it
};

// Which bucket takes rows of a table without bucket key.
enum class NoKeyAssigner : uint8_t {
  kSticky,      // one until its batch is full, then another one
  kRoundRobin,  // each append another one
};

struct AppenderOptions {
  Acks acks = Acks::kAll;
  size_t batch_bytes = size_t{2} << 20;                     // of rows before compression
  Duration batch_timeout = std::chrono::milliseconds(100);  // 0: each append leaves at once
  size_t request_bytes_max = size_t{10} << 20;              // of one produce request
  size_t in_flight_max = 5;                                 // batches of one bucket, at most 5
  size_t memory_bytes_max = size_t{64} << 20;               // rows not acknowledged yet
  // Batches from this size on are encoded and compressed by the pool, beside the shard.
  size_t pool_bytes_min = size_t{64} << 10;
  bool idempotence = true;
  int32_t retries_max = std::numeric_limits<int32_t>::max();  // of one batch
  Duration delivery_timeout = Duration(0);                    // of one batch; 0: none
  NoKeyAssigner no_key_assigner = NoKeyAssigner::kSticky;
};

// Rows of one append that went to one bucket.
struct Delivered {
  BucketId bucket;
  std::optional<Offset> offset;  // of the first; absent when the server knew only that it has them
  int32_t row_count = 0;
};

namespace internal {
class AppenderState;
struct BatchOutcome;
}  // namespace internal

// Tells how an append ended. May be dropped, waited for several times, and outlive the appender.
class Delivery {
 public:
  Delivery() = default;

  bool is_done() const;
  // In the order of the rows within each bucket. Errors: of the first batch that failed; rows of
  // other batches of the append may have arrived.
  Task<Result<std::vector<Delivered>>> wait() const;

 private:
  friend class internal::AppenderState;
  struct Part {
    std::shared_ptr<internal::BatchOutcome> batch;
    int32_t first_row = 0;
    int32_t row_count = 0;
  };
  void add(Part part);

  // Most appends are a single part.
  Part first_;
  std::vector<Part> more_;
};

struct AppenderCounters {
  uint64_t rows_appended = 0;  // taken in
  uint64_t rows_acknowledged = 0;
  uint64_t rows_failed = 0;
  uint64_t batches_sent = 0;  // with repetitions
  uint64_t batches_retried = 0;
  uint64_t bytes_sent = 0;  // encoded batches, with repetitions
  uint64_t requests_sent = 0;
};

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

  AppenderCounters counters() const;
  // Rows taken and not settled yet, in bytes.
  size_t memory_bytes() const;

 private:
  std::shared_ptr<internal::AppenderState> state_;
};

}  // namespace lakestream::client
