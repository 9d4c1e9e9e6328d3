#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/internal/real.h"

namespace lakestream::internal {
namespace {

tl::unexpected<Error> system_error(std::string_view action, const std::string& path, int number) {
  bool full = number == ENOSPC || number == EDQUOT;
  return make_error(ErrorCode::kStorageException,
                    "{} {}: {}",
                    action,
                    path,
                    full ? std::string(kDiskFullMark) : std::string(std::strerror(number)));
}

class RealFile final : public File {
 public:
  RealFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~RealFile() override { ::close(descriptor_); }

  Result<size_t> read_at(uint64_t offset, std::span<uint8_t> into) override {
    size_t done = 0;
    while (done < into.size()) {
      ssize_t count = ::pread(
          descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return system_error("reading", path_, errno);
      if (count == 0) break;
      done += static_cast<size_t>(count);
    }
    return done;
  }

  Result<std::optional<size_t>> try_read_at(uint64_t offset, std::span<uint8_t> into) override {
    iovec part{into.data(), into.size()};
    ssize_t count = ::preadv2(descriptor_, &part, 1, static_cast<off_t>(offset), RWF_NOWAIT);
    if (count < 0 && errno != EAGAIN && errno != EINTR && errno != EOPNOTSUPP) {
      return system_error("reading", path_, errno);
    }
    // A part in memory is not enough: the caller takes the waiting way for the whole range.
    if (count < 0 || static_cast<size_t>(count) < into.size()) return std::optional<size_t>();
    return std::optional<size_t>(static_cast<size_t>(count));
  }

  Status write_at(uint64_t offset, std::span<const Bytes> parts) override {
    constexpr size_t kVectorMax = 512;  // below IOV_MAX
    iovec vectors[kVectorMax];
    size_t next = 0;
    size_t skip = 0;  // bytes of parts[next] that are written
    while (next < parts.size()) {
      size_t count = 0;
      size_t first_skip = skip;
      for (size_t i = next; i < parts.size() && count < kVectorMax; ++i) {
        size_t from = i == next ? first_skip : 0;
        vectors[count++] = {const_cast<uint8_t*>(parts[i].data()) + from, parts[i].size() - from};
      }
      ssize_t written =
          ::pwritev(descriptor_, vectors, static_cast<int>(count), static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return system_error("writing", path_, errno);
      offset += static_cast<uint64_t>(written);
      skip += static_cast<size_t>(written);
      while (next < parts.size() && skip >= parts[next].size()) skip -= parts[next++].size();
    }
    return ok();
  }

  Status sync() override {
    if (::fdatasync(descriptor_) != 0) return system_error("syncing", path_, errno);
    return ok();
  }

  Status truncate(uint64_t size) override {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
      return system_error("truncating", path_, errno);
    }
    return ok();
  }

  Status preallocate(uint64_t size) override {
    if (::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) != 0 &&
        errno != EOPNOTSUPP) {
      return system_error("reserving space for", path_, errno);
    }
    return ok();
  }

  Result<uint64_t> size() override {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0)
      return system_error("reading the size of", path_, errno);
    return static_cast<uint64_t>(status.st_size);
  }

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string path_;
};

int open_flags(OpenMode mode) {
  switch (mode) {
    case OpenMode::kRead:
      return O_RDONLY | O_CLOEXEC;
    case OpenMode::kWrite:
      return O_RDWR | O_CLOEXEC;
    case OpenMode::kCreate:
      return O_RDWR | O_CREAT | O_CLOEXEC;
    case OpenMode::kCreateExclusive:
      return O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  }
  return O_RDONLY | O_CLOEXEC;
}

class RealDisk final : public Disk {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    int descriptor = ::open(path.c_str(), open_flags(mode), 0644);
    if (descriptor < 0) return system_error("opening", path, errno);
    return std::make_unique<RealFile>(descriptor, path);
  }

