#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "io/env.h"
#include "io/shard.h"
#include "io/task.h"
#include "lake/lake.h"

// The writers of one round, one a bucket that has rows. Buckets are written side by side on the
// pool, the rows of each in their order; what a writer leaves to do for the store is done beside
// it. The caller fetches the next rows meanwhile.
//
// Thread rule: shard-local.
//
//   auto writers = std::make_shared<RoundWriters>(env, shard, table);
//   CO_RETURN_IF_ERROR(co_await RoundWriters::write(writers, portions));  // the ones before are
//   done CO_RETURN_IF_ERROR(co_await RoundWriters::finish(writers, &files));
namespace lakestream::tiering {

// Rows on their way to a writer.
struct Portion {
  LakeBucket bucket;
  LakeRows rows;
};

class RoundWriters {
 public:
  RoundWriters(Env& env, Shard& shard, std::shared_ptr<LakeTable> table)
      : env_(env), shard_(shard), table_(std::move(table)) {}

  // Begins to write these when those before are written. Errors: of those before.
  static Task<Status> write(std::shared_ptr<RoundWriters> self, std::vector<Portion> portions);
  // Once; files that were finished before an error are added to `files` too.
  static Task<Status> finish(std::shared_ptr<RoundWriters> self, std::vector<LakeFiles>* files);
  // Ends when nothing is written any more, and drops what is not finished.
  static Task<Status> drop(std::shared_ptr<RoundWriters> self);

  // As of the last write() that was waited for.
  uint64_t held_bytes() const { return held_bytes_; }
  uint64_t rows() const { return rows_; }
  // Of finished files.
  uint64_t bytes() const { return bytes_; }

 private:
  struct Slot {
    LakeBucket bucket;
    std::unique_ptr<LakeWriter> writer;
    std::vector<LakeRows> rows;  // to be written
    std::vector<LakeWork> work;  // that the last write() has left
    bool is_storing = false;     // work before that is done on the pool
    Waiter stored;
    std::optional<LakeFiles> files;
  };
  using Job = Status (*)(LakeTable&, Slot&);

  // Runs the job of each slot on the pool, all at once.
  static void run_all(const std::shared_ptr<RoundWriters>& self,
                      const std::vector<Slot*>& slots,
                      Job job);
  static Task<void> run_one(std::shared_ptr<RoundWriters> self, Slot* slot, Job job);
  static Task<void> store(std::shared_ptr<RoundWriters> self, Slot* slot);
  void took(Status outcome);
  // Of the jobs that run: nothing to wait for without one.
  Task<Status> settle();
  // The same, and the work for the store.
  Task<Status> settle_all();
  static Status write_rows(LakeTable& table, Slot& slot);
  static Status finish_file(LakeTable& table, Slot& slot);

  Env& env_;
  Shard& shard_;
  std::shared_ptr<LakeTable> table_;
  std::map<LakeBucket, Slot> slots_;
  size_t running_ = 0;  // jobs
  Status outcome_;      // of those since the last settle
  Waiter settled_;
  uint64_t held_bytes_ = 0;
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace lakestream::tiering
