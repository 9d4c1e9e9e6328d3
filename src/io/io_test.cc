#include <atomic>
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "io/clock.h"
#include "io/disk.h"
#include "io/env.h"
#include "io/network.h"
#include "io/pool.h"
#include "io/real_env.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_world.h"

namespace lakestream {
namespace {

Task<Status> echo_once(Listener* listener, Shard* shard) {
  CO_ASSIGN_OR_RETURN(std::unique_ptr<Stream> stream, co_await listener->accept(*shard));
  std::vector<uint8_t> buffer(1000);
  size_t total = 0;
  while (total < 100'000) {
    CO_ASSIGN_OR_RETURN(size_t count, co_await stream->read_some(buffer));
    if (count == 0) break;
    total += count;
    CO_RETURN_IF_ERROR(co_await stream->write(BytesChain(Bytes::copy_of(buffer.data(), count))));
  }
  co_return ok();
}

Task<Result<std::string>> talk(Env* env, Shard* shard, Address address) {
  CO_ASSIGN_OR_RETURN(auto stream,
                      co_await env->network.connect(*shard, address, std::chrono::seconds(5)));
  std::string sent;
  for (int i = 0; i < 20'000; ++i) sent += fmt::format("{:05}", i);
  CO_RETURN_IF_ERROR(co_await stream->write(BytesChain(Bytes::copy_of(sent))));
  std::string received;
  std::vector<uint8_t> buffer(777);
  while (received.size() < sent.size()) {
    CO_ASSIGN_OR_RETURN(size_t count, co_await stream->read_some(buffer));
    if (count == 0) break;
    received.append(reinterpret_cast<const char*>(buffer.data()), count);
  }
  co_return received == sent ? "equal" : "different";
}

// Proves that bytes cross a real TCP connection between two shards unchanged.
TEST(RealNetwork, Echo) {
  RealEnv real(1);
  ShardGroup shards(real, 2);
  auto listener = real.env().network.listen(shards.shard(0), {"127.0.0.1", 0});
  ASSERT_TRUE(listener) << listener.error().to_string();
  Shard& server = shards.shard(0);
  Listener* at = listener->get();
  server.post([&server, at] {
    server.spawn(
        [](Listener* l, Shard* s) -> Task<void> { (void)co_await echo_once(l, s); }(at, &server));
  });
  auto result = run_blocking(shards.shard(1), talk(&real.env(), &shards.shard(1), at->address()));
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_EQ(*result, "equal");
  shards.stop();
}

// Proves that call_on and run_on_pool bring results back to the calling shard.
TEST(Shards, CallsCrossAndReturn) {
  RealEnv real(2);
  ShardGroup shards(real, 2);
  struct Run {
    static Task<int> task(Env* env, Shard* here, Shard* there) {
      int seen = 0;
      auto is_there = [there] { return there->is_current() ? 1 : 0; };
      int first = co_await call_on(*here, *there, std::move(is_there));
      seen += first;
      seen += here->is_current() ? 10 : 0;
      auto job = [here] { return here->is_current() ? 0 : 100; };
      seen += co_await run_on_pool(env->pool, *here, job);
      seen += here->is_current() ? 1000 : 0;
      co_return seen;
    }
  };
  int seen =
      run_blocking(shards.shard(0), Run::task(&real.env(), &shards.shard(0), &shards.shard(1)));
  EXPECT_EQ(seen, 1111);
}

// Proves that jobs of the pool still run when nobody waits for them any more, and that the shards
// to which they post outlast them.
TEST(Shards, OutlastThePool) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "tasks that nobody ends are leaks";
#endif
  constexpr int kJobs = 50;
  struct Run {
    static Task<void> job(Env* env, Shard* here, int* given, std::atomic<int>* ran) {
      ++*given;
      auto add = [ran] { return ++*ran; };
      (void)co_await run_on_pool(env->pool, *here, add);
    }
    static Task<bool> start(Env* env, Shard* here, int* given, std::atomic<int>* ran) {
      for (int i = 0; i < kJobs; ++i) here->spawn(job(env, here, given, ran));
      while (*given < kJobs) co_await sleep_for(env->clock, *here, Duration(0));
      co_return true;
    }
  };
  for (int round = 0; round < 20; ++round) {
    int given = 0;
    std::atomic<int> ran = 0;
    RealEnv real(2);
    {
      ShardGroup shards(real, 1);
      run_blocking(shards.shard(0), Run::start(&real.env(), &shards.shard(0), &given, &ran));
    }
    EXPECT_EQ(ran, kJobs);
  }
}

class DiskConformance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "real") {
      root_ = testing::TempDir() + "lakestream_disk_test";
      std::filesystem::remove_all(root_);
      disk_ = &real_.env().disk;
    } else {
      root_ = "/data";
      disk_ = &sim_;
    }
    ASSERT_TRUE(disk_->create_directories(root_ + "/a/b"));
  }

  RealEnv real_{1};
  SimDisk sim_{Random(1)};
  Disk* disk_ = nullptr;
  std::string root_;
};

