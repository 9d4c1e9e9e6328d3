#pragma once

#include <map>
#include <optional>

#include "base/config.h"
#include "lake/lake.h"
#include "table/table_choices.h"
#include "tiering/tiering.h"

// The lake as the options of the server describe it.
//
// Thread rule: pure functions.
//
//   if (lake_format(options)) make_lake(lake_formats(options, texts), env, objects);
namespace lakestream {

// datalake.format, which new tables get; nothing when the cluster has no lake.
std::optional<LakeFormatKind> lake_format(const ConfigMap& options);
// Whether tables may be copied to it.
bool has_lake(const ConfigMap& options);
// That one, and each other format whose catalog has options; none when the cluster has no lake.
// `texts` are the options as the user wrote them.
std::map<LakeFormatKind, LakeFormatOptions> lake_formats(const ConfigMap& options,
                                                         const TextMap& texts);
TieringOptions tiering_options(const ConfigMap& options);

}  // namespace lakestream
