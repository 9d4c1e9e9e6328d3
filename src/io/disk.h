#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"

// Files on a local disk. Every call may block and belongs on the pool, apart from the try_
// functions. What is written is safe from power loss after sync() of the file and, for a new,
// renamed or removed name, sync_directory() of its folder; in between a simulated disk loses or
// tears it. Errors carry kStorageException and name the path; a full disk says so (is_disk_full).
//
// Thread rule: a File belongs to one thread at a time, but read_at and try_read_at may run beside
// one writer. Disk: any thread.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<File> file, disk.open(path, OpenMode::kCreate));
//   RETURN_IF_ERROR(file->write_at(0, chain));
//   RETURN_IF_ERROR(file->sync());
//   RETURN_IF_ERROR(disk.sync_directory(folder));
namespace lakestream {

enum class OpenMode {
  kRead,             // must exist
  kWrite,            // must exist; read and write
  kCreate,           // made when absent; read and write
  kCreateExclusive,  // must not exist
};

class File {
 public:
  virtual ~File() = default;

  // Fills `into` from `offset`; the count is short only at the end of the file.
  virtual Result<size_t> read_at(uint64_t offset, std::span<uint8_t> into) = 0;
  // The same from memory alone (page cache): empty when the disk would have to be waited for.
  virtual Result<std::optional<size_t>> try_read_at(uint64_t offset, std::span<uint8_t> into) = 0;
  // Writes all of `parts` at `offset`, growing the file where needed.
  virtual Status write_at(uint64_t offset, std::span<const Bytes> parts) = 0;
  // Makes written data and the file's size durable (fdatasync).
  virtual Status sync() = 0;
  virtual Status truncate(uint64_t size) = 0;
  // Reserves blocks up to `size` without changing the file's size.
  virtual Status preallocate(uint64_t size) = 0;
  virtual Result<uint64_t> size() = 0;
};

struct DirectoryEntry {
  std::string name;
  bool is_directory = false;
  uint64_t size = 0;
  std::optional<TimestampMs> modified = std::nullopt;  // last; where the disk knows it
};

struct DiskSpace {
  uint64_t total_bytes = 0;
  uint64_t available_bytes = 0;  // to an unprivileged process
};

class Disk {
 public:
  virtual ~Disk() = default;

  virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
  // Sorted by name.
  virtual Result<std::vector<DirectoryEntry>> list(const std::string& directory) = 0;
  virtual Result<bool> exists(const std::string& path) = 0;
  // Makes parents too; fine when it is there already. The new names are made durable.
  virtual Status create_directories(const std::string& directory) = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  // False, and nothing is changed, when there is a `to`: of many who try one succeeds, also of
  // several processes.
  virtual Result<bool> rename_new(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& path) = 0;           // a file; fine when absent
  virtual Status remove_all(const std::string& directory) = 0;  // fine when absent
  virtual Status sync_directory(const std::string& directory) = 0;
  virtual Result<DiskSpace> space(const std::string& directory) = 0;
  // Holds an exclusive lock on the file (made when absent) until the handle is destroyed; an error
  // that names the holder when somebody else has it.
  virtual Result<std::unique_ptr<File>> lock(const std::string& path) = 0;
};

// Whole small files. write_file_atomically writes a temporary, syncs, renames, syncs the folder.
Result<Bytes> read_file(Disk& disk, const std::string& path);
Status write_file_atomically(Disk& disk, const std::string& path, const Bytes& content);
// True for an error that space would mend.
bool is_disk_full(const Error& error);
inline constexpr std::string_view kDiskFullMark = "no space left on the disk";

}  // namespace lakestream
