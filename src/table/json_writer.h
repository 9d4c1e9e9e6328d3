#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Writes JSON without white space, fields in the order of the calls. Every value is written either
// after key(), inside an array, or as the whole document.
//
// Thread rule: belongs to one thread at a time.
//
//   JsonWriter json;
//   json.begin_object().field("version", 1).key("names").texts({"a", "b"}).end_object();
//   std::move(json).finish();  // {"version":1,"names":["a","b"]}
namespace lakestream {

class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& integer(int64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  // A value that is JSON already.
  JsonWriter& json(std::string_view value);
  JsonWriter& texts(const std::vector<std::string>& values);
  JsonWriter& text_map(const std::map<std::string, std::string, std::less<>>& values);

  JsonWriter& field(std::string_view name, std::string_view value) { return key(name).text(value); }
  JsonWriter& field(std::string_view name, const char* value) { return key(name).text(value); }
  JsonWriter& field(std::string_view name, int64_t value) { return key(name).integer(value); }
  JsonWriter& field(std::string_view name, int32_t value) { return key(name).integer(value); }
  JsonWriter& field(std::string_view name, bool value) { return key(name).boolean(value); }
  // Nothing when there is no value.
  template <typename T>
  JsonWriter& field(std::string_view name, const std::optional<T>& value) {
    return value ? field(name, *value) : *this;
  }

  std::string finish() && { return std::move(out_); }

 private:
  void separate();
  std::string out_;
};

}  // namespace lakestream
