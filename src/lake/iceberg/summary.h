#pragma once

#include <span>
#include <string_view>

#include "lake/iceberg/live_files.h"
#include "lake/iceberg/table_metadata.h"
#include "table/descriptor.h"

// The counters of a snapshot's summary, named as the Iceberg specification has them.
//
// Thread rule: pure functions.
//
//   snapshot.summary = summary_of(added, removed, base);
namespace lakestream::iceberg {

// `base`: the snapshot before, whose totals are added to as far as it has them; nullptr for none.
Properties summary_of(std::span<const LiveFile> added,
                      std::span<const LiveFile> removed,
                      const IcebergSnapshot* base);

// Whether it is the name of a counter.
bool is_counter(std::string_view name);

}  // namespace lakestream::iceberg
