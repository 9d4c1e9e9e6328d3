#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <map>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/snapshot.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>
#include <rocksdb/write_buffer_manager.h>

#include "base/check.h"
#include "base/checksum.h"
#include "base/logging.h"
#include "io/disk.h"
#include "kv/engine.h"
#include "kv/kv_mark.h"

// KvEngine on RocksDB. The keys live in the default column family, the mark in one of its own: the
// two are flushed together (atomic_flush), so the files always hold a state with its mark, without
// a log of writes. Clients open checkpoints with RocksDB 6.20 and read the default column family
// alone; what is written here has to stay readable for it.
namespace lakestream {
namespace {

constexpr const char* kMarkFamily = "mark";
constexpr const char* kMarkKey = "mark";

// Large memtables make few files, and so fewer merges; many buckets have to share the budget.
constexpr uint64_t kMemtableBytesMin = 8 << 20;
constexpr uint64_t kMemtableBytesMax = 32 << 20;
// Of a memtable, for a filter that spares the search for keys that it has not: 17 bits a row of 120
// bytes. Paid by an idle bucket too.
constexpr double kMemtableFilterShare = 0.015;
constexpr uint64_t kArenaBlockBytes = 64 << 10;  // what an almost idle bucket costs
constexpr uint64_t kMarkArenaBlockBytes = 4 << 10;
constexpr int kMemtablesMax = 6;  // the engine stops writes there
constexpr uint64_t kManifestBytesMax = 1 << 20;
constexpr int kTableFormatVersion = 5;  // the newest that RocksDB 6.20 reads
constexpr double kBloomBitsPerKey = 10;
constexpr size_t kBlockBytes = 4 << 10;
constexpr uint64_t kCachePartBytesMin = 8 << 20;
constexpr int kCachePartBitsMax = 6;
constexpr uint64_t kBaseLevelBytes = 128 << 20;
constexpr uint64_t kTableFileBytes = 32 << 20;
constexpr int kLevel0CompactionTrigger = 4;
constexpr int kLevel0StopTrigger = 36;
constexpr size_t kBatchBytesKept = 1 << 20;  // the memory of a write for the next one
constexpr size_t kReadBatch = 32;            // keys of one MultiGet
constexpr size_t kPinnedBytesMin = 2048;     // a value from there on is lent, not copied

rocksdb::Slice slice_of(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view_of(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

tl::unexpected<Error> storage_error(const std::string& directory, const rocksdb::Status& status) {
  if (status.IsNoSpace()) {
    return make_error(ErrorCode::kKvStorageException,
                      "key-value store {}: {}; free some and it goes on by itself",
                      directory,
                      kDiskFullMark);
  }
  if (status.IsCorruption() || status.IsNotFound() || status.IsPathNotFound()) {
    return make_error(ErrorCode::kKvStorageException,
                      "key-value store {} {}: {}; remove it and restore a snapshot",
                      directory,
                      kDamagedMark,
                      status.ToString());
  }
  return make_error(ErrorCode::kKvStorageException,
                    "key-value store {}: {}; look at its disk and open it again",
                    directory,
                    status.ToString());
}

// Warnings and errors of RocksDB become lines of ours; it writes no log files.
class RocksLogger final : public rocksdb::Logger {
 public:
  explicit RocksLogger(std::string directory)
      : rocksdb::Logger(rocksdb::InfoLogLevel::WARN_LEVEL), directory_(std::move(directory)) {}

  using rocksdb::Logger::Logv;
  void Logv(const rocksdb::InfoLogLevel level, const char* format, va_list values) override {
    if (level < GetInfoLogLevel() || level >= rocksdb::InfoLogLevel::HEADER_LEVEL) return;
    char text[512];
    std::vsnprintf(text, sizeof(text), format, values);
    for (std::string_view idle : {"File Deletions", "Shutdown in progress"}) {
      // Said at each checkpoint and at each end of a busy engine.
      if (std::string_view(text).find(idle) != std::string_view::npos) return;
    }
    if (level >= rocksdb::InfoLogLevel::ERROR_LEVEL) {
      LOG_ERROR("kv", "rocksdb error", KV("directory", directory_), KV("text", text));
    } else {
      LOG_WARN("kv", "rocksdb warning", KV("directory", directory_), KV("text", text));
    }
  }

 private:
  std::string directory_;
};

// RocksDB's own checksum of files, by the processor's instruction.
class FileCrc final : public rocksdb::FileChecksumGenerator {
 public:
  void Update(const char* data, size_t size) override {
    crc_ = crc32c_extend(crc_, {reinterpret_cast<const uint8_t*>(data), size});
  }
  void Finalize() override {
    for (int shift : {24, 16, 8, 0}) checksum_.push_back(static_cast<char>(crc_ >> shift));
  }
  std::string GetChecksum() const override { return checksum_; }
  const char* Name() const override { return "FileChecksumCrc32c"; }

 private:
  uint32_t crc_ = 0;
  std::string checksum_;
};

class FileCrcFactory final : public rocksdb::FileChecksumGenFactory {
 public:
  std::unique_ptr<rocksdb::FileChecksumGenerator> CreateFileChecksumGenerator(
      const rocksdb::FileChecksumGenContext& context) override {
    const std::string& asked = context.requested_checksum_func_name;
    if (!asked.empty() && asked != FileCrc().Name()) return nullptr;
    return std::make_unique<FileCrc>();
  }
  const char* Name() const override { return "FileChecksumGenCrc32cFactory"; }
};

// What all engines share.
struct Shared {
  RocksOptions options;
  std::shared_ptr<rocksdb::Cache> block_cache;
  std::shared_ptr<rocksdb::WriteBufferManager> write_buffers;
  std::shared_ptr<rocksdb::RateLimiter> rate_limiter;
  std::shared_ptr<rocksdb::TableFactory> table_factory;
  std::shared_ptr<rocksdb::FileChecksumGenFactory> file_checksums;
  rocksdb::DBOptions database;
  rocksdb::ColumnFamilyOptions keys;
  rocksdb::ColumnFamilyOptions mark;
  std::atomic<uint64_t> open_count{0};
};

uint64_t memtable_bytes(const Shared& shared) {
  uint64_t budget = shared.write_buffers->buffer_size() / 2;
  uint64_t fair = budget / (shared.open_count.load(std::memory_order_relaxed) + 1);
  return std::clamp(fair, kMemtableBytesMin, kMemtableBytesMax);
}

std::shared_ptr<rocksdb::TableFactory> make_table_factory(const Shared& shared) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = shared.block_cache;
  table.format_version = kTableFormatVersion;
  // The quickest one that RocksDB 6.20 knows; Debian's build has CRC-32C without the processor's
  // instruction.
  table.checksum = rocksdb::kxxHash64;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBitsPerKey));
  table.block_size = kBlockBytes;
  table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  table.data_block_hash_table_util_ratio = 0.75;
  // Indexes and filters live within the budget of the cache too, in blocks that are small enough
  // for it: one as large as a part of the cache would be read again and again.
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.metadata_block_size = kBlockBytes;
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.cache_usage_options.options_overrides.insert(
      {rocksdb::CacheEntryRole::kBlockBasedTableReader,
       {.charged = rocksdb::CacheEntryRoleOptions::Decision::kEnabled}});
  return std::shared_ptr<rocksdb::TableFactory>(rocksdb::NewBlockBasedTableFactory(table));
}

void set_database_options(Shared& shared) {
  rocksdb::DBOptions& database = shared.database;
  database.create_if_missing = true;
  database.create_missing_column_families = true;
  database.paranoid_checks = true;
  database.atomic_flush = true;
  // What a stop leaves is what was flushed, as after a crash.
  database.avoid_flush_during_shutdown = true;
  database.max_open_files = shared.options.open_files_max;
  database.max_background_jobs = std::max(2, shared.options.background_threads);
  database.write_buffer_manager = shared.write_buffers;
  database.rate_limiter = shared.rate_limiter;
  database.file_checksum_gen_factory = shared.file_checksums;
  // One writer: nothing to be won from inserting side by side.
  database.allow_concurrent_memtable_write = false;
  database.max_manifest_file_size = kManifestBytesMax;
  database.manifest_preallocation_size = 4 << 10;
  database.stats_dump_period_sec = 0;
  database.stats_persist_period_sec = 0;
  database.skip_stats_update_on_db_open = true;
  database.env->IncBackgroundThreadsIfNeeded(1, rocksdb::Env::HIGH);
  database.env->IncBackgroundThreadsIfNeeded(shared.options.background_threads, rocksdb::Env::LOW);
}

void set_family_options(Shared& shared) {
  rocksdb::ColumnFamilyOptions& keys = shared.keys;
  keys.table_factory = shared.table_factory;
  keys.arena_block_size = kArenaBlockBytes;
  keys.max_write_buffer_number = kMemtablesMax;
  keys.memtable_prefix_bloom_size_ratio = kMemtableFilterShare;
  keys.memtable_whole_key_filtering = true;
  keys.level0_file_num_compaction_trigger = kLevel0CompactionTrigger;
  // pressure tells the callers to slow down, long before the engine would stop them.
  keys.level0_slowdown_writes_trigger = kLevel0StopTrigger;
  keys.level0_stop_writes_trigger = kLevel0StopTrigger;
  keys.soft_pending_compaction_bytes_limit = 0;
  keys.hard_pending_compaction_bytes_limit = 0;
  keys.max_bytes_for_level_base = kBaseLevelBytes;
  keys.target_file_size_base = kTableFileBytes;
  keys.compression = rocksdb::kNoCompression;
  // What compactions read and write first is not compressed, the bulk is.
  keys.compression_per_level = {
      rocksdb::kNoCompression, rocksdb::kNoCompression, rocksdb::kLZ4Compression};
  keys.ttl = 0;
  keys.periodic_compaction_seconds = 0;

  shared.mark = keys;
  shared.mark.memtable_prefix_bloom_size_ratio = 0;
  shared.mark.arena_block_size = kMarkArenaBlockBytes;
  shared.mark.compression_per_level.clear();
}

// The cache has a lock a part; parts that are too small evict what is in use.
int cache_part_bits(uint64_t bytes) {
  int bits = 0;
  while (bits < kCachePartBitsMax && bytes >> (bits + 1) >= kCachePartBytesMin) ++bits;
  return bits;
}

std::shared_ptr<Shared> make_shared_parts(const RocksOptions& options) {
  auto shared = std::make_shared<Shared>();
  shared->options = options;
  rocksdb::LRUCacheOptions cache;
  cache.capacity = options.block_cache_bytes;
  cache.high_pri_pool_ratio = 0.5;
  cache.num_shard_bits = cache_part_bits(options.block_cache_bytes);
  shared->block_cache = rocksdb::NewLRUCache(cache);
  // Memtables are flushed early enough that those that are being written still fit in.
  shared->write_buffers =
      std::make_shared<rocksdb::WriteBufferManager>(options.write_buffer_bytes / 4 * 3);
  if (options.rate_limit_bytes_per_second != 0) {
    shared->rate_limiter.reset(
        rocksdb::NewGenericRateLimiter(static_cast<int64_t>(options.rate_limit_bytes_per_second)));
  }
  shared->file_checksums = std::make_shared<FileCrcFactory>();
  shared->table_factory = make_table_factory(*shared);
  set_database_options(*shared);
  set_family_options(*shared);
  return shared;
}

// A value that stays in the block cache while somebody has it.
class PinnedValue final : public BytesOwner {
 public:
  explicit PinnedValue(rocksdb::PinnableSlice value) : value_(std::move(value)) {}
  static Bytes lend(rocksdb::PinnableSlice value) {
    auto owner = std::make_unique<PinnedValue>(std::move(value));
    const rocksdb::PinnableSlice& kept = owner->value_;
    const auto* data = reinterpret_cast<const uint8_t*>(kept.data());
    size_t size = kept.size();
    return Bytes(data, size, owner.release());
  }

