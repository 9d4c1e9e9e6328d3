#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "format/value.h"
#include "table/schema.h"

// The golden vectors and the JSON form of their values.
//
// Thread rule: one thread.
//
//   for (const Json& vector : vectors_of("row")) { ... }
namespace lakestream::golden {

using Json = nlohmann::ordered_json;

const std::vector<Json>& all_vectors();
// Fails the test when there is none.
std::vector<Json> vectors_of(std::string_view kind);

Bytes bytes_of(const Json& vector, const char* field);
Schema schema_of(const Json& vector);
// Columns of a schema by position.
Schema sub_schema(const Schema& schema, const std::vector<int32_t>& columns);

Value value_of(const DataType& type, const Json& json, Arena* arena);
std::span<const Value> row_of(const Schema& schema, const Json& json, Arena* arena);

}  // namespace lakestream::golden
