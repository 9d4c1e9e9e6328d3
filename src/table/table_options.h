// Made by tools/gen_config.py from src/table/options.tsv. Edit the table, not this file.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "table/table_choices.h"

// The options of a table: the table with a row an option, and a typed handle for each.
//
// Thread rule: immutable.
//
//   config.get(table_options::kReplicationFactor)
namespace lakestream {

OptionTable table_option_table();

namespace table_options {

// table.replication.factor
inline constexpr Option<int32_t> kReplicationFactor{0};
// table.log.format
inline constexpr Option<LogFormat> kLogFormat{1};
// table.log.arrow.compression.type
inline constexpr Option<ArrowCompression> kLogArrowCompressionType{2};
// table.log.arrow.compression.zstd.level
inline constexpr Option<int32_t> kLogArrowCompressionZstdLevel{3};
// table.log.ttl
inline constexpr Option<std::chrono::milliseconds> kLogTtl{4};
// table.log.local-ttl
inline constexpr Option<std::chrono::milliseconds> kLogLocalTtl{5};
// table.log.tiered.local-segments
inline constexpr Option<int32_t> kLogTieredLocalSegments{6};
// table.statistics.columns
inline constexpr Option<std::string> kStatisticsColumns{7};
// table.kv.format
inline constexpr Option<KvFormat> kKvFormat{8};
// table.kv.format-version
inline constexpr Option<int32_t> kKvFormatVersion{9};
// table.kv.value-layout-version
inline constexpr Option<int32_t> kKvValueLayoutVersion{10};
// table.kv.standby-replica.enabled
inline constexpr Option<bool> kKvStandbyReplicaEnabled{11};
// table.kv.ttl
inline constexpr Option<std::chrono::milliseconds> kKvTtl{12};
// table.kv.ttl.time-column
inline constexpr Option<std::string> kKvTtlTimeColumn{13};
// table.merge-engine
inline constexpr Option<MergeEngine> kMergeEngine{14};
// table.merge-engine.versioned.ver-column
inline constexpr Option<std::string> kMergeEngineVersionedVerColumn{15};
// table.delete.behavior
inline constexpr Option<DeleteBehavior> kDeleteBehavior{16};
// table.changelog.image
inline constexpr Option<ChangelogImage> kChangelogImage{17};
// table.auto-increment.cache-size
inline constexpr Option<int64_t> kAutoIncrementCacheSize{18};
// table.auto-partition.enabled
inline constexpr Option<bool> kAutoPartitionEnabled{19};
// table.auto-partition.key
inline constexpr Option<std::string> kAutoPartitionKey{20};
// table.auto-partition.time-unit
inline constexpr Option<AutoPartitionUnit> kAutoPartitionTimeUnit{21};
// table.auto-partition.time-format
inline constexpr Option<std::string> kAutoPartitionTimeFormat{22};
// table.auto-partition.time-zone
inline constexpr Option<std::string> kAutoPartitionTimeZone{23};
// table.auto-partition.num-precreate
inline constexpr Option<int32_t> kAutoPartitionNumPrecreate{24};
// table.auto-partition.num-retention
inline constexpr Option<int32_t> kAutoPartitionNumRetention{25};
// table.datalake.enabled
inline constexpr Option<bool> kDatalakeEnabled{26};
// table.datalake.format
inline constexpr Option<LakeFormatKind> kDatalakeFormat{27};
// table.datalake.database-name
inline constexpr Option<std::string> kDatalakeDatabaseName{28};
// table.datalake.table-name
inline constexpr Option<std::string> kDatalakeTableName{29};
// table.datalake.freshness
inline constexpr Option<std::chrono::milliseconds> kDatalakeFreshness{30};
// table.datalake.auto-compaction
inline constexpr Option<bool> kDatalakeAutoCompaction{31};
// table.datalake.auto-expire-snapshot
inline constexpr Option<bool> kDatalakeAutoExpireSnapshot{32};
// table.datalake.historical-partition.enabled
inline constexpr Option<bool> kDatalakeHistoricalPartitionEnabled{33};
// table.lakestream.iceberg.deletes
inline constexpr Option<IcebergDeletes> kLakestreamIcebergDeletes{34};

}  // namespace table_options
}  // namespace lakestream
