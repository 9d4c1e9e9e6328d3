#include "lake/key_merge.h"

#include <optional>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "io/random.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"

// What the least key of a file is that another one wrote, by Arrow's own writer.
namespace lakestream {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;
using PropertiesPtr = std::shared_ptr<parquet::WriterProperties>;

constexpr const char* kPath = "/lake/a.parquet";

// Column "k" of these values, two in a row group.
std::shared_ptr<arrow::Buffer> file_of(const TypePtr& type,
                                       const std::string& values,
                                       PropertiesPtr properties) {
  std::shared_ptr<arrow::Array> array = *arrow::json::ArrayFromJSONString(type, values);
  auto table = arrow::Table::Make(arrow::schema({arrow::field("k", type)}), {array});
  std::shared_ptr<arrow::io::BufferOutputStream> out = *arrow::io::BufferOutputStream::Create();
  EXPECT_TRUE(parquet::arrow::WriteTable(
                  *table, arrow::default_memory_pool(), out, 2, std::move(properties))
                  .ok());
  return *out->Finish();
}

class LeastKeyTest : public testing::Test {
 protected:
  std::optional<std::string> least(
      const TypePtr& written,
      const std::string& values,
      const TypePtr& read,
      PropertiesPtr properties = parquet::default_writer_properties()) {
    std::shared_ptr<arrow::Buffer> file = file_of(written, values, std::move(properties));
    auto size = static_cast<size_t>(file->size());
    EXPECT_TRUE(objects_.put(kPath, Bytes::copy_of(file->data(), size)));
    auto reader = ParquetFileReader::open(objects_, kPath, size, kWholeParquetBytes).value();
    Result<std::optional<SortKeys>> key = least_key_of(*reader, "k", read);
    EXPECT_TRUE(key) << key.error().message();
    if (!key || !*key) return std::nullopt;
    return std::string((*key)->key(0));
  }
  static std::string key_of(const TypePtr& type, const std::string& value) {
    std::string name = "k";
    auto row = arrow::RecordBatch::Make(arrow::schema({arrow::field(name, type)}),
                                        1,
                                        {*arrow::json::ArrayFromJSONString(type, value)});
    return std::string(SortKeys::make(*row, {&name, 1})->key(0));
  }

