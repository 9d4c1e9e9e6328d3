#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "io/pool.h"
#include "io/task.h"

// Gives writer ids that are unique in the cluster for ever. Ids are reserved in blocks in the
// metadata store's counter before any of them is given, so a crash skips ids and never repeats one,
// and most calls touch no store. One block is reserved at a time; callers that come meanwhile wait
// for it.
//
// Thread rule: shard-local, on `home`. Must outlive its calls.
//
//   WriterIds ids(store, env.pool, shard);
//   CO_ASSIGN_OR_RETURN(WriterId id, co_await ids.next());
namespace lakestream {

class MetaStore;

class WriterIds {
 public:
  static constexpr int64_t kBlock = 1000;

  WriterIds(MetaStore& store, Pool& pool, Shard& home) : store_(store), pool_(pool), home_(home) {}

  // kStorageException when no block can be reserved; the next call tries again.
  Task<Result<WriterId>> next();

 private:
  Task<void> reserve();

  MetaStore& store_;
  Pool& pool_;
  Shard& home_;
  int64_t next_ = 0;
  int64_t limit_ = 0;  // of the block in use
  bool reserving_ = false;
  std::optional<Error> failure_;  // of the last reservation
  std::vector<std::shared_ptr<Waiter>> waiting_;
};

// Takes `count` numbers from the counter: the first of them. Blocks; makes the counter when absent.
Result<int64_t> take_from_counter(MetaStore& store, const std::string& path, int64_t count);

}  // namespace lakestream
