#include "catalog/writer_ids.h"

#include <utility>

#include "meta/meta.h"
#include "meta/records.h"

namespace lakestream {
namespace {

// Other servers may take from the same counter between our read and our write.
constexpr int kTriesMax = 20;

}  // namespace

Task<Result<WriterId>> WriterIds::next() {
  while (next_ == limit_) {
    if (reserving_) {
      auto waiter = std::make_shared<Waiter>();
      waiting_.push_back(waiter);
      co_await waiter->wait();
      // A failure is the answer of all that waited for it.
      if (next_ == limit_ && failure_) co_return fail(*failure_);
      continue;
    }
    co_await reserve();
    if (failure_) co_return fail(*failure_);
  }
  co_return WriterId(next_++);
}

Task<void> WriterIds::reserve() {
  reserving_ = true;
  MetaStore* store = &store_;
  auto take = [store] { return take_from_counter(*store, paths::kWriterCounter, kBlock); };
  Result<int64_t> first = co_await run_on_pool(pool_, home_, std::move(take));
  reserving_ = false;
  failure_.reset();
  if (first) {
    next_ = *first;
    limit_ = *first + kBlock;
  } else {
    failure_ = std::move(first).error().with_context("reserving writer ids");
  }
  for (const auto& waiter : std::exchange(waiting_, {})) waiter->wake();
}

Result<int64_t> take_from_counter(MetaStore& store, const std::string& path, int64_t count) {
  RETURN_IF_ERROR(ensure_node(store, path));
  for (int tries = 0; tries < kTriesMax; ++tries) {
    ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(path));
    if (!node) break;
    ASSIGN_OR_RETURN(int64_t first, decode_counter(node->value));
    Bytes next = encode_counter(first + count);
    ASSIGN_OR_RETURN(MetaOutcome outcome, store.put(path, std::move(next), node->version));
    if (outcome == MetaOutcome::kDone) return first;
    if (outcome != MetaOutcome::kBadVersion) break;
  }
  return make_error(ErrorCode::kStorageException,
                    "counter {} is changed by others all the time; try again",
                    path);
}

}  // namespace lakestream
