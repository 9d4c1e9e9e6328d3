#include "table/validate.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "table/partition.h"

namespace lakestream {
namespace {

constexpr ErrorCode kInvalidTable = ErrorCode::kInvalidTableException;
constexpr ErrorCode kInvalidConfig = ErrorCode::kInvalidConfigException;

// Columns that views of a table's log add to those of the table.
constexpr std::array<std::string_view, 6> kReservedColumns = {
    "__offset", "__timestamp", "__bucket", "_change_type", "_log_offset", "_commit_timestamp"};

// Property keys that are filled in or named in messages.
constexpr std::string_view kReplicationFactor = "table.replication.factor";
constexpr std::string_view kNumPrecreate = "table.auto-partition.num-precreate";
constexpr std::string_view kLakeFormat = "table.datalake.format";
constexpr std::string_view kDeleteBehavior = "table.delete.behavior";
constexpr std::string_view kKvFormatVersion = "table.kv.format-version";
constexpr std::string_view kStandbyReplica = "table.kv.standby-replica.enabled";

Status check_switches(const TableDescriptor& table, const TableRules& rules) {
  if (table.has_primary_key() && !rules.allow_kv_tables) {
    return make_error(kInvalidTable,
                      "table has a primary key, this cluster does not allow such tables "
                      "(allow.create.kv.tables)");
  }
  if (!table.has_primary_key() && !rules.allow_log_tables) {
    return make_error(kInvalidTable,
                      "table has no primary key, this cluster does not allow such tables "
                      "(allow.create.log.tables)");
  }
  return ok();
}

void set_default(TableDescriptor* table, std::string_view key, std::string value) {
  table->properties.emplace(key, std::move(value));
}

void fill_defaults(TableDescriptor* table, const TableOptions& options, const TableRules& rules) {
  if (!table->distribution) table->distribution.emplace();
  if (!table->distribution->bucket_count) {
    table->distribution->bucket_count = rules.default_bucket_count;
  }
  set_default(table, kReplicationFactor, fmt::format("{}", rules.default_replication_factor));
  if (options.auto_partition.enabled && table->partition_keys.size() > 1) {
    set_default(table, kNumPrecreate, "0");
  }
  // Fixes the encoding of keys and the choice of buckets even while the lake is off.
  if (rules.lake_format) set_default(table, kLakeFormat, std::string(name_of(*rules.lake_format)));
  if (!table->has_primary_key()) return;
  if (options.merge_engine) set_default(table, kDeleteBehavior, "IGNORE");
  set_default(table, kKvFormatVersion, "2");
  set_default(table, kStandbyReplica, "true");
}

Status check_key_types(const TableDescriptor& table,
                       std::string_view what,
                       const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    const Column* column = table.schema.find(key);
    CHECK(column != nullptr, "keys of a normalized table");
    if (!column->type.is_nested()) continue;
    return make_error(kInvalidTable,
                      "{} column '{}' has type {}, it must not be ARRAY, MAP or ROW",
                      what,
                      key,
                      column->type);
  }
  return ok();
}

Status check_buckets(const TableDescriptor& table, const TableRules& rules) {
  if (!table.bucket_count()) return make_error(kInvalidTable, "bucket count is missing");
  int32_t count = *table.bucket_count();
  if (count <= 0) {
    return make_error(kInvalidTable,
                      "bucket count {} is not above 0, leave it out for {}",
                      count,
                      rules.default_bucket_count);
  }
  if (count > rules.bucket_count_max) {
    return make_error(ErrorCode::kBucketMaxNumException,
                      "bucket count {} is above {}, the most a table or partition may have "
                      "(max.bucket.num)",
                      count,
                      rules.bucket_count_max);
  }
  return check_key_types(table, "bucket key", table.bucket_keys());
}

Status check_log_format(const TableDescriptor& table, const TableOptions& options) {
  bool stuck = table.has_primary_key() && options.kv_format == KvFormat::kCompacted &&
               options.log_format == LogFormat::kIndexed;
  if (!stuck) return ok();
  return make_error(
      kInvalidConfig,
      "option 'table.log.format': INDEXED does not go with 'table.kv.format' COMPACTED "
      "in a primary-key table, use ARROW or COMPACTED");
}

Status check_no_agg_functions(const Schema& schema) {
  for (const Column& column : schema.columns()) {
    if (!column.agg) continue;
    return make_error(kInvalidConfig,
                      "column '{}' has aggregate function {}, this needs 'table.merge-engine' = "
                      "'aggregation'",
                      column.name,
                      agg_type_name(column.agg->type));
  }
  return ok();
}

Status check_agg_functions(const Schema& schema) {
  for (const Column& column : schema.columns()) {
    if (!column.agg) continue;
    if (Status valid = column.agg->check(column.type); !valid) {
      return fail(std::move(valid).error().with_context(fmt::format("column '{}'", column.name)));
    }
  }
  return ok();
}

Status check_version_column(const Schema& schema, const TableOptions& options) {
  constexpr std::string_view kKey = "table.merge-engine.versioned.ver-column";
  if (!options.version_column) {
    return make_error(
        kInvalidConfig, "option '{}' is missing, the VERSIONED merge engine needs it", kKey);
  }
  const Column* column = schema.find(*options.version_column);
  if (column == nullptr) {
    return make_error(kInvalidConfig,
                      "option '{}': '{}' is not a column of the table",
                      kKey,
                      *options.version_column);
  }
  TypeRoot root = column->type.root();
  if (root == TypeRoot::kInteger || root == TypeRoot::kBigint || root == TypeRoot::kTimestamp ||
      root == TypeRoot::kTimestampLtz) {
    return ok();
  }
  return make_error(kInvalidConfig,
                    "option '{}': column '{}' has type {}, it must be INT, BIGINT, TIMESTAMP or "
                    "TIMESTAMP_LTZ",
                    kKey,
                    column->name,
                    column->type);
}

Status check_merge_engine(const TableDescriptor& table, const TableOptions& options) {
  if (options.merge_engine != MergeEngine::kAggregation) {
    RETURN_IF_ERROR(check_no_agg_functions(table.schema));
  }
  if (!options.merge_engine) return ok();
  if (!table.has_primary_key()) {
    return make_error(kInvalidConfig,
                      "option 'table.merge-engine': {} needs a table with a primary key",
                      name_of(*options.merge_engine));
  }
  if (*options.merge_engine == MergeEngine::kVersioned) {
    return check_version_column(table.schema, options);
  }
  if (*options.merge_engine != MergeEngine::kAggregation) return ok();
  if (options.changelog_image == ChangelogImage::kWal) {
    return make_error(kInvalidConfig,
                      "option 'table.changelog.image': WAL does not go with the AGGREGATION merge "
                      "engine, use FULL");
  }
  return check_agg_functions(table.schema);
}

Status check_delete_behavior(const TableDescriptor& table, const TableOptions& options) {
  if (!options.delete_behavior) return ok();
  if (!table.has_primary_key()) {
    return make_error(
        kInvalidConfig, "option '{}' needs a table with a primary key", kDeleteBehavior);
  }
  bool deletes = options.merge_engine != MergeEngine::kFirstRow &&
                 options.merge_engine != MergeEngine::kVersioned;
  if (deletes || *options.delete_behavior != DeleteBehavior::kAllow) return ok();
  return make_error(
      kInvalidConfig,
      "option '{}': ALLOW does not go with the {} merge engine, use IGNORE or DISABLE",
      kDeleteBehavior,
      name_of(*options.merge_engine));
}

Status check_ttl(const TableOptions& options) {
  if (!options.log_local_ttl || options.log_local_ttl->count() <= 0) return ok();
  if (options.log_ttl.count() <= 0 || *options.log_local_ttl <= options.log_ttl) return ok();
  return make_error(kInvalidConfig,
                    "option 'table.log.local-ttl': {} ms is above 'table.log.ttl', {} ms",
                    options.log_local_ttl->count(),
                    options.log_ttl.count());
}

Status check_historical_partition(const TableDescriptor& table, const TableOptions& options) {
  if (!options.lake.historical_partition) return ok();
  std::vector<std::string_view> missing;
  if (!options.auto_partition.enabled) missing.push_back("'table.auto-partition.enabled' = true");
  if (!options.lake.enabled) missing.push_back("'table.datalake.enabled' = true");
  if (options.lake.format != LakeFormatKind::kPaimon) {
    missing.push_back("'table.datalake.format' = paimon");
  }
  if (!table.has_primary_key()) missing.push_back("a primary key");
  if (table.partition_keys.size() != 1) missing.push_back("exactly one partition key");
  if (missing.empty()) return ok();
  return make_error(kInvalidConfig,
                    "option 'table.datalake.historical-partition.enabled' needs {}",
                    fmt::join(missing, ", "));
}

// The partition key that holds the time.
Result<std::string> auto_partition_key(const TableDescriptor& table,
                                       const AutoPartitionOptions& options) {
  const std::vector<std::string>& keys = table.partition_keys;
  bool given = options.key && !options.key->empty();
  if (keys.size() == 1) return given ? *options.key : keys[0];
  if (!given) {
    return make_error(kInvalidTable,
                      "option 'table.auto-partition.key' is missing, with {} partition keys it has "
                      "to name the one that holds the time",
                      keys.size());
  }
  if (std::find(keys.begin(), keys.end(), *options.key) == keys.end()) {
    return make_error(kInvalidTable,
                      "option 'table.auto-partition.key': '{}' is no partition key, those are {}",
                      *options.key,
                      fmt::join(keys, ", "));
  }
  if (options.precreate_count > 0) {
    return make_error(kInvalidTable,
                      "option '{}': {} does not go with {} partition keys, set it to 0",
                      kNumPrecreate,
                      options.precreate_count,
                      keys.size());
  }
  return *options.key;
}

// A DATE holds a whole day, and partition values of that type have one text only.
Status check_date_key(const Column& column, const AutoPartitionOptions& options) {
  if (!column.type.is(TypeRoot::kDate)) return ok();
  if (options.unit != AutoPartitionUnit::kDay) {
    return make_error(
        kInvalidTable,
        "option 'table.auto-partition.time-unit': {} does not go with the DATE column "
        "'{}', use DAY",
        name_of(options.unit),
        column.name);
  }
  if (options.time_format == "yyyy-MM-dd") return ok();
  return make_error(kInvalidTable,
                    "option 'table.auto-partition.time-format' must be 'yyyy-MM-dd', because the "
                    "partition key '{}' is a DATE",
                    column.name);
}

Status check_auto_partition(const TableDescriptor& table, const AutoPartitionOptions& options) {
  ASSIGN_OR_RETURN(std::string key, auto_partition_key(table, options));
  const Column* column = table.schema.find(key);
  if (column == nullptr) {
    return make_error(
        kInvalidTable, "option 'table.auto-partition.key': '{}' is not a column of the table", key);
  }
  return check_date_key(*column, options);
}

Status check_partitions(const TableDescriptor& table, const AutoPartitionOptions& options) {
  if (!table.is_partitioned()) {
    if (!options.enabled) return ok();
    return make_error(kInvalidConfig,
                      "option 'table.auto-partition.enabled' needs a partitioned table");
  }
  for (const std::string& key : table.partition_keys) {
    const Column* column = table.schema.find(key);
    CHECK(column != nullptr, "partition keys of a normalized table");
    if (can_be_partition_key(column->type)) continue;
    return make_error(kInvalidTable,
                      "partition key '{}' has type {}, it must not be DECIMAL, ARRAY, MAP or ROW",
                      key,
                      column->type);
  }
  if (options.time_format) {
    Result<PartitionTimeFormat> format =
        PartitionTimeFormat::parse(*options.time_format, options.unit);
    if (!format) {
      return fail(
          std::move(format).error().with_context("option 'table.auto-partition.time-format'"));
    }
  }
  return options.enabled ? check_auto_partition(table, options) : ok();
}

Status check_reserved_columns(const Schema& schema) {
  for (std::string_view name : kReservedColumns) {
    if (schema.find(name) == nullptr) continue;
    return make_error(kInvalidTable,
                      "column name '{}' is reserved, as are {}; choose another",
                      name,
                      fmt::join(kReservedColumns, ", "));
  }
  return ok();
}

bool can_have_statistics(const DataType& type) {
  return !type.is_nested() && !type.is(TypeRoot::kBinary) && !type.is(TypeRoot::kBytes);
}

Status check_statistics(const TableDescriptor& table, const StatisticsColumns& columns) {
  constexpr std::string_view kKey = "table.statistics.columns";
  if (!columns.enabled()) return ok();
  if (table.has_primary_key()) {
    return make_error(kInvalidConfig, "option '{}' needs a table without a primary key", kKey);
  }
  for (const std::string& name : columns.names) {
    const Column* column = table.schema.find(name);
    if (column == nullptr) {
      return make_error(
          kInvalidConfig, "option '{}': '{}' is not a column of the table", kKey, name);
    }
    if (can_have_statistics(column->type)) continue;
    return make_error(kInvalidConfig,
                      "option '{}': column '{}' has type {}, which has no statistics",
                      kKey,
                      name,
                      column->type);
  }
  return ok();
}

Status check_lake_format(const LakeOptions& options, const TableRules& rules) {
  if (!options.format || !rules.lake_format) return ok();
  if (has_lake_format(rules, *options.format)) return ok();
  std::vector<std::string_view> names = {name_of(*rules.lake_format)};
  for (LakeFormatKind more : rules.more_lake_formats) names.push_back(name_of(more));
  std::string_view name = name_of(*options.format);
  return make_error(kInvalidConfig,
                    "option '{}': {} is not a lake format of the cluster, which has {}; choose one "
                    "that it has, or set datalake.{}.* at the server",
                    kLakeFormat,
                    name,
                    fmt::join(names, " and "),
                    name);
}

Status check_lake(const LakeOptions& options, const TableRules& rules) {
  if (!options.enabled) return ok();
  if (rules.lake_enabled) return check_lake_format(options, rules);
  return make_error(kInvalidTable,
                    "option 'table.datalake.enabled' needs a cluster with a lake "
                    "(datalake.format)");
}

}  // namespace

