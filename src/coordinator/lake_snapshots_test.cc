#include "catalog/lake_snapshots.h"

#include <gtest/gtest.h>

#include "coordinator/fake_lake_for_tests.h"
#include "coordinator/sim_cluster.h"

namespace lakestream::coordinator {
namespace {

ErrorCode code(const Status& status) { return status ? ErrorCode::kNone : status.error().code(); }

class LakeSnapshotsTest : public testing::Test {
 protected:
  LakeSnapshotsTest() {
    cluster_.options.rules.lake_format = LakeFormatKind::kPaimon;
    cluster_.options.rules.lake_enabled = true;
    cluster_.options.lake = shared_lake_;
    EXPECT_TRUE(cluster_.restart());
    create(log_table(2));
  }
  void create(TableDescriptor table) {
    table.properties["table.datalake.enabled"] = "true";
    table = prepare_table(path_, to_json(table), cluster_.options.rules).value();
    ASSERT_TRUE(cluster_.run(cluster_.coordinator().create_table(path_, table, false)));
    table_ = cluster_.catalog().find_table(path_)->id;
  }
  TableBucket bucket(int32_t number, std::optional<int64_t> partition = std::nullopt) {
    TableBucket made{table_, std::nullopt, BucketId(number)};
    if (partition) made.partition = PartitionId(*partition);
    return made;
  }
  Result<std::string> prepare(LakeOffsets offsets,
                              LakeOffsetsBase base = LakeOffsetsBase::kLatest) {
    return cluster_.run(
        cluster_.coordinator().prepare_lake_snapshot({table_, path_, std::move(offsets)}, base));
  }
  LakeSnapshotCommit commit_of(int64_t id, const std::string& path) {
    LakeSnapshotCommit commit;
    commit.table = table_;
    commit.id = LakeSnapshotId(id);
    commit.tiered_path = path;
    commit.readable_path = path;
    return commit;
  }
  Status commit(LakeSnapshotCommit commit) {
    return cluster_.run(cluster_.coordinator().commit_lake_snapshot(std::move(commit)));
  }
  // A whole round.
  std::string tier(int64_t id, LakeOffsets offsets) {
    std::string path = prepare(std::move(offsets)).value();
    EXPECT_EQ(code(commit(commit_of(id, path))), ErrorCode::kNone);
    return path;
  }
  LakeTableRecord record() { return load_lake_table(cluster_.store, table_).value().value(); }
  LakeOffsets offsets_at(const std::string& path) {
    return read_lake_offsets(cluster_.objects, table_, path).value();
  }
  std::vector<int64_t> known_ids() {
    std::vector<int64_t> ids;
    for (const auto& snapshot : record().snapshots) ids.push_back(snapshot.id.value());
    return ids;
  }
  size_t document_count() { return cluster_.objects.list("s3://remote/lake").value().size(); }
  Offset end_of(const TableBucket& of) {
    return cluster_.run(cluster_.coordinator().lake_end(of)).value();
  }
  TieringAnswer beat(TieringReport report) {
    return cluster_.run(cluster_.coordinator().tiering_heartbeat(std::move(report))).value();
  }

