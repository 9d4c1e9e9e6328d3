#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "base/logging.h"
#include "io/sim/sim_object_store.h"
#include "lake/lake.h"
#include "log_writers.h"
#include "server/remote_tiering.h"
#include "table/remote_documents.h"

// A machine copies a table to the lake while writers append to it, and goes down at any moment; the
// store, which stays, refuses calls or loses their answers, and from some call on does not answer
// until the machine comes back: so a round ends between any two of its steps. Often a second worker
// on another machine, which is killed, too, gets the table in turn. In the end each row is in the
// lake once, at its offset, and the offsets that are told are those of the rows; what was left
// behind on the way can be removed, and only that.
//
//   LAKESTREAM_SIM_SEED=17 sim_test --gtest_filter='Tiering*'      one seed
namespace lakestream {
namespace {

const TextMap kWorker{{"lakestream.tiering.heartbeat-interval", "20 ms"},
                      {"lakestream.tiering.orphan-age", "100 ms"}};

// A freshness that has passed before a round has found its rows: it copies some all the same.
Properties tiered(uint64_t seed) {
  return {{"table.datalake.enabled", "true"},
          {"table.datalake.freshness", seed % 25 == 5 ? "0 ms" : "40 ms"},
          {"table.datalake.auto-compaction", seed % 2 == 0 ? "true" : "false"}};
}

TextMap server_options(LakeFormatKind format, const Properties& catalog) {
  TextMap options{{"datalake.format", std::string(name_of(format))},
                  {"remote.data.dir", "/remote"}};
  for (const auto& [key, value] : catalog) {
    options[fmt::format("datalake.{}.{}", name_of(format), key)] = value;
  }
  options.insert(kWorker.begin(), kWorker.end());
  return options;
}

// A worker on a machine of its own, which tries until it finds the server.
class Elsewhere {
 public:
  Elsewhere(SimWorld& world, ObjectStore& store)
      : node_(world.add_node("elsewhere")), store_(store) {}

  void start() {
    process_ = std::make_shared<Process>();
    node_.shard(0).spawn(begin(&node_, &store_, process_));
  }
  void kill() { node_.kill(process_); }
  void restart() {
    kill();
    node_.restart();
    start();
  }

 private:
  struct Process {
    std::unique_ptr<RemoteTiering> tiering;
  };
  static Task<void> begin(SimNode* node, ObjectStore* store, std::shared_ptr<Process> process) {
    TextMap texts = kWorker;
    texts["lakestream.roles"] = "tiering";
    texts["bootstrap.servers"] = "server:9123";
    while (process->tiering == nullptr) {
      auto config = parse_server_config(texts);
      CHECK(config.has_value(), "options of a worker");
      RemoteTieringSetup setup{std::move(config->options), texts, store};
      auto started = co_await RemoteTiering::start(node->env(), node->shard(0), std::move(setup));
      if (started) process->tiering = *std::move(started);
      co_await sleep_for(node->env().clock, node->shard(0), std::chrono::milliseconds(50));
    }
  }

  SimNode& node_;
  ObjectStore& store_;
  std::shared_ptr<Process> process_;
};

// Calls to the store that go wrong.
class Faults {
 public:
  Faults(SimObjectStore& store, Random random) : store_(store), random_(random) {}

  // A new life: it ends with the store out of reach after so many calls, in two of three.
  void begin_life() {
    left_ = random_.below(3) == 0 ? UINT64_MAX : random_.below(250);
    store_.fail([this](std::string_view, const std::string&) { return next(); });
  }
  void end() { store_.fail({}); }

 private:
  SimObjectStore::Fault next() {
    if (left_ == 0) return SimObjectStore::Fault::kRefused;
    if (left_ != UINT64_MAX) --left_;
    if (random_.chance(1, 60)) return SimObjectStore::Fault::kRefused;
    if (random_.chance(1, 60)) return SimObjectStore::Fault::kAnswerLost;
    return SimObjectStore::Fault::kNone;
  }

