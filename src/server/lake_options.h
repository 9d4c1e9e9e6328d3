#pragma once

#include <optional>

#include "base/config.h"
#include "lake/lake.h"
#include "table/table_choices.h"
#include "tiering/tiering.h"

// The lake as the options of the server describe it.
//
// Thread rule: pure functions.
//
//   std::optional<LakeFormatKind> format = lake_format(options);
//   if (format) make_lake_format(*format, lake_format_options(options, texts), env, objects);
namespace lakestream {

// datalake.format; nothing when the cluster has no lake.
std::optional<LakeFormatKind> lake_format(const ConfigMap& options);
// Whether tables may be copied to it.
bool has_lake(const ConfigMap& options);
// Requires: there is one. `texts` are the options as the user wrote them.
LakeFormatOptions lake_format_options(const ConfigMap& options, const TextMap& texts);
TieringOptions tiering_options(const ConfigMap& options);

}  // namespace lakestream
