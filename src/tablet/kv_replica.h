#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "io/env.h"
#include "io/random.h"
#include "io/task.h"
#include "kv/kv.h"
#include "kv/snapshot.h"
#include "log/log.h"
#include "table/path.h"
#include "tablet/kv_scans.h"
#include "tablet/links.h"
#include "tablet/table_context.h"

// The key-value side of a primary-key bucket: the order in which puts are taken, and the way of
// their rows from the changelog into the database. A put is merged and appended to the log when its
// turn comes; it is applied to the database once the log has it on stable storage, and only then
// may the high watermark pass it. So a read after an acknowledged put always sees it.
//
// The database is opened when it is first needed and brought up to the log then.
//
// Thread rule: shard-local, on the bucket's home.
//
//   std::shared_ptr<KvReplica::Put> put = kv->start_put(std::move(request));
//   CO_ASSIGN_OR_RETURN(Appended appended, co_await put->appended.get());
namespace lakestream {

class ObjectStore;

class RemoteLog;

struct KvReplicaOptions {
  std::string directory;  // of the database
  std::shared_ptr<KvEngines> engines;
  std::shared_ptr<RowCache> rows;  // of the shard; null: none
  // Without them there are no snapshots and no auto-increment columns.
  CoordinatorLink* coordinator = nullptr;
  ObjectStore* objects = nullptr;
  RemoteLog* remote = nullptr;  // where the log begins, when it is not all local
  Random random{0};
  // Above it puts are refused until some are applied.
  size_t pending_bytes_max = 64 << 20;
  // Called when the memory of all buckets' changes is used up.
  std::function<void()> memory_used_up = [] {};
  KvScanLimits scans;
  // Of all buckets of the server.
  std::shared_ptr<std::atomic<size_t>> scan_count = std::make_shared<std::atomic<size_t>>(0);
};

struct KvPutRequest {
  Bytes records;  // one key-value batch
  std::vector<int32_t> target_columns;
  bool overwrite = false;
  std::shared_ptr<TableContext> table;
  LeaderEpoch epoch;
};

struct KvScanStart {
  KvScanPage page;
  Offset log_offset;      // the state is that of the log below it
  bool is_empty = false;  // no rows, and so no session
};

// Where a snapshot stands while it is copied.
inline std::string kv_checkpoint_directory(const std::string& database) {
  return database + ".checkpoint";
}

class KvReplica {
 public:
  // Settled when the changelog was appended, or refused.
  struct Put {
    KvPutRequest request;
    std::optional<KvBatchView> batch;
    Promise<Result<Appended>> appended;
  };
  // `published` is told how far the log is applied. `log` outlives this object.
  KvReplica(Env& env,
            Shard& home,
            TableBucket bucket,
            LogTablet& log,
            KvReplicaOptions options,
            std::function<void(Offset)> published);
  KvReplica(const KvReplica&) = delete;
  KvReplica& operator=(const KvReplica&) = delete;

  // Puts are taken in the order of the calls. Errors of the put: those of KvTablet::prepare() and
  // LogTablet::append(), kStorageBackpressureException while too much waits to be applied.
  std::shared_ptr<Put> start_put(KvPutRequest request);
  // The log is durable further, or lost a part.
  void log_moved(const LogProgress& progress);

  enum class Rows : uint8_t {
    kApplied,
    kNewest,  // also those that are not applied yet
  };
  // The rows of the keys as stored values, in their order; empty where there is none.
  Task<Result<std::vector<std::optional<Bytes>>>> lookup(std::shared_ptr<TableContext> table,
                                                         std::vector<Bytes> keys,
                                                         Rows which = Rows::kApplied);
  // The stored values of all keys that start with the prefix, in key order; at most `count_max`.
  // kInvalidScanRequest when they have more than `bytes_max`.
  Task<Result<std::vector<Bytes>>> scan_prefix(std::shared_ptr<TableContext> table,
                                               Bytes prefix,
                                               size_t count_max,
                                               size_t bytes_max);
  // Opens a scan session and reads its first page.
  Task<Result<KvScanStart>> open_scan(std::shared_ptr<TableContext> table,
                                      std::optional<int64_t> limit,
                                      size_t page_bytes);
  Task<Result<KvScanPage>> next_page(uint64_t scanner, int32_t sequence, size_t page_bytes);
  KvScans& scans() { return scans_; }
  // Rows there are. Errors: kInvalidTableException when the table does not count them.
  Task<Result<int64_t>> row_count(std::shared_ptr<TableContext> table);

