#include "lake/iceberg/lake_files.h"

#include <algorithm>
#include <utility>

#include "lake/typed_content.h"

namespace lakestream::iceberg {

LakeDataFile to_lake_data_file(const LiveFile& file) {
  return {.path = file.file->path,
          .bytes = static_cast<uint64_t>(std::max<int64_t>(file.file->bytes, 0)),
          .rows = static_cast<uint64_t>(std::max<int64_t>(file.file->rows, 0))};
}

LakeFiles to_lake_files(WrittenFiles written) {
  uint64_t rows = 0;
  uint64_t bytes = 0;
  for (const DataFile& file : written.data) {
    rows += static_cast<uint64_t>(file.rows);
    bytes += static_cast<uint64_t>(file.bytes);
  }
  return LakeFiles(to_content<LakeFiles::Content>(std::move(written)), rows, bytes);
}

const WrittenFiles* written_files(const LakeFiles& files) {
  return content_as<WrittenFiles>(files.content());
}

std::shared_ptr<const LakeSplit::Content> to_split_content(BucketFiles files) {
  return to_content<LakeSplit::Content>(std::move(files));
}

const BucketFiles* bucket_files(const LakeSplit& split) {
  return content_as<BucketFiles>(split.content);
}

}  // namespace lakestream::iceberg
