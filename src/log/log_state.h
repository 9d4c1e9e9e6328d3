#pragma once

#include <array>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/env.h"
#include "io/shard.h"
#include "log/disk_queue.h"
#include "log/file_read.h"
#include "log/group.h"
#include "log/log.h"
#include "log/log_manifest.h"
#include "log/log_shard.h"
#include "log/recovery.h"
#include "log/tail_cache.h"
#include "log/writer_states.h"

// What is behind a LogTablet. Its parts: log_append.cc takes batches in, log_group.cc brings them
// to disk or takes them back, log_read.cc answers reads, log_upkeep.cc rolls, deletes, truncates,
// syncs and closes. Tasks hold the state by a shared pointer, so that the tablet may go while they
// wait.
//
// Thread rule: shard-local; what runs on the pool gets copies of what it needs.
//
//   auto state = std::make_shared<LogState>(place, std::move(opened));
//   ASSIGN_OR_RETURN(Appended appended, state->append(records, rules, AppendRole::kLeader));
namespace lakestream::log_internal {

class StoreState;

enum class AppendRole : uint8_t { kLeader, kFollower };

// Where a log belongs.
struct LogPlace {
  Env& env;
  Shard& shard;
  LogShard& log_shard;
  std::shared_ptr<StoreState> store;
  std::string name;       // its directory below the data directory
  std::string directory;  // the whole path
};

class LogState : public std::enable_shared_from_this<LogState> {
 public:
  LogState(LogPlace place, const LogOptions& options, OpenedLog opened);
  LogState(const LogState&) = delete;
  LogState& operator=(const LogState&) = delete;
  ~LogState();

  Result<Appended> append(Bytes records, const AppendRules& rules, AppendRole role);
  std::optional<Result<LogRead>> try_read(const ReadRequest& request);
  Result<Offset> try_visit(Offset from,
                           Offset limit,
                           const VisitRules& rules,
                           BatchVisitor visitor);
  Status roll();
  Status assign_epoch(LeaderEpoch epoch);
  void expire_writers(TimestampMs now) { writers_.expire(now, options_.writer_expiration); }
  // The tablet goes: nobody is told of anything any more.
  void abandon();

  using Self = std::shared_ptr<LogState>;
  static Task<Result<LogRead>> read(Self self, ReadRequest request);
  static Task<Result<bool>> prepare_visit(Self self, Offset from, VisitRules rules);
  static Task<Result<std::optional<Offset>>> offset_for_timestamp(Self self, TimestampMs timestamp);
  static Task<Result<size_t>> delete_expired(Self self, TimestampMs now, Offset limit);
  static Task<Result<size_t>> delete_before(Self self, Offset limit);
  static Task<Status> truncate(Self self, Truncation truncation);
  static Task<Status> flush(Self self);
  static Task<Status> close(Self self);
  // Brings what a recovery needs to disk. Nothing when the log did not move since the last time.
  static Task<Result<std::optional<RecoveryPoint>>> checkpoint(Self self);

  Offset start_offset() const { return segments_.front()->base_offset; }
  Offset end_offset() const { return end_; }
  Offset durable_end_offset() const { return durable_; }
  TimestampMs last_timestamp() const { return last_timestamp_; }
  uint64_t size_bytes() const;
  std::vector<LogSegment> segments() const;
  const LogCounters& counters() const { return counters_; }
  const Error* failure() const { return failure_ ? &*failure_ : nullptr; }
  const LeaderEpochs& epochs() const { return manifest_.epochs; }
  const WriterStates& writers() const { return writers_; }
  const std::string& name() const { return place_.name; }

  void set_progress_listener(UniqueFunction<void(const LogProgress&)> listener) {
    listener_ = std::move(listener);
  }
  void set_table_options(const TableLogOptions& options) { table_options_ = options; }

  // For LogShard: drops what is on disk from memory, returns how many bytes that were.
  uint64_t drop_tail();
  bool tail_is_empty() const { return tail_.empty(); }
  std::optional<std::list<LogState*>::iterator> tail_place;

 private:
  // How a segment was before a group, to go back to.
  struct SegmentMark {
    Offset end_offset;
    uint64_t size = 0;
    TimestampMs first_timestamp;
    TimestampMs max_timestamp;
    PointCollector collector;
  };
  struct GroupPart {
    Segment* segment = nullptr;
    uint64_t position = 0;
    std::vector<Bytes> parts;
    std::optional<Bytes> snapshot;  // set when the log rolled behind this segment
    size_t points_end = 0;          // index points in the files once it is written
  };
  struct Group {
    Offset begin;
    Offset end;
    TimestampMs last_timestamp;  // before it
    SegmentMark mark;            // of the first part's segment
    std::vector<GroupPart> parts;
    std::vector<WriterStates::Undo> undo;
    uint64_t bytes = 0;
    bool queued = false;
  };
  // Where a reader left off, so that it finds its place again without the index.
  struct Bookmark {
    Offset offset;
    Offset segment;
    uint64_t position = 0;
  };
  void adopt(OpenedLog opened);
  Segment& active() { return *segments_.back(); }
  Offset active_base() const { return segments_.back()->base_offset; }
  Status check_writable() const;
  void touch();

