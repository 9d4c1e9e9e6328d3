#include "coordinator/metadata_writer.h"

#include <optional>
#include <utility>

#include "meta/records.h"

namespace lakestream::coordinator {
namespace {

struct Leadership {
  int32_t epoch = 0;
  int32_t version = 0;  // of the epoch's node
};

Result<Leadership> raise_epoch(MetaStore& store) {
  RETURN_IF_ERROR(ensure_node(store, std::string(parent_of(paths::kCoordinatorEpoch))));
  ASSIGN_OR_RETURN(MetaOutcome made, store.create(paths::kCoordinatorEpoch, encode_epoch(-1)));
  if (made != MetaOutcome::kDone && made != MetaOutcome::kNodeExists) {
    return make_error(ErrorCode::kStorageException,
                      "metadata node {}: not made: {}",
                      paths::kCoordinatorEpoch,
                      to_string(made));
  }
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(paths::kCoordinatorEpoch));
  if (!node) {
    return make_error(
        ErrorCode::kStorageException, "metadata node {} is gone", paths::kCoordinatorEpoch);
  }
  ASSIGN_OR_RETURN(int32_t last, decode_epoch(node->value));
  ASSIGN_OR_RETURN(MetaOutcome raised,
                   store.put(paths::kCoordinatorEpoch, encode_epoch(last + 1), node->version));
  if (raised != MetaOutcome::kDone) {
    return make_error(ErrorCode::kNotCoordinatorLeaderException,
                      "coordinator epoch {} was taken by another coordinator",
                      last + 1);
  }
  return Leadership{.epoch = last + 1, .version = node->version + 1};
}

// Whether the change is in the store: since a multi is done as a whole, its last operation tells.
Result<bool> has_happened(MetaStore& store, const MetaOp& last) {
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(last.path));
  bool removed = last.kind == MetaOp::Kind::kRemove;
  if (!node) return removed;
  return !removed && node->value == last.value;
}

struct Attempt {
  Result<MultiResult> result;
  bool uncertain = false;
};

Attempt attempt(MetaStore& store, const std::vector<MetaOp>& ops) {
  Attempt attempt{.result = store.multi(ops)};
  if (attempt.result) return attempt;
  Result<bool> happened = has_happened(store, ops.back());
  if (!happened) attempt.uncertain = true;
  if (happened && *happened) attempt.result = MultiResult{};
  return attempt;
}

}  // namespace

Task<Status> MetadataWriter::take_leadership() {
  MetaStore* store = &store_;
  auto raise = [store] { return raise_epoch(*store); };
  Result<Leadership> taken = co_await run_on_pool(pool_, home_, std::move(raise));
  if (!taken) co_return fail(std::move(taken).error());
  epoch_ = taken->epoch;
  epoch_version_ = taken->version;
  co_return ok();
}

Task<Status> MetadataWriter::commit(std::vector<MetaOp> ops) {
  if (ops.empty()) co_return ok();
  ops.insert(ops.begin(), MetaOp::check(paths::kCoordinatorEpoch, epoch_version_));
  auto shared = std::make_shared<const std::vector<MetaOp>>(std::move(ops));
  MetaStore* store = &store_;
  auto job = [store, shared] { return attempt(*store, *shared); };
  Attempt done = co_await run_on_pool(pool_, home_, std::move(job));
  if (!done.result) {
    uncertain_ = uncertain_ || done.uncertain;
    co_return fail(std::move(done.result).error());
  }
  if (done.result->outcome == MetaOutcome::kDone) co_return ok();
  if (done.result->failed == 0) {
    co_return make_error(ErrorCode::kNotCoordinatorLeaderException,
                         "coordinator of epoch {} has been followed by another one",
                         epoch_);
  }
  // Only this coordinator writes, so what it believes to be in the store is wrong.
  uncertain_ = true;
  co_return make_error(ErrorCode::kUnknownServerError,
                       "metadata node {}: {}; the metadata will be read again",
                       (*shared)[done.result->failed].path,
                       to_string(done.result->outcome));
}

}  // namespace lakestream::coordinator
