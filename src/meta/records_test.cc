#include "meta/records.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

// The JSON texts here are the layouts of the Fluss protocol's metadata nodes, written out by hand.
constexpr std::string_view kDatabase =
    R"({"version":1,"comment":"c","custom_properties":{"k":"v"},)"
    R"("created_time":5,"modified_time":6})";
constexpr std::string_view kTable =
    R"({"version":1,"table_id":7,"comment":"c","partition_key":["p"],"bucket_key":["a","b"],)"
    R"("bucket_count":4,"properties":{"table.log.ttl":"1 d"},"custom_properties":{"k":"v"},)"
    R"("remote_data_dir":"/r","created_time":5,"modified_time":6})";
constexpr std::string_view kSmallTable =
    R"({"version":1,"table_id":0,"bucket_count":1,"properties":{},"custom_properties":{},)"
    R"("created_time":5,"modified_time":5})";
constexpr std::string_view kAssignment = R"({"version":1,"buckets":{"0":[0],"1":[2,1]}})";
constexpr std::string_view kPartition = R"({"version":1,"table_id":9,"buckets":{"0":[0]}})";
constexpr std::string_view kLeaderIsr =
    R"({"version":2,"leader":1,"leader_epoch":3,"isr":[1,2],"coordinator_epoch":4,)"
    R"("bucket_epoch":5,"standby_replicas":[2]})";

constexpr std::string_view kRescaledTable =
    R"({"version":1,"table_id":0,"bucket_count":3,"properties":{},"custom_properties":{},)"
    R"("bucket_count_epoch":2,"created_time":5,"modified_time":5})";
constexpr std::string_view kClusterConfig =
    R"({"version":1,"configs":{"datalake.format":null,"kv.snapshot.interval":"1 s"}})";
constexpr std::string_view kServerTags = R"({"version":1,"server_tags":{"0":1,"7":0}})";
constexpr std::string_view kRebalance =
    R"({"version":1,"rebalance_id":"r","rebalance_status":3,"rebalance_plan":[]})";

Bytes bytes(std::string_view text) { return Bytes::copy_of(text); }

// Proves that each record reads its layout and writes the same text again.
TEST(Records, RoundTrip) {
  EXPECT_EQ(encode(decode_database(bytes(kDatabase)).value()).view(), kDatabase);
  EXPECT_EQ(encode(decode_table(bytes(kTable)).value()).view(), kTable);
  EXPECT_EQ(encode(decode_table(bytes(kSmallTable)).value()).view(), kSmallTable);
  EXPECT_EQ(encode(decode_table(bytes(kRescaledTable)).value()).view(), kRescaledTable);
  EXPECT_EQ(encode(decode_cluster_config(bytes(kClusterConfig)).value()).view(), kClusterConfig);
  EXPECT_EQ(encode(decode_server_tags(bytes(kServerTags)).value()).view(), kServerTags);
  EXPECT_EQ(encode(decode_rebalance(bytes(kRebalance)).value()).view(), kRebalance);
  EXPECT_EQ(encode(decode_assignment(bytes(kAssignment)).value()).view(), kAssignment);
  EXPECT_EQ(encode(decode_assignment(bytes(kPartition)).value()).view(), kPartition);
  EXPECT_EQ(encode(decode_leader_isr(bytes(kLeaderIsr)).value()).view(), kLeaderIsr);
}

// Proves that the fields arrive where they belong.
TEST(Records, Fields) {
  TableRecord table = decode_table(bytes(kTable)).value();
  EXPECT_EQ(table.id, TableId(7));
  EXPECT_EQ(table.comment, "c");
  EXPECT_EQ(table.partition_keys, std::vector<std::string>{"p"});
  EXPECT_EQ(table.bucket_keys, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.bucket_count, 4);
  EXPECT_EQ(table.properties, (Properties{{"table.log.ttl", "1 d"}}));
  EXPECT_EQ(table.custom_properties, (Properties{{"k", "v"}}));
  EXPECT_EQ(table.remote_data_dir, "/r");
  EXPECT_EQ(table.created_time, TimestampMs(5));
  EXPECT_EQ(table.modified_time, TimestampMs(6));
  LeaderIsrRecord leader = decode_leader_isr(bytes(kLeaderIsr)).value();
  EXPECT_EQ(leader.leader, ServerId(1));
  EXPECT_EQ(leader.leader_epoch, LeaderEpoch(3));
  EXPECT_EQ(leader.isr, (std::vector<ServerId>{ServerId(1), ServerId(2)}));
  EXPECT_EQ(leader.coordinator_epoch, 4);
  EXPECT_EQ(leader.bucket_epoch, 5);
  EXPECT_EQ(leader.standby_replicas, std::vector<ServerId>{ServerId(2)});
  AssignmentRecord assignment = decode_assignment(bytes(kAssignment)).value();
  EXPECT_EQ(assignment.buckets.at(BucketId(1)), (std::vector<ServerId>{ServerId(2), ServerId(1)}));
}

