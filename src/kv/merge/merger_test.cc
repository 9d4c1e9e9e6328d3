#include "kv/merge/merger.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lakestream {
namespace {

using Cells = std::vector<Value>;
using Maybe = std::optional<Cells>;

const Value kNull = Value::null();

Value number(int64_t value) { return Value::integer(value); }

// k INT, a STRING, b STRING
Schema plain_schema() {
  return *SchemaBuilder()
              .column("k", DataType::integer())
              .column("a", DataType::string())
              .column("b", DataType::string())
              .primary_key({"k"})
              .build();
}

Column aggregated(std::string name, DataType type, AggType function) {
  return {std::move(name), std::move(type), std::nullopt, AggFunction{function, {}}, 0};
}

// k INT, s BIGINT sum, m INT max, f BIGINT first_value, v STRING without a function
Schema aggregate_schema() {
  return *SchemaBuilder()
              .column("k", DataType::integer())
              .column(aggregated("s", DataType::bigint(), AggType::kSum))
              .column(aggregated("m", DataType::integer(), AggType::kMax))
              .column(aggregated("f", DataType::bigint(), AggType::kFirstValue))
              .column("v", DataType::string())
              .primary_key({"k"})
              .build();
}

// A merger and the schema and memory it needs.
class Table {
 public:
  explicit Table(Schema schema, std::optional<MergeEngine> engine = std::nullopt)
      : schema_(std::move(schema)), engine_(engine) {}

  Result<std::unique_ptr<const RowMerger>> make(std::vector<int32_t> columns = {},
                                                bool overwrite = false) const {
    return make_merger({.schema = schema_,
                        .engine = engine_,
                        .version_column = "v",
                        .target_columns = std::move(columns),
                        .overwrite = overwrite});
  }
  ErrorCode code(std::vector<int32_t> columns) const {
    auto made = make(std::move(columns));
    return made ? ErrorCode::kNone : made.error().code();
  }
  // What the key has after a write; the old row stays when nothing changes.
  Maybe upsert(const Maybe& old, Cells update, std::vector<int32_t> columns = {}) {
    auto merger = make(std::move(columns));
    EXPECT_TRUE(merger);
    return after(old, (*merger)->upsert(row_of(old), update, &arena_));
  }
  Maybe remove(const Cells& old, std::vector<int32_t> columns = {}) {
    auto merger = make(std::move(columns));
    EXPECT_TRUE(merger);
    return after(old, (*merger)->remove(old, &arena_));
  }
  MergeOutcome outcome() const { return outcome_; }  // of the last write
  const Schema& schema() const { return schema_; }

 private:
  static std::optional<Row> row_of(const Maybe& cells) {
    if (!cells) return std::nullopt;
    return Row(*cells);
  }
  Maybe after(const Maybe& old, const Result<Merged>& merged) {
    EXPECT_TRUE(merged);
    outcome_ = merged->outcome;
    if (outcome_ == MergeOutcome::kUnchanged) return old;
    if (outcome_ == MergeOutcome::kRemoved) return std::nullopt;
    return Cells(merged->row.begin(), merged->row.end());
  }

