#include "lake/iceberg/mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lake/lake.h"

namespace lakestream::iceberg {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

TableDescriptor key_table() {
  TableDescriptor table;
  table.schema = *SchemaBuilder()
                      .column("id", DataType::bigint())
                      .column("tags", DataType::array(DataType::string()))
                      .column("day", DataType::string())
                      .column("amount", DataType::decimal(10, 2))
                      .primary_key({"id", "day"})
                      .build();
  table.partition_keys = {"day"};
  table.distribution = Distribution{.bucket_count = 4, .bucket_keys = {}};
  return *normalize(std::move(table));
}

TableDescriptor log_table() {
  TableDescriptor table;
  table.schema = *SchemaBuilder().column("a", DataType::integer()).build();
  table.distribution = Distribution{.bucket_count = 3, .bucket_keys = {}};
  return *normalize(std::move(table));
}

TableMetadata made(const TableDescriptor& table) {
  Result<NewTable> wanted = iceberg_table_of(table);
  EXPECT_TRUE(wanted) << wanted.error().message();
  return first_metadata(*wanted, "u", "/w/db/t", 100);
}

std::string json_of(const IcebergSchema& schema) {
  JsonWriter json;
  write_schema(schema, &json);
  return std::move(json).finish();
}

TEST(IcebergMapping, AKeyTable) {
  // Proves columns, ids, partitions, order and properties of a table with a primary key.
  TableDescriptor table = key_table();
  table.properties = {{"table.datalake.format", "iceberg"},
                      {"table.datalake.iceberg.warehouse", "/secret"}};
  table.custom_properties = {{"iceberg.commit.retry.num-retries", "3"}, {"owner", "me"}};
  NewTable wanted = *iceberg_table_of(table);
  EXPECT_EQ(json_of(wanted.schema),
            R"({"type":"struct","schema-id":0,"identifier-field-ids":[1,3],"fields":[)"
            R"({"id":1,"name":"id","required":true,"type":"long"},)"
            R"({"id":2,"name":"tags","required":false,"type":{"type":"list","element-id":8,)"
            R"("element":"string","element-required":false}},)"
            R"({"id":3,"name":"day","required":true,"type":"string"},)"
            R"x({"id":4,"name":"amount","required":false,"type":"decimal(10, 2)"},)x"
            R"({"id":5,"name":"__bucket","required":true,"type":"int"},)"
            R"({"id":6,"name":"__offset","required":true,"type":"long"},)"
            R"({"id":7,"name":"__timestamp","required":true,"type":"timestamptz"}]})");
  EXPECT_THAT(wanted.spec.fields,
              ElementsAre(PartitionField{3, 1000, "day", "identity"},
                          PartitionField{1, 1001, "id_bucket", "bucket[4]"}));
  EXPECT_EQ(wanted.order, (SortOrder{.id = 1, .fields = {{.source_id = 6}}}));
  EXPECT_THAT(wanted.properties, Contains(Pair("write.merge.mode", "merge-on-read")));
  EXPECT_THAT(wanted.properties, Contains(Pair("commit.retry.num-retries", "3")));
  EXPECT_THAT(wanted.properties, Contains(Pair("fluss.owner", "me")));
  EXPECT_THAT(wanted.properties, Contains(Pair("fluss.table.datalake.format", "iceberg")));
  for (const auto& [key, value] : wanted.properties) EXPECT_NE(value, "/secret") << key;
  EXPECT_TRUE(check_spec(wanted.spec, wanted.schema));
}

TEST(IcebergMapping, ALogTableWithoutBucketKeys) {
  // Proves that its buckets are told apart by the system's column.
  NewTable wanted = *iceberg_table_of(log_table());
  EXPECT_THAT(wanted.spec.fields, ElementsAre(PartitionField{2, 1000, "__bucket", "identity"}));
  EXPECT_THAT(wanted.schema.identifier_ids, IsEmpty());
  EXPECT_FALSE(wanted.properties.contains("write.merge.mode"));
  EXPECT_TRUE(wanted.schema.has_system_columns());
}

TEST(IcebergMapping, WhatIcebergCanNotHoldIsRefused) {
  // Proves that names, types, keys and options that can not be are named.
  auto refused = [](const TableDescriptor& table) {
    Result<NewTable> wanted = iceberg_table_of(table);
    if (wanted) return std::string("taken");
    EXPECT_EQ(wanted.error().code(), ErrorCode::kInvalidTableException);
    return wanted.error().message();
  };
  TableDescriptor table = log_table();
  table.schema = *SchemaBuilder(table.schema).column("__bucket", DataType::integer()).build();
  EXPECT_THAT(refused(table), HasSubstr("__bucket"));

  table = log_table();
  table.schema = *SchemaBuilder(table.schema).column("day", DataType::date()).build();
  table.partition_keys = {"day"};
  EXPECT_THAT(refused(table), HasSubstr("partition key day: it is DATE"));

  table = log_table();
  table.schema = *SchemaBuilder(table.schema).column("b", DataType::boolean()).build();
  table.distribution->bucket_keys = {"a", "b"};
  EXPECT_THAT(refused(table), HasSubstr("bucket keys (a, b)"));
  for (const DataType& type : {DataType::boolean(),
                               DataType::tinyint(),
                               DataType::smallint(),
                               DataType::double_(),
                               DataType::timestamp_ltz(3)}) {
    table.schema = *SchemaBuilder().column("b", type).build();
    table.distribution->bucket_keys = {"b"};
    EXPECT_THAT(refused(table), HasSubstr("bucket key b"));
  }

  // Two keys of ours would be one there.
  for (const DataType& type : {DataType::timestamp(9), DataType::timestamp_ltz(7)}) {
    table = key_table();
    table.schema = *SchemaBuilder()
                        .column("id", DataType::integer().not_null())
                        .column("at", type.not_null())
                        .primary_key({"id", "at"})
                        .build();
    table.distribution->bucket_keys = {"id"};
    table.partition_keys = {};
    EXPECT_THAT(refused(table), HasSubstr("primary key at: it is TIMESTAMP"));
    EXPECT_THAT(refused(table), HasSubstr("use precision 6"));
  }

  table = log_table();
  table.distribution->bucket_keys = {"a"};
  table.schema = *SchemaBuilder(table.schema).column("a_bucket", DataType::integer()).build();
  EXPECT_THAT(refused(table), HasSubstr("column a_bucket: an Iceberg table with bucket key a"));

  for (const auto& [key, value] : Properties{{"iceberg.format-version", "3"},
                                             {"iceberg.write.format.default", "orc"},
                                             {"iceberg.write.merge.mode", "copy-on-write"}}) {
    table = key_table();
    table.custom_properties = {{key, value}};
    EXPECT_THAT(refused(table), HasSubstr(key));
  }
  table = log_table();
  table.custom_properties = {{"iceberg.write.merge.mode", "copy-on-write"},
                             {"iceberg.format-version", "2"}};
  EXPECT_EQ(refused(table), "taken");
  EXPECT_FALSE(iceberg_table_of(table)->properties.contains("format-version"));
}

TEST(IcebergMapping, ATableThatIsThereIsTakenWhenItFits) {
  // Proves that what differs is named, and that ids and further properties do not matter.
  TableMetadata there = made(key_table());
  EXPECT_TRUE(check_same_table(there, key_table()));
  there.properties["more"] = "of others";
  for (NestedField& field : there.schemas[0].fields) field.id += 20;
  for (int32_t& id : there.schemas[0].identifier_ids) id += 20;
  for (PartitionField& field : there.specs[0].fields) field.source_id += 20;
  there.sort_orders[0].fields[0].source_id += 20;
  EXPECT_TRUE(check_same_table(there, key_table()));

  auto differs = [](const TableMetadata& metadata) {
    Status same = check_same_table(metadata, key_table());
    if (same) return std::string("taken");
    EXPECT_EQ(same.error().code(), ErrorCode::kLakeTableAlreadyExist);
    return same.error().message();
  };
  TableMetadata other = made(key_table());
  other.schemas[0].fields[0].required = false;
  EXPECT_THAT(differs(other), HasSubstr("column 1 is id long, not id long required"));
  other = made(key_table());
  other.schemas[0].identifier_ids = {1};
  EXPECT_THAT(differs(other), HasSubstr("its primary key is (id), not (day, id)"));
  other = made(key_table());
  other.specs[0].fields[1].transform = "bucket[8]";
  EXPECT_THAT(differs(other), HasSubstr("id_bucket = bucket[8](id)"));
  other = made(key_table());
  other.sort_orders[0].fields.clear();
  EXPECT_THAT(differs(other), HasSubstr("its sort order is ()"));
  other = made(key_table());
  other.properties.erase("write.update.mode");
  EXPECT_THAT(differs(other), HasSubstr("write.update.mode is not set"));
}

TEST(IcebergMapping, ColumnsAreAddedBeforeThoseOfTheSystem) {
  // Proves place, ids and requirements of a new column, and that it is added once.
  TableDescriptor before = log_table();
  TableDescriptor after = before;
  after.schema = *SchemaBuilder(before.schema)
                      .column("b", DataType::row({{"x", DataType::date(), {}}}))
                      .column("c", DataType::string())
                      .build();
  TableMetadata there = made(before);
  TableChange change = *alteration(there, before, after);
  Result<TableMetadata> next = apply(change.updates, there, 200);
  ASSERT_TRUE(next);
  EXPECT_EQ(broken_requirement(change.requirements, there), std::nullopt);
  EXPECT_EQ(json_of(next->current_schema()),
            R"({"type":"struct","schema-id":1,"fields":[)"
            R"({"id":1,"name":"a","required":false,"type":"int"},)"
            R"({"id":5,"name":"b","required":false,"type":{"type":"struct","fields":[)"
            R"({"id":7,"name":"x","required":false,"type":"date"}]}},)"
            R"({"id":6,"name":"c","required":false,"type":"string"},)"
            R"({"id":2,"name":"__bucket","required":true,"type":"int"},)"
            R"({"id":3,"name":"__offset","required":true,"type":"long"},)"
            R"({"id":4,"name":"__timestamp","required":true,"type":"timestamptz"}]})");
  EXPECT_EQ(next->last_column_id, 7);
  EXPECT_THAT(alteration(*next, before, after)->updates, IsEmpty());
  EXPECT_TRUE(check_same_table(*next, after));

  before.distribution->bucket_keys = {"a"};
  after = before;
  after.schema = *SchemaBuilder(before.schema).column("a_bucket", DataType::string()).build();
  Result<TableChange> refused = alteration(made(before), before, after);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("column a_bucket: "));
}

TEST(IcebergMapping, OptionsAreSetAndReset) {
  // Proves that changed options reach the table, and that write modes do not change.
  TableDescriptor before = key_table();
  before.custom_properties = {{"iceberg.a", "1"}, {"own", "x"}};
  TableDescriptor after = before;
  after.custom_properties = {{"iceberg.b", "2"}, {"own", "y"}};
  TableMetadata there = made(before);
  TableChange change = *alteration(there, before, after);
  TableMetadata next = *apply(change.updates, there, 200);
  EXPECT_FALSE(next.properties.contains("a"));
  EXPECT_EQ(next.properties.at("b"), "2");
  EXPECT_EQ(next.properties.at("fluss.own"), "y");
  EXPECT_THAT(alteration(next, before, after)->updates, IsEmpty());

  TableDescriptor modes = log_table();
  modes.custom_properties = {{"iceberg.write.delete.mode", "merge-on-read"}};
  Result<TableChange> refused = alteration(made(log_table()), log_table(), modes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidAlterTableException);
}

}  // namespace
}  // namespace lakestream::iceberg
