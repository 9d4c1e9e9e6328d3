// Made by tools/gen_config.py from src/table/options.tsv. Edit the table, not this file.

#pragma once

#include <cstdint>
#include <string_view>

// The choices of those options of a table that are one.
//
// Thread rule: immutable.
//
//   name_of(LogFormat::kArrow)  // "ARROW"
namespace lakestream {

// table.log.format
enum class LogFormat : uint8_t { kArrow, kIndexed, kCompacted };
std::string_view name_of(LogFormat value);

// table.log.arrow.compression.type
enum class ArrowCompression : uint8_t { kNone, kLz4Frame, kZstd };
std::string_view name_of(ArrowCompression value);

// table.kv.format
enum class KvFormat : uint8_t { kCompacted, kIndexed };
std::string_view name_of(KvFormat value);

// table.merge-engine
enum class MergeEngine : uint8_t { kFirstRow, kVersioned, kAggregation };
std::string_view name_of(MergeEngine value);

// table.delete.behavior
enum class DeleteBehavior : uint8_t { kAllow, kIgnore, kDisable };
std::string_view name_of(DeleteBehavior value);

// table.changelog.image
enum class ChangelogImage : uint8_t { kFull, kWal };
std::string_view name_of(ChangelogImage value);

// table.auto-partition.time-unit
enum class AutoPartitionUnit : uint8_t { kYear, kQuarter, kMonth, kDay, kHour };
std::string_view name_of(AutoPartitionUnit value);

// table.datalake.format
enum class LakeFormatKind : uint8_t { kPaimon, kLance, kIceberg, kHudi };
std::string_view name_of(LakeFormatKind value);

// table.lakestream.iceberg.deletes
enum class IcebergDeletes : uint8_t { kEquality, kPosition };
std::string_view name_of(IcebergDeletes value);

}  // namespace lakestream