  Result<std::vector<DirectoryEntry>> list(const std::string& directory) override {
    DIR* handle = ::opendir(directory.c_str());
    if (handle == nullptr) return system_error("listing", directory, errno);
    std::vector<DirectoryEntry> entries;
    while (const dirent* entry = ::readdir(handle)) {
      std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat status {};
      if (::fstatat(::dirfd(handle), entry->d_name, &status, 0) != 0) continue;
      entries.push_back({std::move(name),
                         S_ISDIR(status.st_mode),
                         static_cast<uint64_t>(status.st_size),
                         TimestampMs(int64_t{status.st_mtim.tv_sec} * 1000 +
                                     status.st_mtim.tv_nsec / 1'000'000)});
    }
    ::closedir(handle);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.name < b.name;
    });
    return entries;
  }

  Result<bool> exists(const std::string& path) override {
    if (::access(path.c_str(), F_OK) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return system_error("looking for", path, errno);
  }

  Status create_directories(const std::string& directory) override {
    std::string parent = directory.substr(0, directory.find_last_of('/'));
    if (::mkdir(directory.c_str(), 0755) == 0) return sync_directory(parent_of(directory));
    if (errno == EEXIST) return ok();
    if (errno != ENOENT || parent.empty() || parent == directory) {
      return system_error("making the directory", directory, errno);
    }
    RETURN_IF_ERROR(create_directories(parent));
    if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
      return system_error("making the directory", directory, errno);
    }
    return sync_directory(parent_of(directory));
  }

  Status rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) return system_error("renaming", from, errno);
    return ok();
  }

  Result<bool> rename_new(const std::string& from, const std::string& to) override {
    int failed = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
    if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) {  // the file system can not
      failed = ::link(from.c_str(), to.c_str());
      if (failed == 0) RETURN_IF_ERROR(remove(from));
    }
    if (failed != 0 && errno == EEXIST) return false;
    if (failed != 0) return system_error("renaming", from, errno);
    return true;
  }

  Status remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
      return system_error("removing", path, errno);
    return ok();
  }

  Status remove_all(const std::string& directory) override {
    std::error_code error;
    std::filesystem::remove_all(directory, error);
    if (error) return system_error("removing", directory, error.value());
    return ok();
  }

  Status sync_directory(const std::string& directory) override {
    int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return system_error("opening", directory, errno);
    int result = ::fsync(descriptor);
    int number = errno;
    ::close(descriptor);
    if (result != 0) return system_error("syncing", directory, number);
    return ok();
  }

  Result<DiskSpace> space(const std::string& directory) override {
    struct statvfs status {};
    if (::statvfs(directory.c_str(), &status) != 0) {
      return system_error("reading the free space of", directory, errno);
    }
    // Like df: blocks reserved for root and quotas of the host do not count as ours.
    uint64_t used = status.f_blocks - status.f_bfree;
    return DiskSpace{(used + status.f_bavail) * status.f_frsize, status.f_bavail * status.f_frsize};
  }

  Result<std::unique_ptr<File>> lock(const std::string& path) override {
    int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) return system_error("opening", path, errno);
    auto file = std::make_unique<RealFile>(descriptor, path);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return system_error("locking", path, errno);
      char holder[32] = {};
      ssize_t count = ::pread(descriptor, holder, sizeof(holder) - 1, 0);
      return make_error(ErrorCode::kStorageException,
                        "{} is locked by process {}",
                        path,
                        count > 0 ? std::string_view(holder) : std::string_view("unknown"));
    }
    std::string mine = std::to_string(::getpid());
    Bytes content = Bytes::copy_of(mine);
    RETURN_IF_ERROR(file->truncate(0));
    RETURN_IF_ERROR(file->write_at(0, {&content, 1}));
    return file;
  }

 private:
  static std::string parent_of(const std::string& path) {
    size_t slash = path.find_last_of('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
  }
};

}  // namespace

std::unique_ptr<Disk> make_real_disk() { return std::make_unique<RealDisk>(); }

}  // namespace lakestream::internal
