#pragma once

#include "table/descriptor.h"
#include "table/path.h"

// Where a table of ours lies in the lake: under its own name, unless its properties say otherwise.
//
// Thread rule: pure function.
//
//   TablePath place = lake_path_of(path, descriptor);
namespace lakestream {

TablePath lake_path_of(const TablePath& path, const TableDescriptor& descriptor);

}  // namespace lakestream
