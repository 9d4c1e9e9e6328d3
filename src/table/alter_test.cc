#include "table/alter.h"

#include <gtest/gtest.h>

#include "table/test_util.h"

namespace lakestream {
namespace {

std::string invalid_alter(const std::string& message) {
  return "INVALID_ALTER_TABLE_EXCEPTION: " + message;
}

TableDescriptor made(Properties properties, std::vector<std::string> key) {
  TableDescriptor table;
  table.schema = *SchemaBuilder()
                      .column("a", DataType::integer())
                      .column("b", DataType::string())
                      .primary_key(std::move(key))
                      .build();
  table.properties = std::move(properties);
  table.custom_properties = {{"owner", "me"}};
  return *complete_table(std::move(table), {});
}

std::string change(const TableDescriptor& table, OptionChanges changes, TableRules rules = {}) {
  return outcome(alter_options(table, changes, rules));
}

TEST(AlterTest, OnlySomeOptionsCanBeChanged) {
  TableDescriptor table = made({}, {});
  EXPECT_EQ(
      change(table, {{{"table.log.format", "INDEXED"}}, {}}),
      invalid_alter("option 'table.log.format' cannot be changed after the table was created"));
  EXPECT_EQ(change(table, {{}, {"table.replication.factor"}}),
            invalid_alter("option 'table.replication.factor' cannot be changed after the table was "
                          "created"));
  EXPECT_EQ(change(table, {{{"table.log.tl", "1 d"}}, {}}),
            invalid_alter("option 'table.log.tl' is unknown, did you mean 'table.log.ttl'"));
  EXPECT_EQ(change(table, {{{"table.kv.standby-replica.enabled", "true"}}, {}}),
            invalid_alter("option 'table.kv.standby-replica.enabled' needs a table with a primary "
                          "key"));
  EXPECT_EQ(change(made({}, {"a"}), {{{"table.kv.standby-replica.enabled", "false"}}, {}}),
            "accepted");
}

TEST(AlterTest, TheChangedTableObeysAllRules) {
  TableDescriptor table = made({}, {});
  EXPECT_EQ(change(table, {{{"table.log.ttl", "x"}}, {}}),
            "INVALID_CONFIG_EXCEPTION: option 'table.log.ttl': 'x' does not start with a number");
  EXPECT_EQ(change(table, {{{"table.log.local-ttl", "8 d"}}, {}}).substr(0, 24),
            "INVALID_CONFIG_EXCEPTION");
  EXPECT_EQ(change(table, {{{"table.auto-partition.enabled", "true"}}, {}}).substr(0, 24),
            "INVALID_CONFIG_EXCEPTION");
  EXPECT_EQ(change(table, {{{"table.statistics.columns", "x"}}, {}}).substr(0, 24),
            "INVALID_CONFIG_EXCEPTION");
}

TEST(AlterTest, OptionsAndOwnPropertiesAreSetAndReset) {
  TableDescriptor table = made({{"table.log.ttl", "1 d"}}, {});
  OptionChanges changes{{{"table.log.tiered.local-segments", "5"}, {"team", "x"}},
                        {"table.log.ttl", "owner", "absent"}};
  TableDescriptor changed = *alter_options(table, changes, {});
  EXPECT_EQ(
      changed.properties,
      (Properties{{"table.log.tiered.local-segments", "5"}, {"table.replication.factor", "1"}}));
  EXPECT_EQ(changed.custom_properties, (Properties{{"team", "x"}}));
  EXPECT_EQ(*alter_options(table, {}, {}), table);
}

TEST(AlterTest, TheLakeNeedsAFormatFromTheBeginning) {
  TableRules rules;
  rules.lake_enabled = true;
  rules.lake_format = LakeFormatKind::kPaimon;
  OptionChanges enable{{{"table.datalake.enabled", "true"}}, {}};
  EXPECT_EQ(
      change(made({}, {"a"}), enable, rules),
      invalid_alter("option 'table.datalake.enabled' cannot be changed, because the table was "
                    "created before the cluster had a lake"));
  EXPECT_EQ(
      change(made({}, {}), {{{"table.datalake.freshness", "1 min"}}, {}}, rules),
      invalid_alter("option 'table.datalake.freshness' cannot be changed, because the table was "
                    "created before the cluster had a lake"));
  // Without keys nothing depends on the format yet, so it is filled in.
  TableDescriptor table = *alter_options(made({}, {}), enable, rules);
  EXPECT_EQ(table.properties["table.datalake.format"], "paimon");
  EXPECT_EQ(change(made({{"table.datalake.format", "paimon"}}, {"a"}), enable, rules), "accepted");
  // One of a format that the cluster has no more can be changed in what is not the lake.
  TableDescriptor iceberg = made({{"table.datalake.format", "iceberg"}}, {"a"});
  EXPECT_EQ(change(iceberg, {{{"table.log.ttl", "1 d"}}, {}}, rules), "accepted");
  EXPECT_NE(change(iceberg, enable, rules), "accepted");
  rules.more_lake_formats = {LakeFormatKind::kIceberg};
  EXPECT_EQ(change(iceberg, enable, rules), "accepted");
}

TEST(AlterTest, NewColumnsAreNewAndNullable) {
  TableDescriptor table = made({}, {"a"});
  auto add = [&table](Column column) {
    return outcome(alter_columns(table, {.add = {std::move(column)}}, {}));
  };
  EXPECT_EQ(add({"b", DataType::date(), {}, {}, -1}),
            invalid_alter("column 'b' is there already, choose another name"));
  EXPECT_EQ(
      add({"c", DataType::date().not_null(), {}, {}, -1}),
      "UNKNOWN_SERVER_ERROR: column 'c' is NOT NULL, a new column must be nullable because the "
      "rows before it have no value for it");
  EXPECT_EQ(add({"__offset", DataType::date(), {}, {}, -1}).substr(0, 23),
            "INVALID_TABLE_EXCEPTION");
  EXPECT_EQ(add({"c", DataType::char_(0), {}, {}, -1}),
            "INVALID_TABLE_EXCEPTION: column 'c': length 0 of CHAR is below 1");
  EXPECT_EQ(add({"c", DataType::bigint(), {}, AggFunction{AggType::kSum, {}}, -1}),
            "INVALID_CONFIG_EXCEPTION: column 'c' has aggregate function sum, this needs "
            "'table.merge-engine' = 'aggregation'");
  ColumnChanges twice;
  twice.add = {Column{"c", DataType::date(), {}, {}, -1},
               Column{"c", DataType::date(), {}, {}, -1}};
  EXPECT_EQ(outcome(alter_columns(table, twice, {})),
            "INVALID_TABLE_EXCEPTION: column 'c' is there twice, column names must differ");
  ColumnChanges one{.add = {Column{"c", DataType::date(), "new", {}, -1}}};
  Schema schema = *alter_columns(table, one, {});
  EXPECT_EQ(schema.column(2), (Column{"c", DataType::date(), "new", {}, 2}));
  EXPECT_EQ(schema.highest_field_id(), 2);
  EXPECT_EQ(schema.primary_key(), std::vector<std::string>{"a"});
}

// Proves that columns keep place, type and id under a new name, which may be free by then, and that
// what clients find by name keeps it.
TEST(AlterTest, ColumnsAreRenamed) {
  TableDescriptor table = made({}, {"a"});
  auto rename = [&table](std::vector<ColumnRename> changes) {
    return outcome(alter_columns(table, {.rename = std::move(changes)}, {}));
  };
  EXPECT_EQ(rename({{"c", "d"}}), invalid_alter("column 'c' does not exist, there are a, b"));
  EXPECT_EQ(rename({{"b", "a"}}),
            invalid_alter("column 'a' is there already, choose another name"));
  EXPECT_EQ(rename({{"a", "d"}}),
            invalid_alter("column 'a' is of the primary key, which stays as it is; copy the rows "
                          "to a new table"));
  EXPECT_EQ(rename({{"b", "__dropped_x"}}).substr(0, 27), "INVALID_ALTER_TABLE_EXCEPTI");
  EXPECT_EQ(rename({{"b", "__offset"}}).substr(0, 23), "INVALID_TABLE_EXCEPTION");
  EXPECT_NE(rename({{"b", ""}}), "accepted");
  TableDescriptor counted = made({{"table.statistics.columns", "b"}}, {});
  EXPECT_EQ(outcome(alter_columns(counted, {.rename = {{"b", "c"}}}, {})),
            "INVALID_CONFIG_EXCEPTION: option 'table.statistics.columns': 'b' is not a column of "
            "the table");

  ColumnChanges changes{.rename = {{"b", "c"}, {"c", "d"}},
                        .add = {Column{"b", DataType::date(), {}, {}, -1}}};
  Schema schema = *alter_columns(table, changes, {});
  EXPECT_EQ(schema.column(1), (Column{"d", DataType::string(), {}, {}, 1}));
  EXPECT_EQ(schema.column(2), (Column{"b", DataType::date(), {}, {}, 2}));
}

// Proves that the columns of a table with a lake stay, and that one without columns of its past can
// get a lake.
TEST(AlterTest, ColumnsOfATableWithALake) {
  TableRules rules;
  rules.lake_enabled = true;
  rules.lake_format = LakeFormatKind::kPaimon;
  OptionChanges enable{{{"table.datalake.enabled", "true"}}, {}};
  TableDescriptor plain = made({{"table.datalake.format", "paimon"}}, {"a"});
  TableDescriptor table = *alter_options(plain, enable, rules);
  std::string refused = invalid_alter(
      "column 'b': a table with a lake ('table.datalake.enabled') keeps its columns and their "
      "names, only new ones can be added at the end");
  EXPECT_EQ(outcome(alter_columns(table, {.rename = {{"b", "c"}}}, rules)), refused);
  EXPECT_EQ(outcome(alter_columns(table, {.drop = {"b"}}, rules)), refused);
  ColumnChanges add{.add = {Column{"c", DataType::date(), {}, {}, -1}}};
  EXPECT_EQ(outcome(alter_columns(table, add, rules)), "accepted");

  plain.schema = *alter_columns(plain, {.rename = {{"b", "c"}}}, rules);
  EXPECT_EQ(change(plain, enable, rules), "accepted");
  plain.schema = *alter_columns(plain, {.drop = {"c"}}, rules);
  EXPECT_EQ(
      change(plain, enable, rules),
      invalid_alter("option 'table.datalake.enabled': the table has columns that were dropped, "
                    "which a lake table can not have; copy the rows to a new table"));
}

// Proves that a dropped column is out of sight, keeps place and id, and frees its name.
TEST(AlterTest, ColumnsAreDropped) {
  TableDescriptor table = made({}, {"a"});
  auto drop = [&table](std::string name) {
    return outcome(alter_columns(table, {.drop = {std::move(name)}}, {}));
  };
  EXPECT_EQ(drop("c"), invalid_alter("column 'c' does not exist, there are a, b"));
  EXPECT_EQ(drop("a"),
            invalid_alter("column 'a' is of the primary key, which stays as it is; copy the rows "
                          "to a new table"));
  table.schema = *alter_columns(
      table, {.drop = {"b"}, .add = {Column{"b", DataType::date(), {}, {}, -1}}}, {});
  EXPECT_EQ(table.schema.column(1), (Column{"__dropped_1_b", DataType::string(), {}, {}, 1}));
  EXPECT_EQ(table.schema.visible_names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.schema.visible().column(1).id, 2);
  EXPECT_EQ(drop("__dropped_1_b"),
            invalid_alter("column '__dropped_1_b' does not exist, there are a, b"));
  EXPECT_EQ(drop("b"), "accepted");

  TableDescriptor strict;
  strict.schema = *SchemaBuilder().column("n", DataType::integer().not_null()).build();
  strict = *complete_table(std::move(strict), {});
  EXPECT_EQ(outcome(alter_columns(strict, {.drop = {"n"}}, {})).substr(0, 45),
            "UNKNOWN_SERVER_ERROR: column 'n' is NOT NULL,");
  strict.schema = *SchemaBuilder().column("n", DataType::integer()).build();
  EXPECT_EQ(outcome(alter_columns(strict, {.drop = {"n"}}, {})),
            invalid_alter("column 'n' is the only one, drop the table instead"));
  TableDescriptor reserved;
  reserved.schema = *SchemaBuilder().column("__dropped_1_b", DataType::integer()).build();
  EXPECT_NE(outcome(complete_table(std::move(reserved), {})), "accepted");
}

}  // namespace
}  // namespace lakestream
