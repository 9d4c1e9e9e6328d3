#include "query/conform.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "format/arrow_schema.h"
#include "query/query.h"

namespace lakestream::query {
namespace {

std::shared_ptr<arrow::Array> array_of(const std::shared_ptr<arrow::DataType>& type,
                                       std::string_view json) {
  static const arrow::Status ready = arrow::compute::Initialize();
  EXPECT_TRUE(ready.ok());
  auto made = arrow::json::ArrayFromJSONString(type, std::string(json));
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return *made;
}

void expect_conforms(const std::shared_ptr<arrow::Array>& from,
                     const std::shared_ptr<arrow::Array>& to) {
  auto made = conform(from, to->type());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE((*made)->ValidateFull().ok());
  EXPECT_TRUE((*made)->Equals(*to)) << (*made)->ToString() << "\n" << to->ToString();
}

// Proves that times change their unit, cut off what is too fine, and refuse what is too large.
TEST(ConformTest, ChangesUnitsOfTime) {
  auto seconds = arrow::timestamp(arrow::TimeUnit::SECOND);
  auto micros = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  expect_conforms(array_of(seconds, "[1, null, -1]"),
                  array_of(micros, "[1000000, null, -1000000]"));
  expect_conforms(array_of(micros, "[1999999, null]"), array_of(seconds, "[1, null]"));
  expect_conforms(array_of(arrow::time32(arrow::TimeUnit::SECOND), "[86399]"),
                  array_of(arrow::time64(arrow::TimeUnit::MICRO), "[86399000000]"));
  EXPECT_FALSE(
      conform(array_of(seconds, "[9223372036854]"), arrow::timestamp(arrow::TimeUnit::NANO)));
}

// Proves that nested values are changed field by field, also those of a slice.
TEST(ConformTest, GoesIntoNestedTypes) {
  auto from = arrow::list(arrow::field(
      "element",
      arrow::struct_(
          {arrow::field("t", arrow::timestamp(arrow::TimeUnit::MILLI)),
           arrow::field("m", arrow::map(arrow::utf8(), arrow::time32(arrow::TimeUnit::MILLI)))})));
  auto to = arrow::list(arrow::field(
      "item",
      arrow::struct_(
          {arrow::field("t", arrow::timestamp(arrow::TimeUnit::MICRO)),
           arrow::field("m", arrow::map(arrow::utf8(), arrow::time64(arrow::TimeUnit::MICRO)))})));
  auto values =
      array_of(from, R"([[], [{"t": 1, "m": [["a", 2]]}], null, [{"t": 3, "m": []}, null]])");
  auto wanted = array_of(
      to, R"([[], [{"t": 1000, "m": [["a", 2000]]}], null, [{"t": 3000, "m": []}, null]])");
  expect_conforms(values, wanted);
  expect_conforms(values->Slice(1, 3), wanted->Slice(1, 3));
}

// Proves that columns of tables survive the way to the engine's types and back.
TEST(ConformTest, ComesBackToTheTypesOfTables) {
  auto schema = SchemaBuilder()
                    .column("a", DataType::timestamp(0))
                    .column("b", DataType::timestamp_ltz(3))
                    .column("c", DataType::timestamp(9))
                    .column("d", DataType::time(3))
                    .column("e", DataType::binary(2))
                    .column("f", DataType::array(DataType::timestamp_ltz(9)))
                    .column("g", DataType::decimal(30, 4))
                    .build();
  ASSERT_TRUE(schema);
  auto columns = arrow_schema_of(*schema);
  arrow::ArrayVector arrays{array_of(columns->field(0)->type(), "[0, -5, null]"),
                            array_of(columns->field(1)->type(), "[1, -5, null]"),
                            array_of(columns->field(2)->type(), "[2, -5, null]"),
                            array_of(columns->field(3)->type(), "[3, 86399999, null]"),
                            array_of(columns->field(4)->type(), R"(["ab", "cd", null])"),
                            array_of(columns->field(5)->type(), "[[1, null], [], null]"),
                            array_of(columns->field(6)->type(), R"(["1.2345", "-1.0000", null])")};
  auto rows = arrow::RecordBatch::Make(columns, 3, arrays);
  auto given = conform(rows, engine_schema_of(*schema));
  ASSERT_TRUE(given) << given.error().message();
  auto back = conform(*given, columns);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_TRUE((*back)->Equals(*rows)) << (*back)->ToString();
}

// Proves that values of types that tables do not have are shown as text.
TEST(ConformTest, ShowsForeignTypes) {
  using Nanos = arrow::MonthDayNanoIntervalType::MonthDayNanos;
  arrow::MonthDayNanoIntervalBuilder intervals;
  for (Nanos value : {Nanos{14, 3, 3'661'500'000'000}, Nanos{0, 0, 0}, Nanos{-1, 0, -1'000'000}}) {
    ASSERT_TRUE(intervals.Append(value).ok());
  }
  ASSERT_TRUE(intervals.AppendNull().ok());
  auto foreign = arrow::schema({arrow::field("a", arrow::month_day_nano_interval()),
                                arrow::field("a", arrow::time64(arrow::TimeUnit::MICRO)),
                                arrow::field("", arrow::uint64()),
                                arrow::field("d", arrow::dictionary(arrow::int8(), arrow::utf8())),
                                arrow::field("n", arrow::null())});
  auto rows = arrow::RecordBatch::Make(
      foreign,
      4,
      arrow::ArrayVector{*intervals.Finish(),
                         array_of(foreign->field(1)->type(), "[0, 3723000001, 1500000, null]"),
                         array_of(arrow::uint64(), "[18446744073709551615, 0, 1, null]"),
                         array_of(foreign->field(3)->type(), R"(["x", "y", "x", null])"),
                         array_of(arrow::null(), "[null, null, null, null]")});
  auto schema = shown_schema_of(*foreign);
  ASSERT_TRUE(schema) << schema.error().message();
  EXPECT_EQ(schema->visible_names(), (std::vector<std::string>{"a", "a_1", "column", "d", "n"}));
  auto shown = shown_rows_of(rows, *schema);
  ASSERT_TRUE(shown) << shown.error().message();
  EXPECT_TRUE((*shown)->column(0)->Equals(*array_of(
      arrow::utf8(),
      R"(["1 year 2 months 3 days 01:01:01.5", "00:00:00", "-1 month -00:00:00.001", null])")))
      << (*shown)->column(0)->ToString();
  EXPECT_TRUE((*shown)->column(1)->Equals(
      *array_of(arrow::utf8(), R"(["00:00:00", "01:02:03.000001", "00:00:01.5", null])")));
  EXPECT_TRUE((*shown)->column(2)->Equals(
      *array_of(arrow::decimal128(20, 0), R"(["18446744073709551615", "0", "1", null])")));
  EXPECT_TRUE((*shown)->column(3)->Equals(*array_of(arrow::utf8(), R"(["x", "y", "x", null])")));
  EXPECT_EQ((*shown)->column(4)->null_count(), 4);
}

}  // namespace
}  // namespace lakestream::query