  Schema schema_;
  std::optional<MergeEngine> engine_;
  Arena arena_;
  MergeOutcome outcome_ = MergeOutcome::kUnchanged;
};

Value text(std::string_view value) { return Value::bytes(value); }

// Without a merge engine nothing of the old row stays.
TEST(LastRow, ReplacesTheRow) {
  Table table(plain_schema());
  Cells one = {number(1), text("x"), text("y")};
  Cells two = {number(1), kNull, text("z")};
  EXPECT_EQ(table.upsert({}, one), one);
  EXPECT_EQ(table.upsert(one, two), two);
  EXPECT_EQ(table.upsert(two, two), two);
  EXPECT_EQ(table.outcome(), MergeOutcome::kRow);
  EXPECT_EQ(table.remove(one), std::nullopt);
  EXPECT_TRUE((*table.make())->replaces());
  EXPECT_FALSE((*table.make({0, 1}))->replaces());
}

// The key is complete, positions exist and all other columns allow nulls.
TEST(LastRow, RefusesTargetColumnsThatBreakTheRules) {
  Table table(plain_schema());
  EXPECT_EQ(table.code({1, 2}), ErrorCode::kInvalidTargetColumn);
  EXPECT_EQ(table.code({0, 3}), ErrorCode::kInvalidTargetColumn);
  EXPECT_EQ(table.code({0, -1}), ErrorCode::kInvalidTargetColumn);
  EXPECT_EQ(table.code({0}), ErrorCode::kNone);
  EXPECT_EQ(table.code({1, 0, 1}), ErrorCode::kNone);
  Table strict(*SchemaBuilder()
                    .column("k", DataType::integer())
                    .column("a", DataType::string().not_null())
                    .column("b", DataType::string())
                    .primary_key({"k"})
                    .build());
  EXPECT_EQ(strict.code({0, 1}), ErrorCode::kInvalidTargetColumn);
  EXPECT_EQ(strict.code({0, 2}), ErrorCode::kInvalidTargetColumn);
  EXPECT_EQ(strict.code({0}), ErrorCode::kInvalidTargetColumn);
}

// Naming every column is no partial update, so its rules do not apply.
TEST(LastRow, TakesAllColumnsForAWholeRow) {
  Table strict(*SchemaBuilder()
                    .column("k", DataType::integer())
                    .column("a", DataType::string().not_null())
                    .primary_key({"k"})
                    .build());
  auto merger = strict.make({1, 0, 1});
  ASSERT_TRUE(merger);
  EXPECT_TRUE((*merger)->replaces());
}

// What the client filled in for other columns is not stored.
TEST(LastRow, StoresNullsWhereTheFirstWriterSetsNothing) {
  Table table(plain_schema());
  EXPECT_EQ(table.upsert({}, {number(1), text("x"), text("y")}, {0, 1}),
            (Cells{number(1), text("x"), kNull}));
  EXPECT_EQ(table.upsert({}, {number(1), text("x"), text("y")}, {0}),
            (Cells{number(1), kNull, kNull}));
}

// A null that the writer sets is set.
TEST(LastRow, KeepsWhatThePartialWriterDoesNotSet) {
  Table table(plain_schema());
  Cells old = {number(1), text("x"), text("y")};
  EXPECT_EQ(table.upsert(old, {number(1), kNull, text("z")}, {0, 2}),
            (Cells{number(1), text("x"), text("z")}));
  EXPECT_EQ(table.upsert(old, {number(1), kNull, text("z")}, {0, 1}),
            (Cells{number(1), kNull, text("y")}));
  EXPECT_EQ(table.upsert(old, {number(1), kNull, kNull}, {0}), old);
  EXPECT_EQ(table.outcome(), MergeOutcome::kUnchanged);
}

// The row goes with the last column that has a value.
TEST(LastRow, PartialDeleteTakesAwayWhatItsWriterSets) {
  Table table(plain_schema());
  EXPECT_EQ(table.remove({number(1), text("x"), text("y")}, {0, 1}),
            (Cells{number(1), kNull, text("y")}));
  EXPECT_EQ(table.remove({number(1), kNull, text("y")}, {0, 1}),
            (Cells{number(1), kNull, text("y")}));
  EXPECT_EQ(table.outcome(), MergeOutcome::kRow);
  EXPECT_EQ(table.remove({number(1), text("x"), kNull}, {0, 1}), std::nullopt);
  EXPECT_EQ(table.remove({number(1), text("x"), kNull}, {0}), (Cells{number(1), text("x"), kNull}));
  EXPECT_EQ(table.remove({number(1), kNull, kNull}, {0}), std::nullopt);
}

// Nulls of the first row stay, too.
TEST(FirstRow, KeepsTheFirstRow) {
  Table table(plain_schema(), MergeEngine::kFirstRow);
  Cells one = {number(1), kNull, text("y")};
  EXPECT_EQ(table.upsert({}, one), one);
  EXPECT_EQ(table.upsert(one, {number(1), text("a"), text("b")}), one);
  EXPECT_EQ(table.outcome(), MergeOutcome::kUnchanged);
  EXPECT_EQ(table.code({0, 1}), ErrorCode::kUnknownServerError);
  Arena arena;
  EXPECT_FALSE((*table.make())->remove(one, &arena));
  EXPECT_FALSE((*table.make())->replaces());
}

Schema versioned_schema(DataType version) {
  return *SchemaBuilder()
              .column("k", DataType::integer())
              .column("v", std::move(version))
              .column("a", DataType::string())
              .primary_key({"k"})
              .build();
}

// Versions ascend: each replaces itself and those before it, none after it.
TEST(Versioned, KeepsTheNewestVersionOfEachType) {
  struct Case {
    DataType type;
    Cells versions;
  };
  const Case cases[] = {
      {DataType::integer(), {kNull, number(INT32_MIN + 1), number(0), number(INT32_MAX)}},
      {DataType::bigint(), {kNull, number(INT64_MIN + 1), number(0), number(INT64_MAX)}},
      {DataType::timestamp(9),
       {kNull, Value::timestamp(-1, 999999), Value::timestamp(0, 0), Value::timestamp(0, 1)}},
      {DataType::timestamp_ltz(3), {kNull, Value::timestamp(5, 0), Value::timestamp(6, 0)}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type.to_string());
    Table table(versioned_schema(c.type), MergeEngine::kVersioned);
    for (size_t i = 0; i < c.versions.size(); ++i) {
      for (size_t j = 0; j < c.versions.size(); ++j) {
        Cells old = {number(1), c.versions[i], text("old")};
        Cells update = {number(1), c.versions[j], text("new")};
        EXPECT_EQ(table.upsert(old, update), i <= j ? update : old) << i << " " << j;
        EXPECT_EQ(table.outcome(), i <= j ? MergeOutcome::kRow : MergeOutcome::kUnchanged);
      }
    }
    EXPECT_EQ(table.code({0, 1}), ErrorCode::kUnknownServerError);
  }
}

// So either replaces the other.
TEST(Versioned, NullEqualsTheSmallestVersion) {
  Table narrow(versioned_schema(DataType::integer()), MergeEngine::kVersioned);
  Cells smallest = {number(1), number(INT32_MIN), text("old")};
  Cells null = {number(1), kNull, text("new")};
  EXPECT_EQ(narrow.upsert(smallest, null), null);
  EXPECT_EQ(narrow.upsert(null, smallest), smallest);
  Table times(versioned_schema(DataType::timestamp(6)), MergeEngine::kVersioned);
  Cells earliest = {number(1), Value::timestamp(INT64_MIN, 0), text("old")};
  EXPECT_EQ(times.upsert(earliest, null), null);
}

// The option may name what is not there or does not compare.
TEST(Versioned, RefusesAColumnThatIsNoVersion) {
  Table text_version(versioned_schema(DataType::string()), MergeEngine::kVersioned);
  EXPECT_EQ(text_version.code({}), ErrorCode::kInvalidConfigException);
  Table without(plain_schema(), MergeEngine::kVersioned);
  EXPECT_EQ(without.code({}), ErrorCode::kInvalidConfigException);
}

// A write of nulls alone is an update all the same.
TEST(Aggregation, CombinesEachColumnByItsFunction) {
  Table table(aggregate_schema(), MergeEngine::kAggregation);
  Cells one = {number(1), number(10), number(5), kNull, text("a")};
  EXPECT_EQ(table.upsert({}, one), one);
  Maybe row = table.upsert(one, {number(1), number(7), number(4), number(3), kNull});
  EXPECT_EQ(row, (Cells{number(1), number(17), number(5), number(3), text("a")}));
  row = table.upsert(row, {number(1), kNull, number(9), number(4), text("b")});
  EXPECT_EQ(row, (Cells{number(1), number(17), number(9), number(3), text("b")}));
  row = table.upsert(row, {number(1), kNull, kNull, kNull, kNull});
  EXPECT_EQ(table.outcome(), MergeOutcome::kRow);
  EXPECT_EQ(table.remove(*row), std::nullopt);
  EXPECT_FALSE((*table.make())->replaces());
}

// The four functions that choose differ in what null does.
TEST(Aggregation, LastValueTakesNullsAndItsKindThatIgnoresThemDoesNot) {
  Table table(*SchemaBuilder()
                   .column("k", DataType::integer())
                   .column(aggregated("l", DataType::string(), AggType::kLastValue))
                   .column(aggregated("i", DataType::string(), AggType::kLastValueIgnoreNulls))
                   .column(aggregated("f", DataType::string(), AggType::kFirstValue))
                   .column(aggregated("g", DataType::string(), AggType::kFirstValueIgnoreNulls))
                   .primary_key({"k"})
                   .build(),
              MergeEngine::kAggregation);
  Value a = text("a");
  EXPECT_EQ(table.upsert(Cells{number(1), a, a, a, a}, {number(1), kNull, kNull, kNull, kNull}),
            (Cells{number(1), kNull, a, a, a}));
  EXPECT_EQ(table.upsert(Cells{number(1), kNull, kNull, kNull, kNull}, {number(1), a, a, a, a}),
            (Cells{number(1), a, a, a, a}));
}

// Two writers of different columns take turns; deletes take away their own.
TEST(Aggregation, PartialWritersLeaveTheColumnsOfOthersAlone) {
  Table table(aggregate_schema(), MergeEngine::kAggregation);
  Cells filled = {number(1), number(10), number(5), number(3), text("x")};
  Maybe row = table.upsert({}, filled, {0, 1});
  EXPECT_EQ(row, (Cells{number(1), number(10), kNull, kNull, kNull}));
  row = table.upsert(row, filled, {0, 2});
  EXPECT_EQ(row, (Cells{number(1), number(10), number(5), kNull, kNull}));
  row = table.upsert(row, filled, {1, 0});
  EXPECT_EQ(row, (Cells{number(1), number(20), number(5), kNull, kNull}));
  Maybe same = table.upsert(row, filled, {0});
  EXPECT_EQ(same, row);
  EXPECT_EQ(table.outcome(), MergeOutcome::kRow);
  row = table.remove(*row, {0, 1});
  EXPECT_EQ(row, (Cells{number(1), kNull, number(5), kNull, kNull}));
  EXPECT_EQ(table.remove(*row, {0, 2}), std::nullopt);
  EXPECT_EQ(table.code({1, 2}), ErrorCode::kInvalidTargetColumn);
}

// The message has the column and the code is of the protocol.
TEST(Aggregation, NamesTheColumnOfADamagedBitmap) {
  Table table(*SchemaBuilder()
                   .column("k", DataType::integer())
                   .column(aggregated("users", DataType::bytes(), AggType::kRbm32))
                   .primary_key({"k"})
                   .build(),
              MergeEngine::kAggregation);
  Cells row = {number(1), text("abc")};
  Arena arena;
  auto merged = (*table.make())->upsert(Row(row), row, &arena);
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code(), ErrorCode::kUnknownServerError);
  EXPECT_TRUE(merged.error().message().starts_with("column 'users': ")) << merged.error().message();
}