 private:
  rocksdb::PinnableSlice value_;
};

class RocksCursor final : public KvCursor {
 public:
  RocksCursor(std::string directory, std::unique_ptr<rocksdb::Iterator> iterator, KvMark mark)
      : directory_(std::move(directory)), iterator_(std::move(iterator)), mark_(std::move(mark)) {}

  const KvMark& mark() const override { return mark_; }
  void seek(std::string_view key) override { iterator_->Seek(slice_of(key)); }
  bool at_end() const override { return !iterator_->Valid(); }
  std::string_view key() const override { return view_of(iterator_->key()); }
  std::string_view value() const override { return view_of(iterator_->value()); }
  void next() override { iterator_->Next(); }
  Status status() const override {
    rocksdb::Status status = iterator_->status();
    if (!status.ok()) return storage_error(directory_, status);
    return ok();
  }

 private:
  std::string directory_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
  KvMark mark_;
};

class RocksEngine final : public KvEngine {
 public:
  RocksEngine(std::shared_ptr<Shared> shared,
              std::string directory,
              std::unique_ptr<rocksdb::DB> database,
              std::vector<rocksdb::ColumnFamilyHandle*> families)
      : shared_(std::move(shared)),
        directory_(std::move(directory)),
        database_(std::move(database)),
        keys_(families[0]),
        marks_(families[1]) {
    write_options_.disableWAL = true;
    cached_options_.read_tier = rocksdb::kBlockCacheTier;
    shared_->open_count.fetch_add(1, std::memory_order_relaxed);
  }
  ~RocksEngine() override {
    shared_->open_count.fetch_sub(1, std::memory_order_relaxed);
    database_->DestroyColumnFamilyHandle(marks_).PermitUncheckedError();
    database_->DestroyColumnFamilyHandle(keys_).PermitUncheckedError();
    database_->Close().PermitUncheckedError();
  }

