#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "lake/key_merge.h"
#include "lake/lake.h"

// Data files of a table with a primary key, to be merged.
//
// Thread rule: as KeyMerge.
//
//   ASSIGN_OR_RETURN(auto merge, merge_files(objects, files, key, columns));
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, merge->next());
namespace lakestream {
class ObjectStore;
}  // namespace lakestream

namespace lakestream::paimon {

// `columns`: what comes out, in the types of files; among them those of the key, the sequence
// number and the kind. Memory: of each file whose keys have been reached its wanted columns of one
// row group; of the others, where the first column of the key is a number or a text, only what the
// end of the file says. Errors: as ParquetFileReader::open.
Result<std::unique_ptr<KeyMerge>> merge_files(ObjectStore& objects,
                                              const std::vector<LakeDataFile>& files,
                                              const std::vector<std::string>& key,
                                              const std::shared_ptr<arrow::Schema>& columns);

}  // namespace lakestream::paimon
