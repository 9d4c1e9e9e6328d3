#pragma once

#include <span>
#include <string>
#include <string_view>

// Finds what was meant by a slip of the pen.
//
// Thread rule: pure functions.
//
//   nearest_word("tabel", names)  // "table"
namespace lakestream::cli {

// The candidate that needs the fewest changed letters, or nothing when every one needs more than a
// third of them changed.
std::string_view nearest_word(std::string_view word, std::span<const std::string> candidates);

}  // namespace lakestream::cli
