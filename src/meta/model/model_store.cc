#include "meta/model/model_store.h"

#include <utility>

namespace lakestream {
namespace {

// What the paths of all nodes below this one start with.
std::string prefix_below(const std::string& path) { return path == "/" ? path : path + "/"; }

tl::unexpected<Error> injected(std::string_view what) {
  return make_error(ErrorCode::kStorageException, "metadata store: injected fault: {}", what);
}

}  // namespace

Result<std::optional<MetaNode>> ModelStore::get(const std::string& path) {
  RETURN_IF_ERROR(check_meta_path(path));
  if (read_fault_ && read_fault_(path)) return injected(path);
  auto found = nodes_.find(path);
  return found == nodes_.end() ? std::optional<MetaNode>() : std::optional(found->second);
}

Result<std::vector<std::string>> ModelStore::children(const std::string& path) {
  RETURN_IF_ERROR(check_meta_path(path));
  if (read_fault_ && read_fault_(path)) return injected(path);
  std::vector<std::string> names;
  std::string prefix = prefix_below(path);
  for (auto it = nodes_.upper_bound(prefix); it != nodes_.end(); ++it) {
    if (!it->first.starts_with(prefix)) break;
    std::string name = it->first.substr(prefix.size());
    if (name.find('/') == std::string::npos) names.push_back(std::move(name));
  }
  return names;
}

Result<MultiResult> ModelStore::multi(std::vector<MetaOp> ops) {
  ++multi_count_;
  for (const MetaOp& op : ops) RETURN_IF_ERROR(check_meta_op(op));
  Fault fault = multi_fault_ ? multi_fault_(ops) : Fault::kNone;
  if (fault == Fault::kRefused) return injected("refused");
  Nodes changed = nodes_;
  for (size_t i = 0; i < ops.size(); ++i) {
    MetaOutcome outcome = apply(&changed, ops[i]);
    if (outcome != MetaOutcome::kDone) return MultiResult{.outcome = outcome, .failed = i};
  }
  nodes_ = std::move(changed);
  if (fault == Fault::kAnswerLost) return injected("answer lost");
  return MultiResult{};
}

MetaOutcome ModelStore::apply(Nodes* nodes, const MetaOp& op) {
  auto found = nodes->find(op.path);
  if (op.kind == MetaOp::Kind::kCreate) {
    if (found != nodes->end()) return MetaOutcome::kNodeExists;
    if (!nodes->contains(std::string(parent_of(op.path)))) return MetaOutcome::kNoNode;
    nodes->emplace(op.path, MetaNode{.value = op.value, .version = 0});
    return MetaOutcome::kDone;
  }
  if (found == nodes->end()) return MetaOutcome::kNoNode;
  if (op.version != kAnyVersion && op.version != found->second.version) {
    return MetaOutcome::kBadVersion;
  }
  if (op.kind == MetaOp::Kind::kPut) {
    found->second.value = op.value;
    ++found->second.version;
  }
  if (op.kind == MetaOp::Kind::kRemove) {
    auto below = nodes->upper_bound(prefix_below(op.path));
    if (below != nodes->end() && below->first.starts_with(prefix_below(op.path))) {
      return MetaOutcome::kNotEmpty;
    }
    nodes->erase(found);
  }
  return MetaOutcome::kDone;
}

}  // namespace lakestream
