#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Bounds of texts, cut off to a few characters: what manifests say of the texts in a file.
//
// Thread rule: pure functions.
//
//   truncated_min("abc", 2);  // "ab"
//   truncated_max("abc", 2);  // "ac"
namespace lakestream {

// A text that is no greater, or no less, than all that begin with the same `chars` characters; it
// has no more of them. Nothing when there is none that is no less.
std::string_view truncated_min(std::string_view text, int32_t chars);
std::optional<std::string> truncated_max(std::string_view text, int32_t chars);

}  // namespace lakestream
