#pragma once

#include <optional>
#include <string>

#include "cli/text/json_node.h"
#include "format/value.h"
#include "table/types.h"

// JSON as a value of a type: numbers, true and false as themselves, everything else as text (dates
// and times in ISO 8601, bytes in base64; a text may also hold a number), ARRAY as an array, MAP
// and ROW as objects. A number in place of a timestamp counts milliseconds since 1970.
//
// Thread rule: pure functions.
//
//   Misfit misfit;
//   std::optional<Value> value = value_of_json(node, type, rules, &arena, &misfit);
//   if (!value) complain(misfit);
namespace lakestream::cli {

// What did not fit: "[2].city" below the column, the text there, and the type it should have.
struct Misfit {
  std::string path;
  std::string value;
  DataType type;

  // "'abc' is no INT (a whole number from …)"
  std::string to_string() const;
};

bool is_number_type(const DataType& type);

struct JsonRules {
  bool skip_unknown_fields = false;  // of a ROW
};

// Texts point into the node or the arena. Without a value, *misfit says why.
std::optional<Value> value_of_json(const JsonNode& node,
                                   const DataType& type,
                                   const JsonRules& rules,
                                   Arena* arena,
                                   Misfit* misfit);

}  // namespace lakestream::cli
