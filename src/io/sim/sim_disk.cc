#include "io/sim/sim_disk.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace lakestream {

struct SimDisk::Node {
  std::vector<uint8_t> written;
  std::vector<uint8_t> synced;
};

// Entries as they are, and as they are on stable storage.
struct SimDisk::Directory {
  std::map<std::string, std::shared_ptr<Node>> written;
  std::map<std::string, std::shared_ptr<Node>> synced;
};

namespace {

constexpr size_t kSector = 512;

std::string parent_of(const std::string& path) {
  size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

tl::unexpected<Error> disk_error(std::string_view action,
                                 const std::string& path,
                                 std::string_view reason) {
  return make_error(ErrorCode::kStorageException, "{} {}: {}", action, path, reason);
}

}  // namespace

class SimFile final : public File {
 public:
  SimFile(SimDisk& disk, std::shared_ptr<SimDisk::Node> node, std::string path)
      : disk_(disk),
        node_(std::move(node)),
        path_(std::move(path)),
        generation_(disk.generation_) {}

  // Until the handle goes.
  void keep(std::shared_ptr<void> thing) { kept_ = std::move(thing); }

  Result<size_t> read_at(uint64_t offset, std::span<uint8_t> into) override {
    RETURN_IF_ERROR(alive());
    const std::vector<uint8_t>& data = node_->written;
    if (offset >= data.size()) return size_t{0};
    size_t count = std::min(into.size(), data.size() - offset);
    std::copy_n(data.data() + offset, count, into.data());
    return count;
  }

  Result<std::optional<size_t>> try_read_at(uint64_t offset, std::span<uint8_t> into) override {
    RETURN_IF_ERROR(alive());
    if (disk_.random_.chance(disk_.cold_percent_, 100)) return std::optional<size_t>();
    ASSIGN_OR_RETURN(size_t count, read_at(offset, into));
    if (count < into.size()) return std::optional<size_t>();
    return std::optional<size_t>(count);
  }

  Status write_at(uint64_t offset, std::span<const Bytes> parts) override {
    RETURN_IF_ERROR(alive());
    RETURN_IF_ERROR(disk_.maybe_fail("write", path_));
    for (const Bytes& part : parts) {
      uint64_t end = offset + part.size();
      uint64_t growth = end > node_->written.size() ? end - node_->written.size() : 0;
      // Counting all files at each write would be most of a simulation's time.
      bool is_limited = disk_.capacity_ != UINT64_MAX;
      if (is_limited && disk_.used() + growth > disk_.capacity_) {
        return disk_error("writing", path_, kDiskFullMark);
      }
      if (growth > 0) node_->written.resize(end);
      std::copy_n(part.data(), part.size(), node_->written.data() + offset);
      offset = end;
    }
    return ok();
  }

  Status sync() override {
    RETURN_IF_ERROR(alive());
    RETURN_IF_ERROR(disk_.maybe_fail("sync", path_));
    node_->synced = node_->written;
    return ok();
  }

  Status truncate(uint64_t size) override {
    RETURN_IF_ERROR(alive());
    RETURN_IF_ERROR(disk_.maybe_fail("truncate", path_));
    node_->written.resize(size);
    return ok();
  }

  Status preallocate(uint64_t) override { return alive(); }

  Result<uint64_t> size() override {
    RETURN_IF_ERROR(alive());
    return node_->written.size();
  }

 private:
  Status alive() const {
    if (generation_ == disk_.generation_) return ok();
    return disk_error("using", path_, "the machine has lost power");
  }

