#pragma once

#include "lake/iceberg/iceberg_catalog.h"

// What the tests of catalogs make in them.
//
// Thread rule: pure functions.
//
//   catalog->create_table(kPath, one_column());
namespace lakestream::iceberg {

// A table of one column, with an option a = 1.
inline NewTable one_column() {
  IcebergType type;
  type.kind = TypeKind::kInt;
  IcebergSchema schema;
  schema.fields = {{.id = 1, .name = "id", .required = true, .type = type}};
  return {.schema = schema, .spec = {}, .order = {}, .properties = {{"a", "1"}}};
}

}  // namespace lakestream::iceberg
