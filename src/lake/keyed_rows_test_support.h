#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "format/arrow_schema.h"
#include "io/random.h"
#include "lake/lake.h"
#include "table/schema.h"

// Changes of a table with a primary key, and a map that says what it then holds.
//
// Thread rule: one thread.
//
//   Model model(seed);
//   LakeRows rows = lake_rows(model.change(20));
//   EXPECT_EQ(rows_in(what_was_read), model.rows());
namespace lakestream::keyed_rows {

using Batch = std::shared_ptr<arrow::RecordBatch>;

// A key, and what a table holds under it.
struct Row {
  std::string name;
  int64_t id = 0;
  std::string value;
  int64_t offset = 0;

  friend auto operator<=>(const Row&, const Row&) = default;
  friend void PrintTo(const Row& row, std::ostream* out) {
    *out << fmt::format("{} {} {} at {}", row.name, row.id, row.value, row.offset);
  }
};
using Key = std::pair<std::string, int64_t>;

struct Change {
  ChangeType type;
  Row row;
};

inline Schema keyed_schema() {
  return *SchemaBuilder()
              .column("value", DataType::string())
              .column("name", DataType::string())
              .column("id", DataType::bigint())
              .primary_key({"name", "id"})
              .build();
}

inline LakeRows lake_rows(const std::vector<Change>& changes) {
  ArrowAppender appender(keyed_schema());
  LakeRows rows;
  for (const Change& change : changes) {
    Value row[] = {change.row.value.empty() ? Value() : Value::bytes(change.row.value),
                   Value::bytes(change.row.name),
                   Value::integer(change.row.id)};
    EXPECT_TRUE(appender.append(row));
    rows.changes.push_back(change.type);
    rows.offsets.push_back(Offset(change.row.offset));
  }
  rows.rows = *appender.finish();
  rows.timestamp = TimestampMs(77);
  return rows;
}

inline std::string text(const Batch& rows, const char* column, int64_t row) {
  const auto& values = static_cast<const arrow::StringArray&>(*rows->GetColumnByName(column));
  return values.IsNull(row) ? "" : values.GetString(row);
}
inline int64_t number(const Batch& rows, const char* column, int64_t row) {
  return static_cast<const arrow::Int64Array&>(*rows->GetColumnByName(column)).Value(row);
}

inline std::vector<Row> rows_in(const Batch& batch) {
  std::vector<Row> rows;
  for (int64_t i = 0; i < batch->num_rows(); ++i) {
    rows.push_back({text(batch, "name", i),
                    number(batch, "id", i),
                    text(batch, "value", i),
                    number(batch, "__offset", i)});
  }
  return rows;
}

// In no order; as bytes, those above 127 come last.
inline const std::vector<std::string> kNames = {"b",
                                                "",
                                                std::string("\0", 1),
                                                "\xEF\xBF\xBF",
                                                "a",
                                                "\xF0\x90\x80\x80",
                                                "ab",
                                                std::string("a\0", 2)};

// Changes as a table with a primary key makes them, and what it then holds.
class Model {
 public:
  explicit Model(uint64_t seed) : random_(seed) {}

  std::vector<Change> change(size_t count) {
    std::vector<Change> changes;
    while (changes.size() < count) {
      Key key{kNames[random_.below(kNames.size())], static_cast<int64_t>(random_.below(25)) - 12};
      auto known = rows_.find(key);
      if (known == rows_.end()) {
        add(&changes, ChangeType::kInsert, new_row(key));
      } else if (random_.chance(1, 3)) {
        add(&changes, ChangeType::kDelete, known->second);
      } else {
        add(&changes, ChangeType::kUpdateBefore, known->second);
        add(&changes, ChangeType::kUpdateAfter, new_row(key));
      }
    }
    return changes;
  }
  std::vector<Row> rows() const {
    std::vector<Row> rows;
    for (const auto& [key, row] : rows_) rows.push_back(row);
    return rows;
  }
  const std::vector<Change>& all() const { return all_; }

 private:
  Row new_row(const Key& key) {
    std::string value = random_.chance(1, 10) ? "" : fmt::format("value {}", random_.next());
    return {key.first, key.second, std::move(value), 0};
  }
  void add(std::vector<Change>* changes, ChangeType type, Row row) {
    row.offset = static_cast<int64_t>(all_.size());
    Key key{row.name, row.id};
    if (type == ChangeType::kDelete) {
      rows_.erase(key);
    } else {
      rows_[key] = row;
    }
    changes->push_back({type, row});
    all_.push_back(changes->back());
  }

  Random random_;
  std::map<Key, Row> rows_;  // texts compare as unsigned bytes
  std::vector<Change> all_;
};

// What the first column of a key may be, where a file tells its least value.
inline std::vector<DataType> bounded_types() {
  return {DataType::boolean(),
          DataType::tinyint(),
          DataType::integer(),
          DataType::bigint(),
          DataType::date(),
          DataType::string(),
          DataType::char_(8),
          DataType::bytes(),
          DataType::binary(8),
          DataType::decimal(9, 2),
          DataType::decimal(18, 4),
          DataType::decimal(38, 10),
          DataType::time(0),
          DataType::time(3),
          DataType::timestamp(0),
          DataType::timestamp(3),
          DataType::timestamp(6),
          DataType::timestamp_ltz(3),
          DataType::timestamp_ltz(6)};
}

inline Schema bounded_schema(const DataType& first) {
  return *SchemaBuilder()
              .column("first", first.not_null())
              .column("id", DataType::integer().not_null())
              .column("text", DataType::string())
              .primary_key({"first", "id"})
              .build();
}

inline constexpr int64_t kBoundedRows = 4000;

// More than a file has that is fetched whole. All keys of the higher part come after the others,
// whose numbers are negative; ids go on from part to part.
inline LakeRows bounded_rows(const DataType& first, bool is_higher) {
  ArrowAppender appender(bounded_schema(first));
  for (int64_t i = 0; i < kBoundedRows; ++i) {
    int64_t step = i / 50;  // within a byte
    int64_t number = is_higher ? 1 + step : step - 100;
    std::string name = fmt::format("{}{:07}", is_higher ? '\xC3' : 'z', i);
    if (first.is(TypeRoot::kString) || first.is(TypeRoot::kChar)) {
      name = fmt::format("{}{:06}", is_higher ? "\xC3\xA9" : "zz", i);
    }
    Value key = Value::integer(number);
    switch (first.root()) {
      case TypeRoot::kBoolean:
        key = Value::boolean(is_higher);
        break;
      case TypeRoot::kChar:
      case TypeRoot::kString:
      case TypeRoot::kBinary:
      case TypeRoot::kBytes:
        key = Value::bytes(name);
        break;
      case TypeRoot::kDecimal:
        key = Value::decimal(Int128(number) * power_of_ten(first.precision() - 3));
        break;
      case TypeRoot::kTime:
        key = Value::integer(1000 * (number + 100));
        break;
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        key = Value::timestamp(number * 1000, first.precision() == 6 ? 123'000 : 0);
        break;
      default:
        break;
    }
    std::string text = fmt::format("{:0>300}", i);
    Value row[] = {key, Value::integer(i + (is_higher ? kBoundedRows : 0)), Value::bytes(text)};
    EXPECT_TRUE(appender.append(row));
  }
  return {*appender.finish(), {}, {}, Offset(0), TimestampMs(0)};
}

}  // namespace lakestream::keyed_rows
