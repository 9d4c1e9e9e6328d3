#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "table/json_reader.h"
#include "table/json_writer.h"
#include "table/types.h"

// Types as the schema files of Paimon write them: an SQL text for a scalar ("DECIMAL(10, 2) NOT
// NULL", "TIMESTAMP(3) WITH LOCAL TIME ZONE"), an object for a nested one. Reading takes every
// spelling that is known of other writers.
//
// Thread rule: pure functions.
//
//   write_type(field.type, &json.key("type"));
//   ASSIGN_OR_RETURN(DataType type, type_of(json_type));
namespace lakestream::paimon {

void write_type(const DataType& type, JsonWriter* json);
// kUnknownServerError when it is no type, or one that we have not (MULTISET, VARIANT, a VARCHAR
// with a length).
Result<DataType> type_of(const JsonValue& json);
Result<DataType> scalar_type_of(std::string_view text);

// What a column of ours is in Paimon: the same but for TIME, which has no precision there.
DataType paimon_type_of(const DataType& type);

}  // namespace lakestream::paimon
