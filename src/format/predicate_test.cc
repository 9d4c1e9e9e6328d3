#include "format/predicate.h"

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <variant>

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "format/arrow_schema.h"
#include "format/batch_builder.h"

namespace lakestream {
namespace {

// ---- a plain model: cells and conditions of its own, two notions of equal numbers

using Cell = std::variant<std::monostate, int64_t, double, std::string>;

enum class Rules { kSql, kJava };

int sign_of(double value) { return std::signbit(value) ? -1 : 1; }

int model_compare(const Cell& a, const Cell& b, Rules rules) {
  if (auto* text = std::get_if<std::string>(&a)) {
    int order = text->compare(std::get<std::string>(b));
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  if (auto* number = std::get_if<int64_t>(&a)) {
    int64_t other = std::get<int64_t>(b);
    return *number < other ? -1 : *number > other ? 1 : 0;
  }
  double x = std::get<double>(a);
  double y = std::get<double>(b);
  if (std::isnan(x) || std::isnan(y)) return int{std::isnan(x)} - int{std::isnan(y)};
  if (x == 0 && y == 0 && rules == Rules::kJava) return (sign_of(x) - sign_of(y)) / 2;
  return x < y ? -1 : x > y ? 1 : 0;
}

struct Condition {
  enum class Kind { kLeaf, kAll, kAny } kind = Kind::kLeaf;
  LeafFunction function = LeafFunction::kEqual;
  size_t column = 0;
  std::vector<Cell> literals;
  std::vector<Condition> children;
};

bool model_leaf(const Condition& condition, const Cell& cell, Rules rules) {
  bool is_null = cell.index() == 0;
  if (condition.function == LeafFunction::kIsNull) return is_null;
  if (is_null) return false;
  if (condition.function == LeafFunction::kIsNotNull) return true;
  auto equals = [&](const Cell& literal) {
    return literal.index() != 0 && model_compare(cell, literal, rules) == 0;
  };
  bool any = std::ranges::any_of(condition.literals, equals);
  bool has_null = std::ranges::any_of(condition.literals,
                                      [](const Cell& literal) { return literal.index() == 0; });
  if (condition.function == LeafFunction::kIn) return any;
  if (condition.function == LeafFunction::kNotIn) return !any && !has_null;
  if (has_null) return false;
  const Cell& literal = condition.literals.at(0);
  if (condition.function >= LeafFunction::kStartsWith) {
    const auto& text = std::get<std::string>(cell);
    const auto& part = std::get<std::string>(literal);
    switch (condition.function) {
      case LeafFunction::kStartsWith:
        return text.rfind(part, 0) == 0;
      case LeafFunction::kContains:
        return text.find(part) != std::string::npos;
      case LeafFunction::kEndsWith:
        return text.size() >= part.size() && text.substr(text.size() - part.size()) == part;
      case LeafFunction::kNotStartsWith:
        return text.rfind(part, 0) != 0;
      case LeafFunction::kNotContains:
        return text.find(part) == std::string::npos;
      default:
        return text.size() < part.size() || text.substr(text.size() - part.size()) != part;
    }
  }
  int order = model_compare(cell, literal, rules);
  switch (condition.function) {
    case LeafFunction::kEqual:
      return order == 0;
    case LeafFunction::kNotEqual:
      return order != 0;
    case LeafFunction::kLess:
      return order < 0;
    case LeafFunction::kLessOrEqual:
      return order <= 0;
    case LeafFunction::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

bool model_matches(const Condition& condition, const std::vector<Cell>& row, Rules rules) {
  switch (condition.kind) {
    case Condition::Kind::kLeaf:
      return model_leaf(condition, row[condition.column], rules);
    case Condition::Kind::kAll:
      for (const Condition& child : condition.children) {
        if (!model_matches(child, row, rules)) return false;
      }
      return true;
    default:
      for (const Condition& child : condition.children) {
        if (model_matches(child, row, rules)) return true;
      }
      return false;
  }
}

// ---- random rows and conditions over the columns of one schema

Schema all_types() {
  return *SchemaBuilder()
              .column("flag", DataType::boolean())
              .column("tiny", DataType::tinyint())
              .column("number", DataType::bigint())
              .column("ratio", DataType::double_())
              .column("half", DataType::float_())
              .column("text", DataType::string())
              .column("code", DataType::char_(3))
              .column("price", DataType::decimal(9, 2))
              .column("large", DataType::decimal(30, 2))
              .column("day", DataType::date())
              .column("clock", DataType::time(3))
              .column("at", DataType::timestamp(3))
              .column("at_ltz", DataType::timestamp_ltz(6))
              .build();
}

Value value_of(const DataType& type, const Cell& cell) {
  if (cell.index() == 0) return {};
  switch (value_kind_of(type)) {
    case Value::Kind::kBoolean:
      return Value::boolean(std::get<int64_t>(cell) > 0);
    case Value::Kind::kFloat:
      return Value::float_(static_cast<float>(std::get<double>(cell)));
    case Value::Kind::kDouble:
      return Value::double_(std::get<double>(cell));
    case Value::Kind::kBytes:
      return Value::bytes(std::get<std::string>(cell));
    case Value::Kind::kDecimal:
      return Value::decimal(std::get<int64_t>(cell));
    case Value::Kind::kTimestamp: {
      int64_t time = std::get<int64_t>(cell);
      return type.precision() > 3 ? Value::timestamp(time, 7000) : Value::timestamp(time, 0);
    }
    default: {
      int64_t middle = type.is(TypeRoot::kTime) ? 100 : 0;  // which is never negative
      return Value::integer(middle + std::get<int64_t>(cell));
    }
  }
}

class Source {
 public:
  explicit Source(uint32_t seed) : random_(seed) {}

  int64_t below(int64_t limit) { return static_cast<int64_t>(random_() % uint64_t(limit)); }

  // Values from a window, so that batches differ from each other.
  Cell cell(const DataType& type, int64_t window) {
    switch (value_kind_of(type)) {
      case Value::Kind::kBoolean:
        return below(2);
      case Value::Kind::kFloat:
      case Value::Kind::kDouble: {
        static const double kSpecial[] = {-0.0, 0.0, NAN, INFINITY, -INFINITY};
        if (below(3) == 0) return kSpecial[below(5)];
        return static_cast<double>(window + below(4)) / 2;
      }
      case Value::Kind::kBytes: {
        static const std::string kParts[] = {"", "a", "b", "é", "ab", "\x7f"};
        if (type.is(TypeRoot::kChar)) return kParts[below(3)];
        return kParts[below(6)] + kParts[below(6)];
      }
      default:
        return window + below(4);
    }
  }
  Condition leaf(const Schema& schema) {
    Condition leaf;
    leaf.column = static_cast<size_t>(below(static_cast<int64_t>(schema.size())));
    const DataType& type = schema.column(leaf.column).type;
    bool is_text = value_kind_of(type) == Value::Kind::kBytes;
    do {
      leaf.function = static_cast<LeafFunction>(below(16));
    } while (!is_text && (leaf.function == LeafFunction::kStartsWith ||
                          leaf.function == LeafFunction::kContains ||
                          leaf.function == LeafFunction::kEndsWith ||
                          leaf.function >= LeafFunction::kNotStartsWith));
    bool is_list = leaf.function == LeafFunction::kIn || leaf.function == LeafFunction::kNotIn;
    bool is_null_test =
        leaf.function == LeafFunction::kIsNull || leaf.function == LeafFunction::kIsNotNull;
    int64_t count = is_null_test ? 0 : is_list ? below(4) : 1;
    for (int64_t i = 0; i < count; ++i) {
      leaf.literals.push_back(below(20) == 0 ? Cell() : cell(type, -8 + below(16)));
    }
    return leaf;
  }
  Condition condition(const Schema& schema, int depth) {
    if (depth == 0 || below(3) == 0) return leaf(schema);
    Condition node;
    node.kind = below(2) == 0 ? Condition::Kind::kAll : Condition::Kind::kAny;
    int64_t count = 1 + below(3);
    for (int64_t i = 0; i < count; ++i) node.children.push_back(condition(schema, depth - 1));
    return node;
  }

 private:
  std::mt19937_64 random_;
};

Predicate predicate_of(const Condition& condition, const Schema& schema) {
  if (condition.kind == Condition::Kind::kLeaf) {
    const Column& column = schema.column(condition.column);
    std::vector<Value> literals;
    for (const Cell& cell : condition.literals) literals.push_back(value_of(column.type, cell));
    return Predicate::leaf(condition.function, column, literals);
  }
  std::vector<Predicate> children;
  for (const Condition& child : condition.children) {
    children.push_back(predicate_of(child, schema));
  }
  return condition.kind == Condition::Kind::kAll ? Predicate::all_of(std::move(children))
                                                 : Predicate::any_of(std::move(children));
}

struct TestBatch {
  std::vector<std::vector<Cell>> rows;
  Bytes bytes;
  std::shared_ptr<arrow::RecordBatch> columns;
};

TestBatch random_batch(const Schema& schema, Source* source) {
  TestBatch batch;
  BatchOptions options{.schema_id = SchemaId(1), .append_only = true, .magic = 1};
  for (size_t i = 0; i < schema.size(); ++i) {
    if (source->below(5) > 0) options.statistics_columns.push_back(static_cast<int32_t>(i));
  }
  BatchBuilder builder(schema, options);
  ArrowAppender columns(schema);
  int64_t window = -8 + source->below(16);
  std::vector<int64_t> nulls_in_ten;
  for (size_t i = 0; i < schema.size(); ++i) nulls_in_ten.push_back(source->below(4) * 4);
  int64_t count = 1 + source->below(6);
  for (int64_t i = 0; i < count; ++i) {
    std::vector<Cell> row;
    row.reserve(schema.size());  // the values point to its texts
    std::vector<Value> values;
    for (size_t column = 0; column < schema.size(); ++column) {
      const DataType& type = schema.column(column).type;
      bool is_null = source->below(10) < nulls_in_ten[column];
      row.push_back(is_null ? Cell() : source->cell(type, window));
      values.push_back(value_of(type, row.back()));
    }
    EXPECT_TRUE(builder.append(ChangeType::kAppend, values));
    EXPECT_TRUE(columns.append(values));
    batch.rows.push_back(std::move(row));
  }
  batch.bytes = *builder.finish({});
  batch.columns = *columns.finish();
  return batch;
}

TEST(PredicateTest, NoBatchWithAMatchingRowIsSkippedAndRowsAreThoseOfTheModel) {
  // Random batches, random conditions, judged row by row by the model above, under both rules.
  Schema schema = all_types();
  size_t skipped = 0;
  size_t skippable = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Source source(seed);
    TestBatch batch = random_batch(schema, &source);
    auto view = BatchView::parse(batch.bytes);
    ASSERT_TRUE(view);
    for (int i = 0; i < 40; ++i) {
      Condition condition = source.condition(schema, i % 4);
      Predicate predicate = predicate_of(condition, schema);
      std::vector<int64_t> expected;
      bool any = false;
      for (size_t row = 0; row < batch.rows.size(); ++row) {
        bool matches = model_matches(condition, batch.rows[row], Rules::kSql);
        if (matches) expected.push_back(static_cast<int64_t>(row));
        any = any || matches || model_matches(condition, batch.rows[row], Rules::kJava);
      }
      bool may_match = BatchFilter(predicate).may_match(
          schema, SchemaId(1), view->record_count(), view->statistics());
      ASSERT_TRUE(may_match || !any) << "seed " << seed << ", condition " << i;
      skipped += may_match ? 0 : 1;
      skippable += any ? 0 : 1;
      auto filter = RowFilter::make(predicate, schema);
      ASSERT_TRUE(filter);
      ASSERT_EQ(*filter->matching(batch.columns), expected) << "seed " << seed << ", " << i;
    }
  }
  // It is of use, too.
  EXPECT_GT(skipped, skippable / 3);
}

class OneColumn {
 public:
  explicit OneColumn(const DataType& type)
      : schema(*SchemaBuilder().column("c", type).build()), column(schema.column(0)) {}

  Bytes block(std::vector<Value> rows) const {
    BatchBuilder builder(
        schema,
        {.schema_id = SchemaId(1), .append_only = true, .magic = 1, .statistics_columns = {0}});
    for (const Value& value : rows) {
      EXPECT_TRUE(builder.append(ChangeType::kAppend, std::span(&value, 1)));
    }
    auto view = BatchView::parse(*builder.finish({}));
    return Bytes::copy_of(view->statistics().data(), view->statistics().size());
  }
  bool may_match(LeafFunction function,
                 const std::vector<Value>& literals,
                 std::span<const uint8_t> statistics,
                 int32_t rows) const {
    return BatchFilter(Predicate::leaf(function, column, literals))
        .may_match(schema, SchemaId(1), rows, statistics);
  }

  Schema schema;
  Column column;
};

TEST(PredicateTest, WithoutStatisticsEverythingMayMatch) {
  // No block, one that is cut at any place, and one that contradicts itself.
  OneColumn c(DataType::integer());
  Bytes block = c.block({Value::integer(1), Value::integer(2)});
  std::vector<Value> seven{Value::integer(7)};
  EXPECT_FALSE(c.may_match(LeafFunction::kEqual, seven, block.span(), 2));
  for (size_t size = 0; size < block.size(); ++size) {
    EXPECT_TRUE(c.may_match(LeafFunction::kEqual, seven, block.span().first(size), 2)) << size;
  }
  Bytes with_null = c.block({Value(), Value::integer(1)});
  EXPECT_TRUE(c.may_match(LeafFunction::kEqual, seven, with_null.span(), 1)) << "all null, a value";
  EXPECT_TRUE(c.may_match(LeafFunction::kIsNotNull, {}, with_null.span(), 0) == false)
      << "a batch without rows";
}

TEST(PredicateTest, ColumnsAreFoundById) {
  // The batch was written before the column was added, or under an order of its own.
  Schema written = *SchemaBuilder().column("a", DataType::integer()).build();
  Schema newer = *SchemaBuilder(written).column("b", DataType::integer()).build();
  OneColumn a(DataType::integer());
  Bytes block = a.block({Value::integer(1), Value::integer(2)});
  auto judge = [&](LeafFunction function, size_t column, std::vector<Value> literals) {
    return BatchFilter(Predicate::leaf(function, newer.column(column), literals))
        .may_match(written, SchemaId(1), 2, block.span());
  };
  EXPECT_TRUE(judge(LeafFunction::kEqual, 0, {Value::integer(2)}));
  EXPECT_FALSE(judge(LeafFunction::kEqual, 0, {Value::integer(3)}));
  EXPECT_FALSE(judge(LeafFunction::kEqual, 1, {Value::integer(2)}));
  EXPECT_FALSE(judge(LeafFunction::kIsNotNull, 1, {}));
  EXPECT_TRUE(judge(LeafFunction::kIsNull, 1, {}));
  // A type that is not the condition's says nothing.
  Schema other = *SchemaBuilder().column("a", DataType::bigint()).build();
  EXPECT_TRUE(
      BatchFilter(Predicate::leaf(LeafFunction::kEqual, other.column(0), {Value::integer(9)}))
          .may_match(written, SchemaId(1), 2, block.span()));
}

TEST(PredicateTest, TimesThatAreCutWhenTheyAreStoredAreNotLost) {
  // Another writer's statistics of TIMESTAMP(0) and TIME(0) may have milliseconds that its columns
  // do not hold: aligned rows have room for them.
  OneColumn at(DataType::timestamp(0));
  ByteWriter row;
  RowCodec codec(RowFormat::kAligned, at.schema);
  Value stored[] = {Value::timestamp(1999, 0)};
  ASSERT_TRUE(codec.encode(stored, &row));
  ByteWriter block;
  block.put(int8_t{1});
  block.put(int16_t{1});
  block.put(int16_t{0});
  block.put(int32_t{0});
  for (int i = 0; i < 2; ++i) {
    block.put(static_cast<int32_t>(row.size()));
    block.put_bytes(row.span());
  }
  EXPECT_TRUE(at.may_match(LeafFunction::kEqual, {Value::timestamp(1000, 0)}, block.span(), 1));
  EXPECT_FALSE(at.may_match(LeafFunction::kEqual, {Value::timestamp(3000, 0)}, block.span(), 1));
  EXPECT_FALSE(at.may_match(LeafFunction::kLess, {Value::timestamp(1000, 0)}, block.span(), 1));
}

TEST(PredicateTest, WhatDoesNotFitIsNoCondition) {
  // A literal of another kind, too few literals, a text function on a number.
  OneColumn number(DataType::integer());
  auto kind = [&](LeafFunction function, std::vector<Value> literals) {
    return Predicate::leaf(function, number.column, literals).kind();
  };
  EXPECT_EQ(kind(LeafFunction::kEqual, {Value::integer(1)}), Predicate::Kind::kLeaf);
  EXPECT_EQ(kind(LeafFunction::kEqual, {Value::bytes("1")}), Predicate::Kind::kAnything);
  EXPECT_EQ(kind(LeafFunction::kEqual, {}), Predicate::Kind::kAnything);
  EXPECT_EQ(kind(LeafFunction::kStartsWith, {Value::bytes("1")}), Predicate::Kind::kAnything);
  EXPECT_EQ(kind(LeafFunction::kIn, {}), Predicate::Kind::kLeaf);
}

}  // namespace
}  // namespace lakestream
