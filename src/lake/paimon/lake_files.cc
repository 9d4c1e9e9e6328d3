#include "lake/paimon/lake_files.h"

#include <memory>
#include <utility>

#include "base/check.h"

namespace lakestream::paimon {
namespace {

struct Content final : LakeFiles::Content {
  explicit Content(WrittenFiles files) : written(std::move(files)) {}
  WrittenFiles written;
};

}  // namespace

LakeFiles to_lake_files(WrittenFiles written) {
  uint64_t rows = 0;
  uint64_t bytes = 0;
  for (const DataFile& file : written.added) {
    rows += static_cast<uint64_t>(file.rows);
    bytes += static_cast<uint64_t>(file.size);
  }
  return LakeFiles(std::make_shared<const Content>(std::move(written)), rows, bytes);
}

const WrittenFiles* written_files(const LakeFiles& files) {
  if (files.content() == nullptr) return nullptr;
  const auto* content = dynamic_cast<const Content*>(files.content().get());
  CHECK(content != nullptr, "files of another format");
  return &content->written;
}

}  // namespace lakestream::paimon
