#pragma once

#include <cctype>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wire/api.h"
#include "wire/codec.h"
#include "wire/messages.h"

// What tests of the messages share: a call for each message type, a text of a message's content,
// and random content, all through the tables of the codec. Not part of the module.
//
// Thread rule: pure functions.
//
//   for_each_message([]<typename Message>() { EXPECT_TRUE(Message::decode({})...); });
namespace lakestream::wire::testing {

template <typename Visit, int16_t... offsets>
void for_each_message_impl(Visit visit, std::integer_sequence<int16_t, offsets...>) {
  constexpr auto first = static_cast<int16_t>(ApiKey::kApiVersions);
  visit.template operator()<ErrorResponse>();
  ((visit.template operator()<typename ApiTraits<ApiKey{first + offsets}>::Request>(),
    visit.template operator()<typename ApiTraits<ApiKey{first + offsets}>::Response>()),
   ...);
}

// Calls visit.operator()<Message>() for ErrorResponse and for every request and response.
template <typename Visit>
void for_each_message(Visit visit) {
  for_each_message_impl(visit, std::make_integer_sequence<int16_t, 67>());
}

// Appends "path=value " for every value that is set, in the order of the fields; names without
// their underscores and in lower case, texts and bytes as "x" + hex.
inline void describe(const MessageInfo& info,
                     const void* message,
                     const std::string& path,
                     std::string& out);

inline std::string plain_name(std::string_view name) {
  std::string plain;
  for (char c : name) {
    if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

inline std::string text_of(int32_t value) { return fmt::format("{}", value); }
inline std::string text_of(int64_t value) { return fmt::format("{}", value); }
inline std::string text_of(bool value) { return value ? "true" : "false"; }
inline std::string text_of(float value) { return fmt::format("{}", value); }
inline std::string text_of(double value) { return fmt::format("{}", value); }
inline std::string text_of(const Bytes& value) { return "x" + to_hex(value.span()); }
inline std::string text_of(const std::string& value) { return text_of(Bytes::copy_of(value)); }
inline std::string text_of(const BytesChain& value) { return text_of(value.flatten()); }

template <typename T>
void describe_values(const FieldInfo& field,
                     const void* from,
                     const std::string& path,
                     std::string& out) {
  const std::string name = path + plain_name(field.name);
  if (field.label == FieldLabel::kRequired) {
    out += name + "=" + text_of(*static_cast<const T*>(from)) + " ";
  } else if (field.label == FieldLabel::kOptional) {
    const auto& value = *static_cast<const std::optional<T>*>(from);
    if (value.has_value()) out += name + "=" + text_of(*value) + " ";
  } else if constexpr (!std::is_same_v<T, bool>) {
    size_t i = 0;
    for (const T& value : *static_cast<const std::vector<T>*>(from)) {
      out += fmt::format("{}[{}]={} ", name, i++, text_of(value));
    }
  }
}

inline void describe_messages(const FieldInfo& field,
                              const void* from,
                              const std::string& path,
                              std::string& out) {
  const std::string name = path + plain_name(field.name);
  if (field.elements == nullptr) return describe(*field.message, from, name + ".", out);
  const size_t count = field.elements->count(from);
  if (count == 0) return;
  const auto* element = static_cast<const uint8_t*>(field.elements->first(from));
  for (size_t i = 0; i < count; ++i, element += field.elements->element_bytes) {
    const bool is_list = field.label == FieldLabel::kRepeated;
    describe(*field.message, element, is_list ? fmt::format("{}[{}].", name, i) : name + ".", out);
  }
}

// Calls use.operator()<T>() with the C++ type of a field that is no message.
template <typename Use>
void with_type(FieldKind kind, Use use) {
  switch (kind) {
    case FieldKind::kInt32:
      return use.template operator()<int32_t>();
    case FieldKind::kInt64:
      return use.template operator()<int64_t>();
    case FieldKind::kBool:
      return use.template operator()<bool>();
    case FieldKind::kFloat:
      return use.template operator()<float>();
    case FieldKind::kDouble:
      return use.template operator()<double>();
    case FieldKind::kString:
      return use.template operator()<std::string>();
    case FieldKind::kBytes:
      return use.template operator()<Bytes>();
    case FieldKind::kChain:
      return use.template operator()<BytesChain>();
    case FieldKind::kMessage:
      return;
  }
}

inline void describe(const MessageInfo& info,
                     const void* message,
                     const std::string& path,
                     std::string& out) {
  for (const FieldInfo& field : info.fields) {
    const void* from = static_cast<const uint8_t*>(message) + field.offset;
    if (field.kind == FieldKind::kMessage) {
      describe_messages(field, from, path, out);
    } else {
      with_type(field.kind, [&]<typename T>() { describe_values<T>(field, from, path, out); });
    }
  }
}

class RandomContent {
 public:
  explicit RandomContent(uint32_t seed) : random_(seed) {}

  void fill(const MessageInfo& info, void* message, int depth) {
    for (const FieldInfo& field : info.fields) {
      void* to = static_cast<uint8_t*>(message) + field.offset;
      if (field.kind == FieldKind::kMessage) {
        fill_messages(field, to, depth);
      } else {
        with_type(field.kind, [&]<typename T>() { fill_values<T>(field.label, to); });
      }
    }
  }

 private:
  uint64_t below(uint64_t limit) { return random_() % limit; }

  void fill_messages(const FieldInfo& field, void* to, int depth) {
    if (field.elements == nullptr) return fill(*field.message, to, depth + 1);
    const uint64_t limit = field.label == FieldLabel::kRepeated ? 4 : 2;
    const uint64_t count = depth > 5 ? 0 : below(limit);
    for (uint64_t i = 0; i < count; ++i) fill(*field.message, field.elements->add(to), depth + 1);
  }

  template <typename T>
  void fill_values(FieldLabel label, void* to) {
    if (label == FieldLabel::kRequired) {
      make(*static_cast<T*>(to));
    } else if (label == FieldLabel::kOptional) {
      if (below(2) == 0) make(static_cast<std::optional<T>*>(to)->emplace());
    } else if constexpr (!std::is_same_v<T, bool>) {
      for (uint64_t count = below(4); count > 0; --count) {
        make(static_cast<std::vector<T>*>(to)->emplace_back());
      }
    }
  }

  // Any bit pattern, all lengths of a varint.
  uint64_t number() { return random_() >> below(64); }
  void make(int32_t& value) { value = static_cast<int32_t>(number()); }
  void make(int64_t& value) { value = static_cast<int64_t>(number()); }
  void make(bool& value) { value = below(2) == 0; }
  void make(float& value) { value = static_cast<float>(below(1000)) / 8; }
  void make(double& value) { value = static_cast<double>(below(1000)) / 8; }
  std::string characters(uint64_t limit) {
    std::string text(below(20) == 0 ? 2 * kShareBytesMin + below(100) : below(40), '\0');
    for (char& c : text) c = static_cast<char>(below(limit));
    return text;
  }
  void make(std::string& value) { value = characters(0x80); }  // UTF-8
  void make(Bytes& value) { value = Bytes::copy_of(characters(0x100)); }
  void make(BytesChain& value) {
    for (uint64_t count = below(4); count > 0; --count) {
      Bytes part;
      make(part);
      value.append(std::move(part));
    }
  }

  std::mt19937_64 random_;
};

}  // namespace lakestream::wire::testing
