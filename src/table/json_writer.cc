#include "table/json_writer.h"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lakestream {

// A comma stands before everything that does not open the document, an object, an array or a field.
void JsonWriter::separate() {
  if (out_.empty()) return;
  char last = out_.back();
  if (last != '{' && last != '[' && last != ':') out_ += ',';
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  out_ += '{';
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_ += '}';
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  out_ += '[';
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_ += ']';
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  // Bytes that are no UTF-8 become the replacement character: the result is always valid JSON.
  out_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return *this;
}

JsonWriter& JsonWriter::integer(int64_t value) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::json(std::string_view value) {
  separate();
  out_ += value;
  return *this;
}

JsonWriter& JsonWriter::texts(const std::vector<std::string>& values) {
  begin_array();
  for (const std::string& value : values) text(value);
  return end_array();
}

JsonWriter& JsonWriter::text_map(const std::map<std::string, std::string, std::less<>>& values) {
  begin_object();
  for (const auto& [name, value] : values) field(name, value);
  return end_object();
}

}  // namespace lakestream
