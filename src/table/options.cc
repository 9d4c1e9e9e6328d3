#include "table/options.h"

#include <string_view>
#include <utility>

#include "table/table_options.h"

namespace lakestream {
namespace {

constexpr std::string_view kTablePrefix = "table.";

Result<StatisticsColumns> parse_statistics(const std::optional<std::string>& text) {
  StatisticsColumns columns;
  if (!text) return columns;
  ASSIGN_OR_RETURN(std::vector<std::string> names, parse_list(*text, ','));
  for (std::string& name : names) {
    if (!name.empty()) columns.names.push_back(std::move(name));
  }
  columns.all = columns.names == std::vector<std::string>{"*"};
  if (columns.all) columns.names.clear();
  if (columns.enabled()) return columns;
  return make_error(
      ErrorCode::kInvalidConfigException,
      "option 'table.statistics.columns': '{}' names no column, give some, * for all, "
      "or leave the option out",
      *text);
}

AutoPartitionOptions auto_partition_of(const ConfigMap& config) {
  AutoPartitionOptions options;
  options.enabled = config.get(table_options::kAutoPartitionEnabled);
  options.key = config.find(table_options::kAutoPartitionKey);
  options.unit = config.get(table_options::kAutoPartitionTimeUnit);
  options.time_format = config.find(table_options::kAutoPartitionTimeFormat);
  options.time_zone = config.get(table_options::kAutoPartitionTimeZone);
  options.precreate_count = config.get(table_options::kAutoPartitionNumPrecreate);
  options.retention_count = config.get(table_options::kAutoPartitionNumRetention);
  return options;
}

LakeOptions lake_of(const ConfigMap& config) {
  LakeOptions options;
  options.enabled = config.get(table_options::kDatalakeEnabled);
  options.format = config.find(table_options::kDatalakeFormat);
  options.database_name = config.find(table_options::kDatalakeDatabaseName);
  options.table_name = config.find(table_options::kDatalakeTableName);
  options.freshness = config.get(table_options::kDatalakeFreshness);
  options.auto_compaction = config.get(table_options::kDatalakeAutoCompaction);
  options.auto_expire_snapshot = config.get(table_options::kDatalakeAutoExpireSnapshot);
  options.historical_partition = config.get(table_options::kDatalakeHistoricalPartitionEnabled);
  return options;
}

}  // namespace

bool is_table_property(std::string_view key) { return key.starts_with(kTablePrefix); }

Result<TableOptions> parse_table_options(const Properties& properties) {
  for (const auto& [key, value] : properties) {
    if (is_table_property(key)) continue;
    return make_error(ErrorCode::kInvalidConfigException,
                      "property '{}' is no table option, put it into the custom properties",
                      key);
  }
  ASSIGN_OR_RETURN(ConfigMap config, ConfigMap::create(table_option_table(), properties));
  TableOptions options;
  options.replication_factor = config.find(table_options::kReplicationFactor);
  options.log_format = config.get(table_options::kLogFormat);
  options.compression = config.get(table_options::kLogArrowCompressionType);
  options.zstd_level = config.get(table_options::kLogArrowCompressionZstdLevel);
  options.log_ttl = config.get(table_options::kLogTtl);
  options.log_local_ttl = config.find(table_options::kLogLocalTtl);
  options.tiered_local_segments = config.get(table_options::kLogTieredLocalSegments);
  ASSIGN_OR_RETURN(options.statistics,
                   parse_statistics(config.find(table_options::kStatisticsColumns)));
  options.kv_format = config.get(table_options::kKvFormat);
  options.kv_format_version = config.find(table_options::kKvFormatVersion);
  options.kv_standby_replica = config.find(table_options::kKvStandbyReplicaEnabled);
  options.merge_engine = config.find(table_options::kMergeEngine);
  options.version_column = config.find(table_options::kMergeEngineVersionedVerColumn);
  if (config.is_set(table_options::kDeleteBehavior)) {
    options.delete_behavior = config.get(table_options::kDeleteBehavior);
  }
  options.changelog_image = config.get(table_options::kChangelogImage);
  options.auto_increment_cache_size = config.get(table_options::kAutoIncrementCacheSize);
  options.auto_partition = auto_partition_of(config);
  options.lake = lake_of(config);
  return options;
}

Result<TableOptions> parse_stored_table_options(const Properties& properties) {
  Properties known;
  for (const auto& [key, value] : properties) {
    if (find_option(table_option_table(), key) != nullptr) known[key] = value;
  }
  return parse_table_options(known);
}

}  // namespace lakestream