  SimObjectStore& store_;
  Random random_;
  uint64_t left_ = UINT64_MAX;
};

struct LakeRow {
  Row row;
  int64_t offset;
};

// The rows of the latest snapshot by bucket, in the order of their offsets.
Result<std::map<int32_t, std::vector<LakeRow>>> read_lake(LakeTable& table, LakeSnapshotId id) {
  LakeScanRequest request;
  request.columns = {"writer", "number", "__bucket", "__offset"};
  ASSIGN_OR_RETURN(LakeScan scan, table.plan(id, request));
  std::map<int32_t, std::vector<LakeRow>> rows;
  for (const LakeSplit& split : scan.splits) {
    ASSIGN_OR_RETURN(auto reader, table.open_reader(split, request));
    for (;;) {
      ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, reader->next());
      if (batch == nullptr) break;
      const auto& writers = static_cast<const arrow::Int64Array&>(*batch->column(0));
      const auto& numbers = static_cast<const arrow::Int64Array&>(*batch->column(1));
      const auto& buckets = static_cast<const arrow::Int32Array&>(*batch->column(2));
      const auto& offsets = static_cast<const arrow::Int64Array&>(*batch->column(3));
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        Row row{writers.Value(i), numbers.Value(i)};
        rows[buckets.Value(i)].push_back({row, offsets.Value(i)});
      }
    }
  }
  for (auto& [bucket, of_bucket] : rows) {
    std::sort(of_bucket.begin(), of_bucket.end(), [](const LakeRow& a, const LakeRow& b) {
      return a.offset < b.offset;
    });
  }
  return rows;
}

// The offsets of the newest snapshot of ours, from the document that it names.
std::optional<TableBucketOffsets> told_offsets(SimObjectStore& store, LakeTable& table) {
  auto snapshot = table.latest_snapshot_of(kLakeCommitUser);
  if (!snapshot || !*snapshot) return std::nullopt;
  auto path = (*snapshot)->properties.find(kLakeOffsetsProperty);
  if (path == (*snapshot)->properties.end()) return std::nullopt;
  auto text = store.get(path->second);
  if (!text || !*text) return std::nullopt;
  auto document = table_bucket_offsets_from_json((*text)->view());
  if (!document) return std::nullopt;
  return *std::move(document);
}

class TieringRun {
 public:
  // The options of the catalog are without what stands before them in those of a server.
  TieringRun(LakeFormatKind format, Properties catalog, uint64_t seed)
      : format_(format),
        catalog_(std::move(catalog)),
        store_(disk_),
        machine_(seed, seed % 4 != 0, server_options(format, catalog_), &store_),
        faults_(store_, machine_.world().random().fork()),
        properties_(tiered(seed)),
        power_(seed % 4 != 0) {
    store_.keep_time(machine_.client().env().clock);
    if (seed % 3 != 0) elsewhere_.emplace(machine_.world(), store_);
  }

