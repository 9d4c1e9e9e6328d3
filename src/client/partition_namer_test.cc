#include "client/partition_namer.h"

#include <gtest/gtest.h>

namespace lakestream::client {
namespace {

TableDescriptor table_of(const DataType& type) {
  TableDescriptor table;
  SchemaBuilder schema;
  schema.column("id", DataType::integer());
  schema.column("p", type);
  table.schema = schema.build().value();
  table.partition_keys = {"p"};
  return table;
}

std::string name_of(const DataType& type, const Value& value) {
  std::vector<Value> row{Value::integer(1), value};
  Result<ResolvedPartitionSpec> partition = PartitionNamer(table_of(type)).of(row);
  return partition ? partition->name() : partition.error().message();
}

// Proves the text of each type of partition key, as clients of Fluss make it.
TEST(PartitionNamer, Types) {
  EXPECT_EQ(name_of(DataType::string(), Value::bytes("eu-1_x")), "eu-1_x");
  EXPECT_EQ(name_of(DataType::char_(2), Value::bytes("ab")), "ab");
  EXPECT_EQ(name_of(DataType::boolean(), Value::boolean(true)), "true");
  EXPECT_EQ(name_of(DataType::tinyint(), Value::integer(-5)), "-5");
  EXPECT_EQ(name_of(DataType::bigint(), Value::integer(1LL << 40)), "1099511627776");
  EXPECT_EQ(name_of(DataType::bytes(), Value::bytes(std::string_view("\0\xff", 2))), "00ff");
  EXPECT_EQ(name_of(DataType::date(), Value::integer(20'787)), "2026-11-30");
  EXPECT_EQ(name_of(DataType::time(3), Value::integer(3'723'004)), "01-02-03_004");
  EXPECT_EQ(name_of(DataType::float_(), Value::float_(1.5F)), "1_5");
  EXPECT_EQ(name_of(DataType::double_(), Value::double_(-2.75)), "-2_75");
  EXPECT_EQ(name_of(DataType::timestamp(3), Value::timestamp(1'700'000'000'123, 0)),
            "2023-11-14-22-13-20_123");
  EXPECT_EQ(name_of(DataType::timestamp_ltz(6), Value::timestamp(1'700'000'000'000, 0)),
            "2023-11-14-22-13-20_");
}

// Proves that the values come in the order of the keys, wherever their columns are.
TEST(PartitionNamer, SeveralKeys) {
  TableDescriptor table = table_of(DataType::string());
  table.partition_keys = {"p", "id"};
  PartitionNamer partitions(table);
  std::vector<Value> row{Value::integer(7), Value::bytes("eu")};
  EXPECT_EQ(partitions.of(row)->name(), "eu$7");
  EXPECT_EQ(partitions.of(row)->qualified_name(), "p=eu/id=7");
  EXPECT_FALSE(PartitionNamer().is_partitioned());
}

// Proves that rows without a partition are refused, and why.
TEST(PartitionNamer, Refusals) {
  EXPECT_EQ(name_of(DataType::string(), Value::null()),
            "the partition key 'p' is null; each row needs a value");
  for (const char* value : {"", "a b", "a$b", "."}) {
    std::vector<Value> row{Value::integer(1), Value::bytes(value)};
    Result<ResolvedPartitionSpec> partition = PartitionNamer(table_of(DataType::string())).of(row);
    ASSERT_FALSE(partition.has_value()) << value;
    EXPECT_EQ(partition.error().code(), ErrorCode::kPartitionSpecInvalidException);
  }
}

}  // namespace
}  // namespace lakestream::client
