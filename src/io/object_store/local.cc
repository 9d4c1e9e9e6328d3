#include <algorithm>
#include <atomic>
#include <optional>

#include "io/disk.h"
#include "io/object_store.h"

namespace lakestream {
namespace {

constexpr std::string_view kTemporaryEnd = ".tmp";
constexpr size_t kCopyBytes = 1 << 20;
constexpr std::string_view kAbsent = "No such file or directory";  // the end of what disks say

// Whoever looks first and acts then may find that others came in between; so what an action says
// counts.
bool is_absent(const Error& error) { return error.message().ends_with(kAbsent); }

std::string folder_of(const std::string& path) {
  size_t slash = path.find_last_of('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

// All of one file into another one that is empty, and synced: the size.
Result<uint64_t> copy_file(File& source, File& target) {
  uint64_t size = 0;
  while (true) {
    MutableBytes part = MutableBytes::allocate(kCopyBytes);
    ASSIGN_OR_RETURN(size_t count, source.read_at(size, part.span()));
    if (count == 0) break;
    part.shrink(count);
    Bytes bytes = std::move(part).freeze();
    RETURN_IF_ERROR(target.write_at(size, {&bytes, 1}));
    size += count;
  }
  RETURN_IF_ERROR(target.sync());
  return size;
}

// The same of what is in memory.
Result<uint64_t> write_file(const Bytes& content, File& target) {
  RETURN_IF_ERROR(target.write_at(0, {&content, 1}));
  RETURN_IF_ERROR(target.sync());
  return content.size();
}

enum class Replace : uint8_t { kYes, kNo };

// A file beside the place, which it takes at the end.
class LocalUpload final : public ObjectUpload {
 public:
  LocalUpload(Disk& disk, std::string place, std::string temporary, std::unique_ptr<File> file)
      : disk_(disk),
        place_(std::move(place)),
        temporary_(std::move(temporary)),
        file_(std::move(file)) {}
  ~LocalUpload() override {
    if (file_ != nullptr) (void)disk_.remove(temporary_);
  }

  // Synced now, while more is on its way, so that the end is not waited for.
  Status append(std::span<const Bytes> parts) override {
    RETURN_IF_ERROR(file_->write_at(size_, parts));
    for (const Bytes& part : parts) size_ += part.size();
    return file_->sync();
  }

  Status finish() override {
    RETURN_IF_ERROR(file_->sync());
    RETURN_IF_ERROR(disk_.rename(temporary_, place_));
    file_.reset();
    return disk_.sync_directory(folder_of(place_));
  }

 private:
  Disk& disk_;
  std::string place_;
  std::string temporary_;
  std::unique_ptr<File> file_;  // nothing: it is at its place
  uint64_t size_ = 0;
};

class LocalObjectStore final : public ObjectStore {
 public:
  LocalObjectStore(Disk& disk, Random random) : disk_(disk), own_(random.next()) {}

  Status put(const std::string& path, const Bytes& content) override {
    auto write = [&](File& temporary) { return write_file(content, temporary); };
    RETURN_IF_ERROR(put_as(path, write, Replace::kYes));
    return ok();
  }

  Result<bool> put_if_absent(const std::string& path, const Bytes& content) override {
    ASSIGN_OR_RETURN(std::string place, local_path_of(path));
    ASSIGN_OR_RETURN(bool exists, disk_.exists(place));
    if (exists) return false;
    auto write = [&](File& temporary) { return write_file(content, temporary); };
    ASSIGN_OR_RETURN(std::optional<uint64_t> written, put_as(path, write, Replace::kNo));
    return written.has_value();
  }

  Result<std::unique_ptr<ObjectUpload>> open_upload(const std::string& path) override {
    ASSIGN_OR_RETURN(std::string place, local_path_of(path));
    RETURN_IF_ERROR(disk_.create_directories(folder_of(place)));
    std::string temporary = temporary_for(place);
    ASSIGN_OR_RETURN(std::unique_ptr<File> file, disk_.open(temporary, OpenMode::kCreateExclusive));
    return std::make_unique<LocalUpload>(
        disk_, std::move(place), std::move(temporary), std::move(file));
  }

  Result<uint64_t> put_file(const std::string& path, const std::string& local_file) override {
    ASSIGN_OR_RETURN(std::unique_ptr<File> source, disk_.open(local_file, OpenMode::kRead));
    auto copy = [&](File& temporary) { return copy_file(*source, temporary); };
    ASSIGN_OR_RETURN(std::optional<uint64_t> size, put_as(path, copy, Replace::kYes));
    return *size;
  }

  Result<std::optional<Bytes>> get(const std::string& path) override {
    return get_range(path, 0, UINT64_MAX);
  }

  Result<std::optional<Bytes>> get_range(const std::string& path,
                                         uint64_t offset,
                                         uint64_t size) override {
    ASSIGN_OR_RETURN(std::unique_ptr<File> file, open_existing(path));
    if (file == nullptr) return std::optional<Bytes>();
    ASSIGN_OR_RETURN(uint64_t total, file->size());
    uint64_t begin = std::min(offset, total);
    MutableBytes content = MutableBytes::allocate(std::min(size, total - begin));
    ASSIGN_OR_RETURN(size_t count, file->read_at(begin, content.span()));
    content.shrink(count);
    return std::optional<Bytes>(std::move(content).freeze());
  }

  Result<std::optional<uint64_t>> get_file(const std::string& path,
                                           const std::string& local_file) override {
    ASSIGN_OR_RETURN(std::unique_ptr<File> file, open_existing(path));
    if (file == nullptr) return std::optional<uint64_t>();
    ASSIGN_OR_RETURN(std::unique_ptr<File> target, disk_.open(local_file, OpenMode::kCreate));
    RETURN_IF_ERROR(target->truncate(0));
    ASSIGN_OR_RETURN(uint64_t size, copy_file(*file, *target));
    return std::optional<uint64_t>(size);
  }

  Result<std::vector<ObjectInfo>> list(const std::string& prefix) override {
    ASSIGN_OR_RETURN(std::string folder, local_path_of(prefix));
    std::vector<ObjectInfo> objects;
    auto visit = [&](std::string path, const DirectoryEntry& entry) {
      if (entry.name.ends_with(kTemporaryEnd)) return;
      objects.push_back({std::move(path), entry.size});
    };
    RETURN_IF_ERROR(visit_files(folder, object_path(prefix, ""), visit));
    std::sort(objects.begin(), objects.end(), [](const ObjectInfo& a, const ObjectInfo& b) {
      return a.path < b.path;
    });
    return objects;
  }

  Result<std::vector<std::string>> list_stale(const std::string& prefix,
                                              TimestampMs before) override {
    ASSIGN_OR_RETURN(std::string folder, local_path_of(prefix));
    std::vector<std::string> stale;
    auto visit = [&](std::string path, const DirectoryEntry& entry) {
      if (entry.modified && *entry.modified < before) stale.push_back(std::move(path));
    };
    RETURN_IF_ERROR(visit_files(folder, object_path(prefix, ""), visit));
    std::sort(stale.begin(), stale.end());
    return stale;
  }

  Status remove(const std::string& path) override {
    ASSIGN_OR_RETURN(std::string place, local_path_of(path));
    ASSIGN_OR_RETURN(bool exists, disk_.exists(place));
    if (!exists) return ok();
    RETURN_IF_ERROR(disk_.remove(place));
    return sync_what_is_left(folder_of(place));
  }

  Status remove_prefix(const std::string& prefix) override {
    ASSIGN_OR_RETURN(std::string folder, local_path_of(prefix));
    ASSIGN_OR_RETURN(bool exists, disk_.exists(folder));
    if (!exists) return ok();
    RETURN_IF_ERROR(disk_.remove_all(folder));
    return sync_what_is_left(folder_of(folder));
  }

 private:
  // Lets `write` fill a file (giving its size), then moves it to its place; nothing when it may not
  // replace what is there.
  template <typename Write>
  Result<std::optional<uint64_t>> put_as(const std::string& path, Write write, Replace replace) {
    ASSIGN_OR_RETURN(std::string place, local_path_of(path));
    std::string folder = folder_of(place);
    RETURN_IF_ERROR(disk_.create_directories(folder));
    std::string temporary = temporary_for(place);
    ASSIGN_OR_RETURN(std::unique_ptr<File> file, disk_.open(temporary, OpenMode::kCreateExclusive));
    Result<uint64_t> written = write(*file);
    file.reset();
    Result<bool> moved = true;
    if (!written) {
      moved = fail(std::move(written).error());
    } else if (replace == Replace::kNo) {
      moved = disk_.rename_new(temporary, place);
    } else if (Status renamed = disk_.rename(temporary, place); !renamed) {
      moved = fail(std::move(renamed).error());
    }
    if (!moved || !*moved) (void)disk_.remove(temporary);  // the error that counts is the first
    if (!moved) return fail(std::move(moved).error());
    if (!*moved) return std::optional<uint64_t>();
    RETURN_IF_ERROR(disk_.sync_directory(folder));
    return std::optional(*written);
  }

  // Hidden: others list these folders, too, and take every name that begins right for theirs. No
  // other store may have the name, nor one of another machine that shares the file system.
  std::string temporary_for(const std::string& place) {
    std::string name =
        fmt::format(".{}.{:016x}-{}{}", name_of(place), own_, ++temporaries_, kTemporaryEnd);
    return object_path(folder_of(place), name);
  }

  // nullptr when there is no such file.
  Result<std::unique_ptr<File>> open_existing(const std::string& path) {
    ASSIGN_OR_RETURN(std::string place, local_path_of(path));
    // Opened first: somebody may remove it, or put it, at any time.
    Result<std::unique_ptr<File>> opened = disk_.open(place, OpenMode::kRead);
    if (opened) return opened;
    if (is_absent(opened.error())) return std::unique_ptr<File>();
    ASSIGN_OR_RETURN(bool exists, disk_.exists(place));
    if (!exists) return std::unique_ptr<File>();
    return opened;
  }

  // The folder may have gone, too, with all that was in it.
  Status sync_what_is_left(const std::string& folder) {
    Status synced = disk_.sync_directory(folder);
    return !synced && !is_absent(synced.error()) ? std::move(synced) : ok();
  }

  // At any depth. `shown` is how the caller names the folder, with a slash at its end.
  template <typename Visit>
  Status visit_files(const std::string& folder, const std::string& shown, const Visit& visit) {
    Result<std::vector<DirectoryEntry>> entries = disk_.list(folder);
    if (!entries) {
      if (is_absent(entries.error())) return ok();
      ASSIGN_OR_RETURN(bool exists, disk_.exists(folder));
      return exists ? Status(fail(std::move(entries).error())) : ok();
    }
    for (const DirectoryEntry& entry : *entries) {
      std::string path = shown + entry.name;
      if (entry.is_directory) {
        RETURN_IF_ERROR(visit_files(object_path(folder, entry.name), path + "/", visit));
      } else {
        visit(std::move(path), entry);
      }
    }
    return ok();
  }

  Disk& disk_;
  uint64_t own_;
  std::atomic<uint64_t> temporaries_ = 0;
};

}  // namespace

std::unique_ptr<ObjectStore> make_local_object_store(Disk& disk, Random random) {
  return std::make_unique<LocalObjectStore>(disk, random);
}

}  // namespace lakestream
