#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/schema.h"
#include "table/json_reader.h"

// What the columns of data files without ids are: a property of the table lists the names that each
// field has in such files. They come from tables of other kinds that became part of this one.
//
// Thread rule: pure functions, any thread.
//
//   RETURN_IF_ERROR(map_names(properties[kNameMappingProperty], &metadata.schemas));
//   if (!has_own_names(field)) …  // not to be found by its name in every file
namespace lakestream::iceberg {

inline constexpr std::string_view kNameMappingProperty = "schema.name-mapping.default";

// Gives every field the names that the mapping has for it; one that is not in the mapping is in no
// file without ids. kUnknownServerError for a text that is no mapping.
Status map_names(std::string_view mapping, std::vector<IcebergSchema>* schemas);

// Whether files without ids have the field, and all within it, under its name of today alone.
bool has_own_names(const NestedField& field);

}  // namespace lakestream::iceberg