// Proves that version 1 of the leader record, without standby replicas, is read.
TEST(Records, OlderLeaderIsr) {
  auto record = decode_leader_isr(
      bytes(R"({"version":1,"leader":0,"leader_epoch":0,"isr":[0],"coordinator_epoch":0,)"
            R"("bucket_epoch":0})"));
  ASSERT_TRUE(record.has_value());
  EXPECT_TRUE(record->standby_replicas.empty());
}

// Proves the values of snapshots and leases: those that a Fluss server writes.
TEST(Records, SnapshotsAndLeases) {
  KvSnapshotRecord snapshot{KvSnapshotId(1), Offset(1002), "oss://test/a2"};
  std::string_view text =
      R"({"version":1,"snapshot_id":1,"log_offset":1002,"metadata_path":"oss://test/a2"})";
  EXPECT_EQ(encode(snapshot).view(), text);
  EXPECT_EQ(decode_kv_snapshot(bytes(text)).value(), snapshot);

  KvLeaseRecord lease{TimestampMs(1735538268), {}};
  text = R"({"version":1,"expiration_time":1735538268,"tables":[]})";
  EXPECT_EQ(encode(lease).view(), text);
  EXPECT_EQ(decode_kv_lease(bytes(text)).value(), lease);
  lease.files = {{TableId(1), "oss://path/to/metadata1"}, {TableId(2), "s3://path/to/metadata2"}};
  text = R"({"version":1,"expiration_time":1735538268,"tables":[)"
         R"({"table_id":1,"lease_metadata_path":"oss://path/to/metadata1"},)"
         R"({"table_id":2,"lease_metadata_path":"s3://path/to/metadata2"}]})";
  EXPECT_EQ(encode(lease).view(), text);
  EXPECT_EQ(decode_kv_lease(bytes(text)).value(), lease);
}

// Proves the value of a producer: that of a Fluss server.
TEST(Records, Producers) {
  ProducerRecord producer{TimestampMs(1735538268000),
                          {{TableId(100), "oss://bucket/path/uuid1.offsets"},
                           {TableId(101), "oss://bucket/path/uuid2.offsets"}}};
  std::string_view text = R"({"version":1,"expiration_time":1735538268000,"tables":[)"
                          R"({"table_id":100,"offsets_path":"oss://bucket/path/uuid1.offsets"},)"
                          R"({"table_id":101,"offsets_path":"oss://bucket/path/uuid2.offsets"}]})";
  EXPECT_EQ(encode(producer).view(), text);
  EXPECT_EQ(decode_producer(bytes(text)).value(), producer);
  EXPECT_FALSE(decode_producer(bytes(R"({"version":1,"expiration_time":1})")));
}

// Proves the value of a remote log: that of a Fluss server with the folder behind it, which is that
// of the manifest when a Fluss server wrote the value.
TEST(Records, RemoteLogs) {
  RemoteLogRecord record{"s3://b/log/d/t-1/0", "s3://b/log/d/t-1/0/metadata/u.manifest", Offset(7)};
  std::string_view fluss =
      R"({"version":1,"remote_log_manifest_path":"s3://b/log/d/t-1/0/metadata/u.manifest",)"
      R"("remote_log_end_offset":7})";
  EXPECT_EQ(decode_remote_log(bytes(fluss)).value(), record);
  EXPECT_EQ(decode_remote_log(encode(record)).value(), record);
  EXPECT_TRUE(encode(record).view().starts_with(fluss.substr(0, fluss.size() - 1)));
  record.manifest_path.reset();
  EXPECT_EQ(decode_remote_log(encode(record)).value(), record);
  EXPECT_FALSE(decode_remote_log(bytes(R"({"version":1,"remote_log_end_offset":7})")));
  EXPECT_FALSE(decode_remote_log(bytes("")));
}

