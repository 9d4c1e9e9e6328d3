#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// Between the two views of bytes: keys are compared and hashed as text, formats read spans.
//
// Thread rule: pure functions.
//
//   std::string_view key = to_view(record.key);
namespace lakestream {

inline std::string_view to_view(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const uint8_t> to_span(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace lakestream