bool has_lake_format(const TableRules& rules, LakeFormatKind format) {
  const std::vector<LakeFormatKind>& more = rules.more_lake_formats;
  return rules.lake_format == format || std::find(more.begin(), more.end(), format) != more.end();
}

Result<TableDescriptor> complete_table(TableDescriptor table, const TableRules& rules) {
  RETURN_IF_ERROR(check_switches(table, rules));
  ASSIGN_OR_RETURN(TableOptions given, parse_table_options(table.properties));
  fill_defaults(&table, given, rules);
  ASSIGN_OR_RETURN(table.schema, SchemaBuilder(table.schema).assign_unknown_field_ids().build());
  ASSIGN_OR_RETURN(table, normalize(std::move(table)));
  RETURN_IF_ERROR(check_table(table, rules));
  // Also while it is off: it fixes the encoding of keys.
  RETURN_IF_ERROR(check_lake_format(given.lake, rules));
  for (const Column& column : table.schema.columns()) {
    if (!is_dropped(column)) continue;
    return make_error(kInvalidTable,
                      "column name '{}' begins with {}, as those of dropped columns do; choose "
                      "another",
                      column.name,
                      kDroppedPrefix);
  }
  return table;
}

Status check_table(const TableDescriptor& table, const TableRules& rules) {
  ASSIGN_OR_RETURN(TableOptions options, parse_table_options(table.properties));
  RETURN_IF_ERROR(check_buckets(table, rules));
  RETURN_IF_ERROR(check_key_types(table, "primary key", table.schema.primary_key()));
  RETURN_IF_ERROR(check_log_format(table, options));
  RETURN_IF_ERROR(check_merge_engine(table, options));
  RETURN_IF_ERROR(check_delete_behavior(table, options));
  RETURN_IF_ERROR(check_ttl(options));
  RETURN_IF_ERROR(check_historical_partition(table, options));
  RETURN_IF_ERROR(check_partitions(table, options.auto_partition));
  RETURN_IF_ERROR(check_reserved_columns(table.schema));
  RETURN_IF_ERROR(check_statistics(table, options.statistics));
  return check_lake(options.lake, rules);
}

Status check_columns(const Schema& schema, const TableOptions& options) {
  RETURN_IF_ERROR(check_reserved_columns(schema));
  bool aggregates = options.merge_engine == MergeEngine::kAggregation;
  return aggregates ? check_agg_functions(schema) : check_no_agg_functions(schema);
}

Status check_supported(const TableDescriptor& table) {
  constexpr std::string_view kReason = "this server does not serve {} yet; leave the option out";
  std::string_view kind;
  Result<TableOptions> options = parse_stored_table_options(table.properties);
  for (const char* key : {"table.kv.ttl", "table.kv.ttl.time-column"}) {
    if (table.properties.contains(key)) kind = "rows that expire ('table.kv.ttl')";
  }
  auto layout = table.properties.find("table.kv.value-layout-version");
  if (layout != table.properties.end() && layout->second != "1") {
    kind = "tagged values ('table.kv.value-layout-version')";
  }
  if (options && options->lake.historical_partition) {
    kind = "expired partitions out of the lake ('table.datalake.historical-partition.enabled')";
  }
  if (kind.empty()) return ok();
  return make_error(kInvalidTable, kReason, kind);
}

}  // namespace lakestream
