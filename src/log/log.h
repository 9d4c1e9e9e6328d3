#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/function.h"
#include "base/ids.h"
#include "base/result.h"
#include "format/batch.h"
#include "format/batch_shape.h"
#include "io/env.h"
#include "io/task.h"
#include "log/log_options.h"
#include "table/path.h"

// The logs of a server: one LogTablet a bucket, one LogStore a data directory.
//
// A log is a row of record batches with dense offsets, kept in segment files. An append is checked,
// stamped and visible at once as end_offset(); the bytes of the appends that wait form one group,
// which the pool writes (and syncs) while the next one gathers. When the group is down,
// durable_end_offset() moves and the progress listener hears of it. Nothing is copied on the way:
// the slice of the request is stamped in place, written and served to readers at the end of the
// log.
//
// A group that can not be written is undone with everything after it: file, end offset, indexes,
// writer state. The listener hears from which offset on appends are lost; answer those with its
// error, which is retriable. After a failed sync the log refuses appends until it is opened again,
// because the system forgets what it could not write.
//
// Batches between durable_end_offset() and end_offset() may be lost in this way while the leader
// lives on. Whoever serves them to followers must give up leadership when a loss is reported.
//
// Thread rule: a LogTablet is shard-local (all of it, with its destructor); a LogStore belongs to
// the shard that opened it and must outlive its tablets.
//
//   ASSIGN_OR_RETURN(auto store, co_await LogStore::open(env, shard, "/data", options));
//   ASSIGN_OR_RETURN(auto log, co_await store->open_log(path, shard));
//   ASSIGN_OR_RETURN(Appended appended, log->append(records, {.leader_epoch = epoch, .now = now}));
//   auto read = log->try_read({.from = Offset(0), .limit = log->durable_end_offset()});
//   CO_RETURN_IF_ERROR(co_await log->close());
namespace lakestream {

class File;
class Shard;

namespace log_internal {
class LogState;
class StoreState;
}  // namespace log_internal

// The shapes of a table's schemas, by which batches are checked.
class SchemaShapes {
 public:
  virtual ~SchemaShapes() = default;
  // Null for a schema that the table does not have. Valid until the append returns.
  virtual const BatchShape* find(SchemaId schema) const = 0;
};

enum class BatchOrigin : uint8_t {
  kClient,  // checksum, header and, with shapes, the records are checked
  kServer,  // made in this process: only the header is read
};

struct AppendRules {
  LeaderEpoch leader_epoch = kNoLeaderEpoch;  // recorded when it is newer than the last one
  TimestampMs now;
  BatchOrigin origin = BatchOrigin::kClient;
  const SchemaShapes* shapes = nullptr;  // null: schema ids and records are not looked at
};

struct Appended {
  Offset base_offset;      // of the first batch; of the original one for a duplicate
  Offset end_offset;       // behind the last batch; acknowledge when it is durable (and replicated)
  TimestampMs timestamp;   // commit time of the first batch
  bool duplicate = false;  // the log held all of it before
  uint64_t losses = 0;     // that the log had seen: a later one may have undone it (LogLoss)
};

struct ReadRequest {
  Offset from;
  Offset limit;                // nothing of a batch at or beyond it; always between two batches
  size_t bytes_max = 1 << 20;  // whole batches only
  bool at_least_one = true;    // the first batch comes even if it is larger
};

struct LogRead {
  BytesChain records;   // whole batches; the first may start before `from`
  Offset first_offset;  // of the first batch; `from` when there is none
  Offset end_offset;    // read on from here
};

// A batch in its file, for a reader that does not need all of it. What says false would have had to
// wait for the disk.
class StoredBatch {
 public:
  StoredBatch(File& file, uint64_t position, size_t size, std::vector<uint8_t> front)
      : file_(file),
        position_(position),
        size_(size),
        front_(std::move(front)),
        bytes_read_(front_.size()) {}

  size_t size() const { return size_; }
  // The first bytes: with the header at least.
  std::span<const uint8_t> front() const { return front_; }
  // Makes front() so long. Requires: size <= size().
  Result<bool> extend_front(size_t size);
  // Adds the bytes of each range to `parts`. Requires: ascending ranges inside of the batch.
  Result<bool> read(std::span<const BatchRange> ranges, std::vector<Bytes>* parts);
  // What was read of the file so far.
  size_t bytes_read() const { return bytes_read_; }

