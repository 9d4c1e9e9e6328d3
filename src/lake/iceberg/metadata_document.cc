#include "lake/iceberg/metadata_document.h"

#include <algorithm>
#include <optional>

#include "base/logging.h"
#include "io/object_store.h"

namespace lakestream::iceberg {
namespace {

// Has the table's id and the time of the state, whoever wrote it.
constexpr size_t kHeadBytes = 512;
constexpr std::string_view kRemoveOld = "write.metadata.delete-after-commit.enabled";

bool is_compressed(std::string_view file) {
  return file.ends_with(".gz.metadata.json") || file.ends_with(".metadata.json.gz");
}

Result<Bytes> read_text(ObjectStore& objects, const std::string& file) {
  if (is_compressed(file)) {
    return make_error(ErrorCode::kInvalidTableException,
                      "{}: compressed metadata is not read; set the table's option "
                      "write.metadata.compression-codec to none",
                      file);
  }
  ASSIGN_OR_RETURN(std::optional<Bytes> content, objects.get(file));
  if (content) return *std::move(content);
  return make_error(ErrorCode::kUnknownServerError,
                    "{}: the catalog names this metadata, and it is not there; put it back, or "
                    "let the catalog name another one",
                    file);
}

Result<TableMetadata> parsed(std::string_view text, const std::string& file) {
  Result<TableMetadata> metadata = metadata_from_json(text);
  if (!metadata) return fail(std::move(metadata).error().with_context(file));
  return metadata;
}

}  // namespace

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

Result<TableMetadata> MetadataCache::read(const std::string& file) {
  if (std::shared_ptr<const Known> known = find(file)) {
    ASSIGN_OR_RETURN(std::optional<Bytes> head, objects_.get_range(file, 0, kHeadBytes));
    if (head && head->view() == known->head) return known->metadata;
  }
  ASSIGN_OR_RETURN(Bytes content, read_text(objects_, file));
  ASSIGN_OR_RETURN(TableMetadata metadata, parsed(content.view(), file));
  add(file, content.view(), metadata);
  return metadata;
}

void MetadataCache::add(const std::string& file,
                        std::string_view text,
                        const TableMetadata& metadata) {
  add(std::make_shared<const Known>(
      Known{.file = file, .head = std::string(text.substr(0, kHeadBytes)), .metadata = metadata}));
}

std::shared_ptr<const MetadataCache::Known> MetadataCache::find(const std::string& file) {
  std::shared_ptr<const Known> found;
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  for (const std::shared_ptr<const Known>& known : known_) {
    if (known && known->file == file) found = known;
  }
  busy_.clear(std::memory_order_release);
  return found;
}

void MetadataCache::add(std::shared_ptr<const Known> known) {
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  auto same = std::find_if(known_.begin(), known_.end(), [&](const auto& other) {
    return other && other->file == known->file;
  });
  if (same == known_.end()) {
    same = known_.begin() + static_cast<long>(next_);
    next_ = (next_ + 1) % known_.size();
  }
  same->swap(known);
  busy_.clear(std::memory_order_release);
}

}  // namespace lakestream::iceberg
