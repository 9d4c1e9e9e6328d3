#include "query/key_condition.h"

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "table/schema.h"

namespace lakestream::query {
namespace {

TableDescriptor table_of(std::vector<std::string> bucket_keys) {
  TableDescriptor table;
  table.schema = SchemaBuilder()
                     .column("id", DataType::integer())
                     .column("day", DataType::string())
                     .column("share", DataType::double_())
                     .column("n", DataType::bigint())
                     .primary_key({"id", "day"})
                     .build()
                     .value();
  table.distribution = Distribution{4, std::move(bucket_keys)};
  return table;
}

Predicate equal(const TableDescriptor& table, const char* name, const Value& value) {
  return Predicate::leaf(LeafFunction::kEqual, *table.schema.find(name), {value});
}

Predicate in(const TableDescriptor& table, const char* name, const std::vector<Value>& values) {
  return Predicate::leaf(LeafFunction::kIn, *table.schema.find(name), values);
}

// Proves that keys are named when each of their columns is, each once and whatever else is said.
TEST(KeyConditionTest, NamesKeys) {
  TableDescriptor table = table_of({"id", "day"});
  Predicate ids = in(table, "id", {Value::integer(1), Value::integer(2), Value::integer(1)});
  Predicate day = equal(table, "day", Value::bytes(std::string_view("x")));
  Predicate n = equal(table, "n", Value::integer(7));
  Predicate all = Predicate::all_of({n, Predicate::all_of({ids, day})});
  std::optional<KeyAccess> access = key_access_of(table, all);
  ASSERT_TRUE(access.has_value());
  EXPECT_EQ(access->keys, 2U);
  EXPECT_FALSE(access->is_prefix);
  Schema key = SchemaBuilder()
                   .column_with_ids(*table.schema.find("id"))
                   .column_with_ids(*table.schema.find("day"))
                   .build()
                   .value();
  std::shared_ptr<arrow::RecordBatch> keys = named_keys(all, key).value();
  EXPECT_EQ(keys->num_rows(), 2);
  EXPECT_EQ(keys->ToString(),
            "id:   [\n    1,\n    2\n  ]\nday:   [\n    \"x\",\n    \"x\"\n  ]\n");
}

// Proves that a column which is left open, or compared otherwise, makes no keys.
TEST(KeyConditionTest, LeavesScans) {
  TableDescriptor table = table_of({"id", "day"});
  Predicate id = equal(table, "id", Value::integer(1));
  Predicate day = equal(table, "day", Value::bytes(std::string_view("x")));
  Predicate above =
      Predicate::leaf(LeafFunction::kGreater, *table.schema.find("id"), {Value::integer(1)});
  EXPECT_FALSE(key_access_of(table, id).has_value());
  EXPECT_FALSE(key_access_of(table, Predicate::anything()).has_value());
  EXPECT_FALSE(key_access_of(table, Predicate::any_of({id, day})).has_value());
  EXPECT_FALSE(key_access_of(table, Predicate::all_of({above, day})).has_value());
  std::vector<Value> many;
  for (int64_t i = 0; i < 10'001; ++i) many.push_back(Value::integer(i));
  EXPECT_FALSE(key_access_of(table, Predicate::all_of({in(table, "id", many), day})).has_value());
}

// Proves that the columns of the bucket key alone name prefixes.
TEST(KeyConditionTest, NamesPrefixes) {
  TableDescriptor table = table_of({"id"});
  std::optional<KeyAccess> access = key_access_of(table, equal(table, "id", Value::integer(1)));
  ASSERT_TRUE(access.has_value());
  EXPECT_TRUE(access->is_prefix);
  Predicate day = equal(table, "day", Value::bytes(std::string_view("x")));
  EXPECT_FALSE(key_access_of(table, day).has_value());
}

}  // namespace
}  // namespace lakestream::query