// Proves that a descriptor survives the way through the record and its schema node.
TEST(Records, TableOfDescriptor) {
  TableDescriptor descriptor;
  descriptor.schema = SchemaBuilder().column("a", DataType::integer()).build().value();
  descriptor.comment = "c";
  descriptor.distribution = Distribution{.bucket_count = 3, .bucket_keys = {"a"}};
  descriptor.properties = {{"table.replication.factor", "1"}};
  descriptor.custom_properties = {{"k", "v"}};
  TableRecord record = TableRecord::of(TableId(3), descriptor, TimestampMs(8));
  EXPECT_EQ(record.created_time, TimestampMs(8));
  EXPECT_EQ(decode_table(encode(record)).value(), record);
  EXPECT_EQ(record.descriptor(descriptor.schema), descriptor);
}

// Proves that damage is an error that names the field, never a crash.
TEST(Records, Damage) {
  for (std::string_view text : {"", "{", "[]", "{}", R"({"table_id":"x"})"}) {
    EXPECT_FALSE(decode_database(bytes(text)).has_value()) << text;
    EXPECT_FALSE(decode_table(bytes(text)).has_value()) << text;
    EXPECT_FALSE(decode_partition(bytes(text)).has_value()) << text;
    EXPECT_FALSE(decode_assignment(bytes(text)).has_value()) << text;
    EXPECT_FALSE(decode_leader_isr(bytes(text)).has_value()) << text;
    EXPECT_FALSE(decode_kv_snapshot(bytes(text)).has_value()) << text;
    EXPECT_FALSE(decode_kv_lease(bytes(text)).has_value()) << text;
    EXPECT_FALSE(decode_lake_table(bytes(text)).has_value()) << text;
  }
  auto table = decode_table(bytes("{}"));
  EXPECT_NE(table.error().message().find("table_id"), std::string::npos);
  EXPECT_EQ(table.error().code(), ErrorCode::kUnknownServerError);
}

