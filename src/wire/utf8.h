#pragma once

#include <cstddef>
#include <string_view>

// UTF-8 as RFC 3629, section 4, has it. Official clients refuse a message with a text that is none.
//
// Thread rule: pure functions.
//
//   if (!is_utf8(name)) return refuse("is no UTF-8");
namespace lakestream::wire {

// The bytes of the character at the start of a text, 0 when there is none.
size_t character_bytes(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace lakestream::wire
