#include "tablet/remote_log.h"

#include <set>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "format/batch.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "io/sim/sim_world.h"
#include "table/remote_paths.h"

// A log that goes to remote storage, in a simulated world whose store and coordinator fail and
// whose machine loses power.
namespace lakestream {
namespace {

using Fault = SimObjectStore::Fault;

const TableBucket kBucket{TableId(1), std::nullopt, BucketId(0)};
const LogPath kLog{.table = {{"db", "t"}, std::nullopt}, .bucket = kBucket};
const std::string kFolder = "file:///remote/log/db/t-1/0";

// One record that says which one it is.
Bytes make_batch(uint64_t number) {
  BatchHeader header{.magic = 0,
                     .schema_id = SchemaId(1),
                     .append_only = true,
                     .record_count = 1,
                     .statistics_size = 0};
  MutableBytes batch = MutableBytes::allocate(batch_header_size(0) + 60);
  write_batch_header(batch.data(), header);
  uint8_t* payload = batch.data() + batch_header_size(0);
  std::memset(payload, 7, 60);
  store_le(payload, number);
  seal_batch(batch.span());
  return std::move(batch).freeze();
}

uint64_t number_of(const BatchView& batch) { return load_le<uint64_t>(batch.records().data()); }

// What a coordinator has written down; its answers may be lost, before or after.
class Link final : public CoordinatorLink {
 public:
  Task<Result<SnapshotTicket>> next_snapshot(Shard*, TableBucket) override {
    co_return make_error(ErrorCode::kUnsupportedVersion, "not here");
  }
  Task<Status> commit_snapshot(Shard*, KvSnapshot, LeaderEpoch) override { co_return ok(); }
  Task<Result<std::vector<KvSnapshot>>> snapshots(Shard*, TableBucket) override {
    co_return std::vector<KvSnapshot>();
  }
  Task<Result<ReservedIds>> reserve_ids(Shard*, TableId, int32_t, int64_t) override {
    co_return make_error(ErrorCode::kUnsupportedVersion, "not here");
  }
  Task<Result<RemoteLogPlace>> remote_log(Shard*, TableBucket) override { co_return place; }
  Task<Result<Offset>> lake_end(Shard*, TableBucket) override { co_return Offset(0); }
  Task<Result<std::string>> begin_remote_log(Shard*, TableBucket) override {
    place.folder = kFolder;
    co_return kFolder;
  }
  Task<Status> commit_remote_log(Shard*, RemoteLogCommit commit, LeaderEpoch) override {
    ++commits;
    Fault fault = std::exchange(next_fault, Fault::kNone);
    if (refuses) co_return make_error(ErrorCode::kFencedLeaderEpochException, "no");
    if (fault != Fault::kRefused) {
      place.manifest_path = commit.manifest_path;
      place.end_offset = commit.end_offset;
    }
    if (fault == Fault::kNone) co_return ok();
    co_return make_error(ErrorCode::kNetworkException, "the answer is lost");
  }

  RemoteLogPlace place;
  Fault next_fault = Fault::kNone;
  bool refuses = false;
  int commits = 0;
};

class RemoteWorld {
 public:
  explicit RemoteWorld(uint64_t seed = 1)
      : world(seed), node_(world.add_node("a")), objects(node_.disk()) {
    options_.segment_bytes_max = 4 * make_batch(0).size();
    options_.index_interval_bytes = 100;
    rules.ttl = std::chrono::hours(1);
    rules.local_segments = 2;
    open();
  }

  Shard& shard() { return node_.shard(0); }
  LogTablet& log() { return *life_->log; }
  RemoteLog& remote() { return *life_->remote; }
  template <typename T>
  T run(Task<T> task) {
    return world.run(shard(), std::move(task));
  }

  void open() {
    life_ = std::make_shared<Life>();
    life_->store = *run(LogStore::open(node_.env(), shard(), "/data", options_));
    life_->log = *run(life_->store->open_log(kLog, shard()));
    RemoteLogOptions remote;
    remote.coordinator = &link;
    remote.objects = &objects;
    remote.random = world.random().fork();
    remote.index_interval_bytes = 100;
    remote.indexes = std::make_shared<RemoteIndexes>(1 << 20);
    life_->remote = std::make_unique<RemoteLog>(
        node_.env(), shard(), kLog.table, kBucket, *life_->log, remote, link.place);
  }
  void lose_power() {
    node_.crash(std::exchange(life_, nullptr));
    node_.restart();
    open();
  }