  SimDisk& disk_;
  std::shared_ptr<SimDisk::Node> node_;
  std::string path_;
  uint64_t generation_;
  std::shared_ptr<void> kept_;
};

SimDisk::SimDisk(Random random) : random_(random) { directories_["/"]; }
SimDisk::~SimDisk() = default;

Status SimDisk::maybe_fail(const std::string& operation, const std::string& path) {
  if (fail_countdown_ == 0 || operation != fail_operation_ || --fail_countdown_ > 0) return ok();
  return disk_error(operation, path, "Input/output error");
}

void SimDisk::fail_after(int count, std::string operation) {
  fail_countdown_ = count;
  fail_operation_ = std::move(operation);
}

SimDisk::Directory* SimDisk::directory_of(const std::string& path) {
  auto found = directories_.find(parent_of(path));
  return found == directories_.end() ? nullptr : &found->second;
}

Result<std::unique_ptr<File>> SimDisk::open(const std::string& path, OpenMode mode) {
  RETURN_IF_ERROR(maybe_fail("open", path));
  Directory* directory = directory_of(path);
  if (directory == nullptr) return disk_error("opening", path, "No such file or directory");
  auto found = directory->written.find(name_of(path));
  bool present = found != directory->written.end();
  if (present && mode == OpenMode::kCreateExclusive) {
    return disk_error("opening", path, "File exists");
  }
  if (!present && (mode == OpenMode::kRead || mode == OpenMode::kWrite)) {
    return disk_error("opening", path, "No such file or directory");
  }
  std::shared_ptr<Node> node = present ? found->second : std::make_shared<Node>();
  if (!present) directory->written[name_of(path)] = node;
  return std::make_unique<SimFile>(*this, std::move(node), path);
}

Result<std::vector<DirectoryEntry>> SimDisk::list(const std::string& directory) {
  auto found = directories_.find(directory);
  if (found == directories_.end()) {
    return disk_error("listing", directory, "No such file or directory");
  }
  std::map<std::string, DirectoryEntry> entries;
  for (const auto& [name, node] : found->second.written) {
    entries[name] = {name, false, node->written.size()};
  }
  for (const auto& [path, unused] : directories_) {
    if (path != "/" && parent_of(path) == directory) {
      entries[name_of(path)] = {name_of(path), true, 0};
    }
  }
  std::vector<DirectoryEntry> result;
  for (auto& [name, entry] : entries) result.push_back(std::move(entry));
  return result;
}

Result<bool> SimDisk::exists(const std::string& path) {
  if (directories_.contains(path)) return true;
  Directory* directory = directory_of(path);
  return directory != nullptr && directory->written.contains(name_of(path));
}

Status SimDisk::create_directories(const std::string& directory) {
  std::string path = directory;
  while (path != "." && path != "/") {
    directories_[path];
    path = parent_of(path);
  }
  return ok();
}

Status SimDisk::rename(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(maybe_fail("rename", from));
  Directory* source = directory_of(from);
  Directory* target = directory_of(to);
  if (source == nullptr || target == nullptr || !source->written.contains(name_of(from))) {
    return disk_error("renaming", from, "No such file or directory");
  }
  target->written[name_of(to)] = source->written[name_of(from)];
  source->written.erase(name_of(from));
  return ok();
}

Result<bool> SimDisk::rename_new(const std::string& from, const std::string& to) {
  Directory* target = directory_of(to);
  if (target != nullptr && target->written.contains(name_of(to))) return false;
  RETURN_IF_ERROR(rename(from, to));
  return true;
}

Status SimDisk::remove(const std::string& path) {
  if (Directory* directory = directory_of(path)) directory->written.erase(name_of(path));
  return ok();
}

Status SimDisk::remove_all(const std::string& directory) {
  std::erase_if(directories_, [&](const auto& entry) {
    return entry.first == directory || entry.first.starts_with(directory + "/");
  });
  return remove(directory);
}

Status SimDisk::sync_directory(const std::string& directory) {
  RETURN_IF_ERROR(maybe_fail("sync_directory", directory));
  auto found = directories_.find(directory);
  if (found == directories_.end()) {
    return disk_error("syncing", directory, "No such file or directory");
  }
  found->second.synced = found->second.written;
  return ok();
}

Result<DiskSpace> SimDisk::space(const std::string&) {
  uint64_t total = std::min(capacity_, uint64_t{1} << 40);
  return DiskSpace{total, total - std::min(total, used())};
}

Result<std::unique_ptr<File>> SimDisk::lock(const std::string& path) {
  Lock& lock = locks_[path];
  if (lock.generation == generation_ && !lock.holder.expired()) {
    return make_error(ErrorCode::kStorageException, "{} is locked by another process", path);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, open(path, OpenMode::kCreate));
  auto holder = std::make_shared<int>();
  lock = {generation_, holder};
  static_cast<SimFile&>(*file).keep(std::move(holder));
  return file;
}

uint64_t SimDisk::used() const {
  uint64_t total = 0;
  for (const auto& [path, directory] : directories_) {
    for (const auto& [name, node] : directory.written) total += node->written.size();
  }
  return total;
}

void SimDisk::close_handles() { ++generation_; }

void SimDisk::lose_power() {
  close_handles();
  fail_countdown_ = 0;
  std::vector<Node*> torn;  // in the order of names: addresses differ from run to run
  std::set<Node*> known;
  for (auto& [path, directory] : directories_) {
    // Each name that changed without a sync keeps its old or its new meaning.
    std::map<std::string, std::shared_ptr<Node>> after = directory.synced;
    for (const auto& [name, node] : directory.written) {
      auto old = directory.synced.find(name);
      bool changed = old == directory.synced.end() || old->second != node;
      if (changed && random_.chance(1, 2)) after[name] = node;
    }
    for (const auto& [name, node] : directory.synced) {
      if (!directory.written.contains(name) && random_.chance(1, 2)) after.erase(name);
    }
    directory.written = after;
    directory.synced = after;
    for (auto& [name, node] : after) {
      if (known.insert(node.get()).second) torn.push_back(node.get());
    }
  }
  for (Node* node : torn) {
    if (node->written == node->synced) continue;
    // Sectors written since the last sync are kept or lost one by one; so is the growth of the
    // file.
    size_t high = std::max(node->written.size(), node->synced.size());
    size_t low = std::min(node->written.size(), node->synced.size());
    std::vector<uint8_t> result = node->synced;
    result.resize(low + static_cast<size_t>(random_.below(high - low + 1)));
    bool keep_prefix = random_.chance(1, 2);  // the usual case: all up to some point
    size_t cut = static_cast<size_t>(random_.below(high + 1));
    for (size_t at = 0; at < std::min(result.size(), node->written.size()); at += kSector) {
      size_t count = std::min(kSector, std::min(result.size(), node->written.size()) - at);
      bool keep = keep_prefix ? at + count <= cut : random_.chance(1, 2);
      if (keep) std::memcpy(result.data() + at, node->written.data() + at, count);
    }
    node->written = result;
    node->synced = result;
  }
}

Status SimDisk::rot(const std::string& path) {
  Directory* directory = directory_of(path);
  if (directory == nullptr || !directory->written.contains(name_of(path))) {
    return disk_error("rotting", path, "No such file or directory");
  }
  Node& node = *directory->written[name_of(path)];
  if (node.written.empty()) return ok();
  size_t at = static_cast<size_t>(random_.below(node.written.size()));
  auto bit = static_cast<uint8_t>(1U << random_.below(8));
  node.written[at] ^= bit;
  if (at < node.synced.size()) node.synced[at] ^= bit;
  return ok();
}

}  // namespace lakestream
