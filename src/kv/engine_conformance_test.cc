// Proves that every engine keeps the promises of kv/engine.h; a plain std::map says what is right.

#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/file_checksum.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/random.h"
#include "io/real_env.h"
#include "io/sim/sim_disk.h"
#include "kv/engine.h"
#include "kv/kv_mark.h"

namespace lakestream {
namespace {

namespace fs = std::filesystem;
using Model = std::map<std::string, std::string>;

// An engine with its disk; `copy` is what uploading and restoring a checkpoint does.
class World {
 public:
  virtual ~World() = default;
  virtual KvEngines& engines() = 0;
  virtual Disk& disk() = 0;
  virtual std::string root() const = 0;
};

class RocksWorld final : public World {
 public:
  RocksWorld() {
    std::string name = (fs::temp_directory_path() / "lakestream-kv-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) root_ = name;
    engines_ = make_rocks_engines({.block_cache_bytes = 8 << 20, .write_buffer_bytes = 1 << 20});
  }
  ~RocksWorld() override {
    engines_.reset();
    fs::remove_all(root_);
  }
  KvEngines& engines() override { return *engines_; }
  Disk& disk() override { return env_.env().disk; }
  std::string root() const override { return root_; }

 private:
  RealEnv env_{1};
  std::string root_;
  std::unique_ptr<KvEngines> engines_;
};

class MemoryWorld final : public World {
 public:
  KvEngines& engines() override { return *engines_; }
  Disk& disk() override { return disk_; }
  std::string root() const override { return "/data"; }

 private:
  SimDisk disk_{Random(7)};
  std::unique_ptr<KvEngines> engines_ = make_memory_engines(disk_, {.flush_bytes = 100'000});
};

std::unique_ptr<World> make_world(const std::string& engine) {
  if (engine == "rocks") return std::make_unique<RocksWorld>();
  return std::make_unique<MemoryWorld>();
}

// Changes that own what they show.
class Changes {
 public:
  Changes& put(std::string key, std::string value) {
    rows_.insert_or_assign(std::move(key), std::move(value));
    return *this;
  }
  Changes& remove(std::string key) {
    rows_.insert_or_assign(std::move(key), std::nullopt);
    return *this;
  }
  // The value in two parts, as a schema id with its row.
  std::vector<KvChange> list() const {
    std::vector<KvChange> changes;
    for (const auto& [key, value] : rows_) {
      changes.push_back({.key = key, .removed = !value.has_value()});
      if (!value) continue;
      size_t head = std::min<size_t>(2, value->size());
      changes.back().value = {std::string_view(*value).substr(0, head),
                              std::string_view(*value).substr(head)};
    }
    return changes;
  }
  void apply_to(Model& model) const {
    for (const auto& [key, value] : rows_) {
      if (value) {
        model[key] = *value;
      } else {
        model.erase(key);
      }
    }
  }
  void clear() { rows_.clear(); }
  size_t size() const { return rows_.size(); }

 private:
  std::map<std::string, std::optional<std::string>> rows_;
};

KvMark mark_at(int64_t offset) { return {.applied = Offset(offset)}; }

class EngineTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    world_ = make_world(GetParam());
    directory_ = world_->root() + "/t-1/kv-0";
    reopen();
  }
  void TearDown() override { engine_.reset(); }

