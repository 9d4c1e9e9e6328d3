#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/batch.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_world.h"
#include "log/log.h"

// What the tests of this module share: batches made by hand and one log in a simulated world.
//
// Thread rule: tests only, one thread.
//
//   LogWorld world(seed);
//   world.open();
//   Appended appended = world.append(make_batch({.records = 3}));
namespace lakestream::log_testing {

struct BatchSpec {
  int64_t writer = -1;
  int32_t sequence = -1;
  int32_t records = 1;
  size_t payload = 20;
  uint8_t fill = 7;
  int16_t schema = 1;
  int8_t magic = 0;
};

// A sound batch whose records are `payload` bytes of `fill`; without records it is an empty one.
inline Bytes make_batch(const BatchSpec& spec) {
  BatchHeader header{.magic = spec.magic,
                     .schema_id = SchemaId(spec.schema),
                     .append_only = true,
                     .writer_id = WriterId(spec.writer),
                     .batch_sequence = spec.sequence,
                     .record_count = spec.records,
                     .statistics_size = 0};
  size_t payload = spec.records == 0 ? 0 : spec.payload;
  MutableBytes batch = MutableBytes::allocate(batch_header_size(spec.magic) + payload);
  write_batch_header(batch.data(), header);
  std::memset(batch.data() + batch_header_size(spec.magic), spec.fill, payload);
  seal_batch(batch.span());
  return std::move(batch).freeze();
}

inline Bytes join(const std::vector<Bytes>& parts) {
  BytesChain chain;
  for (const Bytes& part : parts) chain.append(part);
  Bytes whole = chain.flatten();
  return Bytes::copy_of(whole.data(), whole.size());
}

inline std::vector<BatchView> batches_of(const BytesChain& chain) {
  if (chain.empty()) return {};
  return parse_batches(chain.flatten()).value();
}

inline void expect_ok(const Status& status) { EXPECT_TRUE(status) << status.error().to_string(); }

inline const LogPath kPath{.table = {{"db", "t"}, std::nullopt},
                           .bucket = {TableId(1), std::nullopt, BucketId(0)}};

// One log of one store on a simulated machine that can stop, be killed or lose power.
class LogWorld {
 public:
  explicit LogWorld(uint64_t seed, LogOptions log_options = {})
      : world(seed), node(world.add_node("a")), options(log_options) {}

  static std::string path(std::string_view file) {
    return "/data/db/t-1/log-0/" + std::string(file);
  }

  void open_store() {
    auto opened = run(LogStore::open(node.env(), node.shard(0), "/data", options));
    ASSERT_TRUE(opened) << opened.error().to_string();
    live = std::make_shared<Live>();
    live->store = *std::move(opened);
  }
  Status try_open_log() {
    auto opened = run(live->store->open_log(kPath, node.shard(0)));
    if (!opened) return fail(std::move(opened).error());
    live->log = *std::move(opened);
    return ok();
  }
  void open() {
    open_store();
    Status opened = try_open_log();
    ASSERT_TRUE(opened) << opened.error().to_string();
  }
  void close() {
    Status closed = run(log().close());
    EXPECT_TRUE(closed) << closed.error().to_string();
    live->log.reset();
    closed = run(live->store->close());
    EXPECT_TRUE(closed) << closed.error().to_string();
    live.reset();
  }
  void reopen() {
    close();
    open();
  }
  void kill() {
    node.kill(std::exchange(live, nullptr));
    node.restart();
  }
  void lose_power() {
    node.crash(std::exchange(live, nullptr));
    node.restart();
  }

  LogTablet& log() { return *live->log; }
  LogStore& store() { return *live->store; }
  SimDisk& disk() { return node.disk(); }
  template <typename T>
  T run(Task<T> task) {
    return world.run(node.shard(0), std::move(task));
  }
  void settle() { world.run_for(std::chrono::seconds(1)); }

  AppendRules rules() { return {.now = world.wall_now()}; }
  Result<Appended> try_append(Bytes records) { return log().append(std::move(records), rules()); }
  Appended append(Bytes records) {
    auto appended = try_append(std::move(records));
    EXPECT_TRUE(appended) << appended.error().to_string();
    return appended.value_or(Appended{});
  }
  LogRead read(Offset from, Offset limit, size_t bytes_max = 1 << 20) {
    auto answer = run(log().read({.from = from, .limit = limit, .bytes_max = bytes_max}));
    EXPECT_TRUE(answer) << answer.error().to_string();
    return std::move(answer).value_or(LogRead{});
  }
  // All batches of the log, read piece by piece.
  std::vector<BatchView> read_all(size_t bytes_max = 1 << 20) {
    std::vector<BatchView> all;
    Offset from = log().start_offset();
    while (from < log().end_offset()) {
      LogRead piece = read(from, log().end_offset(), bytes_max);
      EXPECT_EQ(piece.first_offset, from);
      if (piece.records.empty()) {
        ADD_FAILURE() << "nothing at offset " << from.value();
        break;
      }
      for (BatchView& batch : batches_of(piece.records)) {
        EXPECT_EQ(batch.base_offset(), from);
        EXPECT_TRUE(batch.validate());
        from = batch.next_offset();
        all.push_back(std::move(batch));
      }
      EXPECT_EQ(piece.end_offset, from);
    }
    return all;
  }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    auto entries = disk().list("/data/db/t-1/log-0");
    for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
    return names;
  }

  struct Live {
    std::unique_ptr<LogStore> store;
    std::unique_ptr<LogTablet> log;
    ~Live() { log.reset(); }
  };

  SimWorld world;
  SimNode& node;
  LogOptions options;
  std::shared_ptr<Live> live;
};

}  // namespace lakestream::log_testing
