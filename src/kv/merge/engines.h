#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "kv/merge/merger.h"
#include "kv/merge/partial_columns.h"
#include "table/schema.h"

// The makers of the merge engines: one file an engine, chosen by registry.cc. `partial` is empty
// when the writer sets all columns.
//
// Thread rule: any thread.
//
//   ASSIGN_OR_RETURN(auto merger, make_aggregation(schema, std::nullopt));
namespace lakestream {

std::unique_ptr<const RowMerger> make_last_row(std::optional<PartialColumns> partial);
std::unique_ptr<const RowMerger> make_first_row();
Result<std::unique_ptr<const RowMerger>> make_versioned(const Schema& schema,
                                                        const std::string& version_column);
Result<std::unique_ptr<const RowMerger>> make_aggregation(const Schema& schema,
                                                          std::optional<PartialColumns> partial);

}  // namespace lakestream
