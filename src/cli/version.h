#pragma once

#include <string>

// Which Lakestream this is.
//
// Thread rule: pure functions.
//
//   std::puts(version_line().c_str());  // "lakestream 0.1.0"
namespace lakestream::cli {

std::string version_line();

}  // namespace lakestream::cli
