#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Reads JSON documents with errors that name the place. JsonDocument holds a parsed text; JsonValue
// is a view of one value in it that knows its path. Null counts as absent, unknown fields do not
// matter, of two fields with one name the last counts.
//
// Thread rule: a document belongs to one thread at a time; its values live as long as it does.
//
//   ASSIGN_OR_RETURN(JsonDocument document,
//                    JsonDocument::parse(text, ErrorCode::kInvalidTableException));
//   ASSIGN_OR_RETURN(JsonValue columns, document.root().at("columns"));
//   ASSIGN_OR_RETURN(std::vector<JsonValue> items, columns.items());
//   ASSIGN_OR_RETURN(std::string name, items[0].text_at("name"));
namespace lakestream {

inline constexpr size_t kMaxJsonBytes = 4 << 20;

class JsonValue;

class JsonDocument {
 public:
  // `code` is the code of every error about this document.
  static Result<JsonDocument> parse(std::string_view text,
                                    ErrorCode code,
                                    size_t max_bytes = kMaxJsonBytes);
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  JsonValue root() const;

 private:
  friend class JsonValue;
  struct Content;
  explicit JsonDocument(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

class JsonValue {
 public:
  // A field of an object: nothing when it is absent or null.
  std::optional<JsonValue> find(std::string_view key) const;
  // A field that has to be there.
  Result<JsonValue> at(std::string_view key) const;

  bool is_text() const;
  bool is_array() const;
  bool is_object() const;

  // The names of an object's fields, also of those that are null; none of another value.
  std::vector<std::string> keys() const;
  // The value as JSON text.
  std::string to_json() const;

  // The value as what it has to be.
  Result<std::vector<JsonValue>> items() const;
  Result<std::vector<std::string>> texts() const;
  Result<std::string> text() const;
  Result<int32_t> int32() const;
  Result<int64_t> int64() const;
  Result<bool> boolean() const;
  // An object of texts; numbers and booleans become their text.
  Result<std::map<std::string, std::string, std::less<>>> text_map() const;

  // at() and the conversion in one step.
  Result<std::string> text_at(std::string_view key) const;
  Result<int32_t> int32_at(std::string_view key) const;
  Result<int64_t> int64_at(std::string_view key) const;
  Result<std::vector<std::string>> texts_at(std::string_view key) const;
  // find() and the conversion in one step.
  Result<std::optional<std::string>> optional_text(std::string_view key) const;
  Result<std::optional<int32_t>> optional_int32(std::string_view key) const;
  Result<std::optional<int64_t>> optional_int64(std::string_view key) const;

  // An error about this value: "path: message".
  tl::unexpected<Error> error(std::string_view message) const;
  const std::string& path() const { return path_; }

 private:
  friend class JsonDocument;
  // The library's value, hidden from this header.
  JsonValue(const void* value, std::string path, ErrorCode code)
      : value_(value), path_(std::move(path)), code_(code) {}

  const void* value_;
  std::string path_;
  ErrorCode code_;
};

}  // namespace lakestream
