#include "io/sim/sim_object_store.h"

#include <algorithm>

#include "io/disk.h"

namespace lakestream {

Status SimObjectStore::run(std::string_view operation,
                           const std::string& path,
                           const std::function<void()>& change) {
  Fault fault = fault_ ? fault_(operation, path) : Fault::kNone;
  if (fault != Fault::kRefused) change();
  if (fault == Fault::kNone) return ok();
  return make_error(
      ErrorCode::kStorageException, "{} {}: the store gives no answer", operation, path);
}

void SimObjectStore::set(const std::string& path, const Bytes& content) {
  objects_[path] = content;
  modified_[path] = clock_ == nullptr ? TimestampMs(0) : clock_->now();
}

Status SimObjectStore::put(const std::string& path, const Bytes& content) {
  return run("put", path, [&] { set(path, content); });
}

Result<bool> SimObjectStore::put_if_absent(const std::string& path, const Bytes& content) {
  bool absent = false;
  auto change = [&] {
    absent = !objects_.contains(path);
    if (absent) set(path, content);
  };
  RETURN_IF_ERROR(run("put_if_absent", path, change));
  return absent;
}

Result<uint64_t> SimObjectStore::put_file(const std::string& path, const std::string& local_file) {
  ASSIGN_OR_RETURN(Bytes content, read_file(disk_, local_file));
  RETURN_IF_ERROR(run("put_file", path, [&] { set(path, content); }));
  return content.size();
}

Result<std::optional<Bytes>> SimObjectStore::get(const std::string& path) {
  return get_range(path, 0, UINT64_MAX);
}

Result<std::optional<Bytes>> SimObjectStore::get_range(const std::string& path,
                                                       uint64_t offset,
                                                       uint64_t size) {
  RETURN_IF_ERROR(run("get", path, [] {}));
  auto found = objects_.find(path);
  if (found == objects_.end()) return std::optional<Bytes>();
  uint64_t begin = std::min<uint64_t>(offset, found->second.size());
  uint64_t count = std::min<uint64_t>(size, found->second.size() - begin);
  return std::optional<Bytes>(found->second.slice(begin, count));
}

Result<std::optional<uint64_t>> SimObjectStore::get_file(const std::string& path,
                                                         const std::string& local_file) {
  ASSIGN_OR_RETURN(std::optional<Bytes> content, get(path));
  if (!content) return std::optional<uint64_t>();
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, disk_.open(local_file, OpenMode::kCreate));
  RETURN_IF_ERROR(file->truncate(0));
  RETURN_IF_ERROR(file->write_at(0, {&*content, 1}));
  RETURN_IF_ERROR(file->sync());
  return std::optional<uint64_t>(content->size());
}

Result<std::vector<ObjectInfo>> SimObjectStore::list(const std::string& prefix) {
  RETURN_IF_ERROR(run("list", prefix, [] {}));
  std::string folder = object_path(prefix, "");
  std::vector<ObjectInfo> found;
  for (const auto& [path, content] : objects_) {
    if (path.starts_with(folder)) found.push_back({path, content.size()});
  }
  return found;
}

Result<std::vector<std::string>> SimObjectStore::list_stale(const std::string& prefix,
                                                            TimestampMs before) {
  ASSIGN_OR_RETURN(std::vector<ObjectInfo> all, list(prefix));
  std::vector<std::string> stale;
  for (ObjectInfo& object : all) {
    if (modified_[object.path] < before) stale.push_back(std::move(object.path));
  }
  return stale;
}

Status SimObjectStore::remove(const std::string& path) {
  return run("remove", path, [&] { objects_.erase(path); });
}

Status SimObjectStore::remove_prefix(const std::string& prefix) {
  std::string folder = object_path(prefix, "");
  return run("remove_prefix", prefix, [&] {
    std::erase_if(objects_, [&](const auto& entry) { return entry.first.starts_with(folder); });
  });
}

}  // namespace lakestream