// The mode has the rules of no engine, with target columns as well.
TEST(Overwrite, ReplacesRowsOfAnyEngine) {
  const Cells old = {number(1), number(10), number(5), number(3), text("x")};
  const Cells update = {number(1), number(2), kNull, number(4), text("y")};
  Arena arena;
  for (auto engine : {MergeEngine::kFirstRow, MergeEngine::kAggregation}) {
    Table table(aggregate_schema(), engine);
    auto merger = table.make({}, true);
    ASSERT_TRUE(merger);
    EXPECT_TRUE((*merger)->replaces());
    Merged merged = *(*merger)->upsert(Row(old), update, &arena);
    EXPECT_EQ(merged.outcome, MergeOutcome::kRow);
    EXPECT_EQ(Cells(merged.row.begin(), merged.row.end()), update);
    auto partial = table.make({0, 1}, true);
    ASSERT_TRUE(partial);
    merged = *(*partial)->upsert(Row(old), update, &arena);
    EXPECT_EQ(Cells(merged.row.begin(), merged.row.end()),
              (Cells{number(1), number(2), number(5), number(3), text("x")}));
  }
}

// A column of one key in the plainest form: the list of what was written to it, read at the end.
struct ModelCell {
  std::vector<std::optional<int64_t>> writes;

  std::optional<int64_t> last_not_null() const {
    for (size_t i = writes.size(); i-- > 0;) {
      if (writes[i]) return writes[i];
    }
    return std::nullopt;
  }
  std::optional<int64_t> read(const Column& column) const {
    AggType type = column.agg ? column.agg->type : AggType::kLastValueIgnoreNulls;
    std::optional<int64_t> result;
    for (const auto& write : writes) {
      if (!write) continue;
      if (!result)
        result = write;
      else if (type == AggType::kSum)
        result = *result + *write;
      else if (type == AggType::kMax)
        result = std::max(*result, *write);
      else if (type == AggType::kMin)
        result = std::min(*result, *write);
    }
    if (type == AggType::kLastValueIgnoreNulls) return last_not_null();
    if (type == AggType::kLastValue) return writes.empty() ? std::nullopt : writes.back();
    return result;
  }
};