  Status load_mark() {
    ASSIGN_OR_RETURN(mark_, read_mark(nullptr));
    return ok();
  }

  void try_get(std::span<const std::string_view> keys, std::span<KvRead> reads) override {
    CHECK(keys.size() == reads.size(), "one answer a key");
    // An error is found again by get, which can tell of it.
    read(cached_options_, keys, reads).PermitUncheckedError();
  }
  Status get(std::span<const std::string_view> keys, std::span<KvRead> reads) override {
    CHECK(keys.size() == reads.size(), "one answer a key");
    rocksdb::Status status = read(rocksdb::ReadOptions(), keys, reads);
    if (!status.ok()) return storage_error(directory_, status);
    return ok();
  }

  Status write(std::span<const KvChange> changes, const KvMark& mark) override;
  KvMark mark() const override { return mark_; }
  Status flush() override;
  Result<KvCheckpoint> checkpoint(const std::string& directory) override;
  Status verify() override;
  Result<std::unique_ptr<KvCursor>> open_cursor() override;
  KvEngineStats stats() const override;

 private:
  Result<KvMark> read_mark(const rocksdb::Snapshot* snapshot) const;
  rocksdb::Status read(const rocksdb::ReadOptions& options,
                       std::span<const std::string_view> keys,
                       std::span<KvRead> reads) const;
  uint64_t property(const rocksdb::Slice& name) const;