  // As after a crash: nothing is flushed on the way.
  void reopen() {
    engine_.reset();
    auto opened = world_->engines().open(directory_);
    ASSERT_TRUE(opened) << opened.error().to_string();
    engine_ = *std::move(opened);
  }
  void write(const Changes& changes, const KvMark& mark) {
    std::vector<KvChange> list = changes.list();
    Status written = engine_->write(list, mark);
    ASSERT_TRUE(written) << written.error().to_string();
  }
  void write(const Changes& changes) { write(changes, mark_at(++offset_)); }
  void flush() {
    Status flushed = engine_->flush();
    ASSERT_TRUE(flushed) << flushed.error().to_string();
  }
  std::optional<std::string> get(KvEngine& engine, std::string_view key) {
    KvRead read;
    Status status = engine.get({&key, 1}, {&read, 1});
    EXPECT_TRUE(status) << status.error().to_string();
    if (read.state == KvRead::State::kAbsent) return std::nullopt;
    EXPECT_EQ(read.state, KvRead::State::kFound);
    return std::string(read.value.view());
  }
  std::optional<std::string> get(std::string_view key) { return get(*engine_, key); }
  static Model contents(KvCursor& cursor) {
    Model rows;
    std::string last;
    for (cursor.seek(""); !cursor.at_end(); cursor.next()) {
      if (!rows.empty()) {
        EXPECT_LT(last, cursor.key());
      }
      last = cursor.key();
      rows[last] = cursor.value();
    }
    EXPECT_TRUE(cursor.status());
    return rows;
  }
  static Model contents(KvEngine& engine) {
    auto cursor = engine.open_cursor();
    EXPECT_TRUE(cursor) << cursor.error().to_string();
    return contents(**cursor);
  }
  Model contents() { return contents(*engine_); }

  // What an upload and a download do, by the names of the checkpoint alone.
  void copy_files(const KvCheckpoint& checkpoint, const std::string& from, const std::string& to) {
    ASSERT_TRUE(world_->disk().create_directories(to));
    for (const KvCheckpoint::File& file : checkpoint.files) {
      auto content = read_file(world_->disk(), from + "/" + file.name);
      ASSERT_TRUE(content) << content.error().to_string();
      EXPECT_EQ(content->size(), file.size);
      ASSERT_TRUE(write_file_atomically(world_->disk(), to + "/" + file.name, *content));
    }
  }

