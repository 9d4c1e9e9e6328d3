#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "lake/file_layers.h"
#include "lake/iceberg/data/columns.h"
#include "lake/iceberg/data/data.h"
#include "lake/iceberg/data/deletes.h"
#include "lake/iceberg/data/key_bounds.h"
#include "lake/iceberg/data/key_runs.h"

namespace lakestream::iceberg {
namespace {

// A data or an equality delete file.
struct Versions {
  LakeDataFile file;
  KeyBounds bounds;
  bool is_deletes;
};

bool has_position_deletes(const BucketFiles& files) {
  return std::ranges::any_of(files.deletes, [](const LiveFile& file) {
    return file.file->content == FileContent::kPositionDeletes;
  });
}

Result<std::vector<Versions>> versions_of(const BucketFiles& files,
                                          const std::vector<NestedField>& key) {
  std::vector<Versions> versions;
  auto add = [&](const LiveFile& file, int64_t order, bool is_deletes) -> Status {
    ASSIGN_OR_RETURN(KeyBounds bounds, KeyBounds::of(*file.file, key[0]));
    LakeDataFile made = to_lake_data_file(file);
    made.order = order;
    versions.push_back({std::move(made), std::move(bounds), is_deletes});
    return ok();
  };
  ASSIGN_OR_RETURN(std::vector<LiveFile> deletes, equality_deletes(files, ids_of(key)));
  for (const LiveFile& file : files.data) RETURN_IF_ERROR(add(file, row_sequence(file), false));
  for (const LiveFile& file : deletes) RETURN_IF_ERROR(add(file, delete_sequence(file), true));
  std::ranges::stable_sort(versions, {}, [](const Versions& file) { return file.file.order; });
  return versions;
}

}  // namespace

std::optional<LakeLayers> key_layers(const IcebergSchema& schema, const BucketFiles& files) {
  std::vector<NestedField> key = key_fields(schema);
  if (key.empty() || has_position_deletes(files)) return std::nullopt;
  // What is wrong with the files, the reader says.
  Result<std::vector<Versions>> versions = versions_of(files, key);
  if (!versions) return std::nullopt;
  std::vector<VersionsFile> orders;
  for (const Versions& file : *versions) {
    orders.push_back({file.file.order, file.file.order, file.is_deletes});
  }
  std::optional<FileLayers> layers = layers_of(orders, [&](size_t a, size_t b) {
    return (*versions)[a].bounds.may_share((*versions)[b].bounds);
  });
  if (!layers) return std::nullopt;
  LakeLayers made;
  for (size_t place : layers->old) made.old.push_back((*versions)[place].file);
  for (size_t place : layers->newer) {
    const Versions& file = (*versions)[place];
    (file.is_deletes ? made.deletes : made.newer).push_back(file.file);
  }
  return made;
}

}  // namespace lakestream::iceberg
