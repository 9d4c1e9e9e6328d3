// Made by tools/gen_config.py from src/base/config.tsv. Edit the table, not this file.

#pragma once

#include <cstdint>
#include <string_view>

// The choices of those options of a server that are one.
//
// Thread rule: immutable.
//
//   name_of(DurabilityChoice::kSync)  // "sync"
namespace lakestream {

// remote.data.dirs.strategy
enum class RemoteDirsChoice : uint8_t { kRoundRobin, kWeightedRoundRobin };
std::string_view name_of(RemoteDirsChoice value);

// lakestream.remote.serve-reads
enum class ServeReadsChoice : uint8_t { kNever, kAlways };
std::string_view name_of(ServeReadsChoice value);

// datalake.format
enum class LakeFormatChoice : uint8_t { kPaimon, kIceberg, kHudi, kLance };
std::string_view name_of(LakeFormatChoice value);

// lakestream.durability
enum class DurabilityChoice : uint8_t { kSync, kOs };
std::string_view name_of(DurabilityChoice value);

// lakestream.paimon.layout
enum class PaimonLayoutChoice : uint8_t { kSystemColumns, kPlain };
std::string_view name_of(PaimonLayoutChoice value);

// lakestream.log-level
enum class LogLevelChoice : uint8_t { kDebug, kInfo, kWarn, kError };
std::string_view name_of(LogLevelChoice value);

}  // namespace lakestream
