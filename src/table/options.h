#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/descriptor.h"
#include "table/table_choices.h"

// TableOptions are the properties of a table as plain values. The keys, their defaults and meanings
// are in options.tsv (docs/config.md); what is optional here has no default, so that one can see
// whether it was set.
//
// Thread rule: values, any thread.
//
//   ASSIGN_OR_RETURN(TableOptions options, parse_table_options(table.properties));
//   if (options.log_ttl.count() > 0) delete_segments_older_than(options.log_ttl);
namespace lakestream {

// The columns of a log table that batches carry statistics of.
struct StatisticsColumns {
  bool all = false;                // all whose type can have them
  std::vector<std::string> names;  // else these; none means no statistics

  bool enabled() const { return all || !names.empty(); }
  friend bool operator==(const StatisticsColumns&, const StatisticsColumns&) = default;
};

struct AutoPartitionOptions {
  bool enabled = false;
  std::optional<std::string> key;
  AutoPartitionUnit unit = AutoPartitionUnit::kDay;
  std::optional<std::string> time_format;
  std::string time_zone = "Etc/UTC";
  int32_t precreate_count = 2;
  int32_t retention_count = 7;  // below 0: all

  friend bool operator==(const AutoPartitionOptions&, const AutoPartitionOptions&) = default;
};

struct LakeOptions {
  bool enabled = false;
  std::optional<LakeFormatKind> format;
  std::optional<std::string> database_name;
  std::optional<std::string> table_name;
  std::chrono::milliseconds freshness = std::chrono::minutes(3);
  bool auto_compaction = false;
  bool auto_expire_snapshot = false;
  bool historical_partition = false;

  friend bool operator==(const LakeOptions&, const LakeOptions&) = default;
};

struct TableOptions {
  std::optional<int32_t> replication_factor;

  LogFormat log_format = LogFormat::kArrow;
  ArrowCompression compression = ArrowCompression::kZstd;
  int32_t zstd_level = 3;
  std::chrono::milliseconds log_ttl = std::chrono::days(7);  // 0 or less: never
  std::optional<std::chrono::milliseconds> log_local_ttl;
  int32_t tiered_local_segments = 2;
  StatisticsColumns statistics;

  KvFormat kv_format = KvFormat::kCompacted;
  std::optional<int32_t> kv_format_version;
  std::optional<bool> kv_standby_replica;
  std::optional<MergeEngine> merge_engine;
  std::optional<std::string> version_column;
  std::optional<DeleteBehavior> delete_behavior;  // set explicitly, else ALLOW
  ChangelogImage changelog_image = ChangelogImage::kFull;
  int64_t auto_increment_cache_size = 100'000;

  AutoPartitionOptions auto_partition;
  LakeOptions lake;

  friend bool operator==(const TableOptions&, const TableOptions&) = default;
};

// Set to whatever value: the table has, or had, a table in the lake.
inline constexpr std::string_view kLakeEnabled = "table.datalake.enabled";

// Of a table that is being created or altered: a key that is no table option, or a value that is
// none, is refused with kInvalidConfigException.
Result<TableOptions> parse_table_options(const Properties& properties);
// Of a table that exists, perhaps made by a newer server: keys that are no table options are
// skipped.
Result<TableOptions> parse_stored_table_options(const Properties& properties);

// Whether a key belongs to the properties of a table; all others are the user's own.
bool is_table_property(std::string_view key);

}  // namespace lakestream