  std::shared_ptr<Shared> shared_;
  std::string directory_;
  std::unique_ptr<rocksdb::DB> database_;
  rocksdb::ColumnFamilyHandle* keys_;
  rocksdb::ColumnFamilyHandle* marks_;
  rocksdb::WriteOptions write_options_;
  rocksdb::ReadOptions cached_options_;
  rocksdb::WriteBatch batch_;  // its memory is used again
  KvMark mark_;
};

Result<KvMark> RocksEngine::read_mark(const rocksdb::Snapshot* snapshot) const {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  std::string bytes;
  rocksdb::Status status = database_->Get(options, marks_, kMarkKey, &bytes);
  if (status.ok()) return parse_mark(bytes);
  // Nothing was ever flushed or written.
  if (status.IsNotFound()) return KvMark{};
  return storage_error(directory_, status);
}

// Small values are copied to one piece of memory a call, which is cheaper than holding a block of
// the cache each; large ones are lent.
void take_values(std::span<rocksdb::PinnableSlice> values, std::span<KvRead> reads) {
  size_t copied = 0;
  for (size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].state != KvRead::State::kFound) continue;
    if (values[i].size() < kPinnedBytesMin) copied += values[i].size();
  }
  MutableBytes memory = MutableBytes::allocate(copied);
  uint8_t* to = memory.data();
  for (size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].state != KvRead::State::kFound || values[i].size() >= kPinnedBytesMin) continue;
    std::copy_n(values[i].data(), values[i].size(), to);
    to += values[i].size();
  }
  Bytes whole = std::move(memory).freeze();
  size_t at = 0;
  for (size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].state != KvRead::State::kFound) continue;
    size_t size = values[i].size();
    if (size >= kPinnedBytesMin) {
      reads[i].value = PinnedValue::lend(std::move(values[i]));
    } else {
      reads[i].value = whole.slice(at, size);
      at += size;
    }
  }
}

