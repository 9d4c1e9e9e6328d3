#pragma once

#include <string>
#include <string_view>

#include "format/value.h"
#include "table/types.h"

// Values as text, in the form that parse_value() and value_of_json() read.
//
// Thread rule: pure functions.
//
//   std::string line;
//   append_text(type, value, &line);
namespace lakestream::cli {

// Nested values as JSON, bytes in base64. Requires: not null.
void append_text(const DataType& type, const Value& value, std::string* out);
void append_json(const DataType& type, const Value& value, std::string* out);
// In double quotes.
void append_json_text(std::string_view text, std::string* out);

// For messages: cut off after some characters.
std::string shortened(std::string_view text);

}  // namespace lakestream::cli
