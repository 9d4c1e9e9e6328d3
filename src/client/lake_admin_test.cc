#include "client/lake_admin.h"

#include <gtest/gtest.h>

#include "client/fake_cluster_for_tests.h"

namespace lakestream::client {
namespace {

using wire::ApiKey;

const TablePath kTable{"d", "t"};
const TableBucket kFirst{TableId(7), std::nullopt, BucketId(0)};
const TableBucket kOther{TableId(7), PartitionId(3), BucketId(2)};

// Against handlers that keep the request and give a canned answer.
class LakeAdminTest : public testing::Test {
 protected:
  LakeAdminTest() {
    rpc::ApiTable& apis = cluster_.apis(0);
    apis.add<ApiKey::kGetLakeSnapshot>([this](wire::GetLakeSnapshotRequest request, auto) {
      get_ = std::move(request);
      return answer_now(Result<wire::GetLakeSnapshotResponse>(snapshot_));
    });
    apis.add<ApiKey::kLakeTieringHeartbeat>(
        [this](wire::LakeTieringHeartbeatRequest request, auto) {
          beat_ = std::move(request);
          return answer_now(Result<wire::LakeTieringHeartbeatResponse>(answer_));
        });
    apis.add<ApiKey::kPrepareLakeTableSnapshot>(
        [this](wire::PrepareLakeTableSnapshotRequest request, auto) {
          prepare_ = std::move(request);
          return answer_now(Result<wire::PrepareLakeTableSnapshotResponse>(prepared_));
        });
    apis.add<ApiKey::kCommitLakeTableSnapshot>(
        [this](wire::CommitLakeTableSnapshotRequest request, auto) {
          commit_ = std::move(request);
          return answer_now(Result<wire::CommitLakeTableSnapshotResponse>(committed_));
        });
    connection_ = *run(Connection::open(
        client_.env(), client_.shard(0), {cluster_.address(0)}, ConnectionOptions{}));
    lake_.emplace(connection_);
  }
  ~LakeAdminTest() override {
    EXPECT_TRUE(run(connection_->close()));
    cluster_.stop();
  }
  template <typename T>
  T run(Task<T> task) {
    return world_.run(client_.shard(0), std::move(task));
  }

  SimWorld world_{3};
  FakeCluster cluster_{world_, 1};
  SimNode& client_ = world_.add_node("client");
  std::shared_ptr<Connection> connection_;
  std::optional<LakeAdmin> lake_;

  wire::GetLakeSnapshotRequest get_;
  wire::GetLakeSnapshotResponse snapshot_;
  wire::LakeTieringHeartbeatRequest beat_;
  wire::LakeTieringHeartbeatResponse answer_;
  wire::PrepareLakeTableSnapshotRequest prepare_;
  wire::PrepareLakeTableSnapshotResponse prepared_;
  wire::CommitLakeTableSnapshotRequest commit_;
  wire::CommitLakeTableSnapshotResponse committed_;
};

// Proves what is asked for each of the three kinds of snapshots, and that buckets without an offset
// are left out.
TEST_F(LakeAdminTest, Snapshots) {
  snapshot_.table_id = 7;
  snapshot_.snapshot_id = 5;
  snapshot_.bucket_snapshots = {{.bucket_id = 0, .log_offset = 10},
                                {.bucket_id = 1},
                                {.bucket_id = 4, .log_offset = -1},
                                {.partition_id = 3, .bucket_id = 2, .log_offset = 4}};
  auto latest = run(lake_->latest_snapshot(kTable));
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->table, TableId(7));
  EXPECT_EQ(latest->id, LakeSnapshotId(5));
  EXPECT_EQ(latest->offsets, (LakeOffsets{{kFirst, Offset(10)}, {kOther, Offset(4)}}));
  EXPECT_EQ(get_, (wire::GetLakeSnapshotRequest{.table_path = {"d", "t"}}));
  ASSERT_TRUE(run(lake_->readable_snapshot(kTable)));
  EXPECT_EQ(get_.readable, true);
  EXPECT_EQ(get_.snapshot_id, std::nullopt);
  ASSERT_TRUE(run(lake_->snapshot(kTable, LakeSnapshotId(9))));
  EXPECT_EQ(get_.snapshot_id, 9);
  EXPECT_EQ(get_.readable, std::nullopt);
}

// Proves that a report says what the worker says, and that refusals of all its parts come back.
TEST_F(LakeAdminTest, Heartbeat) {
  answer_.coordinator_epoch = 4;
  auto hello = run(lake_->heartbeat({}));
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->coordinator_epoch, 4);
  EXPECT_FALSE(hello->task.has_value());
  EXPECT_EQ(beat_, wire::LakeTieringHeartbeatRequest());

