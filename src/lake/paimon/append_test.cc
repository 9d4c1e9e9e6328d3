#include <algorithm>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lake/paimon/binary_row.h"
#include "lake/paimon/compaction.h"
#include "lake/paimon/data_test_support.h"
#include "lake/paimon/file_stats.h"
#include "lake/parquet/parquet_test_support.h"

namespace lakestream::paimon {
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

LakeRows rows_at(Batch rows, int64_t offset) {
  return {.rows = std::move(rows), .base_offset = Offset(offset), .timestamp = TimestampMs(5000)};
}

Schema small_schema() {
  return *SchemaBuilder()
              .column("id", DataType::bigint())
              .column("text", DataType::string())
              .build();
}

Batch small_rows(int64_t first, int64_t count) {
  ArrowAppender appender(small_schema());
  for (int64_t i = first; i < first + count; ++i) {
    std::string text = fmt::format("a text that is number {}", i * 7919 % 100'003);
    Value row[] = {Value::integer(i), Value::bytes(text)};
    EXPECT_TRUE(appender.append(row));
  }
  return *appender.finish();
}

int64_t cell(const Batch& rows, const char* column, int64_t row) {
  std::shared_ptr<arrow::Array> array = rows->GetColumnByName(column);
  if (array->type_id() == arrow::Type::INT32) {
    return static_cast<const arrow::Int32Array&>(*array).Value(row);
  }
  return static_cast<const arrow::Int64Array&>(*array).Value(row);
}

TEST(AppendWriter, EveryTypeComesBack) {
  // Extremes, nulls and nested values of every type, and what says where each row comes from.
  Schema schema = every_type();
  TestBucket bucket(schema, {});
  Batch rows = rows_of_every_type(schema, 300);
  WrittenFiles files =
      bucket.write({rows_at(rows->Slice(0, 100), 40), rows_at(rows->Slice(100), 140)});
  ASSERT_EQ(files.added.size(), 1u);
  EXPECT_TRUE(files.changelog.empty());
  EXPECT_EQ(files.place.folder, "bucket-2");
  const DataFile& file = files.added[0];
  EXPECT_EQ(file.name, "data-1-0.parquet");
  EXPECT_EQ(file.rows, 300);
  EXPECT_EQ(file.min_sequence, 0);
  EXPECT_EQ(file.max_sequence, 299);
  EXPECT_EQ(file.schema_id, 3);
  EXPECT_EQ(file.created_ms, 1'796'025'600'000);
  EXPECT_FALSE(file.compacted);

  Batch back = bucket.read(files.added);
  for (int i = 0; i < rows->num_columns(); ++i) {
    EXPECT_TRUE(back->column(i)->Equals(rows->column(i))) << rows->column_name(i);
  }
  EXPECT_EQ(cell(back, "__bucket", 299), 2);
  EXPECT_EQ(cell(back, "__offset", 0), 40);
  EXPECT_EQ(cell(back, "__offset", 299), 339);
  EXPECT_EQ(
      static_cast<const arrow::TimestampArray&>(*back->GetColumnByName("__timestamp")).Value(7),
      5000);
}

TEST(AppendWriter, StatsAreOfTheColumnsThatHaveAnOrder) {
  // Bounds as BinaryRows, null counts for all that are not nested, texts cut off.
  TestBucket bucket(small_schema(), {});
  WrittenFiles files = bucket.write({rows_at(small_rows(10, 50), 7)});
  const DataFile& file = files.added.at(0);
  EXPECT_EQ(file.value_stats_columns, std::nullopt);
  std::vector<DataType> types;
  for (const PaimonField& field : bucket.lake_schema()->fields) types.push_back(field.type);
  Arena arena;
  auto min = read_binary_row(types, file.value_stats.min_values, &arena).value();
  auto max = read_binary_row(types, file.value_stats.max_values, &arena).value();
  EXPECT_EQ(min[0], Value::integer(10));
  EXPECT_EQ(max[0], Value::integer(59));
  EXPECT_EQ(min[1], Value::bytes("a text that is n"));
  EXPECT_EQ(max[1], Value::bytes("a text that is o"));
  EXPECT_EQ(min[3], Value::integer(7));
  EXPECT_EQ(max[3], Value::integer(56));
  EXPECT_EQ(max[4], Value::timestamp(5000, 0));
  EXPECT_EQ(file.value_stats.null_counts, (std::vector<std::optional<int64_t>>(5, 0)));

  TestBucket nested(every_type(), {}, LakeLayout::kPlain);
  DataFile other = nested.write({rows_at(rows_of_every_type(nested.schema(), 8), 0)}).added.at(0);
  EXPECT_EQ(other.value_stats_columns->size(), 24u);
  // Parquet says nothing of INT96.
  std::vector<std::optional<int64_t>> null_counts(24, 2);
  null_counts[20] = null_counts[23] = std::nullopt;
  EXPECT_EQ(other.value_stats.null_counts, null_counts);

  TestBucket none(small_schema(), {{"metadata.stats-mode", "none"}});
  DataFile bare = none.write({rows_at(small_rows(0, 5), 0)}).added.at(0);
  EXPECT_EQ(bare.value_stats_columns, std::vector<std::string>());
  EXPECT_EQ(bare.value_stats, SimpleStats());
}

TEST(AppendWriter, FilesRollAtTheirSize) {
  // No file is much larger than the option says, and their numbers follow each other.
  TestBucket bucket(small_schema(), {{"target-file-size", "64 kb"}, {"file.block-size", "64 kb"}});
  std::vector<LakeRows> parts;
  for (int64_t i = 0; i < 100; ++i) parts.push_back(rows_at(small_rows(1000 * i, 1000), 1000 * i));
  WrittenFiles files = bucket.write(parts);
  ASSERT_GT(files.added.size(), 4u);
  int64_t next = 0;
  for (const DataFile& file : files.added) {
    EXPECT_LT(file.size, 150'000);
    EXPECT_EQ(file.min_sequence, next);
    next = file.max_sequence + 1;
  }
  EXPECT_EQ(next, 100'000);
  Batch back = bucket.read(files.added);
  ASSERT_EQ(back->num_rows(), 100'000);
  for (int64_t i = 0; i < 100'000; i += 997) {
    EXPECT_EQ(cell(back, "id", i), i);
    EXPECT_EQ(cell(back, "__offset", i), i);
  }
}

TEST(AppendWriter, WhatIsNotFinishedGoes) {
  // Files that were made before a writer is given up are removed; one without rows makes none.
  TestBucket bucket(small_schema(), {{"target-file-size", "16 kb"}});
  {
    std::unique_ptr<LakeWriter> writer = bucket.writer();
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(writer->write(rows_at(small_rows(0, 2000), 0)));
    EXPECT_TRUE(bucket.objects().objects().empty());
    for (LakeWork& piece : writer->take_work()) ASSERT_TRUE(piece());
    EXPECT_FALSE(bucket.objects().objects().empty());
    ASSERT_TRUE(writer->write(rows_at(small_rows(0, 10), 0)));
    EXPECT_GT(writer->held_bytes(), 0u);
  }
  EXPECT_TRUE(bucket.objects().objects().empty());
  EXPECT_TRUE(bucket.write({}).added.empty());
  bucket.objects().fail([](std::string_view operation, const std::string&) {
    return operation == "put" ? SimObjectStore::Fault::kAnswerLost : SimObjectStore::Fault::kNone;
  });
  std::unique_ptr<LakeWriter> writer = bucket.writer();
  ASSERT_TRUE(writer->write(rows_at(small_rows(0, 10), 0)));
  EXPECT_EQ(writer->finish().error().code(), ErrorCode::kStorageException);
  writer.reset();
  EXPECT_TRUE(bucket.objects().objects().empty());
}

TEST(AppendWriter, RowsThatAreLostAreNotForgotten) {
  // After an error nothing is finished that would lack what was written before.
  TestBucket bucket(small_schema(), {{"target-file-size", "16 kb"}});
  std::unique_ptr<LakeWriter> writer = bucket.writer();
  bucket.objects().fail(
      [](std::string_view, const std::string&) { return SimObjectStore::Fault::kRefused; });
  Status stored = ok();
  while (stored) {
    ASSERT_TRUE(writer->write(rows_at(small_rows(0, 2000), 0)));
    for (LakeWork& piece : writer->take_work()) stored = stored ? piece() : std::move(stored);
  }
  bucket.objects().fail({});
  EXPECT_FALSE(writer->write(rows_at(small_rows(0, 10), 0)));
  EXPECT_FALSE(writer->finish());
}

TEST(AppendWriter, ColumnsMayBeFewerThanTheLakeHas) {
  // What our rows lack is null; what the lake lacks is refused, and so are changes.
  TestBucket bucket(small_schema(), {});
  bucket.lake_schema()->fields.insert(bucket.lake_schema()->fields.begin() + 2,
                                      {9, "new", DataType::array(DataType::date())});
  WrittenFiles files = bucket.write({rows_at(small_rows(0, 5), 0)});
  EXPECT_EQ(bucket.read(files.added)->GetColumnByName("new")->null_count(), 5);

  std::unique_ptr<LakeWriter> writer = bucket.writer();
  LakeRows rows = rows_at(small_rows(0, 2), 0);
  rows.changes = {ChangeType::kAppend, ChangeType::kDelete};
  EXPECT_FALSE(writer->write(rows));
  rows.changes = {ChangeType::kAppend};
  EXPECT_FALSE(writer->write(rows));

  bucket.lake_schema()->fields.erase(bucket.lake_schema()->fields.begin());
  auto refused = make_append_writer({bucket.place(), small_schema(), BucketId(0), 0});
  EXPECT_THAT(refused.error().message(), testing::HasSubstr("column id is not in the lake table"));
}

TEST(AppendWriter, OptionsThatChangeFilesAreRefused) {
  // With the name of the option and what it may be.
  for (const auto& [key, value] : Properties{{"file.format", "orc"},
                                             {"merge-engine", "partial-update"},
                                             {"deletion-vectors.enabled", "true"},
                                             {"target-file-size", "none"},
                                             {"file.compression", "zip"},
                                             {"file.compression.zstd-level", "0"},
                                             {"changelog-producer", "lookup"},
                                             {"metadata.stats-mode", "truncate(x)"},
                                             {"compaction.small-file-ratio", "2"}}) {
    PaimonSchema schema{
        .id = 0, .fields = {}, .partition_keys = {}, .primary_keys = {}, .options = {{key, value}}};
    Result<TableSettings> settings = table_settings(schema);
    ASSERT_FALSE(settings) << key;
    EXPECT_EQ(settings.error().code(), ErrorCode::kInvalidTableException);
    EXPECT_THAT(settings.error().message(), testing::HasSubstr(key));
  }
}

TEST(AppendReader, ReadsWhatIsAskedFor) {
  // Columns by name in any order, of several files one after the other.
  TestBucket bucket(small_schema(), {});
  std::vector<DataFile> files = bucket.write({rows_at(small_rows(0, 3), 0)}).added;
  files.push_back(bucket.write({rows_at(small_rows(3, 4), 3)}).added.at(0));
  EXPECT_EQ(files[1].min_sequence, 3);
  Batch rows =
      bucket.try_read(files, {{"__offset", DataType::bigint()}, {"id", DataType::bigint()}}, false)
          .value();
  EXPECT_EQ(rows->num_columns(), 2);
  ASSERT_EQ(rows->num_rows(), 7);
  for (int64_t i = 0; i < 7; ++i) {
    EXPECT_EQ(cell(rows, "__offset", i), i);
    EXPECT_EQ(cell(rows, "id", i), i);
  }
}

TEST(AppendCompaction, SmallFilesBecomeOne) {
  // In their order, whatever the order in which they are given; larger ones stay.
  TestBucket bucket(small_schema(),
                    {{"target-file-size", "40 kb"}, {"compaction.min.file-num", "3"}});
  std::vector<DataFile> live;
  for (int64_t i = 0; i < 9; ++i) {
    int64_t count = i == 3 ? 20'000 : 100;
    live.push_back(
        bucket
            .write({rows_at(small_rows(live.empty() ? 0 : live.back().max_sequence + 1, count), 0)})
            .added.at(0));
  }
  std::swap(live[0], live[8]);
  TableSettings settings = table_settings(*bucket.lake_schema()).value();
  auto groups = append_compactions(settings, live);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].size(), 3u);
  EXPECT_EQ(groups[1].size(), 5u);

  WrittenFiles written = compact_append(bucket.place(), groups[1]).value();
  ASSERT_EQ(written.added.size(), 1u);
  EXPECT_EQ(written.removed.size(), 5u);
  EXPECT_TRUE(written.added[0].compacted);
  EXPECT_EQ(written.added[0].min_sequence, 20'300);
  EXPECT_EQ(written.added[0].max_sequence, 20'799);
  Batch rows = bucket.read(written.added);
  for (int64_t i = 0; i < 500; ++i) EXPECT_EQ(cell(rows, "id", i), 20'300 + i);
  EXPECT_TRUE(append_compactions(settings, {written.added[0]}).empty());
}

}  // namespace
}  // namespace lakestream::paimon
