#pragma once

#include <memory>

#include "cli/input/row_source.h"

// Arrow IPC, as a stream or a file; a file is read as the stream that it contains, so that it may
// come through a pipe. Columns are found by name and cast when nothing is lost; a batch with a
// value that can not be cast is halved until the row is found.
//
// Thread rule: the main thread.
//
//   ASSIGN_OR_RETURN(auto source, open_arrow(options, schema, input, bad_rows));
namespace lakestream::cli {

Result<std::unique_ptr<RowSource>> open_arrow(const SourceOptions& options,
                                              const Schema* schema,
                                              Input* input,
                                              BadRows* bad_rows);

}  // namespace lakestream::cli
