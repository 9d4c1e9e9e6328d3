#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/iceberg/types.h"
#include "table/json_reader.h"
#include "table/json_writer.h"

// One version of the columns of an Iceberg table. Data files name columns by id, so that a reader
// of any version finds those it knows.
//
// Thread rule: values, any thread.
//
//   const IcebergSchema& schema = metadata.current_schema();
//   std::shared_ptr<arrow::Schema> columns = arrow_schema_of(schema);
//   for (int32_t id : schema.identifier_ids) sort_by(schema.find(id)->name);
namespace arrow {
class Field;
}  // namespace arrow

namespace lakestream::iceberg {

struct IcebergSchema {
  int32_t id = 0;
  std::vector<NestedField> fields;
  std::vector<int32_t> identifier_ids = {};  // of the primary key, in the order of their columns

  bool has_primary_key() const { return !identifier_ids.empty(); }
  std::optional<size_t> index_of(std::string_view name) const;
  // A column, not a nested field; nullptr when there is none.
  const NestedField* find(std::string_view name) const;
  const NestedField* find(int32_t id) const;
  // Ends in __bucket, __offset, __timestamp.
  bool has_system_columns() const;
  // Of nested fields too; 0 without columns.
  int32_t highest_id() const;
};

bool operator==(const IcebergSchema& a, const IcebergSchema& b);
// But for its id.
bool same_columns(const IcebergSchema& a, const IcebergSchema& b);

// The columns of data files: all but those of a type that we have not. They have the types that are
// written, are NOT NULL where they are required, and each field, also a nested one, has its id as
// "PARQUET:field_id" in its metadata.
std::shared_ptr<arrow::Schema> arrow_schema_of(const IcebergSchema& schema);
std::shared_ptr<arrow::Field> arrow_field_of(const NestedField& field);
inline constexpr std::string_view kFieldIdKey = "PARQUET:field_id";

void write_schema(const IcebergSchema& schema, JsonWriter* json);
Result<IcebergSchema> schema_of(const JsonValue& json);

}  // namespace lakestream::iceberg
