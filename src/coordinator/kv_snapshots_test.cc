#include "coordinator/kv_snapshots.h"

#include <set>

#include "coordinator/sim_cluster.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {
namespace {

using StoreFault = ModelStore::Fault;
using ObjectFault = SimObjectStore::Fault;
using std::chrono::minutes;

// A leader that makes snapshots of table files: each snapshot has some, and shares those that the
// last committed one has.
class KvCluster : public SimCluster {
 public:
  explicit KvCluster(uint64_t seed) : SimCluster(seed) {}

  Status create(const std::string& name) {
    TableDescriptor descriptor;
    descriptor.schema = SchemaBuilder()
                            .column("a", DataType::integer().with_nullable(false))
                            .column("b", DataType::string())
                            .primary_key({"a"})
                            .build()
                            .value();
    descriptor.distribution = Distribution{.bucket_count = 2, .bucket_keys = {"a"}};
    auto complete = complete_table(std::move(descriptor), options.rules).value();
    return run(coordinator().create_table({"fluss", name}, std::move(complete), false));
  }
  TableBucket bucket(const std::string& name, int32_t number = 0) {
    return {catalog().find_table(TablePath{"fluss", name})->id, std::nullopt, BucketId(number)};
  }
  Result<KvSnapshotPlace> next(TableBucket bucket) {
    return run(coordinator().next_kv_snapshot(bucket));
  }
  // With the table files `names`; those that `base` has are taken from there.
  KvSnapshot upload(TableBucket bucket,
                    const KvSnapshotPlace& place,
                    const std::set<std::string>& names,
                    const KvSnapshot& base) {
    KvSnapshot snapshot;
    snapshot.bucket = bucket;
    snapshot.id = place.id;
    snapshot.location = remote_kv_snapshot_folder(place.folder, place.id);
    snapshot.log_offset = Offset(place.id.value() * 10);
    for (const std::string& name : names) {
      auto same = std::find_if(base.shared_files.begin(),
                               base.shared_files.end(),
                               [&](const KvSnapshotFile& file) { return file.local_name == name; });
      if (same != base.shared_files.end()) {
        snapshot.shared_files.push_back(*same);
        continue;
      }
      std::string path = fmt::format("{}/shared/{}-{}", place.folder, name, place.id);
      EXPECT_TRUE(objects.put(path, Bytes::copy_of(name)).has_value());
      snapshot.shared_files.push_back({path, static_cast<int64_t>(name.size()), name});
    }
    std::string current = snapshot.location + "/c";
    EXPECT_TRUE(objects.put(current, Bytes::copy_of("c")).has_value());
    snapshot.private_files.push_back({current, 1, "CURRENT"});
    return snapshot;
  }
  LeaderEpoch leader_epoch(TableBucket bucket) {
    auto table = catalog().find_table(bucket.table);
    return table->buckets[static_cast<size_t>(bucket.bucket.value())].leader_epoch;
  }
  Status commit_as(const KvSnapshot& snapshot, LeaderEpoch leader) {
    int32_t epoch = coordinator().epoch();
    return run(coordinator().commit_kv_snapshot({snapshot, epoch, leader}));
  }
  Status commit(const KvSnapshot& snapshot) {
    return commit_as(snapshot, leader_epoch(snapshot.bucket));
  }
  std::optional<KvSnapshot> latest(TableBucket bucket) {
    auto kept = run(coordinator().kv_snapshots(bucket)).value();
    if (kept.empty()) return std::nullopt;
    return kept.front();
  }
  // One whole round.
  KvSnapshot make(TableBucket bucket, const std::set<std::string>& names, const KvSnapshot& base) {
    KvSnapshot snapshot = upload(bucket, next(bucket).value(), names, base);
    EXPECT_TRUE(commit(snapshot).has_value());
    return snapshot;
  }
  std::vector<int64_t> listed(TableBucket bucket) {
    std::vector<int64_t> ids;
    auto all = run(coordinator().list_kv_snapshots(owner_of(bucket))).value();
    for (const BucketSnapshot& snapshot : all) {
      if (snapshot.bucket == bucket) ids.push_back(snapshot.id.value());
    }
    return ids;
  }
  std::vector<BucketSnapshot> lease(const std::string& id, std::vector<BucketSnapshot> wanted) {
    return run(coordinator().acquire_kv_lease(id, minutes(30), std::move(wanted))).value();
  }
  std::vector<std::string> lease_documents(const std::string& id) {
    std::vector<std::string> paths;
    auto found = objects.list("s3://remote/lease/kv-snapshot/" + id).value();
    for (const ObjectInfo& object : found) paths.push_back(object.path);
    return paths;
  }
  bool has(const KvSnapshotFile& file) { return objects.objects().contains(file.path); }

