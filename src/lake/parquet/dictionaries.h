#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"

// Which columns of a Parquet file have no use for a dictionary. The encoder makes one of each
// column until it is too large, and has looked up every value until then in vain; a part of the
// rows tells beforehand.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(std::vector<std::string> plain, columns_without_dictionary(rows, 1 << 20));
namespace lakestream {

// How many rows tell enough.
inline constexpr int64_t kDictionarySampleRows = 8192;

// Of the columns that are not nested, those whose dictionary would become larger than that, judged
// by the first rows of the batch. Of few rows nothing is said.
Result<std::vector<std::string>> columns_without_dictionary(const arrow::RecordBatch& rows,
                                                            int64_t dictionary_bytes_max);

}  // namespace lakestream
