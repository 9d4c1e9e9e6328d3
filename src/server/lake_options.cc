#include "server/lake_options.h"

#include <utility>

#include "base/server_config.h"
#include "base/server_options.h"

namespace lakestream {
namespace {

constexpr LakeFormatKind kLakeFormats[] = {LakeFormatKind::kPaimon,
                                           LakeFormatKind::kIceberg,
                                           LakeFormatKind::kHudi,
                                           LakeFormatKind::kLance};

}  // namespace

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

std::map<LakeFormatKind, LakeFormatOptions> lake_formats(const ConfigMap& options,
                                                         const TextMap& texts) {
  std::map<LakeFormatKind, LakeFormatOptions> formats;
  std::optional<LakeFormatKind> first = lake_format(options);
  if (!first) return formats;
  bool plain = options.get(server_options::kLakestreamPaimonLayout) == PaimonLayoutChoice::kPlain;
  for (LakeFormatKind kind : kLakeFormats) {
    LakeFormatOptions lake{.catalog = lake_catalog_of(texts, name_of(kind)),
                           .layout = plain ? LakeLayout::kPlain : LakeLayout::kSystemColumns};
    if (kind == first || !lake.catalog.empty()) formats.emplace(kind, std::move(lake));
  }
  return formats;
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