  std::unique_ptr<World> world_;
  std::string directory_;
  std::unique_ptr<KvEngine> engine_;
  int64_t offset_ = 0;
};

TEST_P(EngineTest, StartsEmpty) {
  EXPECT_EQ(engine_->mark(), KvMark{});
  EXPECT_EQ(get("a"), std::nullopt);
  EXPECT_EQ(get(""), std::nullopt);
  EXPECT_TRUE(contents().empty());
  EXPECT_TRUE(engine_->get({}, {}));
  auto cursor = engine_->open_cursor();
  ASSERT_TRUE(cursor);
  EXPECT_TRUE((*cursor)->at_end());
  EXPECT_EQ((*cursor)->mark(), KvMark{});
  EXPECT_EQ(engine_->stats().pressure, 0);
}

TEST_P(EngineTest, WritesOverwritesAndRemoves) {
  std::string large(5000, 'v');
  std::string zeros("\0\0k", 3);
  write(Changes().put("a", "1").put("b", "").put("c", large).put(zeros, "z"));
  for (bool on_disk : {false, true}) {
    if (on_disk) flush();
    EXPECT_EQ(get("a"), "1");
    EXPECT_EQ(get("b"), "");
    EXPECT_EQ(get("c"), large);
    EXPECT_EQ(get(zeros), "z");
    EXPECT_EQ(get("ab"), std::nullopt);
  }
  write(Changes().put("a", "one").remove("b").remove("never there").put("d", "4"));
  for (bool on_disk : {false, true}) {
    if (on_disk) flush();
    EXPECT_EQ(contents(), (Model{{zeros, "z"}, {"a", "one"}, {"c", large}, {"d", "4"}}));
    EXPECT_EQ(get("b"), std::nullopt);
  }
  write(Changes().put("b", "again"));
  EXPECT_EQ(get("b"), "again");
}

TEST_P(EngineTest, ReadsManyKeysInAnyOrderWithRepeats) {
  Changes changes;
  for (int i = 0; i < 500; i += 2) changes.put(fmt::format("key-{:04}", i), fmt::format("v{}", i));
  changes.put("large", std::string(10'000, 'x'));
  write(changes);
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back(fmt::format("key-{:04}", i * 7 % 500));
  names.insert(names.end(), {"large", "key-0000", "key-0000", "large"});
  std::vector<std::string_view> keys(names.begin(), names.end());
  Model model;
  changes.apply_to(model);
  for (bool on_disk : {false, true}) {
    if (on_disk) flush();
    std::vector<KvRead> reads(keys.size());
    ASSERT_TRUE(engine_->get(keys, reads));
    std::vector<KvRead> tried(keys.size());
    engine_->try_get(keys, tried);
    for (size_t i = 0; i < keys.size(); ++i) {
      auto found = model.find(names[i]);
      ASSERT_EQ(reads[i].state == KvRead::State::kFound, found != model.end()) << names[i];
      if (found != model.end()) {
        EXPECT_EQ(reads[i].value.view(), found->second);
      }
      // What get has just read is in memory.
      EXPECT_EQ(tried[i].state, reads[i].state) << names[i];
      EXPECT_EQ(tried[i].value, reads[i].value);
    }
  }
}

TEST_P(EngineTest, TryGetAnswersFromMemoryAlone) {
  write(Changes().put("a", "1").put("c", "3"));
  flush();
  reopen();
  std::array<std::string_view, 2> keys{"a", "b"};
  std::array<KvRead, 2> reads;
  engine_->try_get(keys, reads);
  bool cold = GetParam() == "rocks";
  EXPECT_EQ(reads[0].state, cold ? KvRead::State::kWouldBlock : KvRead::State::kFound);
  ASSERT_TRUE(engine_->get(keys, reads));
  engine_->try_get(keys, reads);
  EXPECT_EQ(reads[0].state, KvRead::State::kFound);
  EXPECT_EQ(reads[0].value.view(), "1");
  EXPECT_EQ(reads[1].state, KvRead::State::kAbsent);
}

TEST_P(EngineTest, ValuesOutliveTheEngine) {
  write(Changes().put("large", std::string(10'000, 'x')).put("small", "s"));
  flush();
  std::array<std::string_view, 2> keys{"large", "small"};
  std::array<KvRead, 2> reads;
  ASSERT_TRUE(engine_->get(keys, reads));
  engine_.reset();
  ASSERT_TRUE(world_->engines().remove(directory_));
  EXPECT_EQ(reads[0].value.view(), std::string(10'000, 'x'));
  EXPECT_EQ(reads[1].value.view(), "s");
}

TEST_P(EngineTest, KeysAscendAsUnsignedBytes) {
  std::vector<std::string> keys{"",
                                std::string("\0", 1),
                                std::string("\0\0", 2),
                                "\x01",
                                "A",
                                "a",
                                "aa",
                                "b",
                                "\x7f",
                                "\x80",
                                "\x80z",
                                "\xff",
                                "\xff\xff"};
  Changes changes;
  for (const std::string& key : keys) changes.put(key, "v" + key);
  write(changes);
  flush();
  auto cursor = engine_->open_cursor();
  ASSERT_TRUE(cursor);
  std::vector<std::string> seen;
  for (; !(*cursor)->at_end(); (*cursor)->next()) seen.emplace_back((*cursor)->key());
  EXPECT_EQ(seen, keys);
}

TEST_P(EngineTest, SeeksToPrefixes) {
  write(Changes().put("a1", "1").put("a2", "2").put("b", "3").put("b\xff", "4").put("c9", "5"));
  flush();
  write(Changes().remove("a2").put("a3", "6"));
  auto made = engine_->open_cursor();
  ASSERT_TRUE(made);
  KvCursor& cursor = **made;
  auto with_prefix = [&](std::string_view prefix) {
    std::vector<std::string> keys;
    for (cursor.seek(prefix); !cursor.at_end() && cursor.key().starts_with(prefix); cursor.next()) {
      keys.emplace_back(cursor.key());
    }
    return keys;
  };
  using testing::ElementsAre;
  EXPECT_THAT(with_prefix("a"), ElementsAre("a1", "a3"));
  EXPECT_THAT(with_prefix("b"), ElementsAre("b", "b\xff"));
  EXPECT_THAT(with_prefix("c"), ElementsAre("c9"));
  EXPECT_THAT(with_prefix("bb"), ElementsAre());
  EXPECT_THAT(with_prefix("d"), ElementsAre());
  EXPECT_TRUE(cursor.at_end());
  EXPECT_THAT(with_prefix("a"), ElementsAre("a1", "a3"));
}

TEST_P(EngineTest, CursorsSeeTheirStateAndItsMark) {
  write(Changes().put("a", "1").put("b", "2"), mark_at(10));
  auto before = engine_->open_cursor();
  ASSERT_TRUE(before);
  write(Changes().put("a", "changed").remove("b").put("c", "3"), mark_at(20));
  flush();
  auto after = engine_->open_cursor();
  ASSERT_TRUE(after);
  write(Changes().remove("c"), mark_at(30));
  EXPECT_EQ((*before)->mark(), mark_at(10));
  EXPECT_EQ(contents(**before), (Model{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ((*after)->mark(), mark_at(20));
  EXPECT_EQ(contents(**after), (Model{{"a", "changed"}, {"c", "3"}}));
  EXPECT_EQ(contents(), (Model{{"a", "changed"}}));
}

TEST_P(EngineTest, WithoutFlushTheFlushedStateWithItsMarkIsLeft) {
  KvMark flushed{.applied = Offset(7),
                 .row_count = 2,
                 .ids = {{.column_id = 3, .start = 100, .end = 199},
                         {.column_id = -1, .start = INT64_MIN, .end = INT64_MAX}}};
  write(Changes().put("a", "1").put("b", "2"), flushed);
  flush();
  write(Changes().put("a", "lost").remove("b").put("c", "lost"), mark_at(9));
  EXPECT_EQ(engine_->mark(), mark_at(9));
  reopen();
  EXPECT_EQ(engine_->mark(), flushed);
  EXPECT_EQ(contents(), (Model{{"a", "1"}, {"b", "2"}}));
  reopen();
  EXPECT_EQ(engine_->mark(), flushed);
}

TEST_P(EngineTest, AMarkMovesWithoutChanges) {
  write(Changes(), mark_at(5));
  flush();
  write(Changes(), {.applied = Offset(6), .row_count = 0});
  flush();
  flush();
  reopen();
  EXPECT_EQ(engine_->mark(), (KvMark{.applied = Offset(6), .row_count = 0}));
  EXPECT_TRUE(contents().empty());
}

// The engine flushes when it likes; whatever it leaves must be one of the states that were marked.
TEST_P(EngineTest, EveryCrashLeavesAMarkedState) {
  std::map<int64_t, Model> states{{0, {}}};
  Model model;
  Random random(11);
  int64_t offset = 0;
  int64_t left = 0;
  // Its own threads flush, when the system lets them.
  for (int life = 0; life < 6 || (left == 0 && life < 200); ++life) {
    for (int i = 0; i < 400; ++i) {
      Changes changes;
      while (changes.size() < 10) {
        std::string key = fmt::format("k{}", random.below(300));
        if (random.below(4) == 0) {
          changes.remove(key);
        } else {
          changes.put(key,
                      std::string(100 + random.below(300), static_cast<char>('a' + life % 26)));
        }
      }
      changes.apply_to(model);
      write(changes, mark_at(++offset));
      states[offset] = model;
    }
    reopen();
    left = engine_->mark().applied.value();
    ASSERT_TRUE(states.contains(left));
    ASSERT_EQ(contents(), states[left]) << "mark " << left;
    model = states[left];
    offset = left;
  }
  EXPECT_GT(left, 0) << "it never flushed by itself";
}

TEST_P(EngineTest, ACheckpointOpensElsewhereWithItsMark) {
  KvMark marked{.applied = Offset(41), .row_count = 1000, .ids = {{1, 5, 9}}};
  Changes changes;
  for (int i = 0; i < 1000; ++i) changes.put(fmt::format("k{:05}", i), fmt::format("value {}", i));
  Model model;
  changes.apply_to(model);
  write(changes, marked);
  std::string directory = world_->root() + "/snapshot-1";
  auto checkpoint = engine_->checkpoint(directory);
  ASSERT_TRUE(checkpoint) << checkpoint.error().to_string();
  EXPECT_EQ(checkpoint->mark, marked);
  ASSERT_FALSE(checkpoint->files.empty());

  // The original goes on, the copy stays as it was.
  write(Changes().put("k00000", "later").remove("k00001"), mark_at(42));
  flush();
  std::string restored = world_->root() + "/restored";
  copy_files(*checkpoint, directory, restored);
  auto copy = world_->engines().open(restored);
  ASSERT_TRUE(copy) << copy.error().to_string();
  EXPECT_EQ((*copy)->mark(), marked);
  EXPECT_EQ(contents(**copy), model);
  Changes row;
  std::vector<KvChange> more = row.put("new", "row").list();
  EXPECT_TRUE((*copy)->write(more, mark_at(50)));
  EXPECT_TRUE((*copy)->flush());
  EXPECT_EQ(get(**copy, "new"), "row");
  EXPECT_EQ(get("new"), std::nullopt);
}

TEST_P(EngineTest, ACheckpointNeedsANewDirectory) {
  write(Changes().put("a", "1"));
  std::string directory = world_->root() + "/snapshot";
  ASSERT_TRUE(world_->disk().create_directories(directory));
  auto checkpoint = engine_->checkpoint(directory);
  ASSERT_FALSE(checkpoint);
  EXPECT_EQ(checkpoint.error().code(), ErrorCode::kKvStorageException);
  EXPECT_TRUE(engine_->checkpoint(directory + "-2"));
}

TEST_P(EngineTest, ExistsUntilRemoved) {
  EXPECT_TRUE(world_->engines().exists(directory_).value());
  EXPECT_FALSE(world_->engines().exists(world_->root() + "/other").value());
  write(Changes().put("a", "1"), mark_at(3));
  flush();
  engine_.reset();
  ASSERT_TRUE(world_->engines().remove(directory_));
  EXPECT_FALSE(world_->engines().exists(directory_).value());
  EXPECT_FALSE(world_->disk().exists(directory_).value());
  EXPECT_TRUE(world_->engines().remove(directory_));
  reopen();
  EXPECT_EQ(engine_->mark(), KvMark{});
  EXPECT_TRUE(contents().empty());
}

TEST_P(EngineTest, ADamagedStoreSaysSoAndCanBeRemoved) {
  write(Changes().put("a", "1"), mark_at(3));
  flush();
  EXPECT_TRUE(engine_->verify());
  engine_.reset();
  std::string victim = directory_ + (GetParam() == "rocks" ? "/CURRENT" : "/STATE");
  ASSERT_TRUE(write_file_atomically(world_->disk(), victim, Bytes::of_static("rubbish")));
  auto opened = world_->engines().open(directory_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kKvStorageException);
  EXPECT_THAT(opened.error().message(), testing::HasSubstr(directory_));
  EXPECT_THAT(opened.error().message(), testing::HasSubstr("remove it and restore a snapshot"));
  EXPECT_TRUE(is_damaged(opened.error()));
  EXPECT_TRUE(world_->engines().remove(directory_));
  reopen();
  EXPECT_EQ(engine_->mark(), KvMark{});
}

// 100,000 changes with reads, flushes, crashes and checkpoints between them.
TEST_P(EngineTest, AgreesWithAMap) {
  Random random(20'26);
  Model model;
  auto random_key = [&] { return fmt::format("{:x}", random.below(20'000) * 2654435761U); };
  for (int round = 0; round < 200; ++round) {
    Changes changes;
    for (int i = 0; i < 500; ++i) {
      if (random.below(5) == 0) {
        changes.remove(random_key());
      } else {
        changes.put(random_key(), std::string(random.below(120), static_cast<char>(round)));
      }
    }
    changes.apply_to(model);
    write(changes);
    std::vector<std::string> names;
    for (int i = 0; i < 50; ++i) names.push_back(random_key());
    std::vector<std::string_view> keys(names.begin(), names.end());
    std::vector<KvRead> reads(keys.size());
    ASSERT_TRUE(engine_->get(keys, reads));
    for (size_t i = 0; i < keys.size(); ++i) {
      auto found = model.find(names[i]);
      ASSERT_EQ(reads[i].state == KvRead::State::kFound, found != model.end());
      if (found != model.end()) {
        ASSERT_EQ(reads[i].value.view(), found->second);
      }
    }
    if (round % 40 == 20) flush();
    if (round % 50 == 30) {
      flush();
      reopen();
      ASSERT_EQ(engine_->mark(), mark_at(offset_));
    }
    if (round % 50 == 49) {
      ASSERT_EQ(contents(), model) << "round " << round;
    }
  }
}

// Proves that RocksDB 6.20 can read the tables: it knows formats up to 5 and no newer checksum, and
// opens the default column family alone.
TEST(RocksEngineTest, TablesAreForOlderReaders) {
  RocksWorld world;
  std::string checkpoint = world.root() + "/snapshot";
  {
    auto engine = world.engines().open(world.root() + "/kv-0");
    ASSERT_TRUE(engine);
    Changes rows;
    std::vector<KvChange> changes = rows.put("a", "1").put("b", "2").list();
    ASSERT_TRUE((*engine)->write(changes, mark_at(9)));
    auto made = (*engine)->checkpoint(checkpoint);
    ASSERT_TRUE(made) << made.error().to_string();
    size_t tables = 0;
    for (const KvCheckpoint::File& file : made->files) {
      EXPECT_EQ(file.immutable, file.name.ends_with(".sst")) << file.name;
      EXPECT_EQ(file.immutable, !file.identity.empty()) << file.name;
      tables += file.immutable ? 1 : 0;
      if (!file.immutable) continue;
      auto content = read_file(world.disk(), checkpoint + "/" + file.name);
      ASSERT_TRUE(content);
      // The footer of 53 bytes: the checksum's number (3: xxHash64), … version, magic.
      ASSERT_GT(content->size(), 53u);
      const uint8_t* footer = content->end() - 53;
      EXPECT_EQ(footer[0], 3);
      EXPECT_LE(footer[41], 5);
    }
    EXPECT_EQ(tables, 2u);  // keys and mark
  }
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status = rocksdb::DB::OpenForReadOnly(rocksdb::Options(), checkpoint, &opened);
  ASSERT_TRUE(status.ok()) << status.ToString();
  std::unique_ptr<rocksdb::DB> database(opened);
  std::unique_ptr<rocksdb::Iterator> rows(database->NewIterator({}));
  Model seen;
  for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
    seen[rows->key().ToString()] = rows->value().ToString();
  }
  EXPECT_EQ(seen, (Model{{"a", "1"}, {"b", "2"}}));

  // The checksums that the manifest has of the files are those of RocksDB's own function.
  std::vector<rocksdb::LiveFileMetaData> tables;
  database->GetLiveFilesMetaData(&tables);
  for (const rocksdb::LiveFileMetaData& table : tables) {
    auto content = read_file(world.disk(), checkpoint + table.name);
    ASSERT_TRUE(content);
    auto sum = rocksdb::GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator({});
    sum->Update(reinterpret_cast<const char*>(content->data()), content->size());
    sum->Finalize();
    EXPECT_EQ(table.file_checksum, sum->GetChecksum());
    EXPECT_EQ(table.file_checksum_func_name, sum->Name());
  }
}

// Proves that a store that lost the file that names its state is not taken for a new one.
TEST(RocksEngineTest, WithoutCurrentItIsDamaged) {
  RocksWorld world;
  std::string directory = world.root() + "/kv-0";
  ASSERT_TRUE(world.engines().open(directory));
  ASSERT_TRUE(world.disk().remove(directory + "/CURRENT"));
  EXPECT_FALSE(world.engines().exists(directory).value());
  auto opened = world.engines().open(directory);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kKvStorageException);
  EXPECT_THAT(opened.error().message(), testing::HasSubstr("CURRENT is missing"));
  EXPECT_TRUE(is_damaged(opened.error()));
  EXPECT_TRUE(world.engines().remove(directory));
  EXPECT_TRUE(world.engines().open(directory));
}

// Proves that a store that can not be opened for want of file descriptors, or because somebody has
// it open, is not taken for a damaged one.
TEST(RocksEngineTest, WhatCanNotBeOpenedNowIsNotDamaged) {
  RocksWorld world;
  std::string directory = world.root() + "/kv-0";
  std::vector<KvChange> changes{{.key = "a", .value = {"1"}}};
  auto engine = world.engines().open(directory);
  ASSERT_TRUE(engine);
  ASSERT_TRUE((*engine)->write(changes, mark_at(7)));
  ASSERT_TRUE((*engine)->flush());
  auto twice = world.engines().open(directory);
  ASSERT_FALSE(twice);
  EXPECT_FALSE(is_damaged(twice.error())) << twice.error().message();
  engine->reset();

  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  auto used = std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  bool opens = false;
  for (rlim_t more = 0; !opens; ++more) {
    ASSERT_LT(more, 100U);
    rlimit few{static_cast<rlim_t>(used) + more, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    auto opened = world.engines().open(directory);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    opens = opened.has_value();
    if (!opens) {
      EXPECT_FALSE(is_damaged(opened.error())) << opened.error().message();
      continue;
    }
    EXPECT_GT(more, 0U);
    EXPECT_EQ((*opened)->mark(), mark_at(7));
  }
}

// Proves that a mark that can not be read is damage.
TEST(RocksEngineTest, WrongMarksAreDamage) {
  for (const std::string& bytes : {std::string(), std::string(22, 'x'), encode_mark({}) + "x"}) {
    auto parsed = parse_mark(bytes);
    ASSERT_FALSE(parsed);
    EXPECT_TRUE(is_damaged(parsed.error())) << parsed.error().message();
  }
}

// Proves that rotten tables are told of and not answered from.
TEST(RocksEngineTest, RottenTablesAreErrors) {
  RocksWorld world;
  std::string directory = world.root() + "/kv-0";
  {
    auto engine = world.engines().open(directory);
    ASSERT_TRUE(engine);
    Changes changes;
    for (int i = 0; i < 2000; ++i) changes.put(fmt::format("{:06}", i), std::string(50, 'v'));
    std::vector<KvChange> list = changes.list();
    ASSERT_TRUE((*engine)->write(list, mark_at(1)));
    ASSERT_TRUE((*engine)->flush());
  }
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() != ".sst" || entry.file_size() < 50'000) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file << "rot";
  }
  auto engine = world.engines().open(directory);
  ASSERT_TRUE(engine) << engine.error().to_string();
  Status verified = (*engine)->verify();
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().code(), ErrorCode::kKvStorageException);
  EXPECT_THAT(verified.error().message(), testing::HasSubstr("is damaged"));
  std::string_view key = "000001";
  KvRead read;
  (*engine)->try_get({&key, 1}, {&read, 1});
  EXPECT_EQ(read.state, KvRead::State::kWouldBlock);
  Status status = (*engine)->get({&key, 1}, {&read, 1});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kKvStorageException);
  EXPECT_THAT(status.error().message(), testing::HasSubstr("is damaged"));
  auto cursor = (*engine)->open_cursor();
  EXPECT_FALSE(cursor && (*cursor)->status());
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         EngineTest,
                         testing::Values("rocks", "memory"),
                         [](const auto& engine) { return engine.param; });

}  // namespace
}  // namespace lakestream
