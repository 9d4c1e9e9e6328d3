#include "server/lake_options.h"

#include "base/server_config.h"
#include "base/server_options.h"

namespace lakestream {

std::optional<LakeFormatKind> lake_format(const ConfigMap& options) {
  std::optional<LakeFormatChoice> format = options.find(server_options::kDatalakeFormat);
  if (!format) return std::nullopt;
  switch (*format) {
    case LakeFormatChoice::kPaimon:
      return LakeFormatKind::kPaimon;
    case LakeFormatChoice::kIceberg:
      return LakeFormatKind::kIceberg;
    case LakeFormatChoice::kHudi:
      return LakeFormatKind::kHudi;
    case LakeFormatChoice::kLance:
      break;
  }
  return LakeFormatKind::kLance;
}

bool has_lake(const ConfigMap& options) {
  return lake_format(options) && options.find(server_options::kDatalakeEnabled).value_or(true);
}

LakeFormatOptions lake_format_options(const ConfigMap& options, const TextMap& texts) {
  std::optional<LakeFormatKind> format = lake_format(options);
  CHECK(format.has_value(), "options of a lake");
  LakeFormatOptions lake;
  lake.catalog = lake_catalog_of(texts, name_of(*format));
  bool plain = options.get(server_options::kLakestreamPaimonLayout) == PaimonLayoutChoice::kPlain;
  lake.layout = plain ? LakeLayout::kPlain : LakeLayout::kSystemColumns;
  return lake;
}

TieringOptions tiering_options(const ConfigMap& options) {
  TieringOptions tiering;
  tiering.tables_at_once =
      static_cast<size_t>(options.get(server_options::kLakestreamTieringTablesAtOnce));
  tiering.heartbeat_interval = options.get(server_options::kLakestreamTieringHeartbeatInterval);
  tiering.held_bytes_max =
      static_cast<uint64_t>(options.get(server_options::kLakestreamTieringMemory)) /
      tiering.tables_at_once;
  tiering.expire_all = options.get(server_options::kLakeTieringAutoExpireSnapshot);
  tiering.orphan_age = options.get(server_options::kLakestreamTieringOrphanAge);
  return tiering;
}

}  // namespace lakestream