  answer_.tiering_table = wire::PbLakeTieringTableInfo{8, {"d", "u"}, 2};
  answer_.failed_table_resp = {{.table_id = 1}};
  answer_.tiering_table_resp = {{.table_id = 2}};
  answer_.tiering_table_resp[0].error.emplace().error_code = 50;
  answer_.finished_table_resp = {{.table_id = 3}, {.table_id = 9}};
  answer_.finished_table_resp[0].error.emplace().error_code = 7;
  TieringReport report;
  report.failed = {{TableId(1), 4, 1}};
  report.running = {{TableId(2), 4, 1}};
  report.finished = {{.ticket = {TableId(3), 4, 6}, .stats = TieringStats{100, 20}},
                     {.ticket = {TableId(9), 4, 1}, .is_forced = true}};
  report.wants_table = true;
  auto answer = run(lake_->heartbeat(report));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->task->path, (TablePath{"d", "u"}));
  EXPECT_EQ(answer->task->ticket, (TieringTicket{TableId(8), 4, 2}));
  ASSERT_EQ(answer->refused.size(), 2U);
  EXPECT_EQ(answer->refused[0].table, TableId(2));
  EXPECT_EQ(answer->refused[0].error.code(), ErrorCode::kFencedTieringEpochException);
  EXPECT_EQ(answer->refused[1].table, TableId(3));
  EXPECT_EQ(beat_.request_table, true);
  EXPECT_EQ(beat_.failed_tables[0].table_id, 1);
  EXPECT_EQ(beat_.tiering_tables[0].tiering_epoch, 1);
  EXPECT_EQ(beat_.finished_tables[0].lake_tiering_stats->record_count, 20);
  EXPECT_EQ(beat_.finished_tables[1].lake_tiering_stats, std::nullopt);
  EXPECT_EQ(beat_.force_finished_tables, std::vector<int64_t>{9});
}

// Proves that offsets and paths go there and back, and that errors of the table are those of the
// call.
TEST_F(LakeAdminTest, PrepareAndCommit) {
  auto prepare = [&] {
    return run(
        lake_->prepare_snapshot(kTable, TableId(7), {{kFirst, Offset(10)}, {kOther, Offset(4)}}));
  };
  EXPECT_EQ(prepare().error().code(), ErrorCode::kUnknownServerError) << "no answer for the table";
  prepared_.prepare_lake_table_resp = {{.table_id = 7, .lake_table_offsets_path = "s3://x"}};
  EXPECT_EQ(prepare().value(), "s3://x");
  std::vector<wire::PbBucketOffset> offsets{
      {.bucket_id = 0, .log_end_offset = 10},
      {.partition_id = 3, .bucket_id = 2, .log_end_offset = 4}};
  EXPECT_EQ(prepare_.bucket_offsets[0].bucket_offsets, offsets);
  prepared_.prepare_lake_table_resp[0].error_code = 7;
  EXPECT_EQ(prepare().error().code(), ErrorCode::kTableNotExist);

  LakeSnapshotCommit commit{
      .path = kTable, .table = TableId(7), .snapshot = LakeSnapshotId(5), .tiered_path = "s3://x"};
  committed_.table_resp = {{.table_id = 7}};
  ASSERT_TRUE(run(lake_->commit_snapshot(commit)));
  wire::PbLakeTableSnapshotMetadata metadata{
      .table_id = 7, .snapshot_id = 5, .tiered_bucket_offsets_file_path = "s3://x"};
  EXPECT_EQ(commit_.lake_table_snapshot_metadata,
            std::vector<wire::PbLakeTableSnapshotMetadata>{metadata});
  commit.readable_path = "s3://y";
  commit.retention.kind = LakeRetention::Kind::kAll;
  commit.progress = {{kFirst, Offset(10)}};
  commit.max_timestamps = {{kFirst, TimestampMs(99)}};
  ASSERT_TRUE(run(lake_->commit_snapshot(commit)));
  EXPECT_EQ(commit_.lake_table_snapshot_metadata[0].earliest_snapshot_id_to_keep, -1);
  EXPECT_EQ(commit_.lake_table_snapshot_metadata[0].readable_bucket_offsets_file_path, "s3://y");
  EXPECT_EQ(commit_.tables_req[0].buckets_req[0].max_timestamp, 99);
  commit.retention = {LakeRetention::Kind::kFrom, LakeSnapshotId(3)};
  committed_.table_resp[0].error_code = 50;
  EXPECT_EQ(run(lake_->commit_snapshot(commit)).error().code(),
            ErrorCode::kFencedTieringEpochException);
  EXPECT_EQ(commit_.lake_table_snapshot_metadata[0].earliest_snapshot_id_to_keep, 3);
}

}  // namespace
}  // namespace lakestream::client
