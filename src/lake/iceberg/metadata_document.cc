#include "lake/iceberg/metadata_document.h"

#include <algorithm>
#include <optional>

#include "base/logging.h"
#include "io/object_store.h"

namespace lakestream::iceberg {
namespace {

constexpr std::string_view kRemoveOld = "write.metadata.delete-after-commit.enabled";

bool is_compressed(std::string_view file) {
  return file.ends_with(".gz.metadata.json") || file.ends_with(".metadata.json.gz");
}

}  // namespace

Result<TableMetadata> read_metadata(ObjectStore& objects, const std::string& file) {
  if (is_compressed(file)) {
    return make_error(ErrorCode::kInvalidTableException,
                      "{}: compressed metadata is not read; set the table's option "
                      "write.metadata.compression-codec to none",
                      file);
  }
  ASSIGN_OR_RETURN(std::optional<Bytes> content, objects.get(file));
  if (!content) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{}: the catalog names this metadata, and it is not there; put it back, or "
                      "let the catalog name another one",
                      file);
  }
  Result<TableMetadata> metadata = metadata_from_json(content->view());
  if (!metadata) return fail(std::move(metadata).error().with_context(file));
  return metadata;
}

bool removes_old_metadata(const TableMetadata& metadata) {
  auto option = metadata.properties.find(kRemoveOld);
  return option != metadata.properties.end() && option->second == "true";
}

void remove_old_metadata(ObjectStore& objects,
                         const TableMetadata& before,
                         const TableMetadata& after) {
  if (!removes_old_metadata(after)) return;
  for (const MetadataLogEntry& entry : before.metadata_log) {
    const std::vector<MetadataLogEntry>& log = after.metadata_log;
    if (std::find(log.begin(), log.end(), entry) != log.end()) continue;
    Status removed = objects.remove(entry.file);
    if (!removed) LOG_WARN("lake", "file left behind", KV("path", entry.file));
  }
}

}  // namespace lakestream::iceberg
