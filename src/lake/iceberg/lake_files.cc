#include "lake/iceberg/lake_files.h"

#include <algorithm>
#include <utility>

namespace lakestream::iceberg {
namespace {

struct FilesContent final : LakeFiles::Content {
  explicit FilesContent(WrittenFiles files) : written(std::move(files)) {}
  WrittenFiles written;
};

struct SplitContent final : LakeSplit::Content {
  explicit SplitContent(BucketFiles of_bucket) : files(std::move(of_bucket)) {}
  BucketFiles files;
};

}  // namespace

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
  return LakeFiles(std::make_shared<const FilesContent>(std::move(written)), rows, bytes);
}

const WrittenFiles* written_files(const LakeFiles& files) {
  if (files.content() == nullptr) return nullptr;
  return &static_cast<const FilesContent&>(*files.content()).written;
}

std::shared_ptr<const LakeSplit::Content> to_split_content(BucketFiles files) {
  return std::make_shared<const SplitContent>(std::move(files));
}

const BucketFiles* bucket_files(const LakeSplit& split) {
  if (split.content == nullptr) return nullptr;
  return &static_cast<const SplitContent&>(*split.content).files;
}

}  // namespace lakestream::iceberg
