#pragma once

#include <string>
#include <string_view>

#include "format/value.h"
#include "table/types.h"

// Texts of key values as the Hudi bucket index sees them, and the hash that Java gives a text.
//
// Thread rule: pure functions.
//
//   int32_t hash = java_hash(key_text(type, value));
namespace lakestream {

// Requires: a value of the type, not null; not BINARY, BYTES or nested.
std::string key_text(const DataType& type, const Value& value);

// 31-polynomial over the UTF-16 units of a UTF-8 text, modulo 2^32.
uint32_t java_hash(std::string_view text);

}  // namespace lakestream