rocksdb::Status RocksEngine::read(const rocksdb::ReadOptions& options,
                                  std::span<const std::string_view> keys,
                                  std::span<KvRead> reads) const {
  rocksdb::Status first;
  for (size_t begin = 0; begin < keys.size(); begin += kReadBatch) {
    size_t count = std::min(kReadBatch, keys.size() - begin);
    std::array<rocksdb::Slice, kReadBatch> slices;
    std::array<rocksdb::PinnableSlice, kReadBatch> values;
    std::array<rocksdb::Status, kReadBatch> statuses;
    for (size_t i = 0; i < count; ++i) slices[i] = slice_of(keys[begin + i]);
    if (options.read_tier == rocksdb::kBlockCacheTier) {
      // MultiGet would read from the disk all the same.
      for (size_t i = 0; i < count; ++i) {
        statuses[i] = database_->Get(options, keys_, slices[i], &values[i]);
      }
    } else {
      database_->MultiGet(options, keys_, count, slices.data(), values.data(), statuses.data());
    }
    std::span<KvRead> answers = reads.subspan(begin, count);
    for (size_t i = 0; i < count; ++i) {
      answers[i] = {};
      if (statuses[i].ok()) {
        answers[i].state = KvRead::State::kFound;
      } else if (!statuses[i].IsNotFound()) {
        answers[i].state = KvRead::State::kWouldBlock;
        if (first.ok()) first = statuses[i];
      }
    }
    take_values({values.data(), count}, answers);
  }
  return first;
}

Status RocksEngine::write(std::span<const KvChange> changes, const KvMark& mark) {
  batch_.Clear();
  rocksdb::Status status;
  for (const KvChange& change : changes) {
    rocksdb::Slice key = slice_of(change.key);
    if (change.removed) {
      status = batch_.Delete(keys_, key);
    } else if (change.value[1].empty()) {
      status = batch_.Put(keys_, key, slice_of(change.value[0]));
    } else {
      std::array<rocksdb::Slice, 2> parts{slice_of(change.value[0]), slice_of(change.value[1])};
      status = batch_.Put(keys_, {&key, 1}, {parts.data(), 2});
    }
    if (!status.ok()) return storage_error(directory_, status);
  }
  status = batch_.Put(marks_, kMarkKey, encode_mark(mark));
  if (status.ok()) status = database_->Write(write_options_, &batch_);
  if (batch_.GetDataSize() > kBatchBytesKept) batch_ = rocksdb::WriteBatch();
  if (!status.ok()) return storage_error(directory_, status);
  mark_ = mark;
  return ok();
}

Status RocksEngine::flush() {
  rocksdb::FlushOptions options;
  options.allow_write_stall = true;
  rocksdb::Status status = database_->Flush(options, {keys_, marks_});
  if (!status.ok()) return storage_error(directory_, status);
  return ok();
}

bool is_dots(const std::string& name) { return name == "." || name == ".."; }

// By name. The checksum is of the whole file; with the rest two files of different histories do not
// look the same.
std::map<std::string, std::string> table_identities(rocksdb::DB& database) {
  std::vector<rocksdb::LiveFileMetaData> tables;
  database.GetLiveFilesMetaData(&tables);
  std::map<std::string, std::string> identities;
  for (const rocksdb::LiveFileMetaData& table : tables) {
    std::string name = table.name.substr(table.name.find_first_not_of('/'));
    std::span<const uint8_t> checksum(reinterpret_cast<const uint8_t*>(table.file_checksum.data()),
                                      table.file_checksum.size());
    identities[name] = fmt::format("{}-{}-{:x}-{:x}-{:x}",
                                   name,
                                   to_hex(checksum),
                                   table.size,
                                   table.largest_seqno,
                                   table.file_creation_time);
  }
  return identities;
}

