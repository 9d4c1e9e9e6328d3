#include "tablet/kv_replica.h"

#include <gtest/gtest.h>

#include "format/byte_writer.h"
#include "format/kv_batch.h"
#include "io/object_store.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "io/sim/sim_world.h"
#include "tablet/replica.h"

// A primary-key bucket in a simulated world: puts, losses of the log, snapshots and stops.
namespace lakestream {
namespace {

const TableBucket kBucket{TableId(1), std::nullopt, BucketId(0)};
const LogPath kLog{.table = {{"db", "t"}, std::nullopt}, .bucket = kBucket};
constexpr const char* kDatabase = "/data/db/t-1/kv-0";
constexpr Duration kTimeout = std::chrono::seconds(5);

// What a test asks of the engines.
struct Strain {
  double pressure = 0;
  bool cold = false;    // one key of a lookup is in memory, the others are not
  bool closed = false;  // no database can be opened
  int opens = 0;        // that were tried
  int removals = 0;
};

class StrainedEngine final : public KvEngine {
 public:
  StrainedEngine(std::unique_ptr<KvEngine> engine, const Strain* strain)
      : engine_(std::move(engine)), strain_(strain) {}

  void try_get(std::span<const std::string_view> keys, std::span<KvRead> reads) override {
    engine_->try_get(keys, reads);
    if (!strain_->cold) return;
    for (KvRead& read : reads.subspan(1)) read = {KvRead::State::kWouldBlock, {}};
  }
  Status get(std::span<const std::string_view> keys, std::span<KvRead> reads) override {
    return engine_->get(keys, reads);
  }
  Status write(std::span<const KvChange> changes, const KvMark& mark) override {
    return engine_->write(changes, mark);
  }
  KvMark mark() const override { return engine_->mark(); }
  Status flush() override { return engine_->flush(); }
  Result<KvCheckpoint> checkpoint(const std::string& directory) override {
    return engine_->checkpoint(directory);
  }
  Status verify() override { return engine_->verify(); }
  Result<std::unique_ptr<KvCursor>> open_cursor() override { return engine_->open_cursor(); }
  KvEngineStats stats() const override {
    KvEngineStats stats = engine_->stats();
    stats.pressure = strain_->pressure;
    return stats;
  }

 private:
  std::unique_ptr<KvEngine> engine_;
  const Strain* strain_;
};

class StrainedEngines final : public KvEngines {
 public:
  StrainedEngines(Disk& disk, Strain* strain)
      : engines_(make_memory_engines(disk, {})), strain_(strain) {}

  Result<std::unique_ptr<KvEngine>> open(const std::string& directory) override {
    ++strain_->opens;
    if (strain_->closed) return make_error(ErrorCode::kKvStorageException, "Too many open files");
    ASSIGN_OR_RETURN(auto engine, engines_->open(directory));
    return std::make_unique<StrainedEngine>(std::move(engine), strain_);
  }
  Result<bool> exists(const std::string& directory) override { return engines_->exists(directory); }
  Status remove(const std::string& directory) override {
    ++strain_->removals;
    return engines_->remove(directory);
  }
  KvMemory memory() const override { return engines_->memory(); }

 private:
  std::unique_ptr<KvEngines> engines_;
  Strain* strain_;
};

// A coordinator that agrees to everything.
class AgreeableLink final : public CoordinatorLink {
 public:
  Task<Result<SnapshotTicket>> next_snapshot(Shard*, TableBucket) override {
    co_return SnapshotTicket{KvSnapshotId(next_id_++), "file:///remote/kv/db/t-1/0"};
  }
  Task<Status> commit_snapshot(Shard*, KvSnapshot snapshot, LeaderEpoch) override {
    committed.insert(committed.begin(), std::move(snapshot));
    co_return ok();
  }
  Task<Result<std::vector<KvSnapshot>>> snapshots(Shard*, TableBucket) override {
    co_return committed;
  }
  Task<Result<RemoteLogPlace>> remote_log(Shard*, TableBucket) override { co_return place; }
  Task<Result<Offset>> lake_end(Shard*, TableBucket) override { co_return Offset(0); }
  Task<Result<std::string>> begin_remote_log(Shard*, TableBucket) override {
    place.folder = "file:///remote/log/db/t-1/0";
    co_return place.folder;
  }
  Task<Status> commit_remote_log(Shard*, RemoteLogCommit commit, LeaderEpoch) override {
    place.manifest_path = commit.manifest_path;
    place.end_offset = commit.end_offset;
    co_return ok();
  }
  Task<Result<ReservedIds>> reserve_ids(Shard*, TableId, int32_t, int64_t count) override {
    co_return ReservedIds{1, count};
  }

