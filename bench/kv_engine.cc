// The store below a primary-key bucket on the real disk: processor time of writes and reads, with
// that of all its background work, and how long many stores take to open.
//
//   build/release/bench/kv_engine [DIRECTORY] [ROWS]   (a temporary one below it is made and
//   removed)
//
// Peer: RocksDB with its defaults and without its log of writes, given the same batches.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/endian.h"
#include "io/random.h"
#include "kv/engine.h"

namespace lakestream {
namespace {

constexpr size_t kBatch = 500;
constexpr size_t kPipelined = 16;
constexpr size_t kValueBytes = 100;

void must(bool done, const std::string& what) {
  if (done) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}
void must(const Status& status) {
  if (!status) must(false, status.error().to_string());
}
void must(const rocksdb::Status& status) { must(status.ok(), status.ToString()); }

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}
double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}
double wall_seconds() { return static_cast<double>(rocksdb::Env::Default()->NowMicros()) / 1e6; }

// Until flushes and compactions have ended.
void wait_until_idle() {
  for (int quiet = 0; quiet < 3;) {
    double before = cpu_seconds(RUSAGE_SELF);
    rocksdb::Env::Default()->SleepForMicroseconds(100'000);
    quiet = cpu_seconds(RUSAGE_SELF) - before < 0.002 ? quiet + 1 : 0;
  }
}

struct Row {
  std::string_view key;
  std::string_view value;
};

// What is measured: the engine or its peer.
class Store {
 public:
  virtual ~Store() = default;
  virtual void write(std::span<const Row> rows) = 0;
  virtual size_t read(std::span<const std::string_view> keys) = 0;  // how many are there
  virtual std::string notes() { return ""; }
};

class EngineStore final : public Store {
 public:
  explicit EngineStore(const std::string& directory) {
    engines_ = make_rocks_engines({});
    auto engine = engines_->open(directory);
    if (!engine) must(false, engine.error().to_string());
    engine_ = *std::move(engine);
  }
  void write(std::span<const Row> rows) override {
    changes_.clear();
    for (const Row& row : rows) {
      changes_.push_back({.key = row.key, .value = {row.value.substr(0, 2), row.value.substr(2)}});
    }
    applied_ += static_cast<int64_t>(rows.size());
    must(engine_->write(changes_, {.applied = Offset(applied_)}));
  }
  size_t read(std::span<const std::string_view> keys) override {
    reads_.resize(keys.size());
    engine_->try_get(keys, reads_);
    size_t found = 0;
    cold_.clear();
    for (size_t i = 0; i < keys.size(); ++i) {
      if (reads_[i].state == KvRead::State::kWouldBlock) cold_.push_back(keys[i]);
      if (reads_[i].state == KvRead::State::kFound) ++found;
    }
    if (cold_.empty()) return found;
    would_block_ += cold_.size();
    reads_.resize(cold_.size());
    must(engine_->get(cold_, reads_));
    for (const KvRead& read : reads_) found += read.state == KvRead::State::kFound ? 1 : 0;
    return found;
  }
  std::string notes() override {
    KvEngineStats stats = engine_->stats();
    return fmt::format("{} would block, {} MB of tables, {} at level 0",
                       std::exchange(would_block_, 0),
                       stats.table_bytes / 1'000'000,
                       stats.level0_files);
  }

 private:
  std::unique_ptr<KvEngines> engines_;
  std::unique_ptr<KvEngine> engine_;
  std::vector<KvChange> changes_;
  std::vector<KvRead> reads_;
  std::vector<std::string_view> cold_;
  int64_t applied_ = 0;
  size_t would_block_ = 0;
};

class PlainStore final : public Store {
 public:
  explicit PlainStore(const std::string& directory) {
    rocksdb::Options options;
    options.create_if_missing = true;
    rocksdb::DB* database = nullptr;
    must(rocksdb::DB::Open(options, directory, &database));
    database_.reset(database);
  }
  void write(std::span<const Row> rows) override {
    rocksdb::WriteBatch batch;
    for (const Row& row : rows) must(batch.Put(row.key, row.value));
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    must(database_->Write(options, &batch));
  }
  size_t read(std::span<const std::string_view> keys) override {
    size_t found = 0;
    for (std::string_view key : keys) {
      rocksdb::PinnableSlice value;
      rocksdb::ReadOptions options;
      found += database_->Get(options, database_->DefaultColumnFamily(), key, &value).ok() ? 1 : 0;
    }
    return found;
  }

 private:
  std::unique_ptr<rocksdb::DB> database_;
};

struct Cost {
  double total = 0;  // CPU seconds per million rows
  double reads = 0;  // of it, in the thread that reads
};

class Load {
 public:
  explicit Load(size_t rows) : rows_(rows), noise_(1 << 20, '\0') {
    for (size_t i = 0; i < noise_.size(); i += 8) store_le<uint64_t>(&noise_[i], random_.next());
  }

  // Each batch is sorted; its old values are read first, as an upsert does.
  Cost upsert(Store& store, const std::function<uint64_t(size_t)>& key_of, size_t* found) {
    double begin = cpu_seconds(RUSAGE_SELF);
    double reads = 0;
    *found = 0;
    std::vector<uint64_t> numbers(kBatch);
    std::vector<char> bytes(kBatch * 8);
    std::vector<Row> rows;
    std::vector<std::string_view> keys;
    for (size_t first = 0; first < rows_; first += kBatch) {
      for (size_t i = 0; i < kBatch; ++i) numbers[i] = key_of(first + i);
      std::ranges::sort(numbers);
      numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
      rows.clear();
      keys.clear();
      for (size_t i = 0; i < numbers.size(); ++i) {
        store_be<uint64_t>(&bytes[i * 8], numbers[i]);
        keys.emplace_back(&bytes[i * 8], 8);
        rows.push_back({keys.back(), value()});
      }
      double before = cpu_seconds(RUSAGE_THREAD);
      *found += store.read(keys);
      reads += cpu_seconds(RUSAGE_THREAD) - before;
      store.write(rows);
      numbers.resize(kBatch);
    }
    wait_until_idle();
    double scale = 1e6 / static_cast<double>(rows_);
    return {(cpu_seconds(RUSAGE_SELF) - begin) * scale, reads * scale};
  }

  double gets(Store& store, const std::function<uint64_t(size_t)>& key_of, size_t* found) {
    std::vector<char> bytes(kPipelined * 8);
    std::vector<std::string_view> keys(kPipelined);
    *found = 0;
    double begin = cpu_seconds(RUSAGE_SELF);
    for (size_t first = 0; first < rows_; first += kPipelined) {
      for (size_t i = 0; i < kPipelined; ++i) {
        store_be<uint64_t>(&bytes[i * 8], key_of(first + i));
        keys[i] = {&bytes[i * 8], 8};
      }
      *found += store.read(keys);
    }
    return (cpu_seconds(RUSAGE_SELF) - begin) * 1e6 / static_cast<double>(rows_);
  }

 private:
  std::string_view value() {
    return std::string_view(noise_).substr(random_.below(noise_.size() - kValueBytes), kValueBytes);
  }

  size_t rows_;
  Random random_{1};
  std::string noise_;
};

// A permutation of all numbers, so that keys are random, distinct and known again.
uint64_t scatter(uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

void print(const char* what, Cost engine, Cost plain) {
  std::printf("%-34s %7.2f %7.2f %9.2f %7.2f %8.2f\n",
              what,
              engine.total,
              engine.reads,
              plain.total,
              plain.reads,
              plain.total / engine.total);
}

struct Step {
  const char* name;
  std::function<uint64_t(size_t)> key_of;
  const char* store;
  bool writes;
};

std::vector<Step> steps_of(size_t rows) {
  auto ascending = [](size_t i) { return static_cast<uint64_t>(i); };
  auto unseen = [](size_t i) { return scatter(i); };
  auto again = [rows](size_t i) { return scatter(scatter(i) % rows); };

  return {{"upserts, ascending unseen keys", ascending, "ascending", true},
          {"upserts, random unseen keys", unseen, "random", true},
          {"upserts, random known keys", again, "random", true},
          {"gets by 16, not yet cached", again, "random", false},
          {"gets by 16, cached", again, "random", false},
          {"gets by 16, of absent keys", ascending, "random", false}};
}

std::unique_ptr<Store> make_store(bool ours, const std::string& directory) {
  if (ours) return std::make_unique<EngineStore>(directory);
  return std::make_unique<PlainStore>(directory);
}

void run_loads(const std::string& directory, size_t rows) {
  std::printf("CPU seconds per million rows of %zu bytes, batches of %zu\n", kValueBytes, kBatch);
  std::printf("%-34s %7s %7s %9s %7s %8s\n", "", "engine", "reads", "rocksdb", "reads", "ratio");
  std::vector<Step> steps = steps_of(rows);
  std::map<std::string, std::vector<Cost>> costs;
  for (bool ours : {true, false}) {
    std::unique_ptr<Store> store;
    std::string last;
    for (const Step& step : steps) {
      if (step.store != last) {
        last = step.store;
        store.reset();
        std::string path = fmt::format("{}/{}-{}", directory, last, ours ? 1 : 0);
        store = make_store(ours, path);
      }
      Load load(rows);
      size_t found = 0;
      Cost cost;
      if (step.writes) {
        cost = load.upsert(*store, step.key_of, &found);
      } else {
        cost.total = cost.reads = load.gets(*store, step.key_of, &found);
      }
      costs[step.name].push_back(cost);
      if (ours) {
        std::printf("  %-34s %6.2f %6.2f  found %zu; %s\n",
                    step.name,
                    cost.total,
                    cost.reads,
                    found,
                    store->notes().c_str());
        std::fflush(stdout);
      }
    }
  }
  for (const Step& step : steps) print(step.name, costs[step.name][0], costs[step.name][1]);
}

// What memory grew by is below zero when the allocator gave some back meanwhile.
double resident_kib() {
  std::ifstream status("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  status >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

// New, and again with a little in each.
void run_opens(const std::string& directory, size_t count) {
  for (bool again : {false, true}) {
    auto engines = make_rocks_engines({});
    std::vector<std::unique_ptr<KvEngine>> all;
    double memory = resident_kib();
    double begin = wall_seconds();
    double cpu = cpu_seconds(RUSAGE_SELF);
    for (size_t i = 0; i < count; ++i) {
      auto engine = engines->open(fmt::format("{}/many-{}", directory, i));
      if (!engine) must(false, engine.error().to_string());
      all.push_back(*std::move(engine));
    }
    auto per_store = [&](double value) { return value / static_cast<double>(count); };
    std::printf("%zu stores %-10s %7.2f ms, %5.2f ms CPU, %6.0f KiB each\n",
                count,
                again ? "again" : "new",
                per_store(1e3 * (wall_seconds() - begin)),
                per_store(1e3 * (cpu_seconds(RUSAGE_SELF) - cpu)),
                per_store(resident_kib() - memory));
    std::array<KvChange, 1> change{{{.key = "key", .value = {"value", ""}}}};
    begin = wall_seconds();
    for (auto& engine : all) {
      must(engine->write(change, {.applied = Offset(1)}));
    }
    std::printf(
        "%-24s %6.0f KiB each\n", "  with a row written", per_store(resident_kib() - memory));
    begin = wall_seconds();
    for (auto& engine : all) must(engine->flush());
    std::printf("%-24s %6.2f ms each\n", "  flushed", per_store(1e3 * (wall_seconds() - begin)));
    begin = wall_seconds();
    all.clear();
    std::printf("%-24s %6.2f ms each\n", "  closed", per_store(1e3 * (wall_seconds() - begin)));
  }
}

}  // namespace
}  // namespace lakestream

int main(int argc, char** argv) {
  std::string base = argc > 1 ? argv[1] : "/tmp";
  std::string directory = fmt::format("{}/lakestream-bench-{}", base, getpid());
  size_t rows = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1'000'000;
  if (::mkdir(directory.c_str(), 0755) != 0) return 1;
  lakestream::run_loads(directory, rows);
  lakestream::run_opens(directory, 256);
  return std::system(fmt::format("rm -rf '{}'", directory).c_str()) == 0 ? 0 : 1;
}
