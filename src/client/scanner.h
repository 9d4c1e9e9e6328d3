#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "client/connection.h"
#include "client/types.h"
#include "format/batch.h"
#include "format/predicate.h"

// LogScanner reads the logs of a table's buckets: the rows of a log table, the changes of a
// primary-key table. Each bucket comes in the order of its offsets, every offset once. While the
// caller works on what poll() gave, the next fetch is on its way: one at a time to each server.
//
// Rows written under an older schema are shown under the latest one of the time when the scanner
// was opened. Without options().columns all columns come, otherwise those, in the order of their
// naming; the server leaves out the others when the format allows it. With options().condition only
// rows that match it come: the server leaves out batches that can not match, the scanner the other
// rows.
//
// Of a partitioned table subscribe_all() takes the buckets of the partitions that are there, and
// follow_partitions() those that came since. A partition that is dropped is not read any more.
//
// Thread rule: shard-local; one poll at a time. Destroying it is enough to end it.
//
//   CO_ASSIGN_OR_RETURN(auto scanner, co_await LogScanner::open(connection, path, options));
//   CO_RETURN_IF_ERROR(co_await scanner->subscribe_all(OffsetSpec::earliest()));
//   CO_RETURN_IF_ERROR(co_await scanner->stop_at_latest());
//   while (!scanner->is_finished()) {
//     CO_ASSIGN_OR_RETURN(auto batches, co_await scanner->poll(std::chrono::seconds(1)));
//   }
namespace lakestream::client {

namespace internal {
class ScannerState;
}  // namespace internal

struct ScannerOptions {
  std::vector<std::string> columns = {};  // empty: all
  Predicate condition = {};               // of columns of the table, shown or not
  bool check_crc = true;
  int32_t fetch_bytes_max = 16 << 20;  // of one answer
  int32_t bucket_bytes_max = 1 << 20;  // of one bucket in it
  int32_t fetch_bytes_min = 1;         // the server waits for so many
  Duration fetch_wait = std::chrono::milliseconds(500);
  size_t poll_bytes_max = size_t{16} << 20;  // encoded batches of one poll, but at least one
  // For how long a bucket may fail before poll() says so; 0: for ever.
  Duration retry_timeout = Duration(0);
  // Of a partitioned table: only the partitions with these values; others are not asked for.
  PartitionSpec partitions = {};
};

// Rows of one log batch, or of its part from the wanted offset on.
struct ScanBatch {
  TableBucket bucket;
  Offset base_offset;                        // of the first row; the others follow
  TimestampMs timestamp;                     // of the commit
  std::shared_ptr<arrow::RecordBatch> rows;  // at least one
  std::vector<ChangeType> changes;           // one a row; empty when all are kAppend
  std::vector<Offset> offsets = {};          // one a row; empty when there are no gaps

  Offset offset_of(int64_t row) const {
    return offsets.empty() ? Offset(base_offset.value() + row) : offsets[static_cast<size_t>(row)];
  }
};

// Undecoded batches of one bucket in a row, possibly beginning before `from`.
struct RawBatches {
  TableBucket bucket;
  Offset from;        // the wanted offset
  Offset end_offset;  // the next one
  Offset high_watermark;
  Bytes records;  // whole batches; shares the frame they came in
};

struct ScannerCounters {
  uint64_t fetches = 0;
  uint64_t bytes = 0;  // of records
  uint64_t batches = 0;
  uint64_t rows = 0;  // given to the caller
};

class LogScanner {
 public:
  // Errors: kTableNotExist; kInvalidColumnProjection for an unknown column;
  // kPartitionSpecInvalidException for options().partitions that the table can not have.
  static Task<Result<std::unique_ptr<LogScanner>>> open(std::shared_ptr<Connection> connection,
                                                        TablePath path,
                                                        ScannerOptions options);
  explicit LogScanner(std::shared_ptr<internal::ScannerState> state);
  ~LogScanner();
  LogScanner(const LogScanner&) = delete;
  LogScanner& operator=(const LogScanner&) = delete;

  const TableInfo& table() const;
  // Of the rows that poll() gives.
  const Schema& schema() const;
  // Of the table, or of each new partition.
  int32_t bucket_count() const;

  // Reads the bucket from there on. A bucket that is subscribed already starts anew there. Of a
  // partitioned table: the bucket of each partition.
  Task<Status> subscribe(BucketId bucket, OffsetSpec from);
  Task<Status> subscribe_all(OffsetSpec from);
  // Reads each of these ranges and ends with them; one of a partition that is gone is left out, as
  // is an empty one. Errors: kPartitionSpecInvalidException for a bucket that the table does not
  // have.
  Task<Status> subscribe_ranges(std::vector<LogRange> ranges);
  // Looks for partitions that came since the last subscription, and reads those from their
  // beginning; those that are gone end. As subscribe() of the bucket, when one is given.
  Task<Status> follow_partitions(std::optional<BucketId> bucket);
  // Of a table without partitions.
  void unsubscribe(BucketId bucket);
  // Ends the bucket when its rows below `end` were given. Requires: it is subscribed, of a table
  // without partitions.
  void stop_at(BucketId bucket, Offset end);
  // stop_at() the present end, for each subscribed bucket.
  Task<Status> stop_at_latest();
  // No bucket is left to read: none was subscribed, or all came to their end.
  bool is_finished() const;
  // Where the next poll() goes on in the bucket; absent when it is not subscribed, or has come to
  // its end. By id: of a table without partitions.
  std::optional<Offset> position(const TableBucket& bucket) const;
  std::optional<Offset> position(BucketId bucket) const;
  // As of the last fetch; absent before the first.
  std::optional<Offset> high_watermark(BucketId bucket) const;

  // What is there, or waits for the first rows up to `timeout`; nothing when that has passed, after
  // wakeup(), or when the scan is finished. Retriable errors of servers are waited out. Errors:
  // kLogOffsetOutOfRangeException, which names the bounds; kCorruptRecordException;
  // kUnknownServerError for an answer that can not be; others that the server gives. The bucket of
  // an error stays where it is.
  Task<Result<std::vector<ScanBatch>>> poll(Duration timeout);
  // The same without decoding. The checksum is looked at when check_crc is set; `end` of stop_at()
  // may lie inside the last batch. Columns can be chosen for ARROW tables only, and of a batch that
  // may match the condition all rows come.
  Task<Result<std::vector<RawBatches>>> poll_raw(Duration timeout);
  // Ends the poll that waits now, or else the next one.
  void wakeup();
  // Ends the fetches on the way. Polls give nothing afterwards. Never fails.
  Task<Status> close();

  ScannerCounters counters() const;

 private:
  std::shared_ptr<internal::ScannerState> state_;
};

// Up to `limit` rows of the table without a subscription: of a log table the newest of each bucket
// in turn, of a primary-key table the first in key order (their base offset and time are 0).
Task<Result<std::vector<ScanBatch>>> limit_scan(std::shared_ptr<Connection> connection,
                                                TablePath path,
                                                int32_t limit);
// The same of the partitions with these values.
Task<Result<std::vector<ScanBatch>>> limit_scan(std::shared_ptr<Connection> connection,
                                                TablePath path,
                                                PartitionSpec partitions,
                                                int32_t limit);

}  // namespace lakestream::client
