#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/bytes.h"
#include "base/result.h"
#include "client/connection.h"
#include "client/types.h"
#include "format/value.h"

// Lookuper finds the rows of a primary-key table by their key, PrefixLookuper those whose key
// begins with given values of the bucket key. What is asked in one turn of the shard goes out
// together: requests of many keys, many requests at once; so start many lookups before waiting.
//
// Rows are shown under the latest schema of the time when the object was opened. A server that
// fails for a while is asked again until the time limit of the lookup.
//
// Thread rule: shard-local. Destroying it fails what still waits.
//
//   CO_ASSIGN_OR_RETURN(auto lookuper, co_await Lookuper::open(connection, path, {}));
//   CO_ASSIGN_OR_RETURN(auto row, co_await lookuper->lookup_row(key));
//   if (row) use(row->values());
namespace lakestream::client {

struct LookupOptions {
  std::vector<std::string> columns = {};        // of the rows; empty: all
  Duration timeout = std::chrono::seconds(30);  // of one lookup with its repetitions; 0: none
  size_t request_keys_max = 128;                // of one request
  size_t in_flight_max = 128;                   // requests
  // A key without a row gets one, whose other columns are NULL or filled by the server. Needs a
  // table whose other columns may be NULL; not for prefixes.
  bool insert_if_not_exists = false;
  Acks acks = Acks::kAll;  // of those rows
};

namespace internal {
class LookupState;
}  // namespace internal

// A row and the memory of its values.
class StoredRow {
 public:
  StoredRow(Bytes bytes, std::unique_ptr<Arena> arena, std::span<const Value> values)
      : bytes_(std::move(bytes)), arena_(std::move(arena)), values_(values) {}
  std::span<const Value> values() const { return values_; }
  // Encoded bytes that it came in.
  size_t size() const { return bytes_.size(); }

 private:
  Bytes bytes_;
  std::unique_ptr<Arena> arena_;
  std::span<const Value> values_;
};

struct LookedUp {
  std::shared_ptr<arrow::RecordBatch> rows;  // in the order of the keys
  std::vector<int64_t> counts;               // rows of each key: 0 or 1; of a prefix any number
};

struct LookupCounters {
  uint64_t keys = 0;  // with repetitions
  uint64_t requests = 0;
  uint64_t keys_retried = 0;
};

class Lookuper {
 public:
  // Errors: kTableNotExist; kNonPrimaryKeyTableException; kInvalidTableException for a partitioned
  // table; kInvalidColumnProjection for an unknown column.
  static Task<Result<std::unique_ptr<Lookuper>>> open(std::shared_ptr<Connection> connection,
                                                      TablePath path,
                                                      LookupOptions options);
  explicit Lookuper(std::shared_ptr<internal::LookupState> state);
  ~Lookuper();
  Lookuper(const Lookuper&) = delete;
  Lookuper& operator=(const Lookuper&) = delete;

  const TableInfo& table() const;
  // Of the rows.
  const Schema& schema() const;
  // The columns of the primary key, in its order.
  const Schema& key_schema() const;

  // Takes columns of key_schema() (in its order; names do not matter). Errors: those of the server;
  // kUnknownServerError for other columns or values.
  Task<Result<LookedUp>> lookup(std::shared_ptr<arrow::RecordBatch> keys);
  // Takes values of key_schema(); what they point to needs to live until the task runs.
  Task<Result<std::optional<StoredRow>>> lookup_row(std::vector<Value> key);

  LookupCounters counters() const;

 private:
  std::shared_ptr<internal::LookupState> state_;
};

class PrefixLookuper {
 public:
  // Errors: also kInvalidTableException for a table whose bucket key is no proper prefix of its
  // primary key.
  static Task<Result<std::unique_ptr<PrefixLookuper>>> open(std::shared_ptr<Connection> connection,
                                                            TablePath path,
                                                            LookupOptions options);
  explicit PrefixLookuper(std::shared_ptr<internal::LookupState> state);
  ~PrefixLookuper();
  PrefixLookuper(const PrefixLookuper&) = delete;
  PrefixLookuper& operator=(const PrefixLookuper&) = delete;

  const TableInfo& table() const;
  const Schema& schema() const;
  // The columns of the bucket key, in its order.
  const Schema& prefix_schema() const;

  // Takes columns of prefix_schema(). The rows of a prefix are in the order of their keys.
  Task<Result<LookedUp>> lookup(std::shared_ptr<arrow::RecordBatch> prefixes);

  LookupCounters counters() const;

 private:
  std::shared_ptr<internal::LookupState> state_;
};

}  // namespace lakestream::client