 private:
  SimDisk disk_{Random(1)};
  SimObjectStore objects_{disk_};
};

// Proves that a file in another unit, or of another width, has the key that its rows have.
TEST_F(LeastKeyTest, IsInTheUnitOfTheKey) {
  TypePtr seconds = arrow::timestamp(arrow::TimeUnit::SECOND);
  TypePtr millis = arrow::timestamp(arrow::TimeUnit::MILLI);
  TypePtr micros = arrow::timestamp(arrow::TimeUnit::MICRO);
  TypePtr nanos = arrow::timestamp(arrow::TimeUnit::NANO);
  EXPECT_EQ(least(millis, "[5, -3, 4]", micros), key_of(micros, "[-3000]"));
  EXPECT_EQ(least(micros, "[5000, -3000, 4]", millis), key_of(millis, "[-3]"));
  EXPECT_EQ(least(nanos, "[5000, -3000, 4]", micros), key_of(micros, "[-3]"));
  EXPECT_EQ(least(seconds, "[5, -3, 4]", micros), key_of(micros, "[-3000000]"));
  EXPECT_EQ(least(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"), "[5, -3, 4]", micros),
            key_of(micros, "[-3000]"));
  TypePtr time = arrow::time64(arrow::TimeUnit::MICRO);
  EXPECT_EQ(least(arrow::time32(arrow::TimeUnit::MILLI), "[5, 3, 4]", time),
            key_of(time, "[3000]"));
  EXPECT_EQ(least(arrow::int32(), "[5, -3, 4]", arrow::int64()), key_of(arrow::int64(), "[-3]"));
  EXPECT_EQ(least(arrow::decimal128(9, 1), R"(["5.0", "-3.5", "4.0"])", arrow::decimal128(18, 2)),
            key_of(arrow::decimal128(18, 2), R"(["-3.50"])"));
  EXPECT_EQ(least(arrow::fixed_size_binary(2), R"(["zz", "ab", "\u007f!"])", arrow::binary()),
            "ab");
}

// Proves that decimals have a least value whatever they are stored as, and none where the writer
// may have mistaken their order.
TEST_F(LeastKeyTest, DecimalsAreThoseOfWritersThatKnowTheirOrder) {
  const std::string values = R"(["1.00", "-1.28", "2.55", null])";
  auto by = [](const char* writer, bool as_integer = false) {
    parquet::WriterProperties::Builder builder;
    builder.created_by(writer);
    if (as_integer) builder.enable_store_decimal_as_integer();
    return builder.build();
  };
  for (int32_t precision : {4, 9, 18, 38}) {
    SCOPED_TRACE(precision);
    TypePtr type = arrow::decimal128(precision, 2);
    std::string expected = key_of(type, R"(["-1.28"])");
    EXPECT_EQ(least(type, values, type), expected);
    EXPECT_EQ(least(type, values, type, by("parquet-cpp-arrow version 4.0.0")), expected);
    EXPECT_EQ(least(type, values, type, by("parquet-mr version 1.10.0 (build a1)")), expected);
    for (const char* writer : {"parquet-cpp-arrow version 3.0.0",
                               "parquet-cpp version 1.5.1",
                               "parquet-mr version 1.9.0 (build a1)",
                               "ClickHouse v25.5.1"}) {
      EXPECT_EQ(least(type, values, type, by(writer)), std::nullopt) << writer;
      if (precision > 18) continue;
      EXPECT_EQ(least(type, values, type, by(writer, true)), expected) << writer;
    }
  }
}

// Proves that values which another type puts in another order have none.
TEST_F(LeastKeyTest, OfAnotherOrderThereIsNone) {
  EXPECT_EQ(least(arrow::int32(), "[10, 9]", arrow::utf8()), std::nullopt);
  EXPECT_EQ(least(arrow::uint32(), "[10, 9]", arrow::int32()), std::nullopt);
  EXPECT_EQ(least(arrow::float64(), "[10, 9]", arrow::float64()), std::nullopt);
  EXPECT_EQ(least(arrow::date32(), "[10, 9]", arrow::timestamp(arrow::TimeUnit::MICRO)),
            std::nullopt);
  EXPECT_EQ(least(arrow::int64(), "[10, 9]", arrow::timestamp(arrow::TimeUnit::MICRO)),
            std::nullopt);
  EXPECT_EQ(least(arrow::int32(), "[null, null]", arrow::int32()), std::nullopt);
  parquet::WriterProperties::Builder silent;
  silent.disable_statistics();
  EXPECT_EQ(least(arrow::int32(), "[10, 9]", arrow::int32(), silent.build()), std::nullopt);
}

// Proves that bytes have a least value only where the file says in which order: the fields that
// came before have one by signed bytes of some writers.
TEST(LeastOf, BytesOfNoOrderHaveNone) {
  auto least = [](const TypePtr& type, const std::string& values, bool has_order) {
    auto file = file_of(type, values, parquet::default_writer_properties());
    auto metadata = parquet::ReadMetaData(std::make_shared<arrow::io::BufferReader>(file));
    if (!has_order) {
      const_cast<parquet::SchemaDescriptor*>(metadata->schema())
          ->updateColumnOrders({parquet::ColumnOrder::undefined_});
    }
    return least_of(*metadata, "k").value() != nullptr;
  };
  for (bool has_order : {true, false}) {
    EXPECT_TRUE(least(arrow::int64(), "[5, -3]", has_order));
    EXPECT_EQ(least(arrow::decimal128(38, 0), R"(["5", "-3"])", has_order), has_order);
    EXPECT_EQ(least(arrow::binary(), R"(["b", "a"])", has_order), has_order);
    EXPECT_EQ(least(arrow::utf8(), R"(["b", "a"])", has_order), has_order);
  }
}

}  // namespace
}  // namespace lakestream
