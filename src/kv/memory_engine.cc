#include <map>

#include "base/check.h"
#include "base/checksum.h"
#include "base/endian.h"
#include "io/disk.h"
#include "kv/engine.h"
#include "kv/kv_mark.h"

// KvEngine for simulations. A flush replaces the one file STATE, and a checkpoint is a copy of it:
// magic and version, the checksum of what follows, length and bytes of the mark, then length and
// bytes of each key and value in order; lengths are of 32 bits, little-endian.
namespace lakestream {
namespace {

constexpr const char* kStateFile = "STATE";
constexpr uint32_t kMagic = 0x31564b4d;  // "MKV1"
constexpr size_t kHeadBytes = 8;

// std::string compares its characters as unsigned bytes.
using Rows = std::map<std::string, Bytes, std::less<>>;

struct State {
  KvMark mark;
  Rows rows;
};

void append_text(std::string& to, std::string_view text) {
  char length[4];
  store_le<uint32_t>(length, static_cast<uint32_t>(text.size()));
  to.append(length, sizeof(length));
  to.append(text);
}

bool take_text(std::string_view& from, std::string_view* text) {
  if (from.size() < 4) return false;
  size_t length = load_le<uint32_t>(from.data());
  if (from.size() - 4 < length) return false;
  *text = from.substr(4, length);
  from.remove_prefix(4 + length);
  return true;
}

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Bytes encode_state(const State& state) {
  std::string content(kHeadBytes, '\0');
  append_text(content, encode_mark(state.mark));
  for (const auto& [key, value] : state.rows) {
    append_text(content, key);
    append_text(content, value.view());
  }
  store_le<uint32_t>(content.data(), kMagic);
  store_le<uint32_t>(content.data() + 4, crc32c(bytes_of(content).subspan(kHeadBytes)));
  return Bytes::copy_of(content);
}

tl::unexpected<Error> damaged(const std::string& directory, std::string_view what) {
  return make_error(ErrorCode::kKvStorageException,
                    "key-value store {} {}: {}; remove it and restore a snapshot",
                    directory,
                    kDamagedMark,
                    what);
}

tl::unexpected<Error> storage_error(const std::string& directory, const Error& error) {
  return make_error(
      ErrorCode::kKvStorageException, "key-value store {}: {}", directory, error.message());
}

Result<State> parse_state(const std::string& directory, std::string_view content) {
  if (content.size() < kHeadBytes || load_le<uint32_t>(content.data()) != kMagic) {
    return damaged(directory, "not a state");
  }
  std::string_view rest = content.substr(kHeadBytes);
  if (load_le<uint32_t>(content.data() + 4) != crc32c(bytes_of(rest))) {
    return damaged(directory, "wrong checksum");
  }
  State state;
  std::string_view text;
  if (!take_text(rest, &text)) return damaged(directory, "no mark");
  ASSIGN_OR_RETURN(state.mark, parse_mark(text));
  while (!rest.empty()) {
    std::string_view value;
    if (!take_text(rest, &text) || !take_text(rest, &value)) return damaged(directory, "cut off");
    state.rows.emplace_hint(state.rows.end(), text, Bytes::copy_of(value));
  }
  return state;
}

class MemoryCursor final : public KvCursor {
 public:
  explicit MemoryCursor(std::shared_ptr<const State> state)
      : state_(std::move(state)), at_(state_->rows.begin()) {}

  const KvMark& mark() const override { return state_->mark; }
  void seek(std::string_view key) override { at_ = state_->rows.lower_bound(key); }
  bool at_end() const override { return at_ == state_->rows.end(); }
  std::string_view key() const override { return at_->first; }
  std::string_view value() const override { return at_->second.view(); }
  void next() override { ++at_; }
  Status status() const override { return ok(); }

 private:
  std::shared_ptr<const State> state_;
  Rows::const_iterator at_;
};

class MemoryEngine final : public KvEngine {
 public:
  MemoryEngine(Disk& disk, uint64_t flush_bytes, std::string directory, State state)
      : disk_(disk),
        flush_bytes_(flush_bytes),
        directory_(std::move(directory)),
        state_(std::make_shared<State>(std::move(state))) {}

  void try_get(std::span<const std::string_view> keys, std::span<KvRead> reads) override {
    CHECK(keys.size() == reads.size(), "one answer a key");
    for (size_t i = 0; i < keys.size(); ++i) {
      auto found = state_->rows.find(keys[i]);
      reads[i] = {};
      if (found == state_->rows.end()) continue;
      reads[i].state = KvRead::State::kFound;
      reads[i].value = found->second;
    }
  }
  Status get(std::span<const std::string_view> keys, std::span<KvRead> reads) override {
    try_get(keys, reads);
    return ok();
  }

