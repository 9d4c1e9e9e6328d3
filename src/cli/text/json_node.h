#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"

// A JSON text as a tree, with numbers as they are written, so that decimals keep every digit.
//
// Thread rule: a JsonParser belongs to one thread.
//
//   JsonParser parser;
//   ASSIGN_OR_RETURN(const JsonNode* node, parser.parse(R"({"id": 7})"));
//   node->names[0];        // "id"
//   node->items[0].text;   // "7"
namespace lakestream::cli {

struct JsonNode {
  enum class Kind : uint8_t { kNull, kBoolean, kInteger, kNumber, kText, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  int64_t integer = 0;                           // of kInteger
  std::string_view text = {};                    // of kText without escapes; of kNumber as written
  std::span<const JsonNode> items = {};          // of kArray and kObject
  std::span<const std::string_view> names = {};  // of kObject, one an item
};

class JsonParser {
 public:
  JsonParser();
  ~JsonParser();

  // Valid until the next parse. Errors: kUnknownServerError, "character 8: …".
  Result<const JsonNode*> parse(std::string_view text);

 private:
  class Tree;
  std::unique_ptr<Tree> tree_;
};

// The node as JSON text, cut off after some characters; for messages.
std::string short_text(const JsonNode& node);

}  // namespace lakestream::cli
