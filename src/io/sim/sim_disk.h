#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/disk.h"
#include "io/random.h"

// A disk in memory with two images: what was written and what was synced. lose_power keeps the
// synced image and a seeded part of the rest, torn at sectors; names that were made, renamed or
// removed without a sync of their directory may come back or go.
//
// Thread rule: one thread.
//
//   SimDisk disk(random.fork());
//   disk.set_capacity(1 << 20);        // writes beyond it fail as on a full disk
//   disk.fail_after(5, "sync");        // the fifth sync from now fails
//   disk.lose_power();
namespace lakestream {

class SimDisk final : public Disk {
 public:
  explicit SimDisk(Random random);
  ~SimDisk() override;

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) override;
  Result<bool> exists(const std::string& path) override;
  Status create_directories(const std::string& directory) override;
  Status rename(const std::string& from, const std::string& to) override;
  Result<bool> rename_new(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status remove_all(const std::string& directory) override;
  Status sync_directory(const std::string& directory) override;
  Result<DiskSpace> space(const std::string& directory) override;
  Result<std::unique_ptr<File>> lock(const std::string& path) override;

  // Handles that are open now fail from here on.
  void lose_power();
  void close_handles();  // the process died, the written image stays
  void set_capacity(uint64_t bytes) { capacity_ = bytes; }
  uint64_t used() const;
  // The count-th call of `operation` (write, sync, truncate, open, rename, sync_directory) from now
  // fails.
  void fail_after(int count, std::string operation);
  // try_read_at answers "would block" with this chance in 100.
  void set_cold_percent(uint64_t percent) { cold_percent_ = percent; }
  // Flips one seeded bit of a file's content, in both images.
  Status rot(const std::string& path);

 private:
  friend class SimFile;
  struct Node;
  struct Directory;
  Status maybe_fail(const std::string& operation, const std::string& path);
  Directory* directory_of(const std::string& path);

  Random random_;
  uint64_t capacity_ = UINT64_MAX;
  uint64_t cold_percent_ = 20;
  uint64_t generation_ = 0;
  int fail_countdown_ = 0;
  std::string fail_operation_;
  std::map<std::string, Directory> directories_;
  // Held as long as the handle lives, or its process.
  struct Lock {
    uint64_t generation = 0;
    std::weak_ptr<void> holder;
  };
  std::map<std::string, Lock> locks_;
};

}  // namespace lakestream
