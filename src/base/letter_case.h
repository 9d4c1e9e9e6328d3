#pragma once

#include <algorithm>
#include <string>
#include <string_view>

// Letters of ASCII in upper and lower case, whatever the locale; other bytes stay as they are.
//
// Thread rule: any thread.
//
//   std::string unit = lower(text);
//   bool is_plain = same_letters(mechanism, "PLAIN");
namespace lakestream {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

inline std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

inline std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = upper(c);
  return result;
}

// In any case.
inline bool same_letter(char a, char b) { return lower(a) == lower(b); }
inline bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, same_letter);
}

}  // namespace lakestream
