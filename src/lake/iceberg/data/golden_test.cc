#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "lake/iceberg/data/data_test_support.h"

// testdata/pyiceberg: a data file that pyiceberg 0.12 wrote and what its manifest says of it; made
// by the make.py there.

namespace lakestream::iceberg {
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

constexpr int64_t kMicrosPerDay = 86'400'000'000;

std::ifstream open_golden(const std::string& name) {
  std::ifstream in(std::string(LAKESTREAM_SOURCE_DIR) + "/src/lake/testdata/pyiceberg/" + name,
                   std::ios::binary);
  EXPECT_TRUE(in.good()) << name;
  return in;
}

Schema golden_schema() {
  DataType row = DataType::row({{"a", DataType::integer(), {}}, {"b", DataType::string(), {}}});
  return *SchemaBuilder()
              .column("boolean", DataType::boolean())
              .column("int", DataType::integer())
              .column("long", DataType::bigint())
              .column("float", DataType::float_())
              .column("double", DataType::double_())
              .column("decimal9", DataType::decimal(9, 2))
              .column("decimal18", DataType::decimal(18, 4))
              .column("decimal38", DataType::decimal(38, 10))
              .column("date", DataType::date())
              .column("time", DataType::time(3))
              .column("timestamp", DataType::timestamp(6))
              .column("timestamptz", DataType::timestamp_ltz(6))
              .column("string", DataType::string())
              .column("binary", DataType::bytes())
              .column("list", DataType::array(DataType::integer()))
              .column("map", DataType::map(DataType::string().not_null(), DataType::bigint()))
              .column("struct", row)
              .build();
}

Value micros(int64_t value) {
  int64_t ms = value >= 0 ? value / 1000 : -((999 - value) / 1000);
  return Value::timestamp(ms, static_cast<int32_t>((value - ms * 1000) * 1000));
}

Batch golden_rows() {
  ArrowAppender appender(golden_schema());
  int64_t now = 20'787 * kMicrosPerDay + 3'723'000'004;
  Int128 least = -(Int128(123'456'789'012) * Int128(1'000'000'000'000'000'000) +
                   Int128(345'678'900'123'456'789));
  std::string binary = std::string("\xFF\xFF") + std::string(20, '\0');
  Value with_null[] = {Value::integer(1), Value::null(), Value::integer(3)};
  Value seven[] = {Value::integer(7)};
  Value entries[] = {Value::bytes("a"), Value::integer(1), Value::bytes("b"), Value::null()};
  Value entry[] = {Value::bytes("c"), Value::integer(3)};
  Value rows[3][2] = {{Value::integer(1), Value::bytes("x")},
                      {Value::null(), Value::bytes("")},
                      {Value::integer(3), Value::null()}};
  Value all[4][17] = {{Value::boolean(false),
                       Value::integer(INT32_MIN),
                       Value::integer(INT64_MIN),
                       Value::float_(-3.5f),
                       Value::double_(-3.5),
                       Value::decimal(-999'999'999),
                       Value::decimal(-10'000),
                       Value::decimal(least),
                       Value::integer(-1),
                       Value::integer(0),
                       micros(-1),
                       micros(-1),
                       Value::bytes(""),
                       Value::bytes(""),
                       Value::array({}),
                       Value::map({}),
                       Value::row(rows[0])},
                      {Value::boolean(true),
                       Value::integer(INT32_MAX),
                       Value::integer(INT64_MAX),
                       Value::float_(1e30f),
                       Value::double_(1e300),
                       Value::decimal(128),
                       Value::decimal(999'999'999'999'999'999),
                       Value::decimal(128),
                       Value::integer(20'787),
                       Value::integer(86'399'999),
                       micros(now),
                       micros(now),
                       Value::bytes("\xC3\xA9 text of more than sixteen characters"),
                       Value::bytes(binary),
                       Value::array(with_null),
                       Value::map(entries),
                       Value::row(rows[1])},
                      {Value::boolean(true),
                       Value::integer(7),
                       Value::integer(7),
                       Value::float_(1.5f),
                       Value::double_(0.1),
                       Value::decimal(-1),
                       Value::decimal(0),
                       Value::decimal(0),
                       Value::integer(0),
                       Value::integer(3'723'000),
                       micros(0),
                       micros(0),
                       Value::bytes("abc"),
                       Value::bytes(std::string_view("\0\1", 2)),
                       Value::array(seven),
                       Value::map(entry),
                       Value::row(rows[2])},
                      {}};
  for (auto& row : all) EXPECT_TRUE(appender.append(row));
  return *appender.finish();
}

TEST(IcebergGolden, EveryTypeAsPyicebergWritesIt) {
  // Read by the ids of fields, in our types.
  std::ifstream in = open_golden("every.parquet");
  std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  TestBucket bucket(golden_schema(), {});
  DataFile file{
      .path = "/lake/every.parquet", .rows = 4, .bytes = static_cast<int64_t>(content.size())};
  ASSERT_TRUE(bucket.objects().put(file.path, Bytes::copy_of(content)));
  WrittenFiles written;
  written.data.push_back(file);
  bucket.commit(written);
  // Ids of nested fields follow those of the columns.
  IcebergSchema lake = bucket.lake_schema();
  lake.fields.resize(golden_schema().size());
  auto highest = static_cast<int32_t>(lake.fields.size());
  for (size_t i = 0; i < lake.fields.size(); ++i) {
    lake.fields[i].type = iceberg_type_of(golden_schema().column(i).type, &highest);
  }
  bucket.set_schema(golden_schema(), lake);
  std::vector<ReaderColumn> columns = bucket.all_columns();
  Result<Batch> read = bucket.try_read(columns);
  ASSERT_TRUE(read) << read.error().message();
  Batch rows = *read;
  Batch expected = golden_rows();
  for (int i = 0; i < expected->num_columns(); ++i) {
    EXPECT_TRUE(rows->column(i)->Equals(expected->column(i)))
        << rows->column_name(i) << rows->column(i)->ToString();
  }
}

TEST(IcebergGolden, MetricsAsPyicebergHasThem) {
  // Of the same rows in a file of ours: counts, and bounds as they are serialized and cut off.
  TestBucket bucket(golden_schema(), {});
  LakeRows rows{golden_rows(), {}, {}, Offset(0), TimestampMs(0)};
  DataFile file = bucket.write({rows}).data.at(0);
  auto hex = [](const std::optional<std::string>& bound) {
    EXPECT_TRUE(bound.has_value());
    if (!bound || bound->empty()) return std::string("-");
    return to_hex({reinterpret_cast<const uint8_t*>(bound->data()), bound->size()});
  };
  std::ifstream in = open_golden("every.metrics");
  int32_t id = 0;
  int64_t values = 0;
  int64_t nulls = 0;
  std::string lower;
  std::string upper;
  size_t count = 0;
  while (in >> id >> values >> nulls >> lower >> upper) {
    SCOPED_TRACE(id);
    ASSERT_LT(count, file.metrics.size());
    const FieldMetrics& metrics = file.metrics[count++];
    EXPECT_EQ(metrics.id, id);
    EXPECT_EQ(metrics.values, values);
    EXPECT_EQ(metrics.nulls, nulls);
    EXPECT_EQ(hex(metrics.lower), lower);
    EXPECT_EQ(hex(metrics.upper), upper);
  }
  // Besides those that say where a row comes from.
  EXPECT_EQ(count + 3, file.metrics.size());
}

}  // namespace
}  // namespace lakestream::iceberg
