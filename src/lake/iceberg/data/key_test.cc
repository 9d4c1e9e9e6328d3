#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lake/iceberg/data/data_test_support.h"
#include "lake/iceberg/data/key_runs.h"
#include "lake/keyed_rows_test_support.h"
#include "lake/parquet/parquet_test_support.h"

namespace lakestream::iceberg {
namespace {

using keyed_rows::Batch;
using keyed_rows::Key;
using keyed_rows::keyed_schema;
using keyed_rows::lake_rows;
using keyed_rows::Model;
using keyed_rows::number;
using keyed_rows::Row;
using keyed_rows::rows_in;
using keyed_rows::text;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The rows by the rules of the Iceberg specification alone: those of all data files but for what
// delete files name. Not one for each key, and in no order.
std::vector<Row> rows_by_specification(TestBucket& bucket) {
  std::vector<Row> rows;
  for (const LiveFile& data : bucket.live().data) {
    std::set<int64_t> positions;
    std::set<Key> keys;
    for (const LiveFile& deletes : bucket.live().deletes) {
      Batch named = bucket.raw(*deletes.file);
      bool by_position = deletes.file->content == FileContent::kPositionDeletes;
      for (int64_t i = 0; i < named->num_rows(); ++i) {
        if (by_position && data.sequence <= deletes.sequence) {
          if (text(named, "file_path", i) == data.file->path) {
            EXPECT_TRUE(positions.insert(number(named, "pos", i)).second) << "deleted twice";
          }
        } else if (!by_position && data.sequence < deletes.sequence) {
          keys.emplace(text(named, "name", i), number(named, "id", i));
        }
      }
    }
    std::vector<Row> in_file = rows_in(bucket.raw(*data.file));
    EXPECT_EQ(in_file.size(), static_cast<size_t>(data.file->rows));
    for (size_t i = 0; i < in_file.size(); ++i) {
      if (positions.contains(static_cast<int64_t>(i))) continue;
      if (!keys.contains({in_file[i].name, in_file[i].id})) rows.push_back(in_file[i]);
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<Row> sorted(std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

class IcebergKeys : public testing::TestWithParam<const char*> {
 protected:
  Properties properties() const { return {{std::string(kDeletesProperty), GetParam()}}; }
  bool by_position() const { return std::string_view(GetParam()) == "position"; }
};
INSTANTIATE_TEST_SUITE_P(Deletes, IcebergKeys, testing::Values("equality", "position"));

TEST_P(IcebergKeys, HoldWhatAMapHolds) {
  // Random changes through several commits, of one run and of several, with compactions between;
  // read by our reader, and by the rules of the specification.
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    TestBucket bucket(keyed_schema(), properties());
    if (seed % 2 == 0) bucket.set_run_bytes(4000);
    if (seed % 3 == 0) bucket.properties()["write.target-file-size-bytes"] = "3000";
    if (seed % 4 == 0) bucket.properties()["write.parquet.row-group-size-bytes"] = "1000";
    Model model(seed);
    for (int round = 0; round < 8; ++round) {
      std::vector<LakeRows> parts;
      size_t batches = 1 + random.below(4);
      for (size_t i = 0; i < batches; ++i) {
        parts.push_back(lake_rows(model.change(1 + random.below(80))));
      }
      bucket.commit(bucket.write(parts));
      ASSERT_EQ(rows_in(bucket.read()), model.rows());
      ASSERT_EQ(rows_by_specification(bucket), sorted(model.rows()));
      if (!random.chance(1, 3)) continue;
      if (!bucket.compact()) continue;
      EXPECT_FALSE(bucket.compact());
      ASSERT_EQ(rows_in(bucket.read()), model.rows());
      ASSERT_EQ(rows_by_specification(bucket), sorted(model.rows()));
    }
    // No files of the writers' own are left behind.
    std::vector<ObjectInfo> left = *bucket.objects().list("file:///lake");
    EXPECT_THAT(left, testing::Not(IsEmpty()));
    for (const ObjectInfo& object : left) {
      EXPECT_THAT(object.path, testing::Not(HasSubstr("-keys")));
    }
  }
}

TEST_P(IcebergKeys, WhatFilesAreWritten) {
  // The first commit of a bucket needs no deletes, the next ones have one file of them.
  TestBucket bucket(keyed_schema(), properties());
  WrittenFiles first = bucket.write({lake_rows({{ChangeType::kInsert, {"b", 2, "x", 10}},
                                                {ChangeType::kInsert, {"a", 9, "y", 11}},
                                                {ChangeType::kUpdateBefore, {"b", 2, "x", 12}},
                                                {ChangeType::kUpdateAfter, {"b", 2, "z", 13}},
                                                {ChangeType::kInsert, {"c", 1, "", 14}},
                                                {ChangeType::kDelete, {"c", 1, "", 15}}})});
  EXPECT_THAT(first.deletes, IsEmpty());
  ASSERT_THAT(first.data, SizeIs(1));
  const DataFile& data = first.data[0];
  EXPECT_EQ(data.path, "file:///lake/db/t/data/region=eu/id_bucket=2/00000-0-u1-00001.parquet");
  EXPECT_EQ(data.partition, (PartitionTuple{{"eu"}, 2}));
  EXPECT_EQ(data.rows, 2);
  EXPECT_EQ(data.sort_order_id, std::nullopt);
  EXPECT_EQ(data.split_offsets, std::vector<int64_t>{4});
  EXPECT_EQ(rows_in(bucket.raw(data)), (std::vector<Row>{{"a", 9, "y", 11}, {"b", 2, "z", 13}}));
  bucket.commit(first);
  EXPECT_FALSE(bucket.split().needs_merge);

  WrittenFiles second = bucket.write({lake_rows(
      {{ChangeType::kDelete, {"b", 2, "z", 16}}, {ChangeType::kInsert, {"d", 4, "w", 17}}})});
  ASSERT_THAT(second.data, SizeIs(1));
  ASSERT_THAT(second.deletes, SizeIs(1));
  const DataFile& deletes = second.deletes[0];
  EXPECT_EQ(deletes.path,
            "file:///lake/db/t/data/region=eu/id_bucket=2/00000-0-u2-00001-deletes.parquet");
  EXPECT_EQ(deletes.sort_order_id, std::nullopt);
  Batch named = bucket.raw(deletes);
  if (by_position()) {
    EXPECT_EQ(deletes.content, FileContent::kPositionDeletes);
    EXPECT_THAT(deletes.equality_ids, IsEmpty());
    EXPECT_THAT(second.referenced, testing::ElementsAre(data.path));
    ASSERT_EQ(named->num_rows(), 1);
    EXPECT_EQ(text(named, "file_path", 0), data.path);
    EXPECT_EQ(number(named, "pos", 0), 1);
    // Of one data file alone: the bounds of the path say so.
    ASSERT_THAT(deletes.metrics, SizeIs(2));
    EXPECT_EQ(deletes.metrics[1].id, 2147483546);
    EXPECT_EQ(deletes.metrics[1].lower, data.path);
    EXPECT_EQ(deletes.metrics[1].upper, data.path);
  } else {
    EXPECT_EQ(deletes.content, FileContent::kEqualityDeletes);
    EXPECT_EQ(deletes.equality_ids, bucket.lake_schema().identifier_ids);
    EXPECT_THAT(second.referenced, IsEmpty());
    EXPECT_EQ(named->schema()->field_names(), (std::vector<std::string>{"name", "id"}));
    // "d" is above all names of the file.
    ASSERT_EQ(named->num_rows(), 1);
    EXPECT_EQ(text(named, "name", 0), "b");
  }
  bucket.commit(second);
  EXPECT_TRUE(bucket.split().needs_merge);
  EXPECT_EQ(rows_in(bucket.read()), (std::vector<Row>{{"a", 9, "y", 11}, {"d", 4, "w", 17}}));
}

TEST_P(IcebergKeys, TheWayOfDeletesCanChange) {
  // A bucket with deletes of one kind gets some of the other kind; both hold.
  TestBucket bucket(keyed_schema(), properties());
  Model model(77);
  for (int round = 0; round < 6; ++round) {
    bool is_other = by_position() != (round >= 3);
    bucket.properties()[std::string(kDeletesProperty)] = is_other ? "position" : "equality";
    bucket.commit(bucket.write({lake_rows(model.change(60))}));
    ASSERT_EQ(rows_in(bucket.read()), model.rows());
  }
  std::set<FileContent> kinds;
  for (const LiveFile& file : bucket.live().deletes) kinds.insert(file.file->content);
  EXPECT_THAT(kinds, SizeIs(2));
  EXPECT_TRUE(bucket.compact());
  EXPECT_THAT(bucket.live().deletes, IsEmpty());
  ASSERT_EQ(rows_in(bucket.read()), model.rows());
}

TEST_P(IcebergKeys, ALargeFileIsNotRewrittenForSmallOnes) {
  // What came behind it becomes one file, and one of deletes that are left of the large one.
  TestBucket bucket(keyed_schema(), properties());
  std::vector<keyed_rows::Change> many;
  for (int64_t i = 0; i < 30'000; ++i) {
    many.push_back({ChangeType::kInsert, {"n", i, "value " + std::to_string(i * i), i}});
  }
  bucket.commit(bucket.write({lake_rows(many)}));
  std::string large = bucket.live().data.at(0).file->path;
  std::map<int64_t, Row> expected;
  for (const keyed_rows::Change& change : many) expected[change.row.id] = change.row;
  for (int64_t round = 0; round < 9; ++round) {
    std::vector<keyed_rows::Change> changes;
    for (int64_t i = 0; i < 20; ++i) {
      Row row{"n", (round * 7919 + i * 104'729) % 40'000, "new", 30'000 + round * 20 + i};
      bool is_gone = i % 4 == 0;
      changes.push_back({is_gone ? ChangeType::kDelete : ChangeType::kUpdateAfter, row});
      expected[row.id] = row;
      if (is_gone) expected.erase(row.id);
    }
    bucket.commit(bucket.write({lake_rows(changes)}));
    if (round % 2 == 0) continue;
    EXPECT_EQ(bucket.compact(), round > 1) << round;
  }
  ASSERT_THAT(bucket.live().data, testing::Not(IsEmpty()));
  EXPECT_EQ(bucket.live().data[0].file->path, large);
  EXPECT_LE(bucket.live().data.size(), 3u);
  EXPECT_LE(bucket.live().deletes.size(), 3u);
  std::vector<Row> rows;
  for (const auto& [id, row] : expected) rows.push_back(row);
  EXPECT_EQ(rows_in(bucket.read()), rows);
  EXPECT_EQ(rows_by_specification(bucket), rows);
}

TEST_P(IcebergKeys, KeysThatNoFileMayHaveNeedNoDeletes) {
  // Keys that only rise leave files that need no merge.
  TestBucket bucket(keyed_schema(), properties());
  std::vector<Row> all;
  for (int64_t i = 0; i < 4; ++i) {
    Row row{"b" + std::to_string(i), 1, "x", i};
    all.push_back(row);
    bucket.commit(bucket.write({lake_rows({{ChangeType::kInsert, row}})}));
  }
  bucket.commit(bucket.write({lake_rows({{ChangeType::kInsert, {"a", 1, "x", 9}}})}));
  all.insert(all.begin(), {"a", 1, "x", 9});
  EXPECT_THAT(bucket.live().deletes, IsEmpty());
  EXPECT_EQ(rows_in(bucket.read()), all);
}

TEST_P(IcebergKeys, OnlyDeletes) {
  // A commit without rows, and a bucket that is empty in the end.
  TestBucket bucket(keyed_schema(), properties());
  bucket.commit(bucket.write({lake_rows({{ChangeType::kInsert, {"a", 1, "x", 1}}})}));
  WrittenFiles gone = bucket.write({lake_rows({{ChangeType::kDelete, {"a", 1, "x", 2}}})});
  EXPECT_THAT(gone.data, IsEmpty());
  EXPECT_THAT(gone.deletes, SizeIs(1));
  bucket.commit(gone);
  EXPECT_EQ(bucket.read()->num_rows(), 0);
  bucket.commit(bucket.write({lake_rows({{ChangeType::kDelete, {"z", 1, "x", 3}}})}));
  bucket.commit(bucket.write({lake_rows({{ChangeType::kInsert, {"b", 1, "x", 4}}})}));
  bucket.commit(bucket.write({lake_rows({{ChangeType::kDelete, {"b", 1, "x", 5}}})}));
  EXPECT_TRUE(bucket.compact());
  EXPECT_THAT(bucket.live().data, IsEmpty());
  EXPECT_THAT(bucket.live().deletes, IsEmpty());
  EXPECT_EQ(bucket.read()->num_rows(), 0);
}

TEST_P(IcebergKeys, FilesInAnotherOrderAreSorted) {
  // Files of a writer that knows nothing of our order: read, searched and merged all the same.
  TestBucket bucket(keyed_schema(), properties());
  // As a table without a key has them.
  TestBucket plain(*SchemaBuilder()
                        .column("value", DataType::string())
                        .column("name", DataType::string().not_null())
                        .column("id", DataType::bigint().not_null())
                        .build(),
                   {});
  LakeRows rows = lake_rows({{ChangeType::kAppend, {"c", 1, "1", 0}},
                             {ChangeType::kAppend, {"a", 1, "2", 1}},
                             {ChangeType::kAppend, {"b", 1, "3", 2}}});
  WrittenFiles files = plain.write({rows});
  std::string path = files.data.at(0).path;
  Bytes content = *plain.objects().get(path).value();
  files.data[0].path += "-other";
  ASSERT_TRUE(bucket.objects().put(files.data[0].path, content));
  bucket.commit(files);
  EXPECT_EQ(rows_in(bucket.read()),
            (std::vector<Row>{{"a", 1, "2", 1}, {"b", 1, "3", 2}, {"c", 1, "1", 0}}));
  bucket.commit(bucket.write({lake_rows(
      {{ChangeType::kUpdateAfter, {"a", 1, "4", 3}}, {ChangeType::kDelete, {"c", 1, "", 4}}})}));
  std::vector<Row> expected = {{"a", 1, "4", 3}, {"b", 1, "3", 2}};
  EXPECT_EQ(rows_in(bucket.read()), expected);
  EXPECT_EQ(rows_by_specification(bucket), expected);
}

TEST_P(IcebergKeys, EveryTypeComesBack) {
  // A key of several types, and columns of every type, through a sort, a merge and a compaction.
  SchemaBuilder builder;
  SchemaBuilder dense;
  Schema others = every_type();
  std::vector<std::string> key = {"decimal38", "ltz6", "binary", "time0", "date", "char"};
  for (const Column& column : others.columns()) {
    bool is_key = std::find(key.begin(), key.end(), column.name) != key.end();
    builder.column(column.name, is_key ? column.type.not_null() : column.type);
    dense.column(column.name, column.type.not_null());
  }
  key.emplace_back("id");
  Schema schema = *builder.column("id", DataType::integer()).primary_key(key).build();
  Batch base = rows_of_every_type(others, 64);
  // Key columns have no nulls.
  Batch no_nulls = rows_of_every_type(*dense.build(), 64);
  arrow::Int32Builder ids;
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(ids.Append(i * 37 % 64).ok());
  arrow::ArrayVector columns = base->columns();
  columns.push_back(*ids.Finish());
  for (size_t i : schema.primary_key_indexes()) {
    if (i + 1 < columns.size()) columns[i] = no_nulls->column(static_cast<int>(i));
  }
  // Microseconds are all that Iceberg has.
  Batch rows = arrow::RecordBatch::Make(arrow_schema_of(schema), 64, columns);
  TestBucket bucket(schema, properties());
  bucket.commit(bucket.write({LakeRows{rows->Slice(0, 40), {}, {}, Offset(0), TimestampMs(0)}}));
  bucket.commit(bucket.write({LakeRows{rows->Slice(24), {}, {}, Offset(40), TimestampMs(0)}}));
  Batch merged = bucket.read();
  ASSERT_EQ(merged->num_rows(), 64);
  bucket.properties()["write.target-file-size-bytes"] = "100000000";
  EXPECT_TRUE(bucket.compact());
  EXPECT_TRUE(bucket.read()->Equals(*merged));
  const auto& merged_ids = static_cast<const arrow::Int32Array&>(*merged->GetColumnByName("id"));
  const auto& row_ids =
      static_cast<const arrow::Int32Array&>(*rows->column(rows->num_columns() - 1));
  for (int64_t i = 0; i < 64; ++i) {
    int64_t k = 0;
    while (merged_ids.Value(k) != row_ids.Value(i)) ++k;
    for (int c = 0; c < rows->num_columns(); ++c) {
      if (rows->column_name(c) == "timestamp9" || rows->column_name(c) == "ltz9") continue;
      EXPECT_TRUE(merged->column(c)->Slice(k, 1)->Equals(rows->column(c)->Slice(i, 1)))
          << rows->column_name(c) << " of row " << i;
    }
  }
}

TEST(IcebergKeyFiles, AreReadWhenTheirKeysAreReached) {
  for (const DataType& type : keyed_rows::bounded_types()) {
    SCOPED_TRACE(fmt::format("{}", type));
    TestBucket bucket(keyed_rows::bounded_schema(type),
                      {{"write.parquet.compression-codec", "uncompressed"}});
    for (bool is_higher : {true, false}) {
      bucket.commit(bucket.write({keyed_rows::bounded_rows(type, is_higher)}));
      ASSERT_GT(bucket.live().data.back().file->bytes, 1 << 20);
    }
    std::vector<std::string> gets;
    bucket.objects().fail([&](std::string_view operation, const std::string& path) {
      bool is_data = path.find("deletes") == std::string::npos;
      if (operation == "get" && is_data) gets.push_back(path);
      return SimObjectStore::Fault::kNone;
    });
    std::vector<NestedField> key = key_fields(bucket.lake_schema());
    auto merge = BucketMerge::open(bucket.objects(), bucket.live(), key, key);
    ASSERT_TRUE(merge) << merge.error().message();
    EXPECT_THAT(gets, SizeIs(2));
    int32_t next = 0;
    while (Batch rows = (*merge)->next().value()) {
      const auto& ids = static_cast<const arrow::Int32Array&>(*rows->GetColumnByName("id"));
      for (int64_t i = 0; i < ids.length(); ++i) ASSERT_EQ(ids.Value(i), next++);
    }
    EXPECT_EQ(next, 2 * keyed_rows::kBoundedRows);
    ASSERT_THAT(gets, SizeIs(4));
    EXPECT_EQ(gets[2], bucket.live().data[1].file->path);
  }
}

TEST(IcebergKeyFiles, DeletesByOtherColumnsAreRefused) {
  // Instead of rows that are not there any more being read.
  TestBucket bucket(keyed_schema(), {});
  bucket.commit(bucket.write({lake_rows({{ChangeType::kInsert, {"a", 1, "x", 1}}})}));
  WrittenFiles other = bucket.write({lake_rows({{ChangeType::kInsert, {"a", 2, "x", 2}}})});
  other.deletes.at(0).equality_ids = {1};
  bucket.commit(other);
  auto read = bucket.try_read(bucket.all_columns());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(), HasSubstr("by other columns than the primary key"));
}

}  // namespace
}  // namespace lakestream::iceberg