  // 0: puts go at full speed; 1: they are refused.
  double pressure() const;
  bool is_open() const { return tablet_ != nullptr; }
  // Memory of puts that wait, and of rows that are not applied yet.
  size_t pending_bytes() const;

  // Memory of rows that are in no file yet; 0 while the database is not open.
  uint64_t unflushed_bytes() const;
  // Writes them to files, between two other writes.
  Task<Status> flush();

  // Copies the state to remote storage, when it changed since the last time. `stopping` ends it
  // early; null: nothing but stop() does.
  Task<Status> snapshot(const std::atomic<bool>* stopping = nullptr);
  // The log below it is not needed to restore the state, not even from the last snapshot but one.
  Task<Result<Offset>> needed_from();

  // Refuses everything from here on, waits for what runs, closes the database.
  Task<Status> stop();

 private:
  Task<Status> open(std::shared_ptr<TableContext> table);
  void note_open(const Status& status);
  Task<Status> open_database(std::shared_ptr<TableContext> table);
  Task<Result<std::unique_ptr<KvEngine>>> open_engine();
  Task<Result<std::unique_ptr<KvEngine>>> restore_engine();
  Task<Result<Offset>> log_start();
  Task<Offset> known_log_start();
  Status check_covered(const KvEngine& engine, Offset start) const;
  Task<Status> replay(KvEngine* engine, std::shared_ptr<KvTable> table);

  Task<void> pump(Gate::Pass pass);
  Task<Status> take_group(std::vector<std::shared_ptr<Put>> group);
  Task<Status> reserve_ids(KvTable* table, int64_t count);
  Task<Status> load_group(const std::vector<std::shared_ptr<Put>>* group, KvLoad* load);
  Result<Appended> settle(Put& put, const KvLoad* load, size_t position);
  Status check_open() const;

  void start_apply();
  Task<void> apply(Gate::Pass pass);
  Task<Status> apply_some(const KvApply* next);
  Task<bool> grant_wish();
  void refuse_wishes();
  void look_at_engine();
  Task<Result<KvCheckpoint>> take_checkpoint(std::string directory);
  Task<Status> commit(UploadedSnapshot uploaded);
  Task<Status> learn_covered();

  Env& env_;
  Shard& home_;
  TableBucket bucket_;
  LogTablet& log_;
  KvReplicaOptions options_;
  std::function<void(Offset)> published_;

  KvScans scans_;
  std::unique_ptr<KvTablet> tablet_;  // once it is open
  std::vector<Promise<Status>*> openers_;
  bool opening_ = false;
  // Answers what asks until the next try, which may copy a whole snapshot.
  struct FailedOpen {
    Error error;
    Duration until;
    Duration pause;
  };
  std::optional<FailedOpen> failed_open_;
  std::deque<std::shared_ptr<Put>> queue_;
  size_t queued_bytes_ = 0;
  bool pumping_ = false;
  bool applying_ = false;
  // A checkpoint that is to be taken between two writes.
  struct CheckpointWish {
    std::string directory;
    Promise<Result<KvCheckpoint>> taken;
  };
  CheckpointWish* checkpoint_wish_ = nullptr;
  Promise<Status>* flush_wish_ = nullptr;  // the same for a flush
  bool snapshotting_ = false;
  // What the last committed snapshot covers, and the one before; 0 without one. Empty until asked.
  std::optional<Offset> covered_;
  Offset covered_before_;
  // One of this very database, so that its table files need not be copied again.
  std::optional<KvSnapshot> last_snapshot_;
  std::optional<UploadedSnapshot> uncommitted_;  // the answer to its commit was lost
  std::atomic<bool> stopped_ = false;            // the pool reads it, too
  double pressure_ = 0;
  Gate gate_;
};

}  // namespace lakestream