 private:
  File& file_;
  uint64_t position_;
  size_t size_;
  std::vector<uint8_t> front_;
  size_t bytes_read_;
};

// How a walk over batches reads them.
struct VisitRules {
  // A smaller batch ends the walk: it is worth no more than a part of a larger read.
  size_t batch_bytes_min = 64 << 10;
  // Of each batch at first, no more than that: holds the metadata of 90 columns.
  size_t front_bytes = 4 << 10;
};

// Takes a batch, or says false to end the walk in front of it.
using BatchVisitor = UniqueFunction<Result<bool>(StoredBatch& batch)>;

// Others may get the offsets anew. So whoever waits for an append compares its count of losses.
struct LogLoss {
  Offset from;      // appends at and above it are undone
  Error error;      // retriable
  uint64_t number;  // of this loss: 1, 2, …
};

struct LogProgress {
  Offset durable_end;
  const LogLoss* loss = nullptr;  // set when appends were lost
};

// A piece of the log that ends where the next one begins.
struct LogSegment {
  Offset base_offset;
  Offset end_offset;
  uint64_t size = 0;
  TimestampMs max_timestamp;  // of its last batch; -1 when it is empty
  bool sealed = false;        // never appended to again
  std::string path;  // of the batches; beside it .index, .timeindex and, at its end, a snapshot
};

struct EpochEnd {
  LeaderEpoch epoch;  // the newest one not above the asked one; kNoLeaderEpoch when unknown
  Offset end_offset;  // where it ends: the start of the next one or the end of the log
};

struct LogCounters {
  uint64_t batches_appended = 0;
  uint64_t records_appended = 0;
  uint64_t bytes_appended = 0;
  uint64_t duplicates = 0;
  uint64_t groups_written = 0;
  uint64_t groups_failed = 0;
  uint64_t reads_tail = 0;   // from memory
  uint64_t reads_cache = 0;  // from the page cache, on the shard
  uint64_t reads_pool = 0;   // through the pool
};

class LogTablet {
 public:
  explicit LogTablet(std::shared_ptr<log_internal::LogState> state);
  LogTablet(const LogTablet&) = delete;
  LogTablet& operator=(const LogTablet&) = delete;
  // Without close() the next open scans what the last checkpoint did not cover. Tasks that still
  // wait end with kLogStorageException.
  ~LogTablet();

  // As leader: gives the batches the next offsets and a commit time that does not go back. All or
  // nothing. Batches of an idempotent writer that the log holds already are left out; when that is
  // all of them, the answer carries the original offsets. Requires: nobody else reads or writes
  // `records` yet, and the memory is writable. Errors: kUnknownServerError (no batch, a malformed
  // one, an unknown schema), kCorruptRecordException (checksum), kRecordTooLargeException,
  // kOutOfOrderSequenceException, kLogStorageException (too much waits for the disk, the log failed
  // or is closed).
  Result<Appended> append(Bytes records, const AppendRules& rules);

  // As follower: takes over the leader's batches with their offsets and times. They must follow the
  // end of the log without a gap, else kLogOffsetOutOfRangeException. Sequences are recorded and
  // not checked: what the leader took is right.
  Result<Appended> append_replicated(Bytes records, const AppendRules& rules);

  // Empty when the disk would have to be waited for: then use read(). Errors:
  // kLogOffsetOutOfRangeException below the start or above the end, with both in the message.
  std::optional<Result<LogRead>> try_read(const ReadRequest& request);
  Task<Result<LogRead>> read(ReadRequest request);

  // Walks the batches from `from` to `limit` that can be read in parts with profit: large ones in
  // files, while nothing has to be waited for. Gives the offset to go on at by another read, which
  // is `from` when there was none. Errors: those of try_read() and of the visitor.
  Result<Offset> try_visit(Offset from,
                           Offset limit,
                           const VisitRules& rules,
                           BatchVisitor visitor);
  // Reads the fronts of batches from `from` on from the disk, so that a try_visit() from there does
  // not have to wait for them. False when the batch there is too small for it. Errors: those of
  // read().
  Task<Result<bool>> prepare_visit(Offset from, VisitRules rules);

