#include <fstream>
#include <iterator>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "lake/key_merge.h"
#include "lake/paimon/data_test_support.h"
#include "lake/paimon/file_columns.h"
#include "lake/parquet/parquet_test_support.h"

// Data files that others wrote, in testdata/parquet: java_* by Paimon 1.4.2 (Java), pypaimon_* by
// pypaimon 2.1.0. The rows of *_every are those of rows_of_every_type(), with offsets from 100 on.

namespace lakestream::paimon {
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

// Puts the file into the bucket under its name.
DataFile golden(TestBucket& bucket, const std::string& name) {
  std::ifstream in(std::string(LAKESTREAM_SOURCE_DIR) + "/src/lake/testdata/parquet/" + name,
                   std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_FALSE(content.empty()) << name;
  DataFile file;
  file.name = name;
  file.size = static_cast<int64_t>(content.size());
  EXPECT_TRUE(
      bucket.objects().put(bucket.lake_files({file}).front().path, Bytes::copy_of(content)));
  return file;
}

TEST(GoldenDataFiles, EveryTypeAsOthersWriteIt) {
  // Physical types differ between writers (decimals, binaries, nanoseconds), values do not.
  for (const char* name : {"java_every.parquet", "pypaimon_every.parquet"}) {
    SCOPED_TRACE(name);
    TestBucket bucket(every_type(), {});
    Batch rows = bucket.read({golden(bucket, name)});
    Batch expected = rows_of_every_type(bucket.schema(), 12);
    ASSERT_EQ(rows->num_rows(), 12);
    for (int i = 0; i < expected->num_columns(); ++i) {
      EXPECT_TRUE(rows->column(i)->Equals(expected->column(i)))
          << rows->column_name(i) << rows->column(i)->ToString();
    }
    const auto& offsets = static_cast<const arrow::Int64Array&>(*rows->GetColumnByName("__offset"));
    for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(offsets.Value(i), 100 + i);
  }
}

TEST(GoldenDataFiles, LeastKeysAsOthersWriteThem) {
  // What files say of each type that has an order is the least of their rows.
  Schema schema = every_type();
  for (const char* name : {"java_every.parquet", "pypaimon_every.parquet"}) {
    TestBucket bucket(schema, {});
    LakeDataFile file = bucket.lake_files({golden(bucket, name)}).front();
    auto reader =
        ParquetFileReader::open(bucket.objects(), file.path, file.bytes, kWholeParquetBytes)
            .value();
    ASSERT_TRUE(reader->select(table_columns_of(*bucket.lake_schema()), 100));
    Batch rows = reader->next().value();
    for (const Column& column : schema.columns()) {
      SCOPED_TRACE(fmt::format("{} of {}", column.name, name));
      std::shared_ptr<arrow::DataType> type = file_type_of(column.type);
      Result<std::optional<SortKeys>> told = least_key_of(*reader, column.name, type);
      ASSERT_TRUE(told) << told.error().message();
      bool is_float = column.type.is(TypeRoot::kFloat) || column.type.is(TypeRoot::kDouble);
      bool has_nanos = column.name == "timestamp9" || column.name == "ltz9";
      bool is_int96 = has_nanos && std::string_view(name).starts_with("java");
      if (column.type.is_nested() || is_float || is_int96) {
        EXPECT_FALSE(*told);
        continue;
      }
      ASSERT_TRUE(*told);
      std::optional<SortKeys> least;
      for (int64_t i = 0; i < rows->num_rows(); ++i) {
        if (rows->GetColumnByName(column.name)->IsNull(i)) continue;
        SortKeys key = SortKeys::make(*rows->Slice(i, 1), {&column.name, 1}).value();
        if (!least || key.compare(0, *least, 0) < 0) least = std::move(key);
      }
      EXPECT_EQ((*told)->key(0), least->key(0));
    }
  }
}

TEST(GoldenDataFiles, KeysAsJavaWritesThem) {
  // Nine rows, then an update, a delete and an insert of a null in a second file.
  Schema schema = *SchemaBuilder()
                       .column("id", DataType::integer())
                       .column("name", DataType::string())
                       .column("value", DataType::decimal(10, 2))
                       .primary_key({"name", "id"})
                       .build();
  TestBucket bucket(schema, {}, LakeLayout::kPlain);
  Batch rows =
      bucket.read({golden(bucket, "java_keyed_2.parquet"), golden(bucket, "java_keyed_1.parquet")});
  ArrowAppender expected(schema);
  auto add = [&](int64_t id, std::string_view name, std::optional<int64_t> value) {
    Value row[] = {
        Value::integer(id), Value::bytes(name), value ? Value::decimal(*value) : Value::null()};
    EXPECT_TRUE(expected.append(row));
  };
  add(1, "a", 100);
  add(4, "a", -1);
  add(7, "a", 700);
  add(100, "a", std::nullopt);
  for (int64_t id : {0, 3, 6}) add(id, "b", 100 * id);
  for (int64_t id : {2, 8}) add(id, "\xE2\x82\xAC", 100 * id);
  EXPECT_TRUE(rows->Equals(**expected.finish())) << rows->ToString();
}

}  // namespace
}  // namespace lakestream::paimon
