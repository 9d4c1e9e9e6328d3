#pragma once

#include "lake/lake.h"
#include "lake/paimon/data_file.h"

// What the writers of this format put into a LakeFiles, and what a commit takes out of it.
//
// Thread rule: values, any thread.
//
//   return to_lake_files(std::move(written));  // the end of a writer
//   if (const WrittenFiles* written = written_files(files)) publish(*written);
namespace lakestream::paimon {

// Rows and bytes are those of the added data files.
LakeFiles to_lake_files(WrittenFiles written);
// Nothing when nothing was written. Requires: made by to_lake_files.
const WrittenFiles* written_files(const LakeFiles& files);

}  // namespace lakestream::paimon