  // The first offset whose commit time is at or after `timestamp`; empty when all are before it.
  Task<Result<std::optional<Offset>>> offset_for_timestamp(TimestampMs timestamp);

  Offset start_offset() const;
  Offset end_offset() const;
  Offset durable_end_offset() const;
  TimestampMs last_timestamp() const;  // -1 without records
  uint64_t size_bytes() const;
  std::vector<LogSegment> segments() const;
  LogCounters counters() const;
  // What made the log refuse appends until it is opened again; null while it works.
  const Error* failure() const;

  // Called in a turn of its own whenever durable_end_offset() moved or appends were lost. It must
  // not destroy the log.
  void set_progress_listener(UniqueFunction<void(const LogProgress&)> listener);
  void set_table_options(const TableLogOptions& options);

  // Later batches go to a new segment. Nothing to do when the newest one is empty.
  Status roll();
  // Deletes segments from the start while their newest record is older than the table's ttl and
  // they end at or below `limit` (high watermark, tiered or snapshotted offset). Returns how many.
  Task<Result<size_t>> delete_expired(TimestampMs now, Offset limit);
  // The same without looking at their age: what has a copy elsewhere.
  Task<Result<size_t>> delete_before(Offset limit);

  // Removes every batch that ends above `offset`. Appends are refused meanwhile.
  Task<Status> truncate_to(Offset offset);
  // Removes everything; the next batch gets `offset`.
  Task<Status> truncate_fully_and_start_at(Offset offset);

  // The leader epochs that wrote this log. An epoch starts at the offset that comes next.
  Status assign_epoch(LeaderEpoch epoch);
  LeaderEpoch latest_epoch() const;  // kNoLeaderEpoch at first
  EpochEnd end_offset_for_epoch(LeaderEpoch epoch) const;

  // Forgets writers that were silent for longer than the expiration.
  void expire_writers(TimestampMs now);
  size_t writer_count() const;
  // The batch that the log remembers for this writer and sequence.
  std::optional<Appended> find_duplicate(WriterId writer, int32_t sequence) const;

  // Everything appended so far is on stable storage when it ends well, in both modes.
  Task<Status> flush();
  // Refuses new work, flushes and notes a clean end. The only call that may follow is the
  // destructor.
  Task<Status> close();

 private:
  std::shared_ptr<log_internal::LogState> state_;
};

// Where a log stands: {database}/{table}-{id}[/{partition}-p{id}]/log-{bucket} below the data
// directory.
struct LogPath {
  PhysicalTablePath table;
  TableBucket bucket;

  friend auto operator<=>(const LogPath&, const LogPath&) = default;
};
std::string log_directory(const LogPath& path);
// The directory of the whole table or partition, which holds those of its buckets.
std::string table_directory(const LogPath& path);
std::optional<LogPath> parse_log_directory(std::string_view directory);

class LogStore {
 public:
  // Reads what the last stop left behind; opens no log yet. Creates the directory when it is
  // absent.
  static Task<Result<std::unique_ptr<LogStore>>> open(Env& env,
                                                      Shard& shard,
                                                      std::string directory,
                                                      LogOptions options);
  explicit LogStore(std::shared_ptr<log_internal::StoreState> state);
  LogStore(const LogStore&) = delete;
  LogStore& operator=(const LogStore&) = delete;
  ~LogStore();

  // The logs that were there at open, sorted. Those of tables that are gone: remove() them.
  const std::vector<LogPath>& found() const;

  // Opens the log, made when absent, for use on `home`; recovers it when it did not end cleanly.
  // Calls may run side by side, which is how a start is made parallel. One tablet a log at a time.
  Task<Result<std::unique_ptr<LogTablet>>> open_log(LogPath path, Shard& home);

  // Deletes a log that is not open, and the directories above it that became empty.
  Task<Status> remove(LogPath path);

  // Notes how far the logs are on stable storage, so that a start after a crash reads only what
  // comes behind. Call it every minute; with Durability::kOs it syncs first.
  Task<Status> checkpoint();

  // After all tablets are closed: notes the clean end.
  Task<Status> close();

  const std::string& directory() const;

 private:
  std::shared_ptr<log_internal::StoreState> state_;
};

}  // namespace lakestream
