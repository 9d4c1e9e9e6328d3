#include "table/validate.h"

#include <gtest/gtest.h>

#include "table/options.h"
#include "table/table_options.h"
#include "table/test_util.h"

namespace lakestream {
namespace {

std::string invalid_table(const std::string& message) {
  return "INVALID_TABLE_EXCEPTION: " + message;
}
std::string invalid_config(const std::string& message) {
  return "INVALID_CONFIG_EXCEPTION: " + message;
}

// k INT, v BIGINT, s STRING, b BYTES, d DATE, m DECIMAL, l ARRAY.
SchemaBuilder columns() {
  return SchemaBuilder()
      .column("k", DataType::integer())
      .column("v", DataType::bigint())
      .column("s", DataType::string())
      .column("b", DataType::bytes())
      .column("d", DataType::date())
      .column("m", DataType::decimal(10, 2))
      .column("l", DataType::array(DataType::integer()));
}

TableDescriptor log_table(Properties properties = {}) {
  TableDescriptor table;
  table.schema = *columns().build();
  table.properties = std::move(properties);
  return table;
}

TableDescriptor keyed_table(Properties properties = {}) {
  TableDescriptor table = log_table(std::move(properties));
  table.schema = *columns().primary_key({"k", "d", "s"}).build();
  return table;
}

TableDescriptor partitioned_table(Properties properties, std::vector<std::string> keys) {
  TableDescriptor table = log_table(std::move(properties));
  table.partition_keys = std::move(keys);
  return table;
}

std::string check(TableDescriptor table, const TableRules& rules = {}) {
  return outcome(complete_table(std::move(table), rules));
}

TEST(ValidateTest, SwitchesOfTheClusterComeFirst) {
  TableRules rules;
  rules.allow_log_tables = false;
  EXPECT_EQ(check(log_table({{"table.nothing", "1"}}), rules),
            invalid_table("table has no primary key, this cluster does not allow such tables "
                          "(allow.create.log.tables)"));
  EXPECT_EQ(check(keyed_table(), rules), "accepted");
  rules = {};
  rules.allow_kv_tables = false;
  EXPECT_EQ(check(keyed_table(), rules),
            invalid_table("table has a primary key, this cluster does not allow such tables "
                          "(allow.create.kv.tables)"));
  EXPECT_EQ(check(log_table(), rules), "accepted");
}

TEST(ValidateTest, PropertiesAreKnownAndValid) {
  EXPECT_EQ(
      check(log_table({{"owner", "me"}})),
      invalid_config("property 'owner' is no table option, put it into the custom properties"));
  EXPECT_EQ(check(log_table({{"table.log.tl", "1 d"}})),
            invalid_config("option 'table.log.tl' is unknown, did you mean 'table.log.ttl'"));
  EXPECT_EQ(check(log_table({{"table.datalake.paimon.x", "1"}})).substr(0, 24),
            "INVALID_CONFIG_EXCEPTION");
  EXPECT_EQ(check(log_table({{"table.log.ttl", "tomorrow"}})),
            invalid_config("option 'table.log.ttl': 'tomorrow' does not start with a number"));
  EXPECT_EQ(
      check(log_table({{"table.log.format", "csv"}})),
      invalid_config("option 'table.log.format': 'csv' is none of ARROW, INDEXED, COMPACTED"));
  EXPECT_EQ(check(log_table({{"table.replication.factor", "0"}})),
            invalid_config("option 'table.replication.factor': '0' is below 1, the least allowed"));
  EXPECT_EQ(check(log_table({{"table.log.arrow.compression.zstd.level", "23"}})),
            invalid_config("option 'table.log.arrow.compression.zstd.level': '23' is above 22, the "
                           "most allowed"));
  EXPECT_EQ(check(log_table({{"table.log.tiered.local-segments", "0"}})),
            invalid_config("option 'table.log.tiered.local-segments': '0' is below 1, the least "
                           "allowed"));
  EXPECT_EQ(check(keyed_table({{"table.kv.format-version", "3"}})),
            invalid_config("option 'table.kv.format-version': '3' is above 2, the most allowed"));
  EXPECT_EQ(check(log_table({{"table.log.format", "arrow"}, {"table.log.ttl", "7d"}})), "accepted");
}

TEST(ValidateTest, DefaultsBecomeVisible) {
  TableRules rules;
  rules.default_bucket_count = 3;
  rules.default_replication_factor = 2;
  TableDescriptor table = *complete_table(log_table(), rules);
  EXPECT_EQ(table.distribution, (Distribution{3, {}}));
  EXPECT_EQ(table.properties, (Properties{{"table.replication.factor", "2"}}));

  table = *complete_table(keyed_table(), rules);
  EXPECT_EQ(table.distribution, (Distribution{3, {"k", "d", "s"}}));
  EXPECT_EQ(table.properties,
            (Properties{{"table.replication.factor", "2"},
                        {"table.kv.format-version", "2"},
                        {"table.kv.standby-replica.enabled", "true"}}));

  rules.lake_format = LakeFormatKind::kIceberg;
  table = *complete_table(keyed_table({{"table.merge-engine", "first_row"}}), rules);
  EXPECT_EQ(table.properties["table.datalake.format"], "iceberg");
  EXPECT_EQ(table.properties["table.delete.behavior"], "IGNORE");

  table = *complete_table(partitioned_table({{"table.auto-partition.enabled", "true"},
                                             {"table.auto-partition.key", "s"}},
                                            {"s", "k"}),
                          rules);
  EXPECT_EQ(table.properties["table.auto-partition.num-precreate"], "0");
}

TEST(ValidateTest, WhatWasGivenStays) {
  TableDescriptor given = keyed_table({{"table.replication.factor", "1"},
                                       {"table.kv.format-version", "1"},
                                       {"table.kv.standby-replica.enabled", "false"}});
  given.distribution = Distribution{5, {"s"}};
  TableRules rules;
  rules.default_bucket_count = 3;
  rules.default_replication_factor = 2;
  EXPECT_EQ(*complete_table(given, rules), given);
}

TEST(ValidateTest, BucketCountIsLimited) {
  TableDescriptor table = log_table();
  table.distribution = Distribution{0, {}};
  EXPECT_EQ(check(table), invalid_table("bucket count 0 is not above 0, leave it out for 1"));
  table.distribution = Distribution{-1, {}};
  EXPECT_EQ(check(table), invalid_table("bucket count -1 is not above 0, leave it out for 1"));
  table.distribution = Distribution{4097, {}};
  EXPECT_EQ(check(table),
            "BUCKET_MAX_NUM_EXCEPTION: bucket count 4097 is above 4096, the most a table or "
            "partition may have (max.bucket.num)");
  table.distribution = Distribution{4096, {}};
  EXPECT_EQ(check(table), "accepted");
}

TEST(ValidateTest, KeysAreNotNested) {
  TableDescriptor table = log_table();
  table.distribution = Distribution{1, {"l"}};
  EXPECT_EQ(check(table),
            invalid_table("bucket key column 'l' has type ARRAY<INT>, it must not be ARRAY, MAP or "
                          "ROW"));
  table.schema = *columns().primary_key({"k", "l"}).build();
  table.distribution = Distribution{1, {"k"}};
  EXPECT_EQ(
      check(table),
      invalid_table("primary key column 'l' has type ARRAY<INT> NOT NULL, it must not be ARRAY, "
                    "MAP or ROW"));
}

TEST(ValidateTest, LogFormatGoesWithKvFormat) {
  EXPECT_EQ(check(keyed_table({{"table.log.format", "INDEXED"}})),
            invalid_config("option 'table.log.format': INDEXED does not go with 'table.kv.format' "
                           "COMPACTED in a primary-key table, use ARROW or COMPACTED"));
  EXPECT_EQ(check(keyed_table({{"table.log.format", "COMPACTED"}})), "accepted");
  EXPECT_EQ(check(keyed_table({{"table.log.format", "INDEXED"}, {"table.kv.format", "INDEXED"}})),
            "accepted");
  EXPECT_EQ(check(log_table({{"table.log.format", "INDEXED"}})), "accepted");
}

TEST(ValidateTest, MergeEnginesNeedTheirParts) {
  EXPECT_EQ(
      check(log_table({{"table.merge-engine", "first_row"}})),
      invalid_config("option 'table.merge-engine': FIRST_ROW needs a table with a primary key"));
  EXPECT_EQ(
      check(keyed_table({{"table.merge-engine", "versioned"}})),
      invalid_config("option 'table.merge-engine.versioned.ver-column' is missing, the VERSIONED "
                     "merge engine needs it"));
  auto versioned = [](std::string column) {
    return keyed_table({{"table.merge-engine", "versioned"},
                        {"table.merge-engine.versioned.ver-column", std::move(column)}});
  };
  EXPECT_EQ(
      check(versioned("x")),
      invalid_config("option 'table.merge-engine.versioned.ver-column': 'x' is not a column of "
                     "the table"));
  EXPECT_EQ(check(versioned("b")),
            invalid_config("option 'table.merge-engine.versioned.ver-column': column 'b' has type "
                           "BYTES, it must be INT, BIGINT, TIMESTAMP or TIMESTAMP_LTZ"));
  EXPECT_EQ(check(versioned("v")), "accepted");
  EXPECT_EQ(
      check(keyed_table({{"table.merge-engine", "aggregation"}, {"table.changelog.image", "wal"}})),
      invalid_config("option 'table.changelog.image': WAL does not go with the AGGREGATION merge "
                     "engine, use FULL"));
}

TEST(ValidateTest, AggregateFunctionsNeedTheAggregationEngine) {
  TableDescriptor table = keyed_table();
  Column total{"total", DataType::bigint(), {}, AggFunction{AggType::kSum, {}}, 0};
  table.schema = *columns().column(total).primary_key({"k"}).build();
  EXPECT_EQ(check(table),
            invalid_config("column 'total' has aggregate function sum, this needs "
                           "'table.merge-engine' = 'aggregation'"));
  table.properties["table.merge-engine"] = "AGGREGATION";
  EXPECT_EQ(check(table), "accepted");
  total.agg->type = AggType::kBoolAnd;
  table.schema = *columns().column(total).primary_key({"k"}).build();
  EXPECT_EQ(check(table),
            invalid_config("column 'total': aggregate function bool_and does not support the type "
                           "BIGINT"));
}

TEST(ValidateTest, DeleteBehaviorGoesWithTheEngine) {
  EXPECT_EQ(check(log_table({{"table.delete.behavior", "allow"}})),
            invalid_config("option 'table.delete.behavior' needs a table with a primary key"));
  EXPECT_EQ(
      check(keyed_table({{"table.merge-engine", "first_row"}, {"table.delete.behavior", "allow"}})),
      invalid_config("option 'table.delete.behavior': ALLOW does not go with the FIRST_ROW merge "
                     "engine, use IGNORE or DISABLE"));
  EXPECT_EQ(check(keyed_table(
                {{"table.merge-engine", "aggregation"}, {"table.delete.behavior", "allow"}})),
            "accepted");
  EXPECT_EQ(check(keyed_table(
                {{"table.merge-engine", "first_row"}, {"table.delete.behavior", "disable"}})),
            "accepted");
}

TEST(ValidateTest, LocalSegmentsDoNotOutliveTheLog) {
  EXPECT_EQ(check(log_table({{"table.log.local-ttl", "8 d"}})),
            invalid_config("option 'table.log.local-ttl': 691200000 ms is above 'table.log.ttl', "
                           "604800000 ms"));
  EXPECT_EQ(check(log_table({{"table.log.local-ttl", "8 d"}, {"table.log.ttl", "0 ms"}})),
            "accepted");
  EXPECT_EQ(check(log_table({{"table.log.local-ttl", "0 ms"}})), "accepted");
  EXPECT_EQ(check(log_table({{"table.log.local-ttl", "7 d"}})), "accepted");
}

TEST(ValidateTest, HistoricalPartitionsNameAllThatIsMissing) {
  EXPECT_EQ(
      check(log_table({{"table.datalake.historical-partition.enabled", "true"}})),
      invalid_config("option 'table.datalake.historical-partition.enabled' needs "
                     "'table.auto-partition.enabled' = true, 'table.datalake.enabled' = true, "
                     "'table.datalake.format' = paimon, a primary key, exactly one partition "
                     "key"));
}

TEST(ValidateTest, PartitionKeysHaveTypesWithATextForm) {
  EXPECT_EQ(
      check(partitioned_table({}, {"m"})),
      invalid_table("partition key 'm' has type DECIMAL(10, 2), it must not be DECIMAL, ARRAY, "
                    "MAP or ROW"));
  EXPECT_EQ(
      check(partitioned_table({}, {"l"})),
      invalid_table("partition key 'l' has type ARRAY<INT>, it must not be DECIMAL, ARRAY, MAP "
                    "or ROW"));
  EXPECT_EQ(check(partitioned_table({}, {"s", "b", "d"})), "accepted");
}

TEST(ValidateTest, AutoPartitionNeedsOneTimeKey) {
  Properties enabled = {{"table.auto-partition.enabled", "true"}};
  EXPECT_EQ(check(log_table(enabled)),
            invalid_config("option 'table.auto-partition.enabled' needs a partitioned table"));
  EXPECT_EQ(
      check(partitioned_table(enabled, {"s", "k"})),
      invalid_table("option 'table.auto-partition.key' is missing, with 2 partition keys it has "
                    "to name the one that holds the time"));
  enabled["table.auto-partition.key"] = "v";
  EXPECT_EQ(
      check(partitioned_table(enabled, {"s", "k"})),
      invalid_table("option 'table.auto-partition.key': 'v' is no partition key, those are s, k"));
  enabled["table.auto-partition.key"] = "s";
  EXPECT_EQ(check(partitioned_table(enabled, {"s", "k"})), "accepted");
  enabled["table.auto-partition.num-precreate"] = "2";
  EXPECT_EQ(
      check(partitioned_table(enabled, {"s", "k"})),
      invalid_table("option 'table.auto-partition.num-precreate': 2 does not go with 2 partition "
                    "keys, set it to 0"));
  enabled["table.auto-partition.key"] = "x";
  EXPECT_EQ(check(partitioned_table(enabled, {"s"})),
            invalid_table("option 'table.auto-partition.key': 'x' is not a column of the table"));
}

TEST(ValidateTest, TimeFormatsFitUnitAndKey) {
  auto daily = [](std::string format, std::string key) {
    return partitioned_table({{"table.auto-partition.enabled", "true"},
                              {"table.auto-partition.time-format", std::move(format)}},
                             {std::move(key)});
  };
  EXPECT_EQ(check(daily("yyyy", "s")),
            invalid_table("option 'table.auto-partition.time-format': time format 'yyyy': the unit "
                          "DAY needs exactly the fields year, month, day, in this order"));
  EXPECT_EQ(check(daily("yyyy-MM-dd", "s")), "accepted");
  EXPECT_EQ(
      check(daily("yyyyMMdd", "d")),
      invalid_table("option 'table.auto-partition.time-format' must be 'yyyy-MM-dd', because the "
                    "partition key 'd' is a DATE"));
  EXPECT_EQ(check(daily("yyyy-MM-dd", "d")), "accepted");
  EXPECT_EQ(
      check(partitioned_table(
          {{"table.auto-partition.enabled", "true"}, {"table.auto-partition.time-unit", "month"}},
          {"d"})),
      invalid_table("option 'table.auto-partition.time-unit': MONTH does not go with the DATE "
                    "column 'd', use DAY"));
}

TEST(ValidateTest, SystemColumnNamesAreReserved) {
  for (std::string name : {"__offset",
                           "__timestamp",
                           "__bucket",
                           "_change_type",
                           "_log_offset",
                           "_commit_timestamp"}) {
    TableDescriptor table;
    table.schema = *SchemaBuilder().column(name, DataType::integer()).build();
    EXPECT_EQ(check(table),
              invalid_table("column name '" + name +
                            "' is reserved, as are __offset, __timestamp, __bucket, _change_type, "
                            "_log_offset, _commit_timestamp; choose another"));
  }
}

TEST(ValidateTest, StatisticsAreForColumnsOfLogTables) {
  auto key = [](std::string value) { return Properties{{"table.statistics.columns", value}}; };
  EXPECT_EQ(
      check(keyed_table(key("*"))),
      invalid_config("option 'table.statistics.columns' needs a table without a primary key"));
  EXPECT_EQ(check(log_table(key(" , "))),
            invalid_config("option 'table.statistics.columns': ' , ' names no column, give some, * "
                           "for all, or leave the option out"));
  EXPECT_EQ(check(log_table(key("k, x"))),
            invalid_config("option 'table.statistics.columns': 'x' is not a column of the table"));
  EXPECT_EQ(
      check(log_table(key("b"))),
      invalid_config("option 'table.statistics.columns': column 'b' has type BYTES, which has no "
                     "statistics"));
  EXPECT_EQ(
      check(log_table(key("l"))),
      invalid_config("option 'table.statistics.columns': column 'l' has type ARRAY<INT>, which "
                     "has no statistics"));
  EXPECT_EQ(check(log_table(key("*"))), "accepted");
  EXPECT_EQ(check(log_table(key("k, v,s,m"))), "accepted");
}

TEST(ValidateTest, TheLakeIsThatOfTheCluster) {
  EXPECT_EQ(check(log_table({{"table.datalake.enabled", "true"}})),
            invalid_table("option 'table.datalake.enabled' needs a cluster with a lake "
                          "(datalake.format)"));
  TableRules rules;
  rules.lake_enabled = true;
  rules.lake_format = LakeFormatKind::kPaimon;
  EXPECT_EQ(check(log_table({{"table.datalake.enabled", "true"}}), rules), "accepted");
  EXPECT_EQ(
      check(log_table({{"table.datalake.format", "lance"}}), rules),
      invalid_config("option 'table.datalake.format': lance is not a lake format of the cluster, "
                     "which has paimon; choose one that it has, or set datalake.lance.* at the "
                     "server"));
  Properties iceberg = {{"table.datalake.format", "iceberg"}, {"table.datalake.enabled", "true"}};
  EXPECT_NE(check(log_table(iceberg), rules), "accepted");
  rules.more_lake_formats = {LakeFormatKind::kIceberg};
  EXPECT_EQ(check(log_table(iceberg), rules), "accepted");
  EXPECT_EQ(complete_table(log_table({}), rules)->properties["table.datalake.format"], "paimon");
}

// Measured on the reference: a table without columns can be created.
TEST(ValidateTest, TablesWithoutColumnsAreAllowed) {
  EXPECT_EQ(check(TableDescriptor()), "accepted");
}

TEST(ValidateTest, NestedFieldsWithoutIdGetOne) {
  TableDescriptor table;
  Column row{"r", DataType::row({Field{"x", DataType::date(), {}, kUnknownFieldId}}), {}, {}, 0};
  table.schema = *SchemaBuilder().column_with_ids(row).build();
  EXPECT_EQ(complete_table(table, {})->schema.column(0).type.fields()[0].id, 1);
}

TEST(SupportTest, WhatIsNotThereSaysSo) {
  EXPECT_EQ(outcome(check_supported(keyed_table())), "accepted");
  EXPECT_EQ(outcome(check_supported(keyed_table({{"table.kv.ttl", "1 d"}}))),
            invalid_table("this server does not serve rows that expire ('table.kv.ttl') yet; leave "
                          "the option out"));
  EXPECT_EQ(outcome(check_supported(keyed_table({{"table.kv.value-layout-version", "2"}}))),
            invalid_table("this server does not serve tagged values "
                          "('table.kv.value-layout-version') yet; leave the option out"));
  EXPECT_EQ(outcome(check_supported(partitioned_table({}, {"s"}))), "accepted");
  EXPECT_EQ(outcome(check_supported(log_table({{"table.datalake.enabled", "true"}}))), "accepted");
  EXPECT_EQ(
      outcome(
          check_supported(log_table({{"table.datalake.historical-partition.enabled", "true"}}))),
      invalid_table("this server does not serve expired partitions out of the lake "
                    "('table.datalake.historical-partition.enabled') yet; leave the option out"));
  EXPECT_EQ(outcome(check_supported(log_table())), "accepted");
}

// The defaults in the struct are those of the table of options, written down once more.
TEST(OptionsTest, DefaultsAreThoseOfTheTable) {
  EXPECT_EQ(*parse_table_options({}), TableOptions());
}

TEST(OptionsTest, ValuesReachTheirField) {
  TableOptions options = *parse_table_options({{"table.replication.factor", "3"},
                                               {"table.log.format", "Indexed"},
                                               {"table.log.arrow.compression.type", "lz4_frame"},
                                               {"table.log.ttl", "0 ms"},
                                               {"table.statistics.columns", "a,b"},
                                               {"table.merge-engine", "VERSIONED"},
                                               {"table.auto-partition.time-unit", "quarter"},
                                               {"table.datalake.format", "Hudi"},
                                               {"table.datalake.freshness", "10s"}});
  EXPECT_EQ(options.replication_factor, 3);
  EXPECT_EQ(options.log_format, LogFormat::kIndexed);
  EXPECT_EQ(options.compression, ArrowCompression::kLz4Frame);
  EXPECT_EQ(options.log_ttl.count(), 0);
  EXPECT_EQ(options.statistics, (StatisticsColumns{false, {"a", "b"}}));
  EXPECT_EQ(options.merge_engine, MergeEngine::kVersioned);
  EXPECT_EQ(options.auto_partition.unit, AutoPartitionUnit::kQuarter);
  EXPECT_EQ(options.lake.format, LakeFormatKind::kHudi);
  EXPECT_EQ(options.lake.freshness, std::chrono::seconds(10));
}

// A table that a newer server made can still be read.
TEST(OptionsTest, StoredPropertiesMayBeUnknown) {
  TableOptions options =
      *parse_stored_table_options({{"table.future", "x"}, {"table.log.ttl", "1 d"}});
  EXPECT_EQ(options.log_ttl, std::chrono::days(1));
  EXPECT_EQ(outcome(parse_stored_table_options({{"table.log.ttl", "x"}})).substr(0, 24),
            "INVALID_CONFIG_EXCEPTION");
}

}  // namespace
}  // namespace lakestream