  std::vector<KvSnapshot> committed;  // the newest first
  RemoteLogPlace place;

 private:
  int64_t next_id_ = 0;
};

std::shared_ptr<TableContext> make_table() {
  Schema schema = SchemaBuilder()
                      .column("k", DataType::bigint())
                      .column("v", DataType::bigint())
                      .primary_key({"k"})
                      .build()
                      .value();
  auto entry = std::make_shared<TableEntry>();
  entry->path = {"db", "t"};
  entry->id = TableId(1);
  entry->descriptor.schema = schema;
  entry->descriptor.distribution = Distribution{1, {"k"}};
  entry->schemas.push_back(
      std::make_shared<SchemaEntry>(SchemaEntry{SchemaId(1), std::move(schema), {}}));
  return TableContext::make(std::move(entry)).value();
}

class KvWorld {
 public:
  explicit KvWorld(Durability durability = Durability::kSync,
                   uint64_t segment_bytes_max = LogOptions().segment_bytes_max)
      : node_(world.add_node("a")), objects_(make_local_object_store(node_.disk(), Random(1))) {
    log_options_.durability = durability;
    log_options_.segment_bytes_max = segment_bytes_max;
    open();
  }

  void open() {
    auto store = world.run(shard(), LogStore::open(node_.env(), shard(), "/data", log_options_));
    life_ = std::make_shared<Life>();
    life_->store = std::move(store).value();
    auto log = world.run(shard(), life_->store->open_log(kLog, shard()));
    life_->replica =
        std::make_shared<Replica>(node_.env(), shard(), kBucket, std::move(log).value());
    RemoteLogOptions remote;
    remote.coordinator = &coordinator;
    remote.objects = &log_objects;
    remote.random = world.random().fork();
    remote.indexes = std::make_shared<RemoteIndexes>(1 << 20);
    replica().add_remote(kLog.table, std::move(remote), coordinator.place);
    KvReplicaOptions options;
    options.directory = kDatabase;
    options.engines = std::make_shared<StrainedEngines>(node_.disk(), &strain);
    options.coordinator = &coordinator;
    options.objects = objects_.get();
    replica().add_kv(std::move(options));
    epoch_ = LeaderEpoch(epoch_.value() + 1);
    ASSERT_TRUE(replica().become_leader(epoch_));
  }
  void lose_power() {
    node_.crash(std::exchange(life_, nullptr));
    node_.restart();
  }
  void kill() { node_.kill(std::exchange(life_, nullptr)); }

  Shard& shard() { return node_.shard(0); }
  SimDisk& disk() { return node_.disk(); }
  Replica& replica() { return *life_->replica; }

  Bytes key_of(int64_t key) {
    Value values[] = {Value::integer(key), Value::null()};
    ByteWriter encoded;
    EXPECT_TRUE(table->kv().value()->encode_key(values, &encoded));
    return std::move(encoded).finish();
  }
  Bytes batch_of(int64_t key, int64_t value) {
    Value values[] = {Value::integer(key), Value::integer(value)};
    ByteWriter row;
    KvTable* kv = table->kv().value();
    EXPECT_TRUE(kv->encode_row(values, &row));
    KvBatchBuilder builder(SchemaId(1));
    builder.upsert(key_of(key).span(), row.span());
    return builder.finish({});
  }
  Result<Appended> append(int64_t key, int64_t value) {
    KvPutRequest request;
    request.records = batch_of(key, value);
    request.table = table;
    request.epoch = epoch_;
    auto put = replica().kv()->start_put(std::move(request));
    return world.run(shard(), put->appended.get());
  }
  Status committed(const Appended& appended) {
    return world.run(shard(), replica().committed(appended, kTimeout));
  }
  Status put(int64_t key, int64_t value) {
    ASSIGN_OR_RETURN(Appended appended, append(key, value));
    return committed(appended);
  }

