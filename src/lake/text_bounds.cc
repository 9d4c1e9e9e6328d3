#include "lake/text_bounds.h"

namespace lakestream {
namespace {

bool is_continuation(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

// Where the first `chars` characters end.
size_t end_of(std::string_view text, int32_t chars) {
  size_t at = 0;
  for (; at < text.size() && chars > 0; --chars) {
    ++at;
    while (at < text.size() && is_continuation(text[at])) ++at;
  }
  return at;
}

constexpr uint32_t kFirstSurrogate = 0xD800;
constexpr uint32_t kAfterSurrogates = 0xE000;
constexpr uint32_t kLastCodePoint = 0x10FFFF;

// The code point of a character of UTF-8; nothing when it is none.
std::optional<uint32_t> code_point_of(std::string_view character) {
  auto first = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) return first < 0x80 ? std::optional<uint32_t>(first) : std::nullopt;
  if (character.size() > 4) return std::nullopt;
  // The lead byte has as many ones as there are bytes, and a zero behind them.
  uint32_t value_bits = 7 - static_cast<uint32_t>(character.size());
  uint32_t ones = (1u << character.size()) - 1;
  if (uint32_t{first} >> value_bits != ones << 1) return std::nullopt;
  uint32_t point = first & ((1u << value_bits) - 1);
  for (char byte : character.substr(1)) point = point << 6 | (static_cast<uint8_t>(byte) & 0x3Fu);
  return point <= kLastCodePoint ? std::optional(point) : std::nullopt;
}

void append_code_point(uint32_t point, std::string* text) {
  auto add = [&](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xC0 | point >> 6);
    add(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    add(0xE0 | point >> 12);
    add(0x80 | (point >> 6 & 0x3F));
    add(0x80 | (point & 0x3F));
  } else {
    add(0xF0 | point >> 18);
    add(0x80 | (point >> 12 & 0x3F));
    add(0x80 | (point >> 6 & 0x3F));
    add(0x80 | (point & 0x3F));
  }
}

}  // namespace

std::string_view truncated_min(std::string_view text, int32_t chars) {
  return text.substr(0, end_of(text, chars));
}

std::optional<std::string> truncated_max(std::string_view text, int32_t chars) {
  size_t end = end_of(text, chars);
  if (end == text.size()) return std::string(text);
  // The last character that has a next one is replaced by that; what is behind it goes.
  while (end > 0) {
    size_t begin = end - 1;
    while (begin > 0 && is_continuation(text[begin])) --begin;
    std::optional<uint32_t> point = code_point_of(text.substr(begin, end - begin));
    if (!point) return std::nullopt;
    if (*point < kLastCodePoint) {
      uint32_t next = *point + 1 == kFirstSurrogate ? kAfterSurrogates : *point + 1;
      std::string cut(text.substr(0, begin));
      append_code_point(next, &cut);
      return cut;
    }
    end = begin;
  }
  return std::nullopt;
}

}  // namespace lakestream
