#pragma once

#include <memory>
#include <vector>

#include "lake/iceberg/data_file.h"
#include "lake/lake.h"

// What the writers of this format put into a LakeFiles, and what a plan puts into a LakeSplit.
//
// Thread rule: values, any thread.
//
//   return to_lake_files(std::move(written));  // the end of a writer
//   if (const WrittenFiles* written = written_files(files)) publish(*written);
//   const BucketFiles* files = bucket_files(split);  // the beginning of a reader
namespace lakestream::iceberg {

// The live files of one partition and bucket.
struct BucketFiles {
  std::vector<LiveFile> data;     // by rising sequence
  std::vector<LiveFile> deletes;  // both kinds
  int64_t sequence = 0;           // of the snapshot that has them
};

LakeDataFile to_lake_data_file(const LiveFile& file);
// Rows and bytes are those of the data files.
LakeFiles to_lake_files(WrittenFiles written);
// Nothing when nothing was written. Requires: made by to_lake_files.
const WrittenFiles* written_files(const LakeFiles& files);

// Requires: a split of a plan of this format. The files of split.files are those of `data` that
// are read; nothing stands for those without deletes.
std::shared_ptr<const LakeSplit::Content> to_split_content(BucketFiles files);
const BucketFiles* bucket_files(const LakeSplit& split);

}  // namespace lakestream::iceberg
