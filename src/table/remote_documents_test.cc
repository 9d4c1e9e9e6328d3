#include "table/remote_documents.h"

#include <gtest/gtest.h>

#include "table/remote_paths.h"

namespace lakestream {
namespace {

// What a Fluss server writes for the same values.
constexpr const char* kFiles =
    R"("snapshot_id":1,"snapshot_location":"oss://bucket/snapshot","kv_snapshot_handle":{)"
    R"("shared_file_handles":[)"
    R"({"kv_file_handle":{"path":"oss://bucket/snapshot/shared/t1.sst","size":1},)"
    R"("local_path":"localPath1"},)"
    R"({"kv_file_handle":{"path":"oss://bucket/snapshot/shared/t2.sst","size":2},)"
    R"("local_path":"localPath2"}],)"
    R"("private_file_handles":[)"
    R"({"kv_file_handle":{"path":"oss://bucket/snapshot/snapshot1/t3","size":3},)"
    R"("local_path":"localPath3"},)"
    R"({"kv_file_handle":{"path":"oss://bucket/snapshot/snapshot1/t4","size":4},)"
    R"("local_path":"localPath4"}],)"
    R"("snapshot_incremental_size":5},"log_offset":10)";

KvSnapshot example() {
  KvSnapshot snapshot;
  snapshot.bucket = TableBucket{TableId(1), std::nullopt, BucketId(1)};
  snapshot.id = KvSnapshotId(1);
  snapshot.location = "oss://bucket/snapshot";
  snapshot.shared_files = {{"oss://bucket/snapshot/shared/t1.sst", 1, "localPath1"},
                           {"oss://bucket/snapshot/shared/t2.sst", 2, "localPath2"}};
  snapshot.private_files = {{"oss://bucket/snapshot/snapshot1/t3", 3, "localPath3"},
                            {"oss://bucket/snapshot/snapshot1/t4", 4, "localPath4"}};
  snapshot.incremental_bytes = 5;
  snapshot.log_offset = Offset(10);
  return snapshot;
}

// Proves that documents of snapshots are those of the protocol, both ways.
TEST(RemoteDocuments, KvSnapshot) {
  KvSnapshot snapshot = example();
  std::string text = std::string(R"({"version":1,"table_id":1,"bucket_id":1,)") + kFiles + "}";
  EXPECT_EQ(to_json(snapshot), text);
  EXPECT_EQ(kv_snapshot_from_json(text).value(), snapshot);

  snapshot.bucket.partition = PartitionId(10);
  snapshot.row_count = 1234;
  snapshot.ids = {{2, 10000, 20000}};
  text = std::string(R"({"version":1,"table_id":1,"partition_id":10,"bucket_id":1,)") + kFiles +
         R"(,"row_count":1234,"auto_inc_id_range":[{"column_id":2,"start":10000,"end":20000}]})";
  EXPECT_EQ(to_json(snapshot), text);
  EXPECT_EQ(kv_snapshot_from_json(text).value(), snapshot);
}

// Proves the same for what a lease holds of a table.
TEST(RemoteDocuments, KvTableLease) {
  auto ids = [](std::vector<int64_t> values) {
    LeasedSnapshots leased;
    for (int64_t value : values) leased.emplace_back(value);
    return leased;
  };
  KvTableLease plain{TableId(1), ids({1, -1, 1, 2}), {}};
  std::string text = R"({"version":1,"table_id":1,"bucket_snapshots":[1,-1,1,2]})";
  EXPECT_EQ(to_json(plain), text);
  EXPECT_EQ(kv_table_lease_from_json(text).value(), plain);

  KvTableLease partitioned{TableId(2), std::nullopt, {}};
  partitioned.partitions[PartitionId(2001)] = ids({10, -1, 20, 30});
  partitioned.partitions[PartitionId(2002)] = ids({15, -1, 25, 35});
  text = R"({"version":1,"table_id":2,"partition_snapshots":[)"
         R"({"partition_id":2001,"bucket_snapshots":[10,-1,20,30]},)"
         R"({"partition_id":2002,"bucket_snapshots":[15,-1,25,35]}]})";
  EXPECT_EQ(to_json(partitioned), text);
  EXPECT_EQ(kv_table_lease_from_json(text).value(), partitioned);
}

// Proves that a document that is cut anywhere is refused with an error, not taken for another one.
TEST(RemoteDocuments, CutDocuments) {
  std::string text = to_json(example());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(kv_snapshot_from_json(text.substr(0, size)).has_value()) << size;
  }
  for (const char* field :
       {"table_id", "snapshot_id", "kv_snapshot_handle", "size", "local_path", "log_offset"}) {
    std::string without = text;
    without.replace(without.find(field), 1, "_");
    Result<KvSnapshot> read = kv_snapshot_from_json(without);
    ASSERT_FALSE(read.has_value()) << field;
    EXPECT_NE(read.error().message().find(field), std::string::npos) << read.error().message();
  }
  EXPECT_FALSE(kv_table_lease_from_json(R"({"table_id":1,"bucket_snapshots":[null]})").has_value());
}

// Proves the places of files in remote storage.
TEST(RemotePaths, Layout) {
  PhysicalTablePath path{{"db", "t"}, std::nullopt};
  TableBucket bucket{TableId(7), std::nullopt, BucketId(2)};
  std::string folder = remote_kv_folder("file:///r", path, bucket);
  EXPECT_EQ(folder, "file:///r/kv/db/t-7/2");
  EXPECT_EQ(remote_kv_shared_folder(folder), "file:///r/kv/db/t-7/2/shared");
  EXPECT_EQ(remote_kv_metadata(remote_kv_snapshot_folder(folder, KvSnapshotId(3))),
            "file:///r/kv/db/t-7/2/snap-3/_METADATA");
  path.partition = "2024";
  bucket.partition = PartitionId(5);
  EXPECT_EQ(remote_kv_folder("/r", path, bucket), "/r/kv/db/t-7/2024-p5/2");
  std::string log = remote_log_folder("/r", path, bucket);
  EXPECT_EQ(log, "/r/log/db/t-7/2024-p5/2");
  EXPECT_EQ(remote_log_manifest(log, "u"), log + "/metadata/u.manifest");
  EXPECT_EQ(remote_log_folder_of(remote_log_manifest(log, "u")), log);
  std::string segment = remote_log_segment_folder(log, "s");
  EXPECT_EQ(remote_log_file(segment, Offset(30), RemoteLogFile::kTimeIndex),
            log + "/s/00000000000000000030.timeindex");
  EXPECT_EQ(remote_kv_lease("/r", "l", TableId(7), "u"), "/r/lease/kv-snapshot/l/7/u.metadata");
  EXPECT_EQ(uuid_text(0, 0), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(uuid_text(~0ull, ~0ull), "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

// Proves that offsets by bucket and the document are the same, with gaps and without partitions.
TEST(RemoteDocuments, LakeOffsetsByBucket) {
  TableId table(42);
  auto bucket = [&](std::optional<int64_t> partition, int32_t number) {
    TableBucket made{table, std::nullopt, BucketId(number)};
    if (partition) made.partition = PartitionId(*partition);
    return made;
  };
  auto check = [&](const LakeOffsets& offsets, const std::string& text) {
    EXPECT_EQ(to_json(to_document(table, offsets)), text);
    EXPECT_EQ(to_offsets(table_bucket_offsets_from_json(text).value()), offsets);
  };
  check({}, R"({"version":1,"table_id":42})");
  check({{bucket({}, 0), Offset(310)}, {bucket({}, 2), Offset(0)}},
        R"({"version":1,"table_id":42,"bucket_offsets":[310,-1,0]})");
  check({{bucket(9, 1), Offset(40)}, {bucket(7, 0), Offset(12)}},
        R"({"version":1,"table_id":42,"partition_offsets":[)"
        R"({"partition_id":7,"bucket_offsets":[12]},)"
        R"({"partition_id":9,"bucket_offsets":[-1,40]}]})");
}

// Proves where documents of offsets lie, and that no path leads to another table's or out of there.
TEST(RemotePaths, LakeOffsets) {
  TablePath path{"d", "t"};
  std::string folder = remote_lake_folder("file:///r", path, TableId(42));
  EXPECT_EQ(folder, "file:///r/lake/d/t-42");
  std::string document = remote_lake_offsets(folder, "u");
  EXPECT_EQ(document, "file:///r/lake/d/t-42/metadata/u.offsets");
  EXPECT_EQ(remote_lake_folder_of(document), folder);
  EXPECT_TRUE(is_remote_lake_offsets(document, path, TableId(42)));
  EXPECT_TRUE(is_remote_lake_offsets("/old/lake/d/t-42/metadata/u.offsets", path, TableId(42)));
  EXPECT_FALSE(is_remote_lake_offsets(document, path, TableId(2)));
  EXPECT_FALSE(is_remote_lake_offsets(document, {"d", "x"}, TableId(42)));
  for (const char* other : {"",
                            "u.offsets",
                            "/r/lake/d/t-42/metadata/.offsets",
                            "/r/lake/d/t-42/metadata/u",
                            "/r/lake/d/t-42/metadata/../u.offsets",
                            "/r/lake/d/t-42/metadata/x/u.offsets",
                            "/r/xlake/d/t-42/metadata/u.offsets"}) {
    EXPECT_FALSE(is_remote_lake_offsets(other, path, TableId(42))) << other;
  }
}

}  // namespace
}  // namespace lakestream