// Proves the JSON of a partition.
TEST(Records, Partition) {
  PartitionRecord record{TableId(7), PartitionId(3), std::nullopt};
  EXPECT_EQ(encode(record).view(), R"({"version":1,"table_id":7,"partition_id":3})");
  record.remote_data_dir = "s3://b/r";
  EXPECT_EQ(encode(record).view(),
            R"({"version":1,"table_id":7,"partition_id":3,"remote_data_dir":"s3://b/r"})");
  EXPECT_EQ(decode_partition(encode(record)).value(), record);
}

// Proves both versions of what is known of a table's lake, as Fluss writes them.
TEST(Records, LakeTable) {
  LakeTableRecord record;
  record.snapshots = {{LakeSnapshotId(5), "file:/r/lake/d/t-42/metadata/a.offsets", std::nullopt},
                      {LakeSnapshotId(3), "s3://b/x.offsets", "s3://b/y.offsets"}};
  std::string text =
      R"({"version":2,"lake_snapshots":[{"snapshot_id":5,)"
      R"("tiered_offsets":"file:/r/lake/d/t-42/metadata/a.offsets"},{"snapshot_id":3,)"
      R"("tiered_offsets":"s3://b/x.offsets","readable_offsets":"s3://b/y.offsets"}]})";
  EXPECT_EQ(encode(record).view(), text);
  EXPECT_EQ(decode_lake_table(bytes(text)).value(), record);

  LakeTableRecord old;
  old.single.emplace().id = LakeSnapshotId(5);
  EXPECT_EQ(encode(old).view(), R"({"version":1,"snapshot_id":5,"buckets":[]})");
  EXPECT_EQ(decode_lake_table(encode(old)).value(), old);
  old.single->offsets[{TableId(42), std::nullopt, BucketId(1)}] = Offset(3);
  old.single->offsets[{TableId(42), PartitionId(7), BucketId(0)}] = Offset(12);
  text =
      R"({"version":1,"snapshot_id":5,"table_id":42,"buckets":[{"bucket_id":1,"log_end_offset":3},)"
      R"({"partition_id":7,"bucket_id":0,"log_end_offset":12}]})";
  EXPECT_EQ(encode(old).view(), text);
  EXPECT_EQ(decode_lake_table(bytes(text)).value(), old);

  for (std::string_view wrong : {R"({"version":3,"lake_snapshots":[]})",
                                 R"({"version":2})",
                                 R"({"version":2,"lake_snapshots":[{"snapshot_id":5}]})",
                                 R"({"version":1,"snapshot_id":5})",
                                 R"({"version":1,"snapshot_id":5,"buckets":[{"bucket_id":1}]})"}) {
    EXPECT_FALSE(decode_lake_table(bytes(wrong)).has_value()) << wrong;
  }
}

// Proves the byte order of counters and the text of epochs.
TEST(Records, CountersAndEpochs) {
  EXPECT_EQ(to_hex(encode_counter(258).span()), "0000000000000102");
  EXPECT_EQ(decode_counter(encode_counter(-5)).value(), -5);
  EXPECT_EQ(decode_counter({}).value(), 0);
  EXPECT_FALSE(decode_counter(bytes("123")).has_value());
  EXPECT_EQ(encode_epoch(-1).view(), "-1");
  EXPECT_EQ(decode_epoch(bytes("12")).value(), 12);
  EXPECT_FALSE(decode_epoch(bytes("")).has_value());
  EXPECT_FALSE(decode_epoch(bytes("1x")).has_value());
  EXPECT_EQ(decode_number("17", 17).value(), 17);
  EXPECT_FALSE(decode_number("18", 17).has_value());
  EXPECT_FALSE(decode_number("-1", 17).has_value());
  EXPECT_FALSE(decode_number("1x", 17).has_value());
}

// Proves the paths of the metadata tree.
TEST(Records, Paths) {
  TablePath path{"db", "t"};
  EXPECT_EQ(paths::database("db"), "/metadata/databases/db");
  EXPECT_EQ(paths::tables("db"), "/metadata/databases/db/tables");
  EXPECT_EQ(paths::table(path), "/metadata/databases/db/tables/t");
  EXPECT_EQ(paths::schema(path, SchemaId(2)), "/metadata/databases/db/tables/t/schemas/2");
  EXPECT_EQ(paths::partition(path, "eu$1"), "/metadata/databases/db/tables/t/partitions/eu$1");
  EXPECT_EQ(paths::auto_increment(path, 3), "/metadata/databases/db/tables/t/auto_inc/col_3");
  TableBucket bucket{TableId(4), std::nullopt, BucketId(1)};
  EXPECT_EQ(paths::assignment(owner_of(bucket)), "/tabletservers/tables/4");
  EXPECT_EQ(paths::leader_isr(bucket), "/tabletservers/tables/4/buckets/1/leader_isr");
  EXPECT_EQ(paths::kv_snapshot(bucket, KvSnapshotId(9)),
            "/tabletservers/tables/4/buckets/1/snapshots/9");
  bucket.partition = PartitionId(5);
  EXPECT_EQ(paths::assignment(owner_of(bucket)), "/tabletservers/partitions/5");
  EXPECT_EQ(paths::leader_isr(bucket), "/tabletservers/partitions/5/buckets/1/leader_isr");
  EXPECT_EQ(paths::kv_snapshots(bucket), "/tabletservers/partitions/5/buckets/1/snapshots");
  EXPECT_EQ(paths::kv_snapshot_counter(bucket),
            "/tabletservers/partitions/5/buckets/1/snapshot_seqid");
  EXPECT_EQ(paths::kv_lease("l"), "/leases/kv_snapshot/l");
  EXPECT_EQ(paths::producer("p"), "/producers/p");
  EXPECT_EQ(paths::lake_table(TableId(4)), "/tabletservers/tables/4/laketable");
}

// Proves that numbers that mean nothing are damage.
TEST(Records, NumbersOfTheCluster) {
  EXPECT_FALSE(decode_server_tags(bytes(R"({"version":1,"server_tags":{"0":2}})")));
  EXPECT_FALSE(decode_server_tags(bytes(R"({"version":1,"server_tags":{"a":1}})")));
  EXPECT_TRUE(decode_server_tags(bytes(R"({"version":1,"server_tags":{"2147483647":1}})")));
  EXPECT_FALSE(decode_server_tags(bytes(R"({"version":1,"server_tags":{"2147483648":1}})")));
  EXPECT_FALSE(decode_rebalance(bytes(R"({"rebalance_id":"r","rebalance_status":6})")));
  EXPECT_FALSE(decode_cluster_config(bytes(R"({"version":1})")));
}

}  // namespace
}  // namespace lakestream
