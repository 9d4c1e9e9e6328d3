#pragma once

#include <array>
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

// The ordered store below a primary-key bucket: KvEngine holds the keys and values of one bucket,
// KvEngines opens them and owns what they share (block cache, write-buffer budget). Values are
// opaque here. RocksDB in production, an ordered map in simulation.
//
// There is no log of writes: a write survives a crash, or the end of the engine, once flush() or a
// flush of the engine's own has happened after it. Each write carries a mark, and what a crash
// leaves is always the state that some mark described: the caller replays its own log from there.
//
// Thread rule: one thread at a time calls write, mark, flush, checkpoint, verify and close, and
// try_get, get, open_cursor and stats may run beside it on any thread. A cursor belongs to one
// thread at a time. Only the try_ functions never wait for the disk; the rest belongs on the pool.
//
//   ASSIGN_OR_RETURN(auto engine, engines.open("/data/db/t-7/kv-0"));
//   RETURN_IF_ERROR(engine->write(changes, {.applied = Offset(120)}));
//   engine->try_get(keys, reads);
namespace lakestream {

class Disk;

// Values of an auto-increment column that the bucket has reserved: start, start + 1, … end.
struct IdRange {
  int32_t column_id = 0;
  int64_t start = 0;
  int64_t end = 0;  // inclusive

  friend bool operator==(const IdRange&, const IdRange&) = default;
};

// What a state covers.
struct KvMark {
  Offset applied;                                   // all changes of the log below it
  std::optional<int64_t> row_count = std::nullopt;  // empty when rows are not counted
  std::vector<IdRange> ids = {};

  friend bool operator==(const KvMark&, const KvMark&) = default;
};

struct KvChange {
  std::string_view key;
  bool removed = false;
  std::array<std::string_view, 2> value = {};  // concatenated
};

struct KvRead {
  enum class State : uint8_t { kAbsent, kFound, kWouldBlock };
  State state = State::kAbsent;
  Bytes value = {};  // of kFound
};

// The state as it was when the cursor was made, in the order of the keys (unsigned bytes).
class KvCursor {
 public:
  virtual ~KvCursor() = default;
  virtual const KvMark& mark() const = 0;
  // Goes to the first key at or after `key`.
  virtual void seek(std::string_view key) = 0;
  virtual bool at_end() const = 0;
  // Requires: not at_end(). Good until the cursor moves.
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual void next() = 0;
  // An error ends the walk: look here when at_end().
  virtual Status status() const = 0;
};

// A complete copy of a state in a directory of its own, as hard links where possible.
struct KvCheckpoint {
  struct File {
    std::string name;
    uint64_t size = 0;
    bool immutable = false;  // a table file: the same identity never has another content
    // Of a table file: what a copy of an earlier checkpoint, of any server, is recognised by. The
    // name alone is not enough, for after a restore two servers use the same names.
    std::string identity = {};
  };
  KvMark mark;
  std::vector<File> files;
};

struct KvEngineStats {
  uint64_t memtable_bytes = 0;
  uint64_t table_bytes = 0;  // of the files
  int32_t level0_files = 0;
  double pressure = 0;  // 0: writes at full speed; 1: writes would stop
  // Of all engines together: from 1 on somebody has to flush(), best the one with most to flush. An
  // engine flushes by itself only when it is written to.
  double budget_used = 0;
};

class KvEngine {
 public:
  virtual ~KvEngine() = default;

  // From memory alone; kWouldBlock for a key that would have to be read from the disk.
  virtual void try_get(std::span<const std::string_view> keys, std::span<KvRead> reads) = 0;
  // Errors: kKvStorageException.
  virtual Status get(std::span<const std::string_view> keys, std::span<KvRead> reads) = 0;

  // All or nothing. Requires: keys ascend and are distinct. Errors: kKvStorageException.
  virtual Status write(std::span<const KvChange> changes, const KvMark& mark) = 0;
  // Of the last write.
  virtual KvMark mark() const = 0;
  // Everything written so far survives a crash when it ends well.
  virtual Status flush() = 0;
  // Flushes and copies the state to `directory`, which must not exist.
  virtual Result<KvCheckpoint> checkpoint(const std::string& directory) = 0;
  // Reads all files and compares them with their checksums, which open() does not. Errors:
  // kKvStorageException.
  virtual Status verify() = 0;

  // Requires: destroyed before the engine.
  virtual Result<std::unique_ptr<KvCursor>> open_cursor() = 0;
  virtual KvEngineStats stats() const = 0;
};

struct KvMemory {
  uint64_t block_cache_bytes = 0;
  uint64_t write_buffer_bytes = 0;
  uint64_t table_reader_bytes = 0;  // indexes and filters outside the block cache
};

class KvEngines {
 public:
  virtual ~KvEngines() = default;
  // Made when absent. Errors: kKvStorageException, also for a damaged database (is_damaged):
  // remove() it and restore a snapshot. After any other error it may well open the next time.
  virtual Result<std::unique_ptr<KvEngine>> open(const std::string& directory) = 0;
  virtual Result<bool> exists(const std::string& directory) = 0;
  // Requires: not open. Fine when absent.
  virtual Status remove(const std::string& directory) = 0;
  virtual KvMemory memory() const = 0;
};

// True for an error that says that the content of a database is not what was written, which no
// other try would mend.
inline constexpr std::string_view kDamagedMark = "is damaged";
inline bool is_damaged(const Error& error) {
  return error.message().find(kDamagedMark) != std::string::npos;
}

struct RocksOptions {
  uint64_t block_cache_bytes = 256ull << 20;
  uint64_t write_buffer_bytes = 128ull << 20;  // of all buckets together
  int32_t background_threads = 2;
  int32_t open_files_max = 256;              // of one bucket
  uint64_t rate_limit_bytes_per_second = 0;  // of flushes and compactions; 0: none
  int32_t level0_slowdown_trigger = 8;       // files at level 0 from which on there is pressure
};
std::unique_ptr<KvEngines> make_rocks_engines(const RocksOptions& options);
// An ordered map; each flush writes all of it to one file of `disk`, so crashes, full and rotten
// disks of a simulation are its own. It flushes by itself after `flush_bytes` of changes.
struct MemoryEngineOptions {
  uint64_t flush_bytes = 1 << 20;
};
std::unique_ptr<KvEngines> make_memory_engines(Disk& disk, const MemoryEngineOptions& options);

}  // namespace lakestream