  void append(int count) {
    for (int i = 0; i < count; ++i) {
      AppendRules append_rules;
      append_rules.now = world.wall_now();
      ASSERT_TRUE(log().append(make_batch(next_++), append_rules));
      world.run_for(std::chrono::milliseconds(20));
    }
    world.run_for(std::chrono::seconds(1));
  }
  Status copy() {
    rules.now = world.wall_now();
    rules.copied_below = rules.deleted_below = log().durable_end_offset();
    return run(remote().run(rules));
  }
  // Spawns a run and leaves it alone.
  void begin_copy() {
    struct Run {
      static Task<void> run(RemoteLog* remote, RemoteLogRules rules) {
        (void)co_await remote->run(rules);
      }
    };
    shard().spawn(Run::run(&remote(), rules));
  }
  SimDisk& disk() { return node_.disk(); }

  // Every record from the start on, each once, wherever it is.
  std::vector<uint64_t> read_all() {
    std::vector<uint64_t> numbers;
    auto start = run(remote().start_offset());
    EXPECT_TRUE(start) << start.error().to_string();
    Offset from = start.value_or(Offset(0));
    while (from < log().durable_end_offset()) {
      ReadRequest request{from, log().durable_end_offset(), 150, true};
      auto read = run(read_log(&log(), &remote(), request));
      if (!read || read->records.empty()) {
        ADD_FAILURE() << from.value() << ": " << (read ? "nothing" : read.error().to_string());
        break;
      }
      std::vector<BatchView> batches = parse_batches(read->records.flatten()).value();
      for (const BatchView& batch : batches) {
        EXPECT_EQ(batch.base_offset(), from) << "a gap or a repetition";
        EXPECT_TRUE(batch.validate());
        numbers.push_back(number_of(batch));
        from = batch.next_offset();
      }
    }
    return numbers;
  }
  void expect_all_from(uint64_t begin) {
    SCOPED_TRACE(begin);
    std::vector<uint64_t> expected;
    for (uint64_t i = begin; i < next_; ++i) expected.push_back(i);
    EXPECT_EQ(read_all(), expected);
  }
  // Folders and manifests of the store.
  std::set<std::string> stored() {
    std::set<std::string> names;
    for (const auto& [path, content] : objects.objects()) {
      std::string name = path.substr(kFolder.size() + 1);
      if (name.starts_with("metadata/")) {
        names.insert(path);
      } else {
        names.insert(kFolder + "/" + name.substr(0, name.find('/')));
      }
    }
    return names;
  }
  std::set<std::string> segment_folders() {
    std::set<std::string> names = stored();
    std::erase_if(names, [](const std::string& name) { return name.ends_with(".manifest"); });
    return names;
  }
  // What the committed manifest says is all that there is.
  void expect_no_orphans() {
    std::set<std::string> named;
    if (link.place.manifest_path) {
      named.insert(*link.place.manifest_path);
      Bytes text = objects.objects().at(*link.place.manifest_path);
      RemoteLogManifest manifest = remote_log_manifest_from_json(text.view()).value();
      for (const RemoteLogSegment& segment : manifest.segments) {
        named.insert(remote_log_segment_folder(kFolder, segment.id));
      }
    }
    EXPECT_EQ(stored(), named);
  }

  SimWorld world;

 private:
  struct Life {
    std::unique_ptr<LogStore> store;
    std::unique_ptr<LogTablet> log;
    std::unique_ptr<RemoteLog> remote;
    ~Life() {
      remote.reset();
      log.reset();
    }
  };
  SimNode& node_;
  LogOptions options_;
  uint64_t next_ = 0;
  std::shared_ptr<Life> life_;

