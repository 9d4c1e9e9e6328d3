// The bucket log on the real disk: what an append costs its shard, how large groups become, how
// long many
// logs take to sync together, what reads cost, and how fast a directory of many logs opens.
//
//   build/release/bench/log_store [DIRECTORY]      (a temporary one below it is made and removed)
//
// Peer: the same bytes written by plain pwritev and fdatasync on as many threads, without any log.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/logging.h"
#include "format/batch.h"
#include "io/clock.h"
#include "io/disk.h"
#include "io/real_env.h"
#include "log/log.h"

namespace lakestream {
namespace {

constexpr size_t kPoolThreads = 16;

double now_us(Env& env) {
  return std::chrono::duration<double, std::micro>(env.clock.monotonic()).count();
}

struct Spread {
  double min, median, p99, max;
};
Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t last = values.size() - 1;
  return {values.front(), values[last / 2], values[last * 99 / 100], values.back()};
}
void print(const char* what, const char* unit, const Spread& spread) {
  std::printf("%-46s %9.1f %9.1f %9.1f %9.1f %s\n",
              what,
              spread.min,
              spread.median,
              spread.p99,
              spread.max,
              unit);
}

Bytes make_batch(size_t payload) {
  BatchHeader header{.magic = 0,
                     .schema_id = SchemaId(1),
                     .append_only = true,
                     .writer_id = kNoWriter,
                     .batch_sequence = -1,
                     .record_count = 1000,
                     .statistics_size = 0};
  MutableBytes batch = MutableBytes::allocate(batch_header_size(0) + payload);
  write_batch_header(batch.data(), header);
  for (size_t i = 0; i < payload; ++i) {
    batch.data()[batch_header_size(0) + i] = static_cast<uint8_t>(i * 2654435761U >> 24);
  }
  seal_batch(batch.span());
  return std::move(batch).freeze();
}

LogPath path_of(int64_t table) {
  return {.table = {{"bench", "t"}, std::nullopt},
          .bucket = {TableId(table), std::nullopt, BucketId(0)}};
}

size_t memory_kib() {
  std::ifstream status("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  status >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

// Waits on the shard until a log is durable up to its end.
struct Durable {
  explicit Durable(LogTablet& tablet) : log(tablet) {
    log.set_progress_listener([this](const LogProgress&) { waiter.wake(); });
  }
  ~Durable() { log.set_progress_listener({}); }
  Task<void> end() {
    while (log.durable_end_offset() < log.end_offset()) co_await waiter.wait();
  }
  LogTablet& log;
  Waiter waiter;
};

class Bench {
 public:
  Bench(Env& env, Shard& shard, std::string directory)
      : env_(env), shard_(shard), directory_(std::move(directory)) {}

  Task<Status> open(LogOptions options) {
    CO_ASSIGN_OR_RETURN(store_, co_await LogStore::open(env_, shard_, directory_, options));
    co_return ok();
  }
  Task<Status> open_logs(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      CO_ASSIGN_OR_RETURN(auto log, co_await store_->open_log(path_of(i), shard_));
      logs_.push_back(std::move(log));
    }
    co_return ok();
  }
  Task<Status> close() {
    for (auto& log : logs_) CO_RETURN_IF_ERROR(co_await log->close());
    logs_.clear();
    Status closed = co_await store_->close();
    store_.reset();
    co_return closed;
  }

  // The time of append() itself, for batches of 100 KB, while the disk keeps up or not.
  Task<Status> append_cost(const char* what, BatchOrigin origin, size_t payload) {
    LogTablet& log = *logs_[0];
    Durable durable(log);
    std::vector<Bytes> batches;
    for (int i = 0; i < 64; ++i) batches.push_back(make_batch(payload));
    std::vector<double> costs;
    uint64_t groups = log.counters().groups_written;
    double begin = now_us(env_);
    constexpr int kRounds = 60;
    for (int round = 0; round < kRounds; ++round) {
      // Every batch is its own slab, as in a server; it is not in any cache of readers any more.
      for (Bytes& batch : batches) {
        Bytes fresh = Bytes::copy_of(batch.data(), batch.size());
        double before = now_us(env_);
        auto appended = log.append(std::move(fresh), {.now = env_.clock.now(), .origin = origin});
        costs.push_back(now_us(env_) - before);
        if (!appended) co_return fail(std::move(appended).error());
      }
      co_await durable.end();
    }
    double took = now_us(env_) - begin;
    groups = log.counters().groups_written - groups;
    double count = kRounds * 64.0;
    print(what, "us an append", spread_of(costs));
    std::printf("%-46s %9.2f batches a group, %.0f MB/s with the disk\n",
                "",
                count / static_cast<double>(groups),
                count * static_cast<double>(batches[0].size()) / took);
    co_return ok();
  }

  // One batch a log, all at once, until all are durable.
  Task<Status> sync_many(size_t logs, size_t payload) {
    Bytes batch = make_batch(payload);
    std::vector<std::unique_ptr<Durable>> waits;
    for (size_t i = 0; i < logs; ++i) waits.push_back(std::make_unique<Durable>(*logs_[i]));
    std::vector<double> rounds;
    for (int round = 0; round < 40; ++round) {
      double begin = now_us(env_);
      for (size_t i = 0; i < logs; ++i) {
        Bytes fresh = Bytes::copy_of(batch.data(), batch.size());
        auto appended = logs_[i]->append(std::move(fresh), {.now = env_.clock.now()});
        if (!appended) co_return fail(std::move(appended).error());
      }
      for (auto& wait : waits) co_await wait->end();
      rounds.push_back((now_us(env_) - begin) / 1000);
    }
    std::string what =
        fmt::format("{} logs, {} KB each, until all are durable", logs, payload / 1000);
    print(what.c_str(), "ms", spread_of(rounds));
    co_return ok();
  }

  // One client with five requests in flight on one log: the latency of an acknowledgement.
  Task<Status> latency(size_t payload) {
    LogTablet& log = *logs_[0];
    Bytes batch = make_batch(payload);
    std::vector<double> costs;
    std::vector<std::pair<Offset, double>> waiting;
    Waiter waiter;
    log.set_progress_listener([&](const LogProgress& progress) {
      double now = now_us(env_);
      std::erase_if(waiting, [&](const auto& entry) {
        if (entry.first > progress.durable_end) return false;
        costs.push_back((now - entry.second) / 1000);
        return true;
      });
      waiter.wake();
    });
    uint64_t groups = log.counters().groups_written;
    for (int i = 0; i < 1500; ++i) {
      while (waiting.size() >= 5) co_await waiter.wait();
      double begin = now_us(env_);
      auto appended =
          log.append(Bytes::copy_of(batch.data(), batch.size()), {.now = env_.clock.now()});
      if (!appended) co_return fail(std::move(appended).error());
      waiting.emplace_back(appended->end_offset, begin);
    }
    while (!waiting.empty()) co_await waiter.wait();
    log.set_progress_listener({});
    print("1 log, 5 requests in flight, acknowledged after", "ms", spread_of(costs));
    std::printf("%-46s %9.2f batches a group\n",
                "",
                1500.0 / static_cast<double>(log.counters().groups_written - groups));
    co_return ok();
  }

  Task<Status> reads() {
    LogTablet& log = *logs_[0];
    for (bool tail : {true, false}) {
      std::vector<double> costs;
      uint64_t bytes = 0;
      double begin = now_us(env_);
      Offset from = tail ? Offset(log.end_offset().value() - 10'000) : log.start_offset();
      for (int i = 0; i < 400 && from < log.end_offset(); ++i) {
        double before = now_us(env_);
        ReadRequest request{.from = from, .limit = log.end_offset()};
        auto read = co_await log.read(request);
        costs.push_back(now_us(env_) - before);
        if (!read) co_return fail(std::move(read).error());
        bytes += read->records.size();
        from = tail ? from : read->end_offset;
      }
      print(tail ? "read of 1 MiB at the end (memory)" : "read of 1 MiB in order (page cache)",
            "us",
            spread_of(costs));
      std::printf("%-46s %9.0f MB/s\n", "", static_cast<double>(bytes) / (now_us(env_) - begin));
    }
    LogCounters counters = log.counters();
    std::printf("%-46s memory %lu, page cache %lu, pool %lu\n",
                "pieces read from",
                counters.reads_tail,
                counters.reads_cache,
                counters.reads_pool);
    co_return ok();
  }

  Task<Status> fill_segments() {
    Bytes batch = make_batch(1000);
    for (auto& log : logs_) {
      for (int segment = 0; segment < 3; ++segment) {
        auto appended =
            log->append(Bytes::copy_of(batch.data(), batch.size()), {.now = env_.clock.now()});
        if (!appended) co_return fail(std::move(appended).error());
        if (segment < 2) CO_RETURN_IF_ERROR(log->roll());
      }
    }
    for (auto& log : logs_) CO_RETURN_IF_ERROR(co_await log->flush());
    co_return ok();
  }

  // As a server starts: every log is asked for at once.
  Task<Status> open_together(int64_t count, const char* what) {
    size_t memory = memory_kib();
    double begin = now_us(env_);
    LogOptions options;
    CO_RETURN_IF_ERROR(co_await open(options));
    double loaded = now_us(env_);
    int64_t left = count;
    Waiter done;
    struct Run {
      static Task<void> open(Bench* bench, int64_t index, int64_t* waiting, Waiter* all) {
        auto log = co_await bench->store_->open_log(path_of(index), bench->shard_);
        if (log) bench->logs_.push_back(*std::move(log));
        if (--*waiting == 0) all->wake();
      }
    };
    for (int64_t i = 0; i < count; ++i) shard_.spawn(Run::open(this, i, &left, &done));
    co_await done.wait();
    double opened = now_us(env_);
    std::printf("%-46s %9.1f ms (%.1f ms of it the directory), %zu logs, %.0f KiB a log\n",
                what,
                (opened - begin) / 1000,
                (loaded - begin) / 1000,
                logs_.size(),
                static_cast<double>(memory_kib() - memory) / static_cast<double>(count));
    co_return ok();
  }

  // The process dies: nothing is noted.
  void abandon() { logs_.clear(); }
  Task<Status> settle() {
    co_await sleep_for(env_.clock, shard_, std::chrono::milliseconds(200));
    store_.reset();
    co_return ok();
  }

 private:
  Env& env_;
  Shard& shard_;
  std::string directory_;
  std::unique_ptr<LogStore> store_;
  std::vector<std::unique_ptr<LogTablet>> logs_;
};

// Plain files: each thread writes and syncs its share of them, one after the other.
double plain_sync_ms(const std::string& directory, size_t files, size_t bytes) {
  std::vector<int> descriptors;
  std::vector<char> content(bytes, 'x');
  for (size_t i = 0; i < files; ++i) {
    std::string path = fmt::format("{}/plain-{}", directory, i);
    descriptors.push_back(::open(path.c_str(), O_RDWR | O_CREAT, 0644));
  }
  std::vector<double> rounds;
  for (int round = 0; round < 20; ++round) {
    std::atomic<size_t> next{0};
    auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (size_t t = 0; t < std::min(files, kPoolThreads); ++t) {
      threads.emplace_back([&] {
        for (size_t i = next++; i < files; i = next++) {
          auto at = static_cast<off_t>(static_cast<size_t>(round) * bytes);
          if (::pwrite(descriptors[i], content.data(), bytes, at) < 0) std::abort();
          ::fdatasync(descriptors[i]);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    auto took = std::chrono::steady_clock::now() - begin;
    rounds.push_back(std::chrono::duration<double, std::milli>(took).count());
  }
  for (int descriptor : descriptors) ::close(descriptor);
  return spread_of(rounds).median;
}

void must(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
  std::exit(1);
}

void run_all(const std::string& directory) {
  RealEnv real(kPoolThreads);
  ShardGroup shards(real, 1);
  Env& env = real.env();
  Shard& shard = shards.shard(0);
  auto run = [&](Task<Status> task) { must(run_blocking(shard, std::move(task))); };
  std::printf("%-46s %9s %9s %9s %9s\n", "", "min", "median", "p99", "max");

  {
    constexpr int64_t kLogs = 1000;
    Bench bench(env, shard, directory + "/many");
    run(bench.open_together(kLogs, "1,000 new logs"));
    run(bench.fill_segments());
    run(bench.close());
    run(bench.open_together(kLogs, "1,000 logs x 3 segments after a clean stop"));
    bench.abandon();
    run(bench.settle());
    run(bench.open_together(kLogs, "the same without a clean stop"));
    run(bench.close());
  }
  LogOptions os;
  os.durability = Durability::kOs;
  {
    Bench bench(env, shard, directory + "/os");
    run(bench.open(os));
    run(bench.open_logs(1));
    run(bench.append_cost("append 100 KB, os, checked", BatchOrigin::kClient, 100'000));
    run(bench.append_cost("append 100 KB, os, made here", BatchOrigin::kServer, 100'000));
    run(bench.append_cost("append 1 KB, os, checked", BatchOrigin::kClient, 1'000));
    run(bench.reads());
    run(bench.close());
  }
  {
    Bench bench(env, shard, directory + "/sync");
    run(bench.open(LogOptions{}));
    run(bench.open_logs(256));
    run(bench.append_cost("append 100 KB, sync, checked", BatchOrigin::kClient, 100'000));
    run(bench.latency(100'000));
    for (size_t payload : {size_t{4'000}, size_t{100'000}}) {
      for (size_t logs : {size_t{1}, size_t{16}, size_t{256}}) {
        run(bench.sync_many(logs, payload));
        std::printf("%-46s %9s %9.1f %19s ms (plain files)\n",
                    "",
                    "",
                    plain_sync_ms(directory, logs, payload),
                    "");
      }
    }
    run(bench.close());
  }
}

}  // namespace
}  // namespace lakestream

int main(int argc, char** argv) {
  lakestream::set_log_level(lakestream::LogLevel::kError);
  std::string base = argc > 1 ? argv[1] : "/tmp";
  std::string directory = fmt::format("{}/lakestream-bench-{}", base, getpid());
  lakestream::run_all(directory);
  return std::system(fmt::format("rm -rf '{}'", directory).c_str()) == 0 ? 0 : 1;
}