  std::shared_ptr<FakeLake> shared_lake_ = std::make_shared<FakeLake>();
  FakeLake& lake_ = *shared_lake_;
  SimCluster cluster_{1};
  TablePath path_{"fluss", "t"};
  TableId table_;
};

// Proves that a document lies where the protocol says and holds the offsets of its round laid over
// those of the one before.
TEST_F(LakeSnapshotsTest, Documents) {
  std::string first = prepare({{bucket(0), Offset(10)}}).value();
  EXPECT_EQ(first.substr(0, 36), "s3://remote/lake/fluss/t-0/metadata/");
  EXPECT_EQ(offsets_at(first), (LakeOffsets{{bucket(0), Offset(10)}}));
  EXPECT_EQ(offsets_at(prepare({{bucket(1), Offset(4)}}).value()),
            (LakeOffsets{{bucket(1), Offset(4)}}))
      << "what is not committed does not count";
  ASSERT_EQ(code(commit(commit_of(5, first))), ErrorCode::kNone);
  std::string second = prepare({{bucket(1), Offset(4)}}).value();
  EXPECT_EQ(offsets_at(second), (LakeOffsets{{bucket(0), Offset(10)}, {bucket(1), Offset(4)}}));
  std::string alone = prepare({{bucket(1), Offset(4)}}, LakeOffsetsBase::kNone).value();
  EXPECT_EQ(offsets_at(alone), (LakeOffsets{{bucket(1), Offset(4)}}));
}

// Proves that offsets of what can not be are refused, and those of a table that was made anew.
TEST_F(LakeSnapshotsTest, WrongRounds) {
  EXPECT_EQ(prepare({{bucket(2), Offset(1)}}).error().code(),
            ErrorCode::kUnknownTableOrBucketException);
  EXPECT_EQ(prepare({{bucket(0, 7), Offset(1)}}).error().code(),
            ErrorCode::kUnknownTableOrBucketException);
  EXPECT_EQ(prepare({{bucket(0), Offset(-2)}}).error().code(),
            ErrorCode::kUnknownTableOrBucketException);
  std::string path = prepare({{bucket(0), Offset(1)}}).value();
  EXPECT_EQ(code(commit(commit_of(1, "s3://remote/lake/fluss/t-0/metadata/x.offsets"))),
            ErrorCode::kLakeSnapshotNotExist);
  for (const char* other : {"s3://remote/lake/fluss/t-1/metadata/x.offsets", "/etc/passwd", ""}) {
    EXPECT_EQ(code(commit(commit_of(1, other))), ErrorCode::kLakeSnapshotNotExist) << other;
  }
  LakeSnapshotCommit commit_last = commit_of(1, path);
  ASSERT_TRUE(cluster_.drop_table(path_));
  TableId old = table_;
  create(log_table(2));
  EXPECT_NE(table_, old);
  EXPECT_EQ(code(commit(commit_last)), ErrorCode::kTableNotExist);
  Result<std::string> late = cluster_.run(
      cluster_.coordinator().prepare_lake_snapshot({old, path_, {}}, LakeOffsetsBase::kLatest));
  EXPECT_EQ(late.error().code(), ErrorCode::kTableNotExist);
  late = cluster_.run(cluster_.coordinator().prepare_lake_snapshot({table_, {"fluss", "u"}, {}},
                                                                   LakeOffsetsBase::kLatest));
  EXPECT_EQ(late.error().code(), ErrorCode::kTableNotExist);
}

// Proves what stays of the snapshots that are known: none, those from one on by their place, or
// all; and that documents that no snapshot names are removed.
TEST_F(LakeSnapshotsTest, Retention) {
  auto add = [&](int64_t id, std::optional<int64_t> keep_from) {
    LakeSnapshotCommit next = commit_of(id, prepare({{bucket(0), Offset(id)}}).value());
    if (keep_from) next.keep_from = LakeSnapshotId(*keep_from);
    EXPECT_EQ(code(commit(std::move(next))), ErrorCode::kNone);
    return known_ids();
  };
  using Ids = std::vector<int64_t>;
  EXPECT_EQ(add(30, std::nullopt), (Ids{30}));
  EXPECT_EQ(add(40, -1), (Ids{30, 40}));
  EXPECT_EQ(add(35, 1234), (Ids{30, 40, 35}));
  EXPECT_EQ(add(50, 40), (Ids{40, 35, 50}));
  EXPECT_EQ(document_count(), 3U);
  EXPECT_EQ(add(60, std::nullopt), (Ids{60}));
  EXPECT_EQ(document_count(), 1U);
}

// Proves that a commit whose answer was lost can be made again, and that a worker that was taken
// for dead does not undo what came after it.
TEST_F(LakeSnapshotsTest, LateCommits) {
  std::string first = prepare({{bucket(0), Offset(10)}}).value();
  ASSERT_EQ(code(commit(commit_of(1, first))), ErrorCode::kNone);
  LakeTableRecord before = record();
  EXPECT_EQ(code(commit(commit_of(1, first))), ErrorCode::kNone);
  EXPECT_EQ(record(), before);
  std::string stale = prepare({{bucket(0), Offset(12)}}).value();
  tier(2, {{bucket(0), Offset(20)}});
  EXPECT_EQ(code(commit(commit_of(3, stale))), ErrorCode::kFencedTieringEpochException);
  EXPECT_EQ(known_ids(), std::vector<int64_t>{2});
  // An empty round is a snapshot like others.
  tier(4, {{bucket(0), Offset(20)}});
  EXPECT_EQ(known_ids(), std::vector<int64_t>{4});
}

// Proves that a commit that comes again does not name a document that is just being removed.
TEST_F(LakeSnapshotsTest, DocumentsThatGo) {
  std::string first = tier(1, {{bucket(0), Offset(10)}});
  std::string second = prepare({{bucket(0), Offset(10)}}).value();
  int removed = 0;
  cluster_.objects.fail([&](std::string_view operation, const std::string& path) {
    if (operation == "remove") {
      ++removed;
      EXPECT_EQ(path, first);
      EXPECT_EQ(code(commit(commit_of(1, first))), ErrorCode::kLakeSnapshotNotExist);
    }
    return SimObjectStore::Fault::kNone;
  });
  EXPECT_EQ(code(commit(commit_of(2, second))), ErrorCode::kNone);
  cluster_.objects.fail({});
  EXPECT_EQ(removed, 1);
  EXPECT_EQ(known_ids(), std::vector<int64_t>{2});
  EXPECT_EQ(code(commit(commit_of(1, first))), ErrorCode::kLakeSnapshotNotExist);
}

// Proves that the store decides: nothing is known of a commit that failed there, and a document
// that is still named is not removed.
TEST_F(LakeSnapshotsTest, StoreFails) {
  std::string first = tier(1, {{bucket(0), Offset(10)}});
  std::string second = prepare({{bucket(0), Offset(20)}}).value();
  cluster_.store.fail_multi([](const auto&) { return ModelStore::Fault::kRefused; });
  EXPECT_NE(code(commit(commit_of(2, second))), ErrorCode::kNone);
  cluster_.store.fail_multi({});
  EXPECT_EQ(known_ids(), std::vector<int64_t>{1});
  EXPECT_EQ(offsets_at(first), (LakeOffsets{{bucket(0), Offset(10)}}));
  EXPECT_EQ(code(commit(commit_of(2, second))), ErrorCode::kNone);
  EXPECT_EQ(known_ids(), std::vector<int64_t>{2});
}

// Proves that servers hear how far a snapshot that can be read goes, that who asks hears the same,
// and that all of it survives a restart.
TEST_F(LakeSnapshotsTest, Ends) {
  EXPECT_EQ(end_of(bucket(0)), Offset(0));
  tier(1, {{bucket(0), Offset(10)}});
  EXPECT_EQ(cluster_.tablets().lake_ends, (std::map{std::pair(bucket(0), Offset(10))}));
  EXPECT_EQ(end_of(bucket(0)), Offset(10));
  EXPECT_EQ(end_of(bucket(1)), Offset(0));
  // Readers do not find what is only tiered.
  LakeSnapshotCommit tiered = commit_of(2, prepare({{bucket(0), Offset(20)}}).value());
  tiered.readable_path.reset();
  tiered.keep_from = LakeSnapshotId(-1);
  ASSERT_EQ(code(commit(tiered)), ErrorCode::kNone);
  EXPECT_EQ(end_of(bucket(0)), Offset(10));
  EXPECT_EQ(cluster_.tablets().lake_ends[bucket(0)], Offset(10));
  ASSERT_TRUE(cluster_.restart());
  EXPECT_EQ(end_of(bucket(0)), Offset(10));
  EXPECT_EQ(offsets_at(prepare({}).value()), (LakeOffsets{{bucket(0), Offset(20)}}));
  tier(3, {{bucket(1), Offset(7)}});
  EXPECT_EQ(end_of(bucket(0)), Offset(20));
  EXPECT_EQ(cluster_.run(cluster_.coordinator().lake_end(bucket(5))).error().code(),
            ErrorCode::kUnknownTableOrBucketException);
}

// Proves that a lake that was made anew is filled from the start, and one that was only off is not;
// and that remote storage that hangs while old documents are removed holds up no other event.
TEST_F(LakeSnapshotsTest, LakeMadeAnew) {
  auto set = [&](std::string value) {
    TableChange change;
    change.options.set["table.datalake.enabled"] = std::move(value);
    ASSERT_TRUE(cluster_.alter_table(path_, std::move(change)));
  };
  std::string old = tier(1, {{bucket(0), Offset(10)}});
  set("false");
  set("true");
  EXPECT_EQ(known_ids(), std::vector<int64_t>{1});
  set("false");
  lake_.tables.clear();
  int calls = 0;
  cluster_.objects.fail([&](std::string_view operation, const std::string&) {
    ++calls;
    EXPECT_TRUE(cluster_.others_go_on()) << operation;
    EXPECT_EQ(code(commit(commit_of(1, old))), ErrorCode::kLakeSnapshotNotExist);
    return SimObjectStore::Fault::kNone;
  });
  set("true");
  cluster_.objects.fail({});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(load_lake_table(cluster_.store, table_).value(), std::nullopt);
  EXPECT_EQ(end_of(bucket(0)), Offset(0));
  EXPECT_EQ(cluster_.tablets().lake_ends[bucket(0)], Offset(0));
  EXPECT_EQ(document_count(), 0U);
  ASSERT_TRUE(cluster_.restart());
  EXPECT_EQ(end_of(bucket(0)), Offset(0));
  tier(1, {{bucket(0), Offset(4)}});
  EXPECT_EQ(end_of(bucket(0)), Offset(4));
}

// Proves that offsets of clients without documents are merged and kept in the node, and that the
// next snapshot with a document goes on from them.
TEST_F(LakeSnapshotsTest, OffsetsWithoutDocuments) {
  auto add = [&](int64_t id, LakeOffsets offsets) {
    return code(cluster_.run(cluster_.coordinator().commit_lake_offsets(
        {table_, LakeSnapshotId(id), std::move(offsets)})));
  };
  tier(1, {{bucket(0), Offset(10)}});
  EXPECT_EQ(add(2, {{bucket(1), Offset(4)}}), ErrorCode::kNone);
  LakeOffsets both{{bucket(0), Offset(10)}, {bucket(1), Offset(4)}};
  EXPECT_EQ(record().single, (LakeInlineRecord{LakeSnapshotId(2), both}));
  EXPECT_EQ(document_count(), 0U);
  EXPECT_EQ(end_of(bucket(1)), Offset(4));
  ASSERT_TRUE(cluster_.restart());
  EXPECT_EQ(end_of(bucket(1)), Offset(4));
  std::string path = tier(3, {{bucket(1), Offset(6)}});
  EXPECT_EQ(offsets_at(path), (LakeOffsets{{bucket(0), Offset(10)}, {bucket(1), Offset(6)}}));
  EXPECT_EQ(record().single, std::nullopt);
  EXPECT_EQ(add(4, {{bucket(9), Offset(4)}}), ErrorCode::kUnknownTableOrBucketException);
}

// Proves that remote storage that hangs while such offsets are merged holds up no other event, and
// that what another commit brings meanwhile is merged, too.
TEST_F(LakeSnapshotsTest, OffsetsWhileRemoteStorageHangs) {
  tier(1, {{bucket(0), Offset(10)}});
  std::string next = prepare({{bucket(0), Offset(20)}}).value();
  bool is_first = true;
  cluster_.objects.fail([&](std::string_view, const std::string&) {
    if (std::exchange(is_first, false)) {
      EXPECT_TRUE(cluster_.others_go_on());
      EXPECT_EQ(code(commit(commit_of(2, next))), ErrorCode::kNone);
    }
    return SimObjectStore::Fault::kNone;
  });
  LakeOffsets added{{bucket(1), Offset(4)}};
  EXPECT_EQ(code(cluster_.run(cluster_.coordinator().commit_lake_offsets(
                {table_, LakeSnapshotId(3), std::move(added)}))),
            ErrorCode::kNone);
  EXPECT_FALSE(is_first);
  LakeOffsets both{{bucket(0), Offset(20)}, {bucket(1), Offset(4)}};
  EXPECT_EQ(record().single, (LakeInlineRecord{LakeSnapshotId(3), both}));
  EXPECT_EQ(document_count(), 0U);
}

// Proves that partitions have offsets of their own, which go with them, and that nothing of a
// dropped table stays but its lake.
TEST_F(LakeSnapshotsTest, Partitions) {
  ASSERT_TRUE(cluster_.drop_table(path_));
  lake_.tables.clear();
  create(partitioned_table(2));
  ASSERT_TRUE(cluster_.create_partition(path_, "x"));
  ASSERT_TRUE(cluster_.create_partition(path_, "y"));
  EXPECT_EQ(prepare({{bucket(0), Offset(1)}}).error().code(),
            ErrorCode::kUnknownTableOrBucketException);
  tier(1, {{bucket(1, 0), Offset(5)}, {bucket(0, 1), Offset(6)}});
  EXPECT_EQ(end_of(bucket(1, 0)), Offset(5));
  ASSERT_TRUE(cluster_.restart());
  EXPECT_EQ(end_of(bucket(0, 1)), Offset(6));
  ASSERT_TRUE(cluster_.drop_partition(path_, "x"));
  std::string path = tier(2, {{bucket(0, 1), Offset(8)}});
  EXPECT_EQ(offsets_at(path), (LakeOffsets{{bucket(0, 1), Offset(8)}}));
  EXPECT_TRUE(prepare({}).has_value());
  ASSERT_TRUE(cluster_.drop_table(path_));
  cluster_.settle();
  EXPECT_EQ(document_count(), 0U);
  EXPECT_TRUE(lake_.tables.contains(path_));
  cluster_.check_invariants();
}

// Proves that a drop that a crash interrupted is brought to its end.
TEST_F(LakeSnapshotsTest, DropInterrupted) {
  tier(1, {{bucket(0), Offset(5)}});
  cluster_.tablets().fail_stops = true;
  ASSERT_TRUE(cluster_.drop_table(path_));
  EXPECT_EQ(document_count(), 1U);
  ASSERT_TRUE(cluster_.restart());
  cluster_.settle();
  EXPECT_EQ(document_count(), 0U);
  cluster_.check_invariants();
}

// Proves the order in which a heartbeat is worked off, and that each table has an outcome of its
// own.
TEST_F(LakeSnapshotsTest, Heartbeat) {
  TieringAnswer hello = beat({});
  EXPECT_FALSE(hello.task.has_value());
  int32_t epoch = hello.coordinator_epoch;
  TieringReport ask;
  ask.wants_table = true;
  EXPECT_FALSE(beat(ask).task.has_value());
  cluster_.world.run_for(std::chrono::minutes(3));
  auto task = beat(ask).task;
  ASSERT_TRUE(task.has_value());
  EXPECT_EQ(task->path, path_);
  EXPECT_EQ(task->tiering_epoch, 1);
  TieringReport mixed;
  mixed.failed = {{table_, epoch, 1}};
  mixed.running = {{table_, epoch, 1}, {table_, epoch - 1, 1}};
  mixed.finished = {{.claim = {TableId(77), epoch, 1}}};
  mixed.wants_table = true;
  TieringAnswer answer = beat(mixed);
  EXPECT_EQ(code(answer.failed[0].status), ErrorCode::kNone);
  EXPECT_EQ(code(answer.running[0].status), ErrorCode::kFencedTieringEpochException);
  EXPECT_EQ(code(answer.running[1].status), ErrorCode::kInvalidCoordinatorException);
  EXPECT_EQ(answer.finished[0].table, TableId(77));
  EXPECT_EQ(code(answer.finished[0].status), ErrorCode::kTableNotExist);
  EXPECT_EQ(answer.task->tiering_epoch, 2);
  TieringReport forced;
  forced.finished = {{.claim = {table_, epoch, 2}, .is_forced = true}};
  forced.wants_table = true;
  EXPECT_EQ(beat(forced).task->tiering_epoch, 3);
}

// Proves that tables come and go with their option, that a new freshness holds, and that a worker
// of before a restart is told so.
TEST_F(LakeSnapshotsTest, TablesThatAreTiered) {
  TieringReport ask;
  ask.wants_table = true;
  auto set = [&](std::string key, std::string value) {
    TableChange change;
    change.options.set[std::move(key)] = std::move(value);
    ASSERT_TRUE(cluster_.alter_table(path_, std::move(change)));
  };
  set("table.datalake.freshness", "10 s");
  cluster_.world.run_for(std::chrono::seconds(10));
  auto task = beat(ask).task;
  ASSERT_TRUE(task.has_value());
  TieringReport done;
  done.finished = {{.claim = {table_, cluster_.coordinator().epoch(), task->tiering_epoch}}};
  set("table.datalake.enabled", "false");
  EXPECT_EQ(code(beat(done).finished[0].status), ErrorCode::kTableNotExist);
  set("table.datalake.enabled", "true");
  cluster_.world.run_for(std::chrono::seconds(10));
  EXPECT_TRUE(beat(ask).task.has_value());
  ASSERT_TRUE(cluster_.restart());
  EXPECT_EQ(code(beat(done).finished[0].status), ErrorCode::kInvalidCoordinatorException);
  cluster_.world.run_for(std::chrono::seconds(10));
  EXPECT_EQ(beat(ask).task->tiering_epoch, 1);
  ASSERT_TRUE(cluster_.drop_table(path_));
  cluster_.world.run_for(std::chrono::minutes(10));
  EXPECT_FALSE(beat(ask).task.has_value());
}

}  // namespace
}  // namespace lakestream::coordinator