  void run() {
    SimWorld& world = machine_.world();
    machine_.begin_start();
    ASSERT_TRUE(world.run(machine_.client().shard(0), create_table(&machine_, properties_)));
    if (elsewhere_) elsewhere_->start();
    auto writers = start_writers(machine_, record_);
    auto lives = 1 + world.random().below(4);
    for (uint64_t life = 0; life < lives; ++life) {
      faults_.begin_life();
      world.run_for(std::chrono::microseconds(world.random().below(800'000)));
      power_ ? machine_.lose_power() : machine_.kill();
      faults_.end();
      machine_.power_on();
      machine_.begin_start();
      if (elsewhere_ && world.random().chance(1, 2)) elsewhere_->restart();
    }
    auto gets_on = [&] { return !record_.acknowledged.empty() || record_.violation; };
    ASSERT_TRUE(world.run_until(gets_on, std::chrono::seconds(20))) << "nothing is acknowledged";
    for (auto& writer : writers) writer->stop();
    ASSERT_TRUE(writers_end(world, writers)) << "writers hang";
    ASSERT_FALSE(record_.violation) << *record_.violation;
    check();
    // The last lives are abandoned like the others.
    machine_.kill();
    if (elsewhere_) elsewhere_->kill();
  }

 private:
  void check() {
    std::vector<std::vector<Row>> logs;
    for (int32_t bucket = 0; bucket < kBuckets; ++bucket) {
      auto rows = machine_.world().run(machine_.client().shard(0),
                                       read_bucket(&machine_, BucketId(bucket)));
      ASSERT_TRUE(rows) << rows.error().to_string();
      logs.push_back(*std::move(rows));
    }
    LakeFormatOptions options{.catalog = catalog_};
    auto format = make_lake_format(format_, options, machine_.client().env(), store_);
    ASSERT_TRUE(format) << format.error().to_string();
    auto table = (*format)->open_table(kPath, described(properties_));
    ASSERT_TRUE(table) << table.error().to_string();

    auto caught_up = [&] {
      auto told = told_offsets(store_, **table);
      if (!told || !told->bucket_offsets) return false;
      BucketOffsets ends;
      for (const auto& log : logs) ends.push_back(static_cast<int64_t>(log.size()));
      return *told->bucket_offsets == ends;
    };
    ASSERT_TRUE(machine_.world().run_until(caught_up, std::chrono::minutes(3)))
        << "the lake does not catch up";
    auto newest = (*table)->latest_snapshot();
    ASSERT_TRUE(newest && *newest);
    compare(**table, (*newest)->id, logs);
    auto cleaned = (*table)->keep_up({.orphans_before = TimestampMs(INT64_MAX)});
    ASSERT_TRUE(cleaned) << cleaned.error().to_string();
    compare(**table, (*newest)->id, logs);
  }

  static void compare(LakeTable& table,
                      LakeSnapshotId id,
                      const std::vector<std::vector<Row>>& logs) {
    auto rows = read_lake(table, id);
    ASSERT_TRUE(rows) << rows.error().to_string();
    for (size_t bucket = 0; bucket < logs.size(); ++bucket) {
      const std::vector<LakeRow>& found = (*rows)[static_cast<int32_t>(bucket)];
      ASSERT_EQ(found.size(), logs[bucket].size()) << "bucket " << bucket;
      for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].offset, static_cast<int64_t>(i)) << "bucket " << bucket;
        ASSERT_EQ(found[i].row, logs[bucket][i]) << "bucket " << bucket << " offset " << i;
      }
    }
  }

  LakeFormatKind format_;
  Properties catalog_;
  SimDisk disk_{Random(1)};  // of nobody
  SimObjectStore store_;
  Machine machine_;
  Faults faults_;
  Properties properties_;
  std::optional<Elsewhere> elsewhere_;
  bool power_;
  Record record_;
};

// Proves that each row is in the lake once, whatever breaks off in the middle, over the seeds.
TEST(Tiering, EachRowOnceInPaimon) {
  set_log_level(LogLevel::kError);
  run_seeds(200, [](uint64_t seed) {
    TieringRun(LakeFormatKind::kPaimon, {{"warehouse", "/lake"}}, seed).run();
  });
}

// Proves the same of the other format.
TEST(Tiering, EachRowOnceInIceberg) {
  set_log_level(LogLevel::kError);
  run_seeds(200, [](uint64_t seed) {
    TieringRun(LakeFormatKind::kIceberg, {{"type", "hadoop"}, {"warehouse", "/lake"}}, seed).run();
  });
}

// Proves it of a catalog whose database stays, as the store does.
TEST(Tiering, EachRowOnceInAnSqlCatalog) {
  set_log_level(LogLevel::kError);
  run_seeds(25, [](uint64_t seed) {
    std::string folder = testing::TempDir() + "simXXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    Properties catalog{{"type", "jdbc"}, {"warehouse", "/lake"}};
    catalog["uri"] = "jdbc:sqlite:" + folder + "/catalog.db";
    TieringRun(LakeFormatKind::kIceberg, std::move(catalog), seed).run();
    std::filesystem::remove_all(folder);
  });
}

}  // namespace
}  // namespace lakestream
