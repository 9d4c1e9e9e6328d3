#include "query/partition_filter.h"

#include <gtest/gtest.h>

#include "table/schema.h"

namespace lakestream::query {
namespace {

TableDescriptor table_of() {
  TableDescriptor table;
  table.schema = SchemaBuilder()
                     .column("day", DataType::date())
                     .column("shop", DataType::integer())
                     .column("city", DataType::string())
                     .column("n", DataType::bigint())
                     .build()
                     .value();
  table.partition_keys = {"city", "day", "shop"};
  return table;
}

Predicate leaf(LeafFunction function, const char* name, const std::vector<Value>& values) {
  static const TableDescriptor table = table_of();
  return Predicate::leaf(function, *table.schema.find(name), values);
}

bool may_match(const Predicate& condition, const std::vector<std::string>& values) {
  return PartitionFilter::make(table_of(), condition).value().may_match(values).value();
}

// Proves that equality, lists and ranges leave out partitions, by the order of the type.
TEST(PartitionFilterTest, LeavesOut) {
  std::vector<std::string> place{"Oslo", "2026-11-30", "9"};
  Predicate shops = leaf(LeafFunction::kIn, "shop", {Value::integer(9), Value::integer(10)});
  EXPECT_TRUE(may_match(shops, place));
  EXPECT_FALSE(may_match(shops, {"Oslo", "2026-11-30", "11"}));
  EXPECT_TRUE(may_match(leaf(LeafFunction::kLess, "shop", {Value::integer(10)}), place));
  EXPECT_FALSE(may_match(leaf(LeafFunction::kGreater, "shop", {Value::integer(9)}), place));
  // 2026-11-30
  EXPECT_TRUE(may_match(leaf(LeafFunction::kEqual, "day", {Value::integer(20787)}), place));
  EXPECT_FALSE(may_match(leaf(LeafFunction::kLess, "day", {Value::integer(20787)}), place));
  Predicate city = leaf(LeafFunction::kEqual, "city", {Value::bytes(std::string_view("Rome"))});
  EXPECT_FALSE(may_match(city, place));
  EXPECT_TRUE(may_match(Predicate::any_of({city, shops}), place));
  EXPECT_FALSE(may_match(Predicate::all_of({city, shops}), place));
}

// Proves that what is said of other columns, and a name that is no value, leave everything.
TEST(PartitionFilterTest, LeavesWhatItDoesNotKnow) {
  std::vector<std::string> place{"Oslo", "2026-11-30", "9"};
  Predicate n = leaf(LeafFunction::kEqual, "n", {Value::integer(1)});
  Predicate shop = leaf(LeafFunction::kEqual, "shop", {Value::integer(1)});
  EXPECT_TRUE(may_match(n, place));
  EXPECT_TRUE(may_match(Predicate::any_of({n, shop}), place));
  EXPECT_FALSE(may_match(Predicate::all_of({n, shop}), place));
  EXPECT_TRUE(may_match(shop, {"Oslo", "2026-11-30", "none"}));
  EXPECT_TRUE(may_match(shop, {"Oslo"}));
  EXPECT_FALSE(PartitionFilter::make(table_of(), n).value().says_something());
}

}  // namespace
}  // namespace lakestream::query
