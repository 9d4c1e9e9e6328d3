#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/connection.h"
#include "client/scanner.h"
#include "client/types.h"

// TableScanner reads the present rows of a primary-key table, partition after partition and bucket
// after bucket, each in the
// order of its keys and as of one moment; log_offset() says where the changelog goes on behind it,
// for those who follow the table from there. Memory is bounded by the size of one answer.
//
// Servers that have no scan sessions are asked for the whole bucket at once.
//
// Thread rule: shard-local; one next() at a time. Destroying it without close() leaves the session
// to expire on the server.
//
//   CO_ASSIGN_OR_RETURN(auto scanner, co_await TableScanner::open(connection, path, {}));
//   for (;;) {
//     CO_ASSIGN_OR_RETURN(std::optional<ScanBatch> batch, co_await scanner->next());
//     if (!batch) break;
//   }
namespace lakestream::client {

struct TableScanOptions {
  std::vector<std::string> columns = {};        // empty: all
  std::optional<int64_t> limit = std::nullopt;  // of rows
  int32_t batch_bytes = 4 << 20;                // of one answer
  PartitionSpec partitions = {};                // only those with these values
};

namespace internal {
class TableScanState;
}  // namespace internal

class TableScanner {
 public:
  // Errors: kTableNotExist; kNonPrimaryKeyTableException; kInvalidColumnProjection for an unknown
  // column; kPartitionSpecInvalidException for partitions that the table can not have.
  static Task<Result<std::unique_ptr<TableScanner>>> open(std::shared_ptr<Connection> connection,
                                                          TablePath path,
                                                          TableScanOptions options);
  explicit TableScanner(std::shared_ptr<internal::TableScanState> state);
  ~TableScanner();
  TableScanner(const TableScanner&) = delete;
  TableScanner& operator=(const TableScanner&) = delete;

  const TableInfo& table() const;
  // Of the rows.
  const Schema& schema() const;

  // The next rows, at least one, all of one bucket; their base offset and time are 0. Nothing when
  // all were given. A server that fails before the first rows of a bucket is waited out; afterwards
  // it is an error, as the rest would be of another moment.
  Task<Result<std::optional<ScanBatch>>> next();
  // Of a bucket whose scan has begun, when the server says it.
  std::optional<Offset> log_offset(const TableBucket& bucket) const;
  // Of a table without partitions.
  std::optional<Offset> log_offset(BucketId bucket) const;
  // Ends the session on the server. Never fails.
  Task<Status> close();

 private:
  std::shared_ptr<internal::TableScanState> state_;
};

}  // namespace lakestream::client