Result<KvCheckpoint> RocksEngine::checkpoint(const std::string& directory) {
  RETURN_IF_ERROR(flush());
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(database_.get(), &made);
  std::unique_ptr<rocksdb::Checkpoint> maker(made);
  if (status.ok()) status = maker->CreateCheckpoint(directory);
  if (!status.ok()) return storage_error(directory_, status);

  rocksdb::Env* env = database_->GetEnv();
  std::vector<rocksdb::Env::FileAttributes> children;
  status = env->GetChildrenFileAttributes(directory, &children);
  if (!status.ok()) return storage_error(directory, status);
  std::map<std::string, std::string> identities = table_identities(*database_);
  KvCheckpoint result{.mark = mark_, .files = {}};
  for (const auto& child : children) {
    // There is no log of writes: it is empty.
    if (is_dots(child.name) || child.name.ends_with(".log")) continue;
    auto identity = identities.find(child.name);
    bool immutable = identity != identities.end();
    result.files.push_back({.name = child.name,
                            .size = child.size_bytes,
                            .immutable = immutable,
                            .identity = immutable ? identity->second : ""});
  }
  std::ranges::sort(result.files, {}, &KvCheckpoint::File::name);
  return result;
}

Status RocksEngine::verify() {
  rocksdb::Status status = database_->VerifyFileChecksums(rocksdb::ReadOptions());
  if (!status.ok()) return storage_error(directory_, status);
  return ok();
}

Result<std::unique_ptr<KvCursor>> RocksEngine::open_cursor() {
  // The iterator keeps its state by itself; the snapshot is for the mark to be of the same one.
  rocksdb::ManagedSnapshot snapshot(database_.get());
  ASSIGN_OR_RETURN(KvMark mark, read_mark(snapshot.snapshot()));
  rocksdb::ReadOptions options;
  options.snapshot = snapshot.snapshot();
  std::unique_ptr<rocksdb::Iterator> iterator(database_->NewIterator(options, keys_));
  iterator->SeekToFirst();
  auto cursor = std::make_unique<RocksCursor>(directory_, std::move(iterator), std::move(mark));
  RETURN_IF_ERROR(cursor->status());
  return cursor;
}

uint64_t RocksEngine::property(const rocksdb::Slice& name) const {
  uint64_t value = 0;
  database_->GetIntProperty(keys_, name, &value);
  return value;
}