// Proves that both disks agree on files: positions, short reads, growth, truncation, names.
TEST_P(DiskConformance, FilesAndNames) {
  std::string path = root_ + "/a/b/f";
  EXPECT_FALSE(disk_->open(path, OpenMode::kRead));
  auto file = disk_->open(path, OpenMode::kCreateExclusive);
  ASSERT_TRUE(file) << file.error().to_string();
  EXPECT_FALSE(disk_->open(path, OpenMode::kCreateExclusive));
  std::vector<Bytes> parts = {Bytes::of_static("hello "), Bytes::of_static("world")};
  ASSERT_TRUE((*file)->write_at(2, parts));
  EXPECT_EQ(*(*file)->size(), 13U);
  std::vector<uint8_t> buffer(20);
  auto count = (*file)->read_at(0, buffer);
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, 13U);
  EXPECT_EQ(std::string(buffer.begin(), buffer.begin() + 13), std::string("\0\0hello world", 13));
  ASSERT_TRUE((*file)->truncate(5));
  EXPECT_EQ(*(*file)->read_at(4, buffer), 1U);
  EXPECT_EQ(*(*file)->read_at(5, buffer), 0U);
  ASSERT_TRUE((*file)->sync());
  ASSERT_TRUE(disk_->rename(path, root_ + "/a/g"));
  // Of two who want a name the second leaves it as it is.
  ASSERT_TRUE(write_file_atomically(*disk_, root_ + "/a/one", Bytes::of_static("1")));
  ASSERT_TRUE(write_file_atomically(*disk_, root_ + "/a/two", Bytes::of_static("2")));
  EXPECT_TRUE(disk_->rename_new(root_ + "/a/one", root_ + "/a/new").value());
  EXPECT_FALSE(disk_->rename_new(root_ + "/a/two", root_ + "/a/new").value());
  EXPECT_EQ(read_file(*disk_, root_ + "/a/new")->view(), "1");
  EXPECT_FALSE(disk_->exists(root_ + "/a/one").value());
  ASSERT_TRUE(disk_->remove(root_ + "/a/new"));
  ASSERT_TRUE(disk_->remove(root_ + "/a/two"));
  auto listed = disk_->list(root_ + "/a");
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_TRUE((*listed)[0].is_directory);
  EXPECT_EQ((*listed)[1].name, "g");
  EXPECT_EQ((*listed)[1].size, 5U);
  ASSERT_TRUE(write_file_atomically(*disk_, root_ + "/a/h", Bytes::of_static("text")));
  EXPECT_EQ(read_file(*disk_, root_ + "/a/h")->view(), "text");
  ASSERT_TRUE(disk_->remove(root_ + "/a/g"));
  ASSERT_TRUE(disk_->remove(root_ + "/a/g"));
  EXPECT_FALSE(*disk_->exists(root_ + "/a/g"));
  EXPECT_TRUE(disk_->lock(root_ + "/lock"));
  ASSERT_TRUE(disk_->remove_all(root_ + "/a"));
  EXPECT_FALSE(*disk_->exists(root_ + "/a/h"));
}

INSTANTIATE_TEST_SUITE_P(Disks,
                         DiskConformance,
                         testing::Values("real", "sim"),
                         [](const auto& parameter) { return parameter.param; });

// Proves that power loss keeps what was synced and its name, and may lose the rest.
TEST(SimDisk, PowerLossKeepsSyncedBytes) {
  int lost = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SimDisk disk{Random(seed)};
    ASSERT_TRUE(disk.create_directories("/d"));
    auto file = disk.open("/d/f", OpenMode::kCreate);
    Bytes kept = Bytes::copy_of(std::string(3000, 'k'));
    Bytes tail = Bytes::copy_of(std::string(3000, 't'));
    ASSERT_TRUE((*file)->write_at(0, {&kept, 1}));
    ASSERT_TRUE((*file)->sync());
    ASSERT_TRUE(disk.sync_directory("/d"));
    ASSERT_TRUE((*file)->write_at(3000, {&tail, 1}));
    disk.lose_power();
    EXPECT_FALSE((*file)->size());
    auto content = read_file(disk, "/d/f");
    ASSERT_TRUE(content);
    ASSERT_GE(content->size(), 3000U);
    EXPECT_EQ(content->slice(0, 3000), kept);
    if (content->slice(3000).view() != tail.view()) ++lost;
  }
  EXPECT_GT(lost, 25);
}

Task<std::string> trace_of(SimNode* node, Address address) {
  auto stream = co_await node->env().network.connect(node->shard(0), address, Duration(0));
  std::string trace = fmt::format("{}", node->env().clock.monotonic().count());
  if (!stream) co_return trace + stream.error().message();
  (void)co_await (*stream)->write(BytesChain(Bytes::copy_of(std::string(3000, 'x'))));
  std::vector<uint8_t> buffer(500);
  size_t total = 0;
  while (total < 3000) {
    auto count = co_await (*stream)->read_some(buffer);
    if (!count || *count == 0) break;
    total += *count;
    trace += fmt::format(",{}@{}", *count, node->env().clock.monotonic().count());
  }
  co_return trace;
}

std::string run_world(uint64_t seed) {
  SimWorld world(seed);
  SimNode& server = world.add_node("server");
  SimNode& client = world.add_node("client");
  auto listener = server.env().network.listen(server.shard(0), {"server", 9123});
  Listener* at = listener->get();
  Shard* shard = &server.shard(0);
  shard->spawn(
      [](Listener* l, Shard* s) -> Task<void> { (void)co_await echo_once(l, s); }(at, shard));
  std::string trace = world.run(client.shard(0), trace_of(&client, at->address()));
  client.crash(nullptr);
  server.crash(nullptr);
  return trace;
}

// Proves that a seed decides the whole run, virtual times included.
TEST(SimWorld, SameSeedSameTrace) {
  EXPECT_EQ(run_world(7), run_world(7));
  EXPECT_NE(run_world(7), run_world(8));
}

}  // namespace
}  // namespace lakestream
