#include <atomic>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

#include "io/real_env.h"
#include "log/log_test_support.h"

// The real disk, real threads: logs of several shards at once, with checkpoints in between.
namespace lakestream {
namespace {

using log_testing::expect_ok;
using log_testing::make_batch;

constexpr size_t kShards = 3;
constexpr int32_t kLogs = 9;
constexpr int32_t kBatches = 60;

class Directory {
 public:
  Directory() : path_(fmt::format("{}lakestream-log-{}", testing::TempDir(), getpid())) {}
  ~Directory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

LogPath path_of(int32_t bucket) {
  LogPath path = log_testing::kPath;
  path.bucket.bucket = BucketId(bucket);
  return path;
}

// One writer on the log's shard; reads what it wrote once it is durable.
Task<Status> write_and_read(Env* env, LogTablet* log) {
  Waiter moved;
  log->set_progress_listener([&](const LogProgress&) { moved.wake(); });
  for (int32_t i = 0; i < kBatches; ++i) {
    Bytes batch = make_batch({.writer = 1, .sequence = i, .records = 2, .payload = 300});
    auto appended = log->append(std::move(batch), {.now = env->clock.now()});
    if (!appended) co_return fail(std::move(appended).error());
    if (i % 8 == 7) CO_RETURN_IF_ERROR(log->roll());
    while (i % 3 == 0 && log->durable_end_offset() < appended->end_offset) co_await moved.wait();
  }
  Status flushed = co_await log->flush();
  CO_RETURN_IF_ERROR(std::move(flushed));
  log->set_progress_listener({});
  Offset from = log->start_offset();
  while (from < log->end_offset()) {
    ReadRequest request{.from = from, .limit = log->end_offset(), .bytes_max = 2000};
    auto read = co_await log->read(request);
    if (!read) co_return fail(std::move(read).error());
    from = read->end_offset;
  }
  auto deleted = co_await log->delete_before(Offset(20));
  if (!deleted) co_return fail(std::move(deleted).error());
  co_return ok();
}

Task<Status> close_and_drop(std::unique_ptr<LogTablet>* log) {
  Status closed = co_await (*log)->close();
  log->reset();
  co_return closed;
}

TEST(LogThreads, LogsOfSeveralShardsLiveSideBySide) {
  Directory directory;
  RealEnv real(4);
  ShardGroup shards(real, kShards);
  Env& env = real.env();
  Shard& home = shards.shard(0);
  LogOptions options;
  options.open_files_max = 6;
  options.tail_bytes_total_max = 20'000;
  for (int life = 0; life < 2; ++life) {
    auto opened = run_blocking(home, LogStore::open(env, home, directory.path(), options));
    ASSERT_TRUE(opened) << opened.error().to_string();
    std::unique_ptr<LogStore> store = *std::move(opened);
    std::vector<std::unique_ptr<LogTablet>> logs;
    for (int32_t i = 0; i < kLogs; ++i) {
      Shard& shard = shards.shard(static_cast<size_t>(i) % kShards);
      auto log = run_blocking(home, store->open_log(path_of(i), shard));
      ASSERT_TRUE(log) << log.error().to_string();
      logs.push_back(*std::move(log));
      Offset end = logs.back()->end_offset();
      EXPECT_EQ(end, Offset(life == 0 ? 0 : 2 * kBatches));
    }
    if (life == 0) {
      std::atomic<int> left{kLogs};
      struct Run {
        static Task<void> log(Env* world, LogTablet* log, std::atomic<int>* waiting) {
          Status done = co_await write_and_read(world, log);
          expect_ok(done);
          --*waiting;
        }
      };
      for (int32_t i = 0; i < kLogs; ++i) {
        Shard& shard = shards.shard(static_cast<size_t>(i) % kShards);
        shard.spawn(Run::log(&env, logs[static_cast<size_t>(i)].get(), &left));
      }
      while (left > 0) expect_ok(run_blocking(home, store->checkpoint()));
    }
    for (int32_t i = 0; i < kLogs; ++i) {
      Shard& shard = shards.shard(static_cast<size_t>(i) % kShards);
      auto& log = logs[static_cast<size_t>(i)];
      EXPECT_EQ(log->writer_count(), 1U);
      expect_ok(run_blocking(shard, close_and_drop(&log)));
    }
    expect_ok(run_blocking(home, store->close()));
  }
  shards.stop();
}

// What the files below a directory take from the disk, and how long they are.
struct Use {
  uint64_t blocks_bytes = 0;
  uint64_t file_bytes = 0;
};

Use use_of(const std::string& directory) {
  Use use;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    struct stat status {};
    if (!entry.is_regular_file() || entry.path().extension() != ".log") continue;
    if (stat(entry.path().c_str(), &status) != 0) continue;
    use.blocks_bytes += static_cast<uint64_t>(status.st_blocks) * 512;
    use.file_bytes += static_cast<uint64_t>(status.st_size);
  }
  return use;
}

// Proves that blocks asked for ahead are within the rule and are given back with a full segment and
// with a stop.
TEST(LogFiles, BlocksAheadAreGivenBack) {
  constexpr uint64_t kSlack = 64 << 10;
  Directory directory;
  RealEnv real(1);
  ShardGroup shards(real, 1);
  Env& env = real.env();
  Shard& home = shards.shard(0);
  auto opened = run_blocking(home, LogStore::open(env, home, directory.path(), LogOptions()));
  ASSERT_TRUE(opened);
  std::unique_ptr<LogStore> store = *std::move(opened);
  auto log = run_blocking(home, store->open_log(path_of(0), home));
  ASSERT_TRUE(log);
  struct Run {
    static Task<Status> append(Env* world, LogTablet* to) {
      Bytes batch = make_batch({.writer = 1, .sequence = 0, .records = 1, .payload = 3'000'000});
      auto appended = to->append(std::move(batch), {.now = world->clock.now()});
      if (!appended) co_return fail(std::move(appended).error());
      co_return co_await to->flush();
    }
    static Task<Status> roll(LogTablet* to) {
      CO_RETURN_IF_ERROR(to->roll());
      co_return co_await to->flush();
    }
  };
  expect_ok(run_blocking(home, Run::append(&env, log->get())));
  Use growing = use_of(directory.path());
  EXPECT_LE(growing.blocks_bytes, 2 * growing.file_bytes + kSlack);
  expect_ok(run_blocking(home, Run::roll(log->get())));
  Use rolled = use_of(directory.path());
  EXPECT_EQ(rolled.file_bytes, growing.file_bytes);
  EXPECT_LE(rolled.blocks_bytes, rolled.file_bytes + kSlack);

  expect_ok(run_blocking(home, close_and_drop(&*log)));
  Use closed = use_of(directory.path());
  EXPECT_EQ(closed.file_bytes, growing.file_bytes);
  EXPECT_LE(closed.blocks_bytes, closed.file_bytes + kSlack);
  expect_ok(run_blocking(home, store->close()));
  shards.stop();
}

}  // namespace
}  // namespace lakestream