  Status write(std::span<const KvChange> changes, const KvMark& mark) override {
    if (unflushed_bytes_ >= flush_bytes_) RETURN_IF_ERROR(flush());
    // A cursor keeps the state it has seen.
    if (state_.use_count() > 1) state_ = std::make_shared<State>(*state_);
    for (const KvChange& change : changes) apply(change);
    state_->mark = mark;
    return ok();
  }
  KvMark mark() const override { return state_->mark; }
  Status flush() override {
    RETURN_IF_ERROR(write_state(directory_).transform([](const KvCheckpoint::File&) {}));
    unflushed_bytes_ = 0;
    return ok();
  }

  Result<KvCheckpoint> checkpoint(const std::string& directory) override {
    auto there = disk_.exists(directory);
    if (!there) return storage_error(directory, there.error());
    if (*there) {
      return make_error(ErrorCode::kKvStorageException,
                        "checkpoint {}: exists already; name a new directory",
                        directory);
    }
    RETURN_IF_ERROR(flush());
    Status made = disk_.create_directories(directory);
    if (!made) return storage_error(directory, made.error());
    ASSIGN_OR_RETURN(KvCheckpoint::File file, write_state(directory));
    return KvCheckpoint{.mark = state_->mark, .files = {std::move(file)}};
  }

  Status verify() override { return ok(); }  // open() has read everything

  Result<std::unique_ptr<KvCursor>> open_cursor() override {
    return std::make_unique<MemoryCursor>(state_);
  }
  KvEngineStats stats() const override {
    return {.memtable_bytes = unflushed_bytes_, .table_bytes = file_bytes_};
  }

 private:
  void apply(const KvChange& change) {
    unflushed_bytes_ += change.key.size() + change.value[0].size() + change.value[1].size();
    if (change.removed) {
      auto found = state_->rows.find(change.key);
      if (found != state_->rows.end()) state_->rows.erase(found);
      return;
    }
    std::string value(change.value[0]);
    value.append(change.value[1]);
    state_->rows.insert_or_assign(std::string(change.key), Bytes::copy_of(value));
  }

  Result<KvCheckpoint::File> write_state(const std::string& directory) {
    Bytes content = encode_state(*state_);
    Status written =
        write_file_atomically(disk_, fmt::format("{}/{}", directory, kStateFile), content);
    if (!written) return storage_error(directory, written.error());
    file_bytes_ = content.size();
    return KvCheckpoint::File{.name = kStateFile, .size = content.size()};
  }

  Disk& disk_;
  uint64_t flush_bytes_;
  std::string directory_;
  std::shared_ptr<State> state_;
  uint64_t unflushed_bytes_ = 0;
  uint64_t file_bytes_ = 0;
};

class MemoryEngines final : public KvEngines {
 public:
  MemoryEngines(Disk& disk, const MemoryEngineOptions& options) : disk_(disk), options_(options) {}

  Result<std::unique_ptr<KvEngine>> open(const std::string& directory) override {
    ASSIGN_OR_RETURN(bool there, exists(directory));
    State state;
    if (there) {
      auto content = read_file(disk_, fmt::format("{}/{}", directory, kStateFile));
      if (!content) return storage_error(directory, content.error());
      ASSIGN_OR_RETURN(state, parse_state(directory, content->view()));
    } else {
      Status made = disk_.create_directories(directory);
      if (!made) return storage_error(directory, made.error());
    }
    auto engine =
        std::make_unique<MemoryEngine>(disk_, options_.flush_bytes, directory, std::move(state));
    if (!there) RETURN_IF_ERROR(engine->flush());
    return engine;
  }
  Result<bool> exists(const std::string& directory) override {
    auto there = disk_.exists(fmt::format("{}/{}", directory, kStateFile));
    if (!there) return storage_error(directory, there.error());
    return *there;
  }
  Status remove(const std::string& directory) override {
    Status removed = disk_.remove_all(directory);
    if (!removed) return storage_error(directory, removed.error());
    return ok();
  }
  KvMemory memory() const override { return {}; }

 private:
  Disk& disk_;
  MemoryEngineOptions options_;
};

}  // namespace

std::unique_ptr<KvEngines> make_memory_engines(Disk& disk, const MemoryEngineOptions& options) {
  return std::make_unique<MemoryEngines>(disk, options);
}

}  // namespace lakestream