  // All but the newest segment.
  Status move_log_away() {
    RemoteLogRules rules;
    rules.now = world.wall_now();
    rules.local_segments = 1;
    rules.copied_below = rules.deleted_below = replica().log().durable_end_offset();
    return world.run(shard(), replica().remote()->run(rules));
  }
  std::optional<Bytes> row(int64_t key) {
    std::vector<Bytes> keys{key_of(key)};
    auto rows = world.run(shard(), replica().kv()->lookup(table, std::move(keys)));
    EXPECT_TRUE(rows) << rows.error().to_string();
    return rows ? rows->at(0) : std::nullopt;
  }

  SimWorld world{7};
  Strain strain;
  AgreeableLink coordinator;
  std::shared_ptr<TableContext> table = make_table();

 private:
  struct Life {
    std::unique_ptr<LogStore> store;
    std::shared_ptr<Replica> replica;
  };
  SimNode& node_;

 public:
  SimObjectStore log_objects{node_.disk()};

 private:
  std::unique_ptr<ObjectStore> objects_;
  LogOptions log_options_;
  LeaderEpoch epoch_{0};
  std::shared_ptr<Life> life_;
};

ErrorCode code_of(const Status& status) {
  return status ? ErrorCode::kNone : status.error().code();
}

// Proves that a bucket that refused puts takes them again once its engine has caught up.
TEST(KvReplica, PressureEnds) {
  KvWorld world;
  world.strain.pressure = 1;
  ASSERT_TRUE(world.put(1, 1));
  EXPECT_EQ(code_of(world.put(1, 2)), ErrorCode::kStorageBackpressureException);
  world.strain.pressure = 0.5;
  EXPECT_TRUE(world.put(1, 3));
  world.kill();
}

// Proves that a database which can not be opened is not tried with each request, and is served soon
// after it can be.
TEST(KvReplica, FailedOpensPause) {
  KvWorld world;
  world.strain.closed = true;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(code_of(world.put(1, 1)), ErrorCode::kKvStorageException);
    world.world.run_for(std::chrono::milliseconds(100));
  }
  // 0.1 + 0.2 + … + 12.8 s are gone by then.
  EXPECT_GE(world.strain.opens, 8);
  EXPECT_LE(world.strain.opens, 9);
  world.strain.closed = false;
  world.world.run_for(std::chrono::seconds(20));
  EXPECT_TRUE(world.put(1, 1));
  world.kill();
}

// Proves that a database goes when it is damaged, and not when it can not be opened now.
TEST(KvReplica, ADatabaseThatCanNotBeOpenedStays) {
  KvWorld world;
  ASSERT_TRUE(world.put(1, 1));
  ASSERT_TRUE(world.world.run(world.shard(), world.replica().kv()->flush()));
  std::string state = fmt::format("{}/STATE", kDatabase);
  Bytes before = read_file(world.disk(), state).value();
  world.lose_power();
  world.open();
  world.strain.closed = true;
  world.strain.removals = 0;
  EXPECT_EQ(code_of(world.put(2, 2)), ErrorCode::kKvStorageException);
  Result<Bytes> after = read_file(world.disk(), state);
  ASSERT_TRUE(after) << after.error().to_string();
  EXPECT_EQ(after->view(), before.view());
  world.strain.closed = false;
  world.world.run_for(std::chrono::seconds(1));
  EXPECT_TRUE(world.put(2, 2));
  EXPECT_EQ(world.strain.removals, 0);
  world.lose_power();

  ASSERT_TRUE(write_file_atomically(world.disk(), state, Bytes::of_static("rubbish")));
  world.open();
  EXPECT_TRUE(world.put(3, 3));
  EXPECT_EQ(world.strain.removals, 1);
  world.kill();
}

// Proves that rows which the log lost are not acknowledged because others got their offsets.
TEST(KvReplica, LostPutsAreNotCommittedByLaterOnes) {
  KvWorld world;
  ASSERT_TRUE(world.put(1, 1));
  world.disk().fail_after(1, "write");
  Result<Appended> lost = world.append(2, 2);
  ASSERT_TRUE(lost) << lost.error().to_string();
  world.world.run_for(std::chrono::seconds(1));
  Result<Appended> later = world.append(3, 3);
  ASSERT_TRUE(later) << later.error().to_string();
  ASSERT_EQ(later->end_offset, lost->end_offset);
  ASSERT_TRUE(world.committed(*later));
  EXPECT_EQ(code_of(world.committed(*lost)), ErrorCode::kLogStorageException);
  EXPECT_TRUE(world.committed(*later));
  world.kill();
}

Task<void> take_snapshot(KvReplica* kv, bool* ended) {
  (void)co_await kv->snapshot();
  *ended = true;
}

Task<void> stop(Replica* replica, bool* ended) {
  (void)co_await replica->stop();
  *ended = true;
}

// Proves that a stop ends whatever a snapshot is doing.
TEST(KvReplica, StopsAtAnyMomentOfASnapshot) {
  int interrupted = 0;
  for (int moment = 0; moment < 200; ++moment) {
    KvWorld world;
    ASSERT_TRUE(world.put(1, 1));
    bool snapshot_ended = false;
    bool stop_ended = false;
    world.shard().spawn(take_snapshot(world.replica().kv(), &snapshot_ended));
    world.world.run_for(std::chrono::microseconds(20 * moment));
    if (!snapshot_ended) ++interrupted;
    world.shard().spawn(stop(&world.replica(), &stop_ended));
    auto all_ended = [&] { return snapshot_ended && stop_ended; };
    ASSERT_TRUE(world.world.run_until(all_ended, std::chrono::minutes(1))) << "moment " << moment;
    world.kill();
  }
  EXPECT_GT(interrupted, 10);
}

// Proves that no file is copied any more once the server stops.
TEST(KvReplica, SnapshotsEndWhenTheServerStops) {
  KvWorld world;
  ASSERT_TRUE(world.put(1, 1));
  std::atomic<bool> stopping = true;
  KvReplica* kv = world.replica().kv();
  Status taken = world.world.run(world.shard(), kv->snapshot(&stopping));
  EXPECT_EQ(code_of(taken), ErrorCode::kNotLeaderOrFollower);
  EXPECT_TRUE(world.coordinator.committed.empty());
  EXPECT_FALSE(world.disk().exists(kv_checkpoint_directory(kDatabase)).value());
  stopping = false;
  EXPECT_TRUE(world.world.run(world.shard(), kv->snapshot(&stopping)));
  EXPECT_EQ(world.coordinator.committed.size(), 1u);
  world.kill();
}

// Proves that power loss takes nothing that a snapshot covers, also where the page cache counts as
// durable.
TEST(KvReplica, SnapshotsCoverWhatTheDiskHas) {
  KvWorld world(Durability::kOs);
  for (int64_t i = 0; i < 20; ++i) ASSERT_TRUE(world.put(i, i));
  Status taken = world.world.run(world.shard(), world.replica().kv()->snapshot());
  ASSERT_TRUE(taken) << taken.error().to_string();
  ASSERT_EQ(world.coordinator.committed.size(), 1u);
  EXPECT_EQ(world.coordinator.committed[0].log_offset, Offset(20));
  world.lose_power();
  world.open();
  EXPECT_EQ(world.replica().log().end_offset(), Offset(20));
  world.kill();
}

class KvReplicaLogs : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Databases, KvReplicaLogs, testing::Bool());

