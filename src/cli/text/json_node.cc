#include "cli/text/json_node.h"

#include <cstring>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/show_value.h"

namespace lakestream::cli {
namespace {

using Json = nlohmann::json;

constexpr size_t kFirstBytes = 16 << 10;
constexpr size_t kDepthMax = 256;
constexpr size_t kShortTextMax = 40;

}  // namespace

// Takes the events of nlohmann's parser. Nodes of a container wait on a stack until it is closed.
class JsonParser::Tree {
 public:
  void begin(size_t length) {
    length_ = length;
    memory_.release();
    nodes_.clear();
    names_.clear();
    open_.clear();
    problem_.clear();
  }
  const JsonNode* root() const { return nodes_.data(); }
  const std::string& problem() const { return problem_; }

  bool null() { return add({}); }
  bool boolean(bool value) { return add({.kind = JsonNode::Kind::kBoolean, .boolean = value}); }
  bool number_integer(int64_t value) {
    return add({.kind = JsonNode::Kind::kInteger, .integer = value});
  }
  bool number_unsigned(uint64_t value) {
    if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return number_integer(static_cast<int64_t>(value));
    }
    return number_float(0, std::to_string(value));
  }
  bool number_float(double, const std::string& text) {
    return add({.kind = JsonNode::Kind::kNumber, .text = copy(text)});
  }
  bool string(const std::string& text) {
    return add({.kind = JsonNode::Kind::kText, .text = copy(text)});
  }
  bool binary(const Json::binary_t&) { return false; }
  bool start_object(size_t) { return open(); }
  bool key(const std::string& name) {
    names_.push_back(copy(name));
    return true;
  }
  bool end_object() { return close(JsonNode::Kind::kObject); }
  bool start_array(size_t) { return open(); }
  bool end_array() { return close(JsonNode::Kind::kArray); }
  bool parse_error(size_t position, const std::string& token, const Json::exception&) {
    problem_ = position > length_
                   ? std::string("the JSON ends in the middle")
                   : fmt::format("character {}: '{}' is not what JSON has here", position, token);
    return false;
  }

 private:
  struct Open {
    size_t first_node;
    size_t first_name;
  };

  std::string_view copy(const std::string& text) {
    auto* target = static_cast<char*>(memory_.allocate(text.size() + 1, 1));
    std::memcpy(target, text.data(), text.size());
    return {target, text.size()};
  }
  template <typename T>
  std::span<const T> take_from(std::vector<T>* stack, size_t first) {
    size_t count = stack->size() - first;
    auto* target = static_cast<T*>(memory_.allocate(count * sizeof(T) + 1, alignof(T)));
    std::uninitialized_copy(
        stack->begin() + static_cast<std::ptrdiff_t>(first), stack->end(), target);
    stack->resize(first);
    return {target, count};
  }
  bool add(JsonNode node) {
    nodes_.push_back(node);
    return true;
  }
  bool open() {
    if (open_.size() == kDepthMax) {
      problem_ = fmt::format("it is nested deeper than {} levels", kDepthMax);
      return false;
    }
    open_.push_back({nodes_.size(), names_.size()});
    return true;
  }
  bool close(JsonNode::Kind kind) {
    Open begin = open_.back();
    open_.pop_back();
    JsonNode node{.kind = kind};
    node.items = take_from(&nodes_, begin.first_node);
    node.names = take_from(&names_, begin.first_name);
    return add(node);
  }

  std::byte first_[kFirstBytes];
  std::pmr::monotonic_buffer_resource memory_{first_, kFirstBytes};
  std::vector<JsonNode> nodes_;
  std::vector<std::string_view> names_;
  std::vector<Open> open_;
  std::string problem_;
  size_t length_ = 0;  // of the text
};

JsonParser::JsonParser() : tree_(std::make_unique<Tree>()) {}
JsonParser::~JsonParser() = default;

Result<const JsonNode*> JsonParser::parse(std::string_view text) {
  tree_->begin(text.size());
  if (!Json::sax_parse(text.begin(), text.end(), tree_.get())) {
    return make_error(ErrorCode::kUnknownServerError, "{}", tree_->problem());
  }
  return tree_->root();
}

namespace {

void append_node(const JsonNode& node, std::string* out) {
  switch (node.kind) {
    case JsonNode::Kind::kNull:
      *out += "null";
      return;
    case JsonNode::Kind::kBoolean:
      *out += node.boolean ? "true" : "false";
      return;
    case JsonNode::Kind::kInteger:
      *out += std::to_string(node.integer);
      return;
    case JsonNode::Kind::kNumber:
      *out += node.text;
      return;
    case JsonNode::Kind::kText:
      append_json_text(node.text, out);
      return;
    case JsonNode::Kind::kArray:
    case JsonNode::Kind::kObject:
      break;
  }
  bool is_object = node.kind == JsonNode::Kind::kObject;
  *out += is_object ? '{' : '[';
  for (size_t i = 0; i < node.items.size() && out->size() <= kShortTextMax; ++i) {
    if (i > 0) *out += ", ";
    if (is_object) {
      append_json_text(node.names[i], out);
      *out += ": ";
    }
    append_node(node.items[i], out);
  }
  *out += is_object ? '}' : ']';
}

}  // namespace

std::string short_text(const JsonNode& node) {
  std::string text;
  append_node(node, &text);
  return shortened(text);
}

}  // namespace lakestream::cli
