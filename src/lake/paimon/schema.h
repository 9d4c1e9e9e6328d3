#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/descriptor.h"
#include "table/types.h"

// One version of a Paimon table: the content of a file schema/schema-N, which is never modified.
//
// Thread rule: values, any thread.
//
//   ASSIGN_OR_RETURN(PaimonSchema schema, paimon_schema_from_json(text));
//   for (const std::string& name : schema.trimmed_primary_key()) sort_by(name);
namespace lakestream::paimon {

struct PaimonField {
  int32_t id = 0;
  std::string name;
  DataType type;
  std::optional<std::string> description = std::nullopt;

  friend bool operator==(const PaimonField&, const PaimonField&) = default;
};

struct PaimonSchema {
  int64_t id = 0;
  std::vector<PaimonField> fields;
  int32_t highest_field_id = -1;
  std::vector<std::string> partition_keys;
  std::vector<std::string> primary_keys;
  Properties options;
  std::optional<std::string> comment = std::nullopt;
  int64_t time_ms = 0;

  bool has_primary_key() const { return !primary_keys.empty(); }
  // The primary key without the partition keys, in its order: what rows of a bucket are sorted by.
  std::vector<std::string> trimmed_primary_key() const;
  std::optional<size_t> index_of(std::string_view name) const;
  // Of the option "bucket"; -1 when the table does not tell buckets apart.
  int32_t bucket_count() const;
  // Ends in __bucket, __offset, __timestamp.
  bool has_system_columns() const;
};

std::string to_json(const PaimonSchema& schema);
// kUnknownServerError when the text is no such document or names a type that is not known.
Result<PaimonSchema> paimon_schema_from_json(std::string_view text);

}  // namespace lakestream::paimon
