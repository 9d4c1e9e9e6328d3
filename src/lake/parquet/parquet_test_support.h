#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "format/arrow_schema.h"
#include "format/value.h"
#include "table/schema.h"

// Batches of every type, for the tests of this module.
//
// Thread rule: one thread.
//
//   Schema schema = every_type();
//   std::shared_ptr<arrow::RecordBatch> rows = rows_of_every_type(schema, 100);
namespace lakestream {

// A column of each type, nullable; nested ones at the end.
inline Schema every_type() {
  DataType row = DataType::row({{"a", DataType::integer(), {}}, {"b", DataType::string(), {}}});
  return *SchemaBuilder()
              .column("boolean", DataType::boolean())
              .column("tinyint", DataType::tinyint())
              .column("smallint", DataType::smallint())
              .column("int", DataType::integer())
              .column("bigint", DataType::bigint())
              .column("float", DataType::float_())
              .column("double", DataType::double_())
              .column("char", DataType::char_(3))
              .column("string", DataType::string())
              .column("binary", DataType::binary(4))
              .column("bytes", DataType::bytes())
              .column("decimal9", DataType::decimal(9, 2))
              .column("decimal18", DataType::decimal(18, 4))
              .column("decimal38", DataType::decimal(38, 10))
              .column("date", DataType::date())
              .column("time0", DataType::time(0))
              .column("time3", DataType::time(3))
              .column("timestamp0", DataType::timestamp(0))
              .column("timestamp3", DataType::timestamp(3))
              .column("timestamp6", DataType::timestamp(6))
              .column("timestamp9", DataType::timestamp(9))
              .column("ltz3", DataType::timestamp_ltz(3))
              .column("ltz6", DataType::timestamp_ltz(6))
              .column("ltz9", DataType::timestamp_ltz(9))
              .column("array", DataType::array(DataType::timestamp_ltz(3)))
              .column("map", DataType::map(DataType::string().not_null(), DataType::binary(2)))
              .column("row", row)
              .column("deep", DataType::array(DataType::map(DataType::integer().not_null(), row)))
              .build();
}

// Four rows: the least value of each type, the greatest, something plain, and all null; again and
// again with the plain one changing.
class RowsOfEveryType {
 public:
  explicit RowsOfEveryType(const Schema& schema) : schema_(schema) {}

  std::shared_ptr<arrow::RecordBatch> make(int64_t count) {
    ArrowAppender appender(schema_);
    for (int64_t i = 0; i < count; ++i) {
      std::vector<Value> row;
      for (const Column& column : schema_.columns()) row.push_back(value(column.type, i));
      Status appended = appender.append(row);
      EXPECT_TRUE(appended) << appended.error().message();
    }
    return *appender.finish();
  }

 private:
  static constexpr int64_t kMax64 = INT64_MAX;
  enum Which { kLeast, kGreatest, kPlain, kNull };

  Value number(int64_t bits, Which which, int64_t i) {
    int64_t max = kMax64 >> (64 - bits);
    if (which == kLeast) return Value::integer(-max - 1);
    return Value::integer(which == kGreatest ? max : i % 100);
  }
  Value text(std::string content) { return Value::bytes(arena_.copy(content)); }
  Value timestamp(const DataType& type, Which which, int64_t i) {
    // From year 1 to 9999; nanoseconds of 64 bits, as Arrow has them, from 1684 to 2255.
    bool narrow = type.precision() > 6;
    int64_t least = narrow ? -9'000'000'000'000 : -62'135'596'800'000;
    int64_t greatest = narrow ? 9'000'000'000'000 : 253'402'300'799'000;
    int32_t ns = type.precision() == 9 ? 456'789 : 0;
    if (type.precision() == 6) ns = 999'000;
    int64_t step = type.precision() == 0 ? 1000 : 1;
    if (which == kLeast) return Value::timestamp(least, ns);
    if (which == kGreatest) return Value::timestamp(greatest, ns);
    return Value::timestamp((i - 5) * step, ns);
  }
  Value decimal(const DataType& type, Which which, int64_t i) {
    Int128 max = power_of_ten(type.precision()) - 1;
    if (which == kLeast) return Value::decimal(-max);
    return Value::decimal(which == kGreatest ? max : Int128(i));
  }
  Value nested(const DataType& type, int64_t i) {
    if (type.is(TypeRoot::kRow)) {
      std::span<Value> fields = arena_.values(type.fields().size());
      for (size_t k = 0; k < fields.size(); ++k) fields[k] = value(type.fields()[k].type, i + 1);
      return Value::row(fields);
    }
    auto count = static_cast<size_t>(i % 3);
    if (type.is(TypeRoot::kArray)) {
      std::span<Value> elements = arena_.values(count);
      for (size_t k = 0; k < count; ++k) {
        elements[k] = value(type.element_type(), i + static_cast<int64_t>(k));
      }
      return Value::array(elements);
    }
    std::span<Value> entries = arena_.values(2 * count);
    for (size_t k = 0; k < count; ++k) {
      entries[2 * k] = value(type.key_type(), static_cast<int64_t>(4 * k + 2));
      entries[2 * k + 1] = value(type.value_type(), i + static_cast<int64_t>(k));
    }
    return Value::map(entries);
  }
  Value value(const DataType& type, int64_t i) {
    auto which = static_cast<Which>(i % 4);
    if (which == kNull && type.nullable()) return Value::null();
    switch (type.root()) {
      case TypeRoot::kBoolean:
        return Value::boolean(which == kGreatest);
      case TypeRoot::kTinyint:
        return number(8, which, i);
      case TypeRoot::kSmallint:
        return number(16, which, i);
      case TypeRoot::kInteger:
        return number(32, which, i);
      case TypeRoot::kBigint:
        return number(64, which, i);
      case TypeRoot::kFloat:
        return Value::float_(which == kLeast ? -3.4e38f : which == kGreatest ? 3.4e38f : 1.5f);
      case TypeRoot::kDouble:
        return Value::double_(which == kLeast ? -1.7e308 : which == kGreatest ? 1.7e308 : 0.1);
      case TypeRoot::kChar:
        return text(which == kLeast ? "" : which == kGreatest ? "\xE2\x82\xAC" : "abc");
      case TypeRoot::kString:
        return text(which == kLeast ? "" : fmt::format("text {} \xC3\xA9", i));
      case TypeRoot::kBinary:
        return text(std::string(static_cast<size_t>(type.length()), which == kLeast ? '\0' : 'z'));
      case TypeRoot::kBytes:
        return text(which == kLeast ? "" : std::string("\0\xFF", 2) + std::to_string(i));
      case TypeRoot::kDecimal:
        return decimal(type, which, i);
      case TypeRoot::kDate:
        return Value::integer(which == kLeast ? -719162 : which == kGreatest ? 2932896 : i);
      case TypeRoot::kTime:
        return Value::integer(which == kLeast ? 0 : which == kGreatest ? 86'399'000 : 1000 * i);
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        return timestamp(type, which, i);
      default:
        return nested(type, i);
    }
  }

  Schema schema_;
  Arena arena_;
};

inline std::shared_ptr<arrow::RecordBatch> rows_of_every_type(const Schema& schema, int64_t count) {
  return RowsOfEveryType(schema).make(count);
}

}  // namespace lakestream