// Proves that a state which the local log does not go on from is opened only with the remote one:
// a database of the disk, and a snapshot.
TEST_P(KvReplicaLogs, NoStateComesUpWithoutItsRows) {
  bool has_database = GetParam();
  KvWorld world(Durability::kSync, 1000);
  for (int64_t i = 0; i < 10; ++i) ASSERT_TRUE(world.put(i, i));
  ASSERT_TRUE(world.world.run(world.shard(), world.replica().kv()->snapshot()));
  ASSERT_EQ(world.coordinator.committed.at(0).log_offset, Offset(10));
  ASSERT_TRUE(world.world.run(world.shard(), world.replica().kv()->flush()));
  for (int64_t i = 10; i < 60; ++i) ASSERT_TRUE(world.put(i, i));
  Status moved = world.move_log_away();
  ASSERT_TRUE(moved) << moved.error().to_string();
  ASSERT_GT(world.replica().log().start_offset(), Offset(10));
  world.lose_power();
  if (!has_database) {
    ASSERT_TRUE(make_memory_engines(world.disk(), {})->remove(kDatabase));
  }

  world.log_objects.fail(
      [](std::string_view, const std::string&) { return SimObjectStore::Fault::kRefused; });
  world.open();
  world.strain.removals = 0;
  Status put = world.put(60, 60);
  EXPECT_EQ(code_of(put),
            has_database ? ErrorCode::kStorageException : ErrorCode::kKvStorageException);
  EXPECT_FALSE(world.replica().kv()->is_open());
  EXPECT_EQ(world.strain.removals, has_database ? 0 : 1);

  world.log_objects.fail({});
  world.world.run_for(std::chrono::seconds(1));
  for (int64_t i = 0; i < 60; ++i) EXPECT_TRUE(world.row(i)) << i;
  EXPECT_TRUE(world.put(60, 60));
  world.kill();
}

