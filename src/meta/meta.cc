#include "meta/meta.h"

#include <algorithm>
#include <utility>

namespace lakestream {
namespace {

Result<MetaOutcome> run_one(MetaStore& store, MetaOp op) {
  std::vector<MetaOp> ops;
  ops.push_back(std::move(op));
  ASSIGN_OR_RETURN(MultiResult result, store.multi(std::move(ops)));
  return result.outcome;
}

Status append_removal(MetaStore& store, const std::string& path, std::vector<MetaOp>* ops) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, store.children(path));
  for (const std::string& name : names) {
    RETURN_IF_ERROR(append_removal(store, path == "/" ? path + name : path + "/" + name, ops));
  }
  ops->push_back(MetaOp::remove(path, kAnyVersion));
  return ok();
}

}  // namespace

std::string_view to_string(MetaOutcome outcome) {
  switch (outcome) {
    case MetaOutcome::kDone:
      return "done";
    case MetaOutcome::kNoNode:
      return "no node";
    case MetaOutcome::kNodeExists:
      return "node exists";
    case MetaOutcome::kBadVersion:
      return "bad version";
    case MetaOutcome::kNotEmpty:
      return "not empty";
  }
  return "unknown";
}

MetaOp MetaOp::check(std::string path, int32_t version) {
  return MetaOp{.kind = Kind::kCheck, .path = std::move(path), .value = {}, .version = version};
}

MetaOp MetaOp::create(std::string path, Bytes value) {
  return MetaOp{.kind = Kind::kCreate, .path = std::move(path), .value = std::move(value)};
}

MetaOp MetaOp::put(std::string path, Bytes value, int32_t version) {
  return MetaOp{
      .kind = Kind::kPut, .path = std::move(path), .value = std::move(value), .version = version};
}

MetaOp MetaOp::remove(std::string path, int32_t version) {
  return MetaOp{.kind = Kind::kRemove, .path = std::move(path), .value = {}, .version = version};
}

Result<MetaOutcome> MetaStore::create(std::string path, Bytes value) {
  return run_one(*this, MetaOp::create(std::move(path), std::move(value)));
}

Result<MetaOutcome> MetaStore::put(std::string path, Bytes value, int32_t version) {
  return run_one(*this, MetaOp::put(std::move(path), std::move(value), version));
}

Result<MetaOutcome> MetaStore::remove(std::string path, int32_t version) {
  return run_one(*this, MetaOp::remove(std::move(path), version));
}

Status ensure_node(MetaStore& store, const std::string& path) {
  RETURN_IF_ERROR(check_meta_path(path));
  size_t end = 0;
  while (end < path.size() && path != "/") {
    end = std::min(path.find('/', end + 1), path.size());
    std::string ancestor = path.substr(0, end);
    ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(ancestor));
    if (node) continue;
    ASSIGN_OR_RETURN(MetaOutcome outcome, store.create(ancestor, {}));
    // Somebody else may have been faster, or have removed the parent meanwhile.
    if (outcome == MetaOutcome::kDone || outcome == MetaOutcome::kNodeExists) continue;
    return make_error(ErrorCode::kStorageException,
                      "metadata node {}: not made: {}",
                      ancestor,
                      to_string(outcome));
  }
  return ok();
}

Result<std::vector<MetaOp>> removal_of(MetaStore& store, const std::string& path) {
  std::vector<MetaOp> ops;
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(path));
  if (node) RETURN_IF_ERROR(append_removal(store, path, &ops));
  return ops;
}

Status check_meta_path(std::string_view path) {
  if (path == "/") return ok();
  bool well_formed = !path.empty() && path.front() == '/' && path.back() != '/' &&
                     path.find("//") == std::string_view::npos &&
                     path.find('\0') == std::string_view::npos;
  if (well_formed && path.size() <= kMetaPathBytesMax) return ok();
  return make_error(
      ErrorCode::kUnknownServerError,
      "metadata path '{}': a path starts with '/', has no empty part and at most {} bytes",
      path.substr(0, kMetaPathBytesMax),
      kMetaPathBytesMax);
}

Status check_meta_op(const MetaOp& op) {
  RETURN_IF_ERROR(check_meta_path(op.path));
  if (op.value.size() > kMetaValueBytesMax) {
    return make_error(ErrorCode::kUnknownServerError,
                      "metadata node {}: a value of {} bytes is over the limit of {}",
                      op.path,
                      op.value.size(),
                      kMetaValueBytesMax);
  }
  if (op.path == "/" && op.kind != MetaOp::Kind::kCheck) {
    return make_error(ErrorCode::kUnknownServerError,
                      "metadata node /: the root can not be changed");
  }
  return ok();
}

std::string_view parent_of(std::string_view path) {
  size_t slash = path.rfind('/');
  CHECK(slash != std::string_view::npos && path.size() > 1, "path of a metadata node");
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace lakestream
