#include "lake/paimon/lake_files.h"

#include <utility>

#include "lake/typed_content.h"

namespace lakestream::paimon {

LakeFiles to_lake_files(WrittenFiles written) {
  uint64_t rows = 0;
  uint64_t bytes = 0;
  for (const DataFile& file : written.added) {
    rows += static_cast<uint64_t>(file.rows);
    bytes += static_cast<uint64_t>(file.size);
  }
  return LakeFiles(to_content<LakeFiles::Content>(std::move(written)), rows, bytes);
}

const WrittenFiles* written_files(const LakeFiles& files) {
  return content_as<WrittenFiles>(files.content());
}

}  // namespace lakestream::paimon