 public:
  SimObjectStore objects;
  Link link;
  RemoteLogRules rules;
};

// Proves that a log without copies is as before, and that nothing is asked of the store for it.
TEST(RemoteLog, NothingToCopy) {
  RemoteWorld world;
  world.objects.fail([](std::string_view, const std::string&) { return Fault::kRefused; });
  world.append(3);
  EXPECT_TRUE(world.copy());
  world.expect_all_from(0);
  EXPECT_EQ(world.link.commits, 0);
  auto found = world.run(world.remote().find(Offset(1)));
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

// Proves that segments are copied in order, at most so many a run, that local ones go but for the
// newest, and that every record is found once, also after power was lost.
TEST(RemoteLog, CopiesAndReads) {
  RemoteWorld world;
  world.append(30);  // segments of 4: seven complete ones
  ASSERT_TRUE(world.copy());
  EXPECT_EQ(world.remote().copied_end(), Offset(20));
  EXPECT_EQ(world.log().start_offset(), Offset(20));
  ASSERT_TRUE(world.copy());
  EXPECT_EQ(world.remote().copied_end(), Offset(28));
  EXPECT_EQ(world.log().start_offset(), Offset(24));  // [24, 28) and the one that is written to
  world.expect_all_from(0);
  ASSERT_TRUE(world.copy());
  EXPECT_EQ(world.link.commits, 2);
  world.expect_no_orphans();
  world.lose_power();
  world.expect_all_from(0);

  auto found = *world.run(world.remote().find(Offset(6)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->folder, kFolder);
  ASSERT_EQ(found->segments.size(), 6U);
  EXPECT_EQ(found->segments[0].start_offset, Offset(4));
  EXPECT_GT(found->first_position, 0U);
  EXPECT_LE(found->first_position, 2 * make_batch(0).size());
  EXPECT_FALSE(*world.run(world.remote().find(Offset(28))));
}

// Proves that an index that is damaged or missing costs time and nothing else.
TEST(RemoteLog, DamagedIndex) {
  RemoteWorld world;
  world.append(12);
  ASSERT_TRUE(world.copy());
  std::vector<std::string> indexes;
  for (const auto& [path, content] : world.objects.objects()) {
    if (path.ends_with("index")) indexes.push_back(path);
  }
  ASSERT_EQ(indexes.size(), 4U);
  for (const std::string& path : indexes) {
    MutableBytes wrong = MutableBytes::allocate(48);
    std::memset(wrong.data(), 1, 48);
    ASSERT_TRUE(world.objects.put(path, std::move(wrong).freeze()));
  }
  world.expect_all_from(0);
  world.lose_power();
  for (const std::string& path : indexes) ASSERT_TRUE(world.objects.remove(path));
  world.expect_all_from(0);
}

// Proves that one failed copy keeps the ones that worked (the store forgets what it was asked).
TEST(RemoteLog, OneCopyFails) {
  RemoteWorld world;
  world.append(25);
  int copies = 0;
  world.objects.fail([&](std::string_view operation, const std::string&) {
    return operation == "put_file" && ++copies == 3 ? Fault::kRefused : Fault::kNone;
  });
  Status done = world.copy();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::kStorageException);
  EXPECT_EQ(world.remote().copied_end(), Offset(8));
  EXPECT_EQ(world.link.place.end_offset, Offset(8));
  world.expect_all_from(0);
  ASSERT_TRUE(world.copy());
  EXPECT_EQ(copies, 7);
  EXPECT_EQ(world.remote().copied_end(), Offset(24));
  ASSERT_TRUE(world.copy());
  world.expect_no_orphans();
}

// Proves that a damaged local segment is not copied, and so not deleted.
TEST(RemoteLog, DamageIsNotCopied) {
  RemoteWorld world;
  world.append(16);
  std::string path = world.log().segments()[1].path;
  ASSERT_TRUE(world.disk().rot(path));
  Status done = world.copy();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::kCorruptRecordException);
  EXPECT_EQ(world.remote().copied_end(), Offset(4));
}

// Proves that expired segments leave, from the start, and that their files go a run later.
TEST(RemoteLog, TotalRetention) {
  RemoteWorld world;
  world.append(16);
  ASSERT_TRUE(world.copy());
  world.world.run_for(std::chrono::minutes(50));
  world.append(16);
  ASSERT_TRUE(world.copy());
  world.world.run_for(std::chrono::minutes(20));
  std::set<std::string> before = world.segment_folders();
  ASSERT_TRUE(world.copy());
  EXPECT_EQ(world.segment_folders(), before);
  world.expect_all_from(16);
  auto gone = world.run(world.remote().read({Offset(15), Offset(32), 100, true}));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), ErrorCode::kLogOffsetOutOfRangeException);
  ASSERT_TRUE(world.copy());
  world.expect_no_orphans();
  // All of it: what is left is the active segment.
  world.world.run_for(std::chrono::hours(2));
  ASSERT_TRUE(world.copy());
  world.expect_all_from(28);
  EXPECT_EQ(world.log().start_offset(), Offset(28));
  world.lose_power();
  EXPECT_EQ(world.log().start_offset(), *world.run(world.remote().start_offset()));
  world.append(8);
  ASSERT_TRUE(world.copy());
  ASSERT_TRUE(world.copy());
  world.expect_no_orphans();
  world.expect_all_from(32);  // [28, 32) was too old when it was complete
}