Value cell_of(const std::optional<int64_t>& value) { return value ? number(*value) : kNull; }

Schema model_schema() {
  SchemaBuilder builder;
  builder.column("k", DataType::integer());
  builder.column(aggregated("sum", DataType::bigint(), AggType::kSum));
  builder.column(aggregated("max", DataType::bigint(), AggType::kMax));
  builder.column(aggregated("min", DataType::bigint(), AggType::kMin));
  builder.column(aggregated("last", DataType::bigint(), AggType::kLastValue));
  builder.column(aggregated("first", DataType::bigint(), AggType::kFirstValue));
  builder.column("v", DataType::bigint());
  return *builder.primary_key({"k"}).build();
}

// Random writes and deletes of one key. The model keeps all writes of each column.
void check_model(std::optional<MergeEngine> engine, unsigned seed) {
  Table table(model_schema(), engine);
  const size_t columns = table.schema().size();
  std::mt19937 random(seed);
  std::vector<ModelCell> model(columns);
  bool exists = false;
  Maybe row;
  for (int step = 0; step < 300; ++step) {
    bool partial = random() % 2 == 0;
    std::vector<int32_t> targets = {0};
    std::vector<bool> set(columns, !partial);
    for (size_t c = 1; c < columns; ++c) {
      if (!partial || random() % 2 == 0) continue;
      targets.push_back(static_cast<int32_t>(c));
      set[c] = true;
    }
    if (targets.size() == columns) partial = false;
    if (!partial) targets.clear();
    if (exists && random() % 5 == 0) {
      row = table.remove(*row, targets);
      bool others = false;
      for (size_t c = 1; c < columns; ++c) {
        if (set[c]) model[c].writes.clear();
        // A row of "none" reads as what was written last.
        bool null = engine ? !model[c].read(table.schema().column(c))
                           : model[c].writes.empty() || !model[c].writes.back();
        others = others || !null;
      }
      exists = others;
      if (!exists) model.assign(columns, {});
    } else {
      Cells update = {number(1)};
      for (size_t c = 1; c < columns; ++c) {
        std::optional<int64_t> value;
        if (random() % 3 != 0) value = static_cast<int64_t>(random() % 100);
        if (set[c]) model[c].writes.push_back(value);
        update.push_back(cell_of(value));
      }
      exists = true;
      row = table.upsert(row, update, targets);
    }
    ASSERT_EQ(row.has_value(), exists) << "step " << step << " of seed " << seed;
    for (size_t c = 1; exists && c < columns; ++c) {
      const auto& writes = model[c].writes;
      std::optional<int64_t> expected = writes.empty() ? std::nullopt : writes.back();
      if (engine) expected = model[c].read(table.schema().column(c));
      ASSERT_EQ((*row)[c], cell_of(expected)) << "step " << step << " of seed " << seed;
    }
  }
}

// Whole and partial writes and deletes in any order.
TEST(Mergers, AgreeWithAModelThatKeepsAllWrites) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    check_model(std::nullopt, seed);
    check_model(MergeEngine::kAggregation, seed);
  }
}

// The row that stays is the first one, or the last of those with the highest version.
TEST(Mergers, KeepOneRowAsAModelThatSortsThem) {
  for (auto engine : {MergeEngine::kFirstRow, MergeEngine::kVersioned}) {
    Table table(model_schema(), engine);
    std::mt19937 random(3);
    Maybe row;
    std::multimap<int64_t, Cells> by_version;
    Maybe first;
    for (int step = 0; step < 300; ++step) {
      bool null = random() % 4 == 0;
      auto version = static_cast<int64_t>(random() % 20);
      Cells update = {number(1), number(step), kNull, kNull, kNull, kNull};
      update.push_back(null ? kNull : number(version));
      by_version.emplace(null ? INT64_MIN : version, update);
      if (!first) first = update;
      row = table.upsert(row, update);
      ASSERT_EQ(row, engine == MergeEngine::kFirstRow ? *first : by_version.rbegin()->second);
    }
  }
}

}  // namespace
}  // namespace lakestream