// Proves that a scan of a prefix has an end where memory would.
TEST(KvReplica, PrefixesOfTooManyBytesAreRefused) {
  KvWorld world;
  for (int64_t i = 0; i < 10; ++i) ASSERT_TRUE(world.put(i, i));
  auto scan = [&](size_t bytes) {
    return world.world.run(world.shard(),
                           world.replica().kv()->scan_prefix(world.table, Bytes(), 100, bytes));
  };
  auto all = scan(1000);
  ASSERT_TRUE(all) << all.error().to_string();
  EXPECT_EQ(all->size(), 10u);
  auto too_many = scan(20);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code(), ErrorCode::kInvalidScanRequest);
  world.kill();
}

// Proves that a lookup of the newest rows has those that are applied while it reads others.
TEST(KvReplica, NewestRowsAreThereAtAnyMomentOfTheirWay) {
  KvWorld world;
  world.strain.cold = true;
  for (int64_t key = 1; key < 1000; ++key) {
    ASSERT_TRUE(world.append(key, key));
    world.world.run_for(std::chrono::microseconds(10 * (key % 60)));
    std::vector<Bytes> keys{world.key_of(key), world.key_of(-key)};
    auto found = world.world.run(
        world.shard(),
        world.replica().kv()->lookup(world.table, std::move(keys), KvReplica::Rows::kNewest));
    ASSERT_TRUE(found) << found.error().to_string();
    EXPECT_TRUE((*found)[0]) << key;
    EXPECT_FALSE((*found)[1]);
  }
  world.kill();
}

// Proves that what is kept for each set of target columns is not as large as a client likes.
TEST(KvReplica, TargetColumnsAreAtMostTheColumns) {
  auto context = make_table();
  KvTable* table = context->kv().value();
  std::vector<int32_t> columns{0, 1};
  EXPECT_TRUE(table->merger(columns, false));
  columns.push_back(1);
  auto refused = table->merger(columns, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidTargetColumn);
}

}  // namespace
}  // namespace lakestream