// Where `value` stands between the bounds.
double share(double value, double low, double high) {
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

KvEngineStats RocksEngine::stats() const {
  KvEngineStats stats;
  stats.memtable_bytes = property(rocksdb::DB::Properties::kSizeAllMemTables);
  stats.table_bytes = property(rocksdb::DB::Properties::kTotalSstFilesSize);
  std::string level0;
  if (database_->GetProperty(keys_, "rocksdb.num-files-at-level0", &level0)) {
    std::from_chars(level0.data(), level0.data() + level0.size(), stats.level0_files);
  }
  auto waiting = property(rocksdb::DB::Properties::kNumImmutableMemTable);
  const RocksOptions& options = shared_->options;
  auto used = static_cast<double>(shared_->write_buffers->memory_usage());
  auto limit = static_cast<double>(shared_->write_buffers->buffer_size());
  stats.budget_used = used / limit;
  stats.pressure = std::max({
      share(stats.level0_files, options.level0_slowdown_trigger - 1, kLevel0StopTrigger),
      share(static_cast<double>(waiting), 1, kMemtablesMax - 1),
      share(used, limit, static_cast<double>(options.write_buffer_bytes)),
  });
  return stats;
}

class RocksEngines final : public KvEngines {
 public:
  explicit RocksEngines(const RocksOptions& options) : shared_(make_shared_parts(options)) {}

  Result<std::unique_ptr<KvEngine>> open(const std::string& directory) override;
  Result<bool> exists(const std::string& directory) override;
  Status remove(const std::string& directory) override;
  KvMemory memory() const override;

 private:
  std::shared_ptr<Shared> shared_;
};

constexpr std::string_view kCurrentFile = "/CURRENT";

Result<bool> RocksEngines::exists(const std::string& directory) {
  rocksdb::Status status = shared_->database.env->FileExists(directory + std::string(kCurrentFile));
  if (status.ok()) return true;
  if (status.IsNotFound()) return false;
  return storage_error(directory, status);
}

// A database whose CURRENT is gone would be taken for a new one, and its files removed.
Status check_not_torso(rocksdb::Env& env, const std::string& directory) {
  std::vector<std::string> names;
  rocksdb::Status status = env.GetChildren(directory, &names);
  if (status.IsNotFound() || status.IsPathNotFound()) return ok();
  if (!status.ok()) return storage_error(directory, status);
  for (const std::string& name : names) {
    if (name.ends_with(".sst") || name.starts_with("MANIFEST-")) {
      return storage_error(directory, rocksdb::Status::Corruption("CURRENT is missing"));
    }
  }
  return ok();
}

Status make_directories(rocksdb::Env& env, const std::string& directory) {
  for (size_t slash = directory.find('/', 1);; slash = directory.find('/', slash + 1)) {
    std::string part = directory.substr(0, slash);
    rocksdb::Status status = env.CreateDirIfMissing(part);
    if (!status.ok()) return storage_error(directory, status);
    if (slash == std::string::npos) return ok();
  }
}

Result<std::unique_ptr<KvEngine>> RocksEngines::open(const std::string& directory) {
  rocksdb::DBOptions database = shared_->database;
  database.info_log = std::make_shared<RocksLogger>(directory);
  ASSIGN_OR_RETURN(bool there, exists(directory));
  if (!there) {
    RETURN_IF_ERROR(check_not_torso(*database.env, directory));
    RETURN_IF_ERROR(make_directories(*database.env, directory));
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> families{
      {rocksdb::kDefaultColumnFamilyName, shared_->keys}, {kMarkFamily, shared_->mark}};
  families[0].options.write_buffer_size = memtable_bytes(*shared_);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(database, directory, families, &handles, &opened);
  if (!status.ok()) return storage_error(directory, status);
  auto engine = std::make_unique<RocksEngine>(
      shared_, directory, std::unique_ptr<rocksdb::DB>(opened), std::move(handles));
  RETURN_IF_ERROR(engine->load_mark());
  return engine;
}

rocksdb::Status remove_tree(rocksdb::Env& env, const std::string& path) {
  std::vector<std::string> names;
  rocksdb::Status status = env.GetChildren(path, &names);
  if (status.IsNotFound()) return {};
  for (const std::string& name : names) {
    if (!status.ok()) return status;
    if (is_dots(name)) continue;
    std::string child = path + "/" + name;
    bool is_directory = false;
    status = env.IsDirectory(child, &is_directory);
    if (status.ok()) status = is_directory ? remove_tree(env, child) : env.DeleteFile(child);
  }
  if (status.ok()) status = env.DeleteDir(path);
  return status;
}

Status RocksEngines::remove(const std::string& directory) {
  rocksdb::Env& env = *shared_->database.env;
  // First what makes it a database: a crash on the way leaves nothing that opens as if complete.
  rocksdb::Status status = env.DeleteFile(directory + std::string(kCurrentFile));
  if (status.ok() || status.IsNotFound() || status.IsPathNotFound()) {
    status = remove_tree(env, directory);
  }
  if (!status.ok()) return storage_error(directory, status);
  return ok();
}

KvMemory RocksEngines::memory() const {
  // The readers of tables are charged to the cache and so part of its usage.
  return {.block_cache_bytes = shared_->block_cache->GetUsage(),
          .write_buffer_bytes = shared_->write_buffers->memory_usage()};
}

}  // namespace

std::unique_ptr<KvEngines> make_rocks_engines(const RocksOptions& options) {
  return std::make_unique<RocksEngines>(options);
}

}  // namespace lakestream
