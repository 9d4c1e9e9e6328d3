#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "format/value.h"
#include "table/types.h"

// Text as a value of a type that is not nested. Nothing is rounded or cut off: what the type can
// not hold is no value of it.
//
// Thread rule: pure functions.
//
//   std::optional<Value> price = parse_value(DataType::decimal(10, 2), "12.50", &arena);
//   if (!price) complain(rule_of(type));  // "a number of at most 8 digits before the point and …"
namespace lakestream::cli {

// Texts point into `text` or into the arena. Requires: the type is not nested.
std::optional<Value> parse_value(const DataType& type, std::string_view text, Arena* arena);

// A time that counts milliseconds since 1970-01-01. Requires: a type of timestamps.
std::optional<Value> timestamp_of_ms(const DataType& type, int64_t ms);

// What texts are a value of the type: "a whole number from -128 to 127".
std::string rule_of(const DataType& type);

}  // namespace lakestream::cli
