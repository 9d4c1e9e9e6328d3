#pragma once

#include <cstddef>

// How many files and connections the system lets this process have at once.
//
// Thread rule: changes the process; before the server listens.
//
//   size_t connections = raise_descriptor_limit() / 2;  // the rest is for files
namespace lakestream {

// Raises the limit as far as the process may, and tells it.
size_t raise_descriptor_limit();

}  // namespace lakestream
