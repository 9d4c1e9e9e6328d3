#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "client/connection.h"
#include "client/delivery.h"
#include "client/types.h"
#include "format/value.h"

// Upserter writes rows of a primary-key table and removes them by key. Rows of one key take effect
// in the order of the calls. Batches leave as those of an Appender, with the same guarantees: with
// idempotence (the default) each takes effect once, whatever breaks on the way. A server whose
// storage is behind is sent less until it has caught up.
//
// With options().columns only these are written and the others keep their values (a partial
// update); a removal then empties these columns, and the row is gone when nothing else is in it.
//
// Memory is bounded: upsert() and remove() wait for room, upsert_row() and remove_row() refuse.
//
// Thread rule: shard-local. Destroying it without close() abandons what is not acknowledged.
//
//   CO_ASSIGN_OR_RETURN(auto upserter, co_await Upserter::open(connection, path, {}));
//   CO_ASSIGN_OR_RETURN(Delivery delivery, co_await upserter->upsert(rows));
//   CO_ASSIGN_OR_RETURN(auto places, co_await delivery.wait());
//   CO_RETURN_IF_ERROR(co_await upserter->close());
namespace lakestream::client {

// What happens to a row that is there already in a table with a merge engine.
enum class MergeMode : int32_t {
  kMerge = 0,      // what the engine says
  kOverwrite = 1,  // it is replaced as in a table without one
};

struct UpserterOptions : WriteOptions {
  std::vector<std::string> columns = {};  // empty: all; else with those of the primary key
  MergeMode mode = MergeMode::kMerge;
};

namespace internal {
class UpserterState;
}  // namespace internal

class Upserter {
 public:
  // Errors: kTableNotExist; kNonPrimaryKeyTableException; kInvalidTableException for a partitioned
  // table; kInvalidTargetColumn for columns that can not be written.
  static Task<Result<std::unique_ptr<Upserter>>> open(std::shared_ptr<Connection> connection,
                                                      TablePath path,
                                                      UpserterOptions options);
  explicit Upserter(std::shared_ptr<internal::UpserterState> state);
  ~Upserter();
  Upserter(const Upserter&) = delete;
  Upserter& operator=(const Upserter&) = delete;

  const TableInfo& table() const;
  // Of rows: all columns of the table, or options().columns.
  const Schema& schema() const;
  // Of keys: the columns of the primary key, in its order.
  const Schema& key_schema() const;

  // Takes columns of schema() (in its order; names do not matter). Waits while memory is full.
  // Errors: kUnknownServerError for other columns or values; rows before the first wrong one were
  // taken.
  Task<Result<Delivery>> upsert(std::shared_ptr<arrow::RecordBatch> rows);
  // Takes columns of key_schema(). Keys without a row change nothing.
  Task<Result<Delivery>> remove(std::shared_ptr<arrow::RecordBatch> keys);
  // One row or key, without waiting; the values need to live for the call only. Errors:
  // kStorageBackpressureException when memory is full (await room() and repeat);
  // kUnknownServerError for a value that does not fit its column.
  Result<Delivery> upsert_row(std::span<const Value> row);
  Result<Delivery> remove_row(std::span<const Value> key);
  // Ends when there is room for a row.
  Task<Status> room();

  // Sends what is gathered and waits until all rows taken so far are acknowledged or failed.
  // Errors: the first of a batch that failed since the last flush.
  Task<Status> flush();
  // flush(), then refuses everything.
  Task<Status> close();

  WriteCounters counters() const;
  // Rows taken and not settled yet, in bytes.
  size_t memory_bytes() const;

 private:
  std::shared_ptr<internal::UpserterState> state_;
};

}  // namespace lakestream::client