  // log_append.cc
  struct Incoming;
  Status check_batches(std::vector<BatchView>& batches, const AppendRules& rules, AppendRole role);
  Status admit_writers(const std::vector<BatchView>& batches, Incoming* incoming);
  void record_writers(const std::vector<BatchView>& batches, Incoming* incoming);
  bool must_roll(uint64_t bytes, int64_t records, TimestampMs now);
  void place_batch(const BatchView& batch);
  Appended take_in(Bytes records, std::vector<BatchView>& batches, Incoming incoming);

  // log_group.cc
  Group& gather();
  void enqueue_group();
  GroupPlan plan_group(Group& group);
  uint64_t reserve(Segment& segment, uint64_t end) const;
  void finish_group(GroupOutcome outcome);
  void settle_group(Group group, GroupOutcome outcome);
  void undo_groups(const Error& error);
  void undo_group(Group& group);
  void roll_active();
  void note_tail(uint64_t before);
  void report(const LogLoss* loss);
  void set_failure(Error error);

  // log_read.cc
  Status check_range(Offset from) const;
  Segment& segment_of(Offset offset);
  std::optional<uint64_t> known_position(const Segment& segment, Offset offset) const;
  FileReadPlan plan_read(const Segment& segment) const;
  void bookmark(Offset offset, const Segment& segment, uint64_t position);
  void add_piece(Segment& segment, FileReadResult piece, LogRead* read);
  Result<bool> add_without_waiting(ReadRequest request, LogRead* read);
  void repair_index(Offset base);
  tl::unexpected<Error> gone() const;

  // log_upkeep.cc
  static Task<Status> drain(Self self);
  static Task<Status> sync_files(Self self, Offset target);
  static Task<Result<size_t>> delete_segments(Self self, size_t count);
  // Work whose turn in the queue has come.
  struct QueuedWork {
    UniqueFunction<Status()> blocking;  // on the pool; empty: there is nothing to do any more
    UniqueFunction<void()> succeeded;   // one of these on the shard
    UniqueFunction<void()> failed;
  };
  // No part of the log any more, but still on disk.
  struct DoomedSegment {
    Offset base_offset;
    std::shared_ptr<File> file;
  };
  static Task<Status> run_queued(Self self, UniqueFunction<QueuedWork()> prepare);
  QueuedWork prepare_deletion();
  QueuedWork prepare_truncation(const Truncation& truncation);
  QueuedWork prepare_helpers(Offset end, Bytes snapshot);
  QueuedWork prepare_close();
  size_t count_deletable(Offset limit, std::optional<TimestampMs> older_than) const;
  CleanLog clean_record() const;
  void release(std::optional<CleanLog> clean);

  LogPlace place_;
  LogOptions options_;
  TableLogOptions table_options_;

  std::deque<std::unique_ptr<Segment>> segments_;  // at least one; only the last is appended to
  std::vector<DoomedSegment> doomed_;              // lower offsets first
  LogManifest manifest_;
  bool manifest_dirty_ = false;  // newer than the file
  WriterStates writers_;
  TailCache tail_;
  Offset end_;
  Offset durable_;
  Offset synced_;      // on stable storage for certain
  Offset checkpoint_;  // what the last checkpoint noted
  TimestampMs last_timestamp_{-1};

  std::shared_ptr<DiskQueue> queue_;
  std::optional<Group> gathering_;
  std::optional<Group> in_flight_;
  Duration held_up_until_{0};  // writes go through the pool
  uint64_t version_ = 0;       // counts what takes batches away from the end
  std::optional<Error> failure_;
  bool truncating_ = false;
  bool closed_ = false;
  bool touched_ = false;   // differs from what the last clean stop noted
  bool attached_ = false;  // known to the shard as one that moves
  bool abandoned_ = false;
  bool released_ = false;  // the store knows that the log is not open any more

  UniqueFunction<void(const LogProgress&)> listener_;
  std::array<Bookmark, 8> bookmarks_;
  size_t next_bookmark_ = 0;
  LogCounters counters_;
};

}  // namespace lakestream::log_internal
