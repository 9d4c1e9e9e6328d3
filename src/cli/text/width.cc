#include "cli/text/width.h"

#include <algorithm>

namespace lakestream::cli {

size_t width_of(std::string_view utf8) {
  return static_cast<size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // no continuation byte
  }));
}

}  // namespace lakestream::cli
