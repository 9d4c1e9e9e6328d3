#pragma once

#include <cstddef>
#include <string_view>

// How wide text is on a terminal, counted in code points.
//
// Thread rule: pure functions.
//
//   width_of("Zürich")  // 6
namespace lakestream::cli {

size_t width_of(std::string_view utf8);

}  // namespace lakestream::cli