// Proves that local-ttl takes what is copied, however few segments that leaves, and nothing else.
TEST(RemoteLog, LocalRetention) {
  RemoteWorld world;
  world.rules.local_ttl = std::chrono::minutes(1);
  world.rules.local_segments = 100;
  world.append(13);
  ASSERT_TRUE(world.copy());
  EXPECT_EQ(world.log().start_offset(), Offset(0));
  world.world.run_for(std::chrono::minutes(2));
  world.objects.fail([](std::string_view, const std::string&) { return Fault::kRefused; });
  world.append(4);
  EXPECT_FALSE(world.copy());
  EXPECT_EQ(world.log().start_offset(), Offset(12));
  world.objects.fail({});
  world.expect_all_from(0);
  // Not copied and older than the ttl: it would not be kept there either.
  world.objects.fail([](std::string_view, const std::string&) { return Fault::kRefused; });
  world.world.run_for(std::chrono::hours(2));
  (void)world.copy();
  EXPECT_EQ(world.log().start_offset(), Offset(16));
  world.objects.fail({});
  EXPECT_EQ(*world.run(world.remote().start_offset()), Offset(16)) << "a gap hides what is there";
  world.append(8);
  ASSERT_TRUE(world.copy());
  world.expect_all_from(16);
}

// Proves that two overlapping copies count once, and that an expired one takes its part along.
TEST(RemoteLog, OverlappingCopies) {
  RemoteWorld world;
  world.append(13);
  ASSERT_TRUE(world.copy());
  Bytes text = world.objects.objects().at(*world.link.place.manifest_path);
  RemoteLogManifest manifest = *remote_log_manifest_from_json(text.view());
  // As if [0, 8) had been copied again, in one segment, of which only [4, 8) counts.
  std::string first = remote_log_segment_folder(kFolder, manifest.segments[0].id);
  std::string second = remote_log_segment_folder(kFolder, manifest.segments[1].id);
  auto file = [&](const std::string& folder, int64_t offset) {
    return world.objects.objects().at(remote_log_file(folder, Offset(offset), RemoteLogFile::kLog));
  };
  BytesChain both(file(first, 0));
  both.append(file(second, 4));
  std::string id = "00000000-0000-4000-8000-000000000001";
  ASSERT_TRUE(world.objects.put(
      remote_log_file(remote_log_segment_folder(kFolder, id), Offset(0), RemoteLogFile::kLog),
      both.flatten()));
  manifest.segments[1].id = id;
  manifest.segments[1].start_offset = Offset(0);
  manifest.segments[1].logical_start_offset = Offset(4);
  manifest.segments[1].size_bytes = static_cast<int64_t>(both.size());
  ASSERT_TRUE(
      world.objects.put(*world.link.place.manifest_path, Bytes::copy_of(to_json(manifest))));
  world.lose_power();
  world.expect_all_from(0);
  auto found = *world.run(world.remote().find(Offset(5)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->segments[0].id, id);
  manifest.segments[0].max_timestamp = TimestampMs(0);
  ASSERT_TRUE(
      world.objects.put(*world.link.place.manifest_path, Bytes::copy_of(to_json(manifest))));
  world.lose_power();
  ASSERT_TRUE(world.copy());
  world.expect_all_from(4);
}

// Proves that the first offset at or after a time is found on both sides of the border.
TEST(RemoteLog, Timestamps) {
  RemoteWorld world;
  std::vector<TimestampMs> times;
  for (int i = 0; i < 25; ++i) {
    times.push_back(world.world.wall_now());
    world.append(1);
  }
  ASSERT_TRUE(world.copy());
  ASSERT_TRUE(world.copy());
  for (int64_t i = 0; i < 24; ++i) {
    auto found = *world.run(world.remote().offset_for_timestamp(times[static_cast<size_t>(i)]));
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(*found, Offset(i));
  }
  EXPECT_FALSE(*world.run(world.remote().offset_for_timestamp(times[24])));
}

// Proves that a refused commit leaves nothing behind, and that one whose answer is lost is asked
// again.
TEST(RemoteLog, Commits) {
  RemoteWorld world;
  world.append(13);
  world.link.refuses = true;
  EXPECT_FALSE(world.copy());
  EXPECT_EQ(world.log().start_offset(), Offset(0));
  EXPECT_FALSE(world.copy());
  world.link.refuses = false;
  for (Fault fault : {Fault::kRefused, Fault::kAnswerLost}) {
    world.link.next_fault = fault;
    Offset announced = world.remote().copied_end();
    EXPECT_FALSE(world.copy());
    EXPECT_LE(world.log().start_offset(), announced) << "not before it is known to be announced";
    world.expect_all_from(0);
    ASSERT_TRUE(world.copy());
    world.append(13);
  }
  ASSERT_TRUE(world.copy());
  ASSERT_TRUE(world.copy());
  world.expect_no_orphans();
  world.expect_all_from(0);
}

// Proves over many seeds that nothing is lost or seen twice, whatever fails and whenever power is
// lost, and that what nobody knows of is removed in the end.
TEST(RemoteLog, Chaos) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    RemoteWorld world(seed);
    Random random(seed);
    bool calm = false;
    world.objects.fail([&](std::string_view operation, const std::string&) {
      if (calm || operation == "get" || !random.chance(1, 12)) return Fault::kNone;
      return random.chance(1, 2) ? Fault::kRefused : Fault::kAnswerLost;
    });
    for (int step = 0; step < 25 && !testing::Test::HasFailure(); ++step) {
      world.append(static_cast<int>(random.below(9)));
      if (random.chance(1, 4)) world.link.next_fault = Fault::kAnswerLost;
      if (random.chance(1, 8)) world.link.next_fault = Fault::kRefused;
      if (random.chance(1, 3)) {
        // Power goes somewhere inside of a run.
        world.rules.now = world.world.wall_now();
        world.rules.copied_below = world.rules.deleted_below = world.log().durable_end_offset();
        world.begin_copy();
        world.world.run_for(std::chrono::microseconds(random.below(20'000)));
        world.lose_power();
      } else {
        (void)world.copy();
      }
      world.expect_all_from(0);
    }
    calm = true;
    world.link.next_fault = Fault::kNone;
    for (int i = 0; i < 15; ++i) ASSERT_TRUE(world.copy());
    world.expect_all_from(0);
    world.expect_no_orphans();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

// Proves that what is not in the lake yet is never too old: it is copied, stays in remote storage,
// and stays on the disk until it is copied; and that it goes once the lake has it.
TEST(RemoteLog, RowsThatAreNotInTheLake) {
  RemoteWorld world;
  world.append(10);  // two whole segments and a half
  world.rules.expires_below = Offset(4);
  world.world.run_for(std::chrono::hours(2));
  ASSERT_TRUE(world.copy());
  EXPECT_EQ(world.remote().copied_end(), Offset(8));
  EXPECT_EQ(world.run(world.remote().start_offset()).value(), Offset(4));
  ASSERT_TRUE(world.copy());
  EXPECT_EQ(world.run(world.remote().start_offset()).value(), Offset(4));

  world.objects.fail([](std::string_view, const std::string&) { return Fault::kRefused; });
  world.append(10);
  world.world.run_for(std::chrono::hours(2));
  EXPECT_FALSE(world.copy());
  world.objects.fail({});
  EXPECT_EQ(world.log().end_offset(), Offset(20));
  EXPECT_LE(world.log().start_offset(), Offset(8)) << "it has no copy";
  ASSERT_TRUE(world.copy());
  EXPECT_EQ(world.run(world.remote().start_offset()).value(), Offset(4));

  world.rules.expires_below = kAllMayExpire;
  ASSERT_TRUE(world.copy());
  EXPECT_GE(world.run(world.remote().start_offset()).value(), Offset(16));
}

}  // namespace
}  // namespace lakestream
