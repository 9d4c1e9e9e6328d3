#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lake/paimon/schema.h"
#include "lake/paimon/table_files.h"

// Removes old snapshots with what they alone need: data files that were removed since, changelog
// files, manifests. Which ones are old the table's options say: snapshot.num-retained.min and max,
// snapshot.time-retained, snapshot.expire.limit. What a tag or a consumer holds stays.
//
// The files go before the snapshots that name them, so a crash leaves snapshots that can not be
// read any more, and the next run removes the rest.
//
// Thread rule: pure but for the files of the table; calls block; one at a time for a table.
//
//   ASSIGN_OR_RETURN(std::vector<std::string> done, expire(files, clock, schema, registered));
namespace lakestream {
class Clock;
}  // namespace lakestream

namespace lakestream::paimon {

// kInvalidTableException for a value of these options that is none.
Status check_retention(const PaimonSchema& schema);

// What was done, in sentences. `keep_from` and newer ones stay. kInvalidTableException for a value
// of an option that is none.
Result<std::vector<std::string>> expire(const TableFiles& files,
                                        Clock& clock,
                                        const PaimonSchema& schema,
                                        std::optional<int64_t> keep_from);

}  // namespace lakestream::paimon