  // Remote storage has exactly the files of the snapshots that are registered, and all of them.
  void check_files(const std::set<std::string>& more = {}) {
    std::set<std::string> expected = more;
    for (const auto& [name, database] : catalog().databases()) {
      for (const auto& [table_name, table] : database->tables) {
        for (const BucketEntry& entry : table->buckets) {
          TableBucket bucket{table->id, std::nullopt, entry.bucket};
          std::vector<std::string> ids = store.children(paths::kv_snapshots(bucket)).value();
          for (const std::string& id : ids) {
            KvSnapshotId number(std::stoll(id));
            auto held = store.get(paths::kv_snapshot(bucket, number)).value();
            std::string path = decode_kv_snapshot(held->value).value().metadata_path;
            expected.insert(path);
            auto document = objects.get(path).value();
            ASSERT_TRUE(document.has_value()) << path;
            KvSnapshot snapshot = kv_snapshot_from_json(document->view()).value();
            for (const auto& file : snapshot.shared_files) expected.insert(file.path);
            for (const auto& file : snapshot.private_files) expected.insert(file.path);
          }
        }
      }
    }
    std::set<std::string> found;
    for (const auto& [path, content] : objects.objects()) found.insert(path);
    EXPECT_EQ(found, expected);
  }
};

class KvSnapshotsTest : public testing::Test {
 protected:
  KvSnapshotsTest() {
    EXPECT_TRUE(cluster_.start().has_value());
    EXPECT_TRUE(cluster_.create("t").has_value());
    bucket_ = cluster_.bucket("t");
  }
  KvCluster cluster_{1};
  TableBucket bucket_;
};

// Proves that ids begin at 0, that each is given once, restart and lost answers included, and that
// the folder stays the same when the root changes.
TEST_F(KvSnapshotsTest, Ids) {
  KvSnapshotPlace first = cluster_.next(bucket_).value();
  EXPECT_EQ(first.id, KvSnapshotId(0));
  EXPECT_EQ(first.folder, fmt::format("s3://remote/kv/fluss/t-{}/0", bucket_.table));
  EXPECT_EQ(cluster_.next(bucket_)->id, KvSnapshotId(1));
  cluster_.options.remote_data_dir = "s3://other";
  ASSERT_TRUE(cluster_.restart().has_value());
  KvSnapshotPlace next = cluster_.next(bucket_).value();
  EXPECT_EQ(next.id, KvSnapshotId(2));
  EXPECT_EQ(next.folder, first.folder);
  for (StoreFault fault : {StoreFault::kRefused, StoreFault::kAnswerLost}) {
    cluster_.store.fail_multi(
        [&, count = 0](const auto&) mutable { return count++ == 0 ? fault : StoreFault::kNone; });
    (void)cluster_.next(bucket_);
  }
  cluster_.store.fail_multi({});
  EXPECT_GE(cluster_.next(bucket_)->id, KvSnapshotId(3));
  EXPECT_EQ(cluster_.next(cluster_.bucket("t", 1))->id, KvSnapshotId(0));
  TableBucket unknown{TableId(99), std::nullopt, BucketId(0)};
  EXPECT_EQ(cluster_.next(unknown).error().code(), ErrorCode::kUnknownTableOrBucketException);
}

// Proves that the number of snapshots that is kept is the one that is set, and that a table file
// stays as long as a snapshot that is kept has it.
TEST_F(KvSnapshotsTest, Retention) {
  EXPECT_FALSE(cluster_.latest(bucket_).has_value());
  KvSnapshot first = cluster_.make(bucket_, {"1", "2"}, {});
  KvSnapshot second = cluster_.make(bucket_, {"2", "3"}, first);
  cluster_.settle();
  EXPECT_EQ(cluster_.listed(bucket_), (std::vector<int64_t>{0, 1}));
  KvSnapshot third = cluster_.make(bucket_, {"3", "4"}, second);
  cluster_.settle();
  EXPECT_EQ(cluster_.listed(bucket_), (std::vector<int64_t>{1, 2}));
  EXPECT_FALSE(cluster_.has(first.shared_files[0]));
  EXPECT_TRUE(cluster_.has(first.shared_files[1]));
  cluster_.check_files();
  std::vector<KvSnapshot> kept{third, second};
  EXPECT_EQ(cluster_.run(cluster_.coordinator().kv_snapshots(bucket_)).value(), kept);
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_EQ(cluster_.latest(bucket_), third);
  cluster_.make(bucket_, {"4"}, third);
  cluster_.settle();
  EXPECT_FALSE(cluster_.has(second.shared_files[0]));
  cluster_.check_files();
}

// Proves which commits are refused for good, with the code of each reason, and that they change
// nothing.
TEST_F(KvSnapshotsTest, Refusals) {
  KvSnapshot first = cluster_.make(bucket_, {"1"}, {});
  KvSnapshot good = cluster_.upload(bucket_, cluster_.next(bucket_).value(), {"1"}, first);
  int32_t epoch = cluster_.coordinator().epoch();
  LeaderEpoch leader = cluster_.leader_epoch(bucket_);
  auto code = [&](KvSnapshotCommit commit) {
    Status done = cluster_.run(cluster_.coordinator().commit_kv_snapshot(std::move(commit)));
    return done ? ErrorCode::kNone : done.error().code();
  };
  KvSnapshot bad = good;
  bad.bucket.table = TableId(99);
  EXPECT_EQ(code({bad, epoch, leader}), ErrorCode::kUnknownTableOrBucketException);
  bad = good;
  bad.bucket.bucket = BucketId(2);
  EXPECT_EQ(code({bad, epoch, leader}), ErrorCode::kUnknownTableOrBucketException);
  EXPECT_EQ(code({good, epoch + 1, leader}), ErrorCode::kInvalidCoordinatorException);
  LeaderEpoch newer(leader.value() + 1);
  LeaderEpoch older(leader.value() - 1);
  EXPECT_EQ(code({good, epoch, newer}), ErrorCode::kInvalidCoordinatorException);
  EXPECT_EQ(code({good, epoch, older}), ErrorCode::kFencedLeaderEpochException);
  bad = good;
  bad.location += "/..";
  EXPECT_EQ(code({bad, epoch, leader}), ErrorCode::kKvSnapshotNotExist);
  bad = good;
  bad.id = KvSnapshotId(7);  // never given
  bad.location = fmt::format("s3://remote/kv/fluss/t-{}/0/snap-7", bucket_.table);
  EXPECT_EQ(code({bad, epoch, leader}), ErrorCode::kKvSnapshotNotExist);
  EXPECT_EQ(cluster_.listed(bucket_), (std::vector<int64_t>{0}));
  EXPECT_EQ(code({good, epoch, leader}), ErrorCode::kNone);
  EXPECT_EQ(code({good, epoch, leader}), ErrorCode::kNone) << "again: the answer was lost";
  EXPECT_EQ(code({first, epoch, older}), ErrorCode::kNone) << "done long ago";
  bad = first;
  bad.log_offset = Offset(5);  // not the one that was committed
  EXPECT_EQ(code({bad, epoch, leader}), ErrorCode::kFencedLeaderEpochException);
}

// Proves that a commit whose answer is lost at any write is committed when it is asked for again,
// on the same coordinator and on the next one, and never twice.
TEST_F(KvSnapshotsTest, LostAnswers) {
  KvSnapshot last;
  for (bool restarts : {false, true}) {
    for (StoreFault fault : {StoreFault::kRefused, StoreFault::kAnswerLost}) {
      cluster_.world.run_for(minutes(1));  // nothing else writes at the same time
      KvSnapshot snapshot = cluster_.upload(bucket_, cluster_.next(bucket_).value(), {"1"}, last);
      cluster_.store.fail_multi(
          [&, count = 0](const auto&) mutable { return count++ == 0 ? fault : StoreFault::kNone; });
      cluster_.store.fail_reads([count = 0](const std::string& path) mutable {
        return path.find("/snapshots/") != std::string::npos && count++ == 0;
      });
      LeaderEpoch before = cluster_.leader_epoch(bucket_);
      Status done = cluster_.commit(snapshot);
      EXPECT_FALSE(done.has_value());
      EXPECT_NE(done.error().code(), ErrorCode::kKvSnapshotNotExist);
      cluster_.store.fail_multi({});
      cluster_.store.fail_reads({});
      if (restarts) {
        ASSERT_TRUE(cluster_.restart().has_value());
      }
      // Reading the metadata again elects leaders anew: what is committed counts whatever the
      // epoch.
      bool is_there = fault == StoreFault::kAnswerLost;
      EXPECT_EQ(cluster_.commit_as(snapshot, before).has_value(), is_there);
      EXPECT_TRUE(cluster_.commit(snapshot).has_value());
      EXPECT_EQ(cluster_.latest(bucket_), snapshot);
      last = snapshot;
    }
  }
  cluster_.settle();
  cluster_.check_files();
}

// Proves that what uploads without a commit have left goes after the next commit, or the first one
// that finds no other upload on its way, and that nothing else goes.
TEST_F(KvSnapshotsTest, Orphans) {
  KvSnapshot first = cluster_.make(bucket_, {"1"}, {});
  KvSnapshot lost = cluster_.upload(bucket_, cluster_.next(bucket_).value(), {"1", "2"}, first);
  std::string document = remote_kv_metadata(lost.location);
  ASSERT_TRUE(cluster_.objects.put(document, Bytes::copy_of("{}")).has_value());
  KvSnapshotPlace place = cluster_.next(bucket_).value();
  std::string foreign = place.folder + "/note";
  ASSERT_TRUE(cluster_.objects.put(foreign, Bytes::copy_of("n")).has_value());
  KvSnapshot second = cluster_.upload(bucket_, place, {"1", "3"}, first);
  cluster_.settle();
  EXPECT_TRUE(cluster_.has(lost.shared_files[1]));
  cluster_.make(cluster_.bucket("t", 1), {"1"}, {});
  ASSERT_TRUE(cluster_.commit(second).has_value());
  cluster_.settle();
  cluster_.check_files({foreign});

  // Another one is on its way while the commit comes; the next life of the coordinator looks, too.
  lost = cluster_.upload(bucket_, cluster_.next(bucket_).value(), {"4"}, {});
  KvSnapshot third = cluster_.upload(bucket_, cluster_.next(bucket_).value(), {"3"}, second);
  KvSnapshot fourth = cluster_.upload(bucket_, cluster_.next(bucket_).value(), {"3", "5"}, second);
  ASSERT_TRUE(cluster_.commit(third).has_value());
  cluster_.settle();
  EXPECT_TRUE(cluster_.has(lost.shared_files[0]));
  EXPECT_TRUE(cluster_.has(fourth.shared_files[1]));
  EXPECT_TRUE(cluster_.has(fourth.private_files[0]));
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_FALSE(cluster_.commit(lost).has_value()) << "there is a later one";
  ASSERT_TRUE(cluster_.commit(fourth).has_value());
  cluster_.settle();
  cluster_.check_files({foreign});
}

// Proves that no file goes while it is not known what the registered snapshots need, and that it
// does not matter when an object that is to go can not be removed at first.
TEST_F(KvSnapshotsTest, OrphansWithFaults) {
  auto faults = [&](std::string operation, std::string part) {
    cluster_.objects.fail([=](std::string_view done, const std::string& path) {
      bool hit = done == operation && path.find(part) != std::string::npos;
      return hit ? ObjectFault::kRefused : ObjectFault::kNone;
    });
  };
  KvSnapshot last = cluster_.make(bucket_, {"1"}, {});
  for (const char* operation : {"get", "list", "remove", "remove_prefix"}) {
    KvSnapshot lost = cluster_.upload(bucket_, cluster_.next(bucket_).value(), {"x"}, {});
    faults(operation, operation == std::string_view("get") ? "_METADATA" : "");
    last = cluster_.make(bucket_, {"1"}, last);
    cluster_.world.run_for(minutes(1));
    EXPECT_TRUE(cluster_.has(lost.private_files[0])) << operation;
    cluster_.objects.fail({});
    cluster_.settle();
    EXPECT_FALSE(cluster_.has(lost.private_files[0])) << operation;
    cluster_.check_files();
  }

  KvSnapshot lost = cluster_.upload(bucket_, cluster_.next(bucket_).value(), {"x"}, {});
  std::string metadata = remote_kv_metadata(last.location);
  Bytes document = *cluster_.objects.get(metadata).value();
  ASSERT_TRUE(cluster_.objects.put(metadata, Bytes::copy_of("{}")).has_value());
  KvSnapshot next = cluster_.make(bucket_, {"2"}, {});
  cluster_.settle();
  EXPECT_TRUE(cluster_.has(lost.shared_files[0]));
  EXPECT_TRUE(cluster_.has(last.shared_files[0]));
  ASSERT_TRUE(cluster_.objects.put(metadata, document).has_value());
  cluster_.make(bucket_, {"2"}, next);
  cluster_.settle();
  cluster_.check_files();
}

// Proves that a dropped table leaves nothing in remote storage, even when it is dropped while
// remote storage is away or the coordinator restarts in between, and that its neighbour stays.
TEST_F(KvSnapshotsTest, Drop) {
  ASSERT_TRUE(cluster_.create("u").has_value());
  KvSnapshot other = cluster_.make(cluster_.bucket("u"), {"1"}, {});
  cluster_.make(bucket_, {"1"}, {});
  KvSnapshotPlace place = cluster_.next(cluster_.bucket("t", 1)).value();
  KvSnapshot unfinished = cluster_.upload(cluster_.bucket("t", 1), place, {"2"}, {});
  cluster_.objects.fail([](std::string_view, const std::string&) { return ObjectFault::kRefused; });
  ASSERT_TRUE(cluster_.drop_table({"fluss", "t"}).has_value());
  cluster_.settle();
  EXPECT_EQ(cluster_.coordinator().deletion_count(), 1U);
  ASSERT_TRUE(cluster_.restart().has_value());
  cluster_.objects.fail({});
  cluster_.settle();
  EXPECT_EQ(cluster_.coordinator().deletion_count(), 0U);
  cluster_.check_files();
  EXPECT_TRUE(cluster_.has(other.shared_files[0]));
  cluster_.check_invariants();
}

// What a leader did in a run that was cut: the last snapshot that was committed for sure.
struct Committed {
  KvSnapshot last;
  std::set<int64_t> ids;
};

// Makes snapshots until the first error.
void make_some(KvCluster& cluster, TableBucket bucket, Committed* done) {
  for (int round = 0; round < 5; ++round) {
    auto place = cluster.next(bucket);
    if (!place) return;
    EXPECT_TRUE(done->ids.insert(place->id.value()).second) << "an id was given twice";
    std::set<std::string> names{fmt::format("{}", round), fmt::format("{}", round + 1)};
    KvSnapshot snapshot = cluster.upload(bucket, *place, names, done->last);
    if (!cluster.commit(snapshot)) return;
    done->last = snapshot;
    cluster.world.run_for(std::chrono::seconds(1));
  }
}

// Runs with a store, or with remote storage, that dies at its n-th change; then a new coordinator
// starts, and everything has to come to the state of a run without a fault. False when the run
// ended before the n-th change.
bool die_at(int n, bool is_remote, bool has_effect) {
  SCOPED_TRACE(fmt::format("change {} remote {} effect {}", n, is_remote, has_effect));
  KvCluster cluster(static_cast<uint64_t>(n));
  EXPECT_TRUE(cluster.start().has_value());
  EXPECT_TRUE(cluster.create("t").has_value());
  TableBucket bucket = cluster.bucket("t");
  Committed done;
  int count = 0;
  bool dead = false;
  auto dies = [&] {
    bool now = !dead && ++count == n;
    dead = dead || now;
    return now;
  };
  if (is_remote) {
    // The leader's own uploads are not what is tested here.
    cluster.objects.fail([&](std::string_view operation, const std::string& path) {
      bool ours = operation.starts_with("remove") || path.ends_with("_METADATA");
      if (!ours) return ObjectFault::kNone;
      bool now = dies();
      if (!dead) return ObjectFault::kNone;
      return now && has_effect ? ObjectFault::kAnswerLost : ObjectFault::kRefused;
    });
  } else {
    cluster.store.fail_multi([&](const auto&) {
      bool now = dies();
      if (!dead) return StoreFault::kNone;
      return now && has_effect ? StoreFault::kAnswerLost : StoreFault::kRefused;
    });
    cluster.store.fail_reads([&](const std::string&) { return dead; });
  }
  make_some(cluster, bucket, &done);
  bool reached = dead;
  cluster.crash();
  cluster.store.fail_multi({});
  cluster.store.fail_reads({});
  cluster.objects.fail({});
  EXPECT_TRUE(cluster.restart().has_value());
  cluster.settle();
  auto latest = cluster.latest(bucket);
  EXPECT_TRUE(!done.last.shared_files.empty() ? latest.has_value() : true);
  if (latest) {
    EXPECT_GE(latest->id, done.last.id);
    done.last = *latest;
  }
  make_some(cluster, bucket, &done);
  cluster.settle();
  EXPECT_EQ(cluster.listed(bucket).size(), 2U);
  EXPECT_TRUE(cluster.drop_table({"fluss", "t"}).has_value());
  cluster.settle();
  cluster.check_files();
  return reached;
}

// Proves that a crash at any write to the metadata store or to remote storage loses no committed
// snapshot, gives no id twice, and leaves no files once the table is dropped.
TEST(KvSnapshots, CrashAtEveryChange) {
  for (bool is_remote : {false, true}) {
    for (bool has_effect : {false, true}) {
      int n = 1;
      while (die_at(n, is_remote, has_effect)) ++n;
      EXPECT_GT(n, 8);
    }
  }
}

// Proves that the ids of an auto-increment column begin at 1, never overlap, and start anew with a
// new table of the same name.
TEST_F(KvSnapshotsTest, ColumnIds) {
  auto reserve = [&](int32_t column, int64_t count) {
    auto ids = cluster_.run(cluster_.coordinator().reserve_ids(bucket_.table, column, count));
    EXPECT_TRUE(ids.has_value());
    return std::pair(ids->start, ids->end);
  };
  EXPECT_EQ(reserve(1, 100), std::pair(int64_t{1}, int64_t{100}));
  EXPECT_EQ(reserve(1, 1), std::pair(int64_t{101}, int64_t{101}));
  EXPECT_EQ(reserve(2, 7), std::pair(int64_t{1}, int64_t{7}));
  ASSERT_TRUE(cluster_.restart().has_value());
  EXPECT_EQ(reserve(1, 5), std::pair(int64_t{102}, int64_t{106}));
  std::string path = paths::auto_increment({"fluss", "t"}, 1);
  EXPECT_EQ(decode_counter(cluster_.store.get(path).value()->value).value(), 106);
  auto too_many = cluster_.run(cluster_.coordinator().reserve_ids(bucket_.table, 1, INT64_MAX));
  EXPECT_EQ(too_many.error().code(), ErrorCode::kUnknownServerError);
  ASSERT_TRUE(cluster_.drop_table({"fluss", "t"}).has_value());
  auto gone = cluster_.run(cluster_.coordinator().reserve_ids(bucket_.table, 1, 1));
  EXPECT_EQ(gone.error().code(), ErrorCode::kUnknownTableOrBucketException);
  ASSERT_TRUE(cluster_.create("t").has_value());
  bucket_ = cluster_.bucket("t");
  EXPECT_EQ(reserve(1, 1), std::pair(int64_t{1}, int64_t{1}));
}

// Proves that a leased snapshot outlives its successors until the lease is released, dropped or
// expired, a restart included.
TEST_F(KvSnapshotsTest, Leases) {
  KvSnapshot last = cluster_.make(bucket_, {"0"}, {});
  auto make_three = [&] {
    for (int i = 0; i < 3; ++i) {
      last = cluster_.make(bucket_, {fmt::format("{}", last.id)}, last);
    }
    cluster_.world.run_for(minutes(1));
  };
  auto is_kept = [&](KvSnapshotId id) {
    std::vector<int64_t> ids = cluster_.listed(bucket_);
    return std::find(ids.begin(), ids.end(), id.value()) != ids.end();
  };
  Coordinator* coordinator = &cluster_.coordinator();
  for (int way = 0; way < 3; ++way) {
    KvSnapshotId held = last.id;
    EXPECT_TRUE(cluster_.lease("a", {{bucket_, held}}).empty());
    EXPECT_TRUE(cluster_.lease("b", {{bucket_, held}}).empty());
    make_three();
    EXPECT_TRUE(is_kept(held));
    ASSERT_TRUE(cluster_.restart().has_value());
    coordinator = &cluster_.coordinator();
    EXPECT_TRUE(cluster_.lease("a", {}).empty()) << "renewed";
    ASSERT_TRUE(cluster_.run(coordinator->drop_kv_lease("b")).has_value());
    make_three();
    EXPECT_TRUE(is_kept(held));
    if (way == 0) {
      ASSERT_TRUE(cluster_.run(coordinator->release_kv_lease("a", {bucket_})).has_value());
    } else if (way == 1) {
      ASSERT_TRUE(cluster_.run(coordinator->drop_kv_lease("a")).has_value());
    } else {
      cluster_.world.run_for(minutes(25));
      EXPECT_TRUE(is_kept(held));
      cluster_.world.run_for(minutes(20));
    }
    cluster_.settle();
    EXPECT_FALSE(is_kept(held));
    EXPECT_TRUE(cluster_.store.children(paths::kKvLeases)->empty());
    cluster_.check_files();
  }
}

// Proves what a lease can not have, and that a newer snapshot takes the place of the one it had.
TEST_F(KvSnapshotsTest, LeaseOfWhatIsNot) {
  KvSnapshot first = cluster_.make(bucket_, {"0"}, {});
  std::vector<BucketSnapshot> bad{{bucket_, KvSnapshotId(9)},
                                  {cluster_.bucket("t", 1), KvSnapshotId(0)},
                                  {{TableId(99), std::nullopt, BucketId(0)}, KvSnapshotId(0)},
                                  {{bucket_.table, PartitionId(1), BucketId(0)}, KvSnapshotId(0)}};
  std::vector<BucketSnapshot> wanted = bad;
  wanted.push_back({bucket_, first.id});
  EXPECT_EQ(cluster_.lease("a", wanted), bad);
  KvSnapshot second = cluster_.make(bucket_, {"0", "1"}, first);
  EXPECT_TRUE(cluster_.lease("a", {{bucket_, second.id}}).empty());
  cluster_.make(bucket_, {"0", "1"}, second);
  cluster_.settle();
  EXPECT_EQ(cluster_.listed(bucket_), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(cluster_.lease("b", {{bucket_, first.id}}).size(), 1U) << "it is superseded";
  for (const char* id : {"", ".", "..", "a/b", "a b", "\n"}) {
    auto done = cluster_.run(cluster_.coordinator().acquire_kv_lease(id, minutes(1), {}));
    EXPECT_EQ(done.error().code(), ErrorCode::kInvalidConfigException) << id;
  }
  auto done = cluster_.run(cluster_.coordinator().acquire_kv_lease("a", minutes(0), {}));
  EXPECT_EQ(done.error().code(), ErrorCode::kInvalidConfigException);
  EXPECT_TRUE(cluster_.run(cluster_.coordinator().release_kv_lease("no", {})).has_value());
  EXPECT_TRUE(cluster_.run(cluster_.coordinator().drop_kv_lease("no")).has_value());
}

// A lease with a document that is missing or damaged keeps all snapshots of the table, until it
// ends in one way or the other.
void lose_document(bool is_damaged, bool expires) {
  SCOPED_TRACE(fmt::format("damaged {} expires {}", is_damaged, expires));
  KvCluster cluster(1);
  ASSERT_TRUE(cluster.start().has_value());
  ASSERT_TRUE(cluster.create("t").has_value());
  ASSERT_TRUE(cluster.create("u").has_value());
  TableBucket bucket = cluster.bucket("t");
  TableBucket other = cluster.bucket("u");
  KvSnapshot last = cluster.make(bucket, {"0"}, {});
  KvSnapshot other_last = cluster.make(other, {"0"}, {});
  ASSERT_TRUE(cluster.lease("a", {{bucket, last.id}}).empty());
  ASSERT_TRUE(cluster.lease("b", {{other, other_last.id}}).empty());
  std::string path = cluster.lease_documents("a").at(0);
  Bytes document = cluster.objects.get(path).value().value();
  auto lose = [&] {
    cluster.crash();
    ASSERT_TRUE(is_damaged ? cluster.objects.put(path, Bytes::copy_of("{")).has_value()
                           : cluster.objects.remove(path).has_value());
    ASSERT_TRUE(cluster.restart().has_value());
  };
  lose();
  for (int i = 0; i < 3; ++i) {
    last = cluster.make(bucket, {"0"}, last);
    other_last = cluster.make(other, {"0"}, other_last);
  }
  cluster.settle();
  EXPECT_EQ(cluster.listed(bucket), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(cluster.listed(other), (std::vector<int64_t>{0, 2, 3}));

  std::vector<TableId> tables{bucket.table};
  EXPECT_EQ(cluster.run(cluster.coordinator().kv_lease_tables("a")).value(), tables);
  std::vector<BucketSnapshot> wanted{{bucket, last.id}};
  EXPECT_TRUE(cluster.lease("c", wanted).empty());
  auto more = cluster.run(cluster.coordinator().acquire_kv_lease("a", minutes(1), wanted));
  ASSERT_FALSE(more.has_value());
  EXPECT_NE(more.error().message().find(path), std::string::npos) << "names the document";
  EXPECT_TRUE(cluster.lease("a", {}).empty()) << "renewed";
  EXPECT_TRUE(cluster.lease("a", {{other, other_last.id}}).empty());
  for (TableBucket released : {bucket, other}) {
    auto done = cluster.run(cluster.coordinator().release_kv_lease("a", {released}));
    EXPECT_TRUE(done.has_value());
  }
  cluster.settle();
  EXPECT_EQ(cluster.listed(bucket), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(cluster.objects.objects().contains(path), is_damaged);

  // The right store answers again.
  ASSERT_TRUE(cluster.objects.put(path, document).has_value());
  ASSERT_TRUE(cluster.restart().has_value());
  cluster.settle();
  EXPECT_EQ(cluster.listed(bucket), (std::vector<int64_t>{0, 2, 3}));
  EXPECT_EQ(cluster.lease_documents("a"), std::vector<std::string>{path});

  lose();
  cluster.settle();
  EXPECT_EQ(cluster.listed(bucket), (std::vector<int64_t>{0, 2, 3}));
  if (expires) {
    cluster.world.run_for(minutes(45));
  } else {
    ASSERT_TRUE(cluster.run(cluster.coordinator().drop_kv_lease("a")).has_value());
    ASSERT_TRUE(cluster.run(cluster.coordinator().drop_kv_lease("b")).has_value());
    ASSERT_TRUE(cluster.run(cluster.coordinator().drop_kv_lease("c")).has_value());
  }
  cluster.settle();
  EXPECT_TRUE(cluster.store.children(paths::kKvLeases)->empty());
  EXPECT_EQ(cluster.listed(bucket), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(cluster.listed(other), (std::vector<int64_t>{2, 3}));
  cluster.check_files();
}

// Proves that a lost document of a lease costs no snapshot that it may name, nor other leases and
// tables anything, that it counts again when it comes back, and that the lease can end without it.
TEST(KvSnapshots, LeaseDocumentLost) {
  for (bool is_damaged : {false, true}) {
    for (bool expires : {false, true}) lose_document(is_damaged, expires);
  }
}

// Proves that a lease whose node is damaged keeps all snapshots that there were, that it can not be
// changed but dropped, and that other leases come and go meanwhile.
TEST_F(KvSnapshotsTest, LeaseNodeDamaged) {
  ASSERT_TRUE(cluster_.create("u").has_value());
  TableBucket other = cluster_.bucket("u");
  KvSnapshot last = cluster_.make(bucket_, {"0"}, {});
  KvSnapshot other_last = cluster_.make(other, {"0"}, {});
  ASSERT_TRUE(cluster_.lease("a", {{bucket_, last.id}}).empty());
  ASSERT_TRUE(cluster_.lease("b", {{other, other_last.id}}).empty());
  std::vector<std::string> documents = cluster_.lease_documents("a");
  cluster_.crash();
  std::string node = paths::kv_lease("a");
  ASSERT_EQ(cluster_.store.put(node, Bytes::copy_of("{"), kAnyVersion).value(), MetaOutcome::kDone);
  ASSERT_TRUE(cluster_.restart().has_value());
  Coordinator& coordinator = cluster_.coordinator();
  for (int i = 0; i < 3; ++i) {
    last = cluster_.make(bucket_, {"0"}, last);
    other_last = cluster_.make(other, {"0"}, other_last);
  }
  ASSERT_TRUE(cluster_.create("later").has_value());
  TableBucket later = cluster_.bucket("later");
  KvSnapshot later_last;
  for (int i = 0; i < 3; ++i) later_last = cluster_.make(later, {"0"}, later_last);
  cluster_.world.run_for(std::chrono::hours(2));
  std::vector<int64_t> all{0, 1, 2, 3};
  EXPECT_EQ(cluster_.listed(bucket_), all);
  EXPECT_EQ(cluster_.listed(other), all);
  EXPECT_EQ(cluster_.listed(later), (std::vector<int64_t>{1, 2})) << "it came after the lease";

  std::vector<TableId> tables{bucket_.table, other.table};
  EXPECT_EQ(cluster_.run(coordinator.kv_lease_tables("a")).value(), tables);
  EXPECT_TRUE(cluster_.run(coordinator.kv_lease_tables("b"))->empty()) << "it has expired";
  auto renewed = cluster_.run(coordinator.acquire_kv_lease("a", minutes(1), {}));
  ASSERT_FALSE(renewed.has_value());
  EXPECT_NE(renewed.error().message().find(node), std::string::npos) << "names the node";
  EXPECT_FALSE(cluster_.run(coordinator.release_kv_lease("a", {bucket_})).has_value());
  EXPECT_TRUE(cluster_.lease("c", {{other, other_last.id}}).empty());
  ASSERT_TRUE(cluster_.run(coordinator.drop_kv_lease("c")).has_value());
  EXPECT_EQ(cluster_.listed(bucket_), all);

  ASSERT_TRUE(cluster_.run(coordinator.drop_kv_lease("a")).has_value());
  cluster_.settle();
  EXPECT_TRUE(cluster_.store.children(paths::kKvLeases)->empty());
  EXPECT_EQ(cluster_.listed(bucket_), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(cluster_.listed(other), (std::vector<int64_t>{2, 3}));
  cluster_.check_files({documents.begin(), documents.end()});
}

// Proves that nothing is removed while it is not known what is leased.
TEST_F(KvSnapshotsTest, LeasesUnreadable) {
  KvSnapshot last = cluster_.make(bucket_, {"0"}, {});
  EXPECT_TRUE(cluster_.lease("a", {{bucket_, last.id}}).empty());
  cluster_.crash();
  cluster_.objects.fail([](std::string_view operation, const std::string& path) {
    bool is_lease = path.find("/lease/") != std::string::npos;
    return operation == "get" && is_lease ? ObjectFault::kRefused : ObjectFault::kNone;
  });
  ASSERT_TRUE(cluster_.restart().has_value());
  for (int i = 0; i < 3; ++i) last = cluster_.make(bucket_, {"0"}, last);
  cluster_.settle();
  EXPECT_EQ(cluster_.store.children(paths::kv_snapshots(bucket_))->size(), 4U);
  cluster_.objects.fail({});
  cluster_.settle();
  EXPECT_EQ(cluster_.listed(bucket_), (std::vector<int64_t>{0, 2, 3}));
}

// Proves that remote storage that hangs holds up only those who need leases, whatever is done with
// their documents, and that it is not asked again by each of them.
TEST_F(KvSnapshotsTest, LeasesHang) {
  KvSnapshot last = cluster_.make(bucket_, {"0"}, {});
  EXPECT_TRUE(cluster_.lease("a", {{bucket_, last.id}}).empty());
  cluster_.crash();
  int reads = 0;
  bool is_away = true;
  cluster_.objects.fail([&](std::string_view operation, const std::string& path) {
    if (path.find("/lease/") == std::string::npos) return ObjectFault::kNone;
    EXPECT_TRUE(cluster_.others_go_on()) << operation;
    if (operation == "get") ++reads;
    return is_away ? ObjectFault::kRefused : ObjectFault::kNone;
  });
  ASSERT_TRUE(cluster_.restart().has_value());
  for (int i = 0; i < 3; ++i) last = cluster_.make(bucket_, {"0"}, last);
  cluster_.settle();
  EXPECT_GT(reads, 0);
  int before = reads;
  for (int i = 0; i < 10; ++i) {
    auto listed = cluster_.run(cluster_.coordinator().list_kv_snapshots(owner_of(bucket_)));
    EXPECT_EQ(listed.error().code(), ErrorCode::kStorageException);
  }
  EXPECT_LE(reads, before + 1);
  auto unknown =
      cluster_.run(cluster_.coordinator().list_kv_snapshots({TableId(99), std::nullopt}));
  EXPECT_EQ(unknown.error().code(), ErrorCode::kTableNotExist);
  EXPECT_EQ(cluster_.store.children(paths::kv_snapshots(bucket_))->size(), 4U);
  is_away = false;
  cluster_.settle();
  EXPECT_EQ(cluster_.listed(bucket_), (std::vector<int64_t>{0, 2, 3}));
  EXPECT_TRUE(cluster_.lease("b", {{bucket_, last.id}}).empty());
  ASSERT_TRUE(cluster_.run(cluster_.coordinator().drop_kv_lease("b")).has_value());
  cluster_.world.run_for(minutes(45));
  EXPECT_EQ(cluster_.listed(bucket_), (std::vector<int64_t>{2, 3}));
  cluster_.objects.fail({});
  cluster_.check_files();
}

// Proves that what is superseded while the document of a lease is being written is not leased.
TEST_F(KvSnapshotsTest, LeaseComesTooLate) {
  KvSnapshot first = cluster_.make(bucket_, {"0"}, {});
  KvSnapshot second = cluster_.make(bucket_, {"0"}, first);
  KvSnapshot third = cluster_.upload(bucket_, cluster_.next(bucket_).value(), {"0"}, second);
  bool is_first = true;
  cluster_.objects.fail([&](std::string_view operation, const std::string& path) {
    bool is_lease = operation == "put" && path.find("/lease/") != std::string::npos;
    if (is_lease && std::exchange(is_first, false)) {
      EXPECT_TRUE(cluster_.commit(third).has_value());
      cluster_.world.run_for(minutes(1));
    }
    return ObjectFault::kNone;
  });
  std::vector<BucketSnapshot> gone{{bucket_, first.id}};
  std::vector<BucketSnapshot> wanted{{bucket_, first.id}};
  EXPECT_EQ(cluster_.lease("a", wanted), gone);
  EXPECT_FALSE(is_first);
  cluster_.objects.fail({});
  EXPECT_EQ(cluster_.listed(bucket_), (std::vector<int64_t>{1, 2}));
  cluster_.check_files();
}

}  // namespace
}  // namespace lakestream::coordinator
