#include "lake/paimon/table_files.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/logging.h"
#include "io/object_store.h"

namespace lakestream::paimon {
namespace {

constexpr std::string_view kSchemaFolder = "schema";
constexpr std::string_view kSchemaPrefix = "schema-";
constexpr std::string_view kSnapshotFolder = "snapshot";
constexpr std::string_view kSnapshotPrefix = "snapshot-";
constexpr std::string_view kTagFolder = "tag";
constexpr std::string_view kManifestFolder = "manifest";
constexpr std::string_view kLatestHint = "LATEST";
constexpr std::string_view kEarliestHint = "EARLIEST";
// Snapshots that are looked at one by one behind a hint, before the folder is listed.
constexpr int kMaxProbes = 64;

std::optional<int64_t> number_of(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

template <typename T>
Result<T> named(Result<T> result, const std::string& path) {
  if (result) return result;
  return fail(std::move(result).error().with_context(path));
}

tl::unexpected<Error> missing(const std::string& path) {
  return make_error(ErrorCode::kUnknownServerError, "{}: it is named, but not there", path);
}

}  // namespace

std::string TableFiles::folder(std::string_view name) const { return object_path(root_, name); }

std::string TableFiles::snapshot_path(int64_t id) const {
  return object_path(folder(kSnapshotFolder), fmt::format("{}{}", kSnapshotPrefix, id));
}

std::string TableFiles::manifest_path(std::string_view name) const {
  return object_path(folder(kManifestFolder), name);
}

std::string TableFiles::data_path(const FilePlace& place, std::string_view name) const {
  return object_path(object_path(root_, place.folder), name);
}

Result<std::optional<std::string>> TableFiles::read(const std::string& path) const {
  ASSIGN_OR_RETURN(std::optional<Bytes> content, objects_.get(path));
  if (!content) return std::optional<std::string>();
  return std::optional<std::string>(content->view());
}

Result<std::vector<int64_t>> TableFiles::numbers(std::string_view name,
                                                 std::string_view prefix) const {
  ASSIGN_OR_RETURN(std::vector<ObjectInfo> objects, objects_.list(folder(name)));
  std::vector<int64_t> found;
  for (const ObjectInfo& object : objects) {
    std::string_view file = std::string_view(object.path).substr(folder(name).size() + 1);
    if (!file.starts_with(prefix)) continue;
    if (std::optional<int64_t> number = number_of(file.substr(prefix.size()))) {
      found.push_back(*number);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::optional<PaimonSchema>> TableFiles::latest_schema() const {
  ASSIGN_OR_RETURN(std::vector<int64_t> ids, numbers(kSchemaFolder, kSchemaPrefix));
  if (ids.empty()) return std::optional<PaimonSchema>();
  ASSIGN_OR_RETURN(PaimonSchema latest, schema(ids.back()));
  return std::optional(std::move(latest));
}

Result<PaimonSchema> TableFiles::schema(int64_t id) const {
  std::string path = object_path(folder(kSchemaFolder), fmt::format("{}{}", kSchemaPrefix, id));
  ASSIGN_OR_RETURN(std::optional<std::string> text, read(path));
  if (!text) return missing(path);
  return named(paimon_schema_from_json(*text), path);
}

Result<bool> TableFiles::add_schema(const PaimonSchema& schema) const {
  std::string path =
      object_path(folder(kSchemaFolder), fmt::format("{}{}", kSchemaPrefix, schema.id));
  return objects_.put_if_absent(path, Bytes::copy_of(to_json(schema)));
}

Result<std::optional<int64_t>> TableFiles::hint(std::string_view name) const {
  ASSIGN_OR_RETURN(std::optional<std::string> text,
                   read(object_path(folder(kSnapshotFolder), name)));
  if (!text) return std::optional<int64_t>();
  size_t end = text->find_last_not_of(" \r\n");
  return number_of(std::string_view(*text).substr(0, end == std::string::npos ? 0 : end + 1));
}

Result<std::optional<PaimonSnapshot>> TableFiles::snapshot(int64_t id) const {
  std::string path = snapshot_path(id);
  ASSIGN_OR_RETURN(std::optional<std::string> text, read(path));
  if (!text) return std::optional<PaimonSnapshot>();
  ASSIGN_OR_RETURN(PaimonSnapshot snapshot, named(paimon_snapshot_from_json(*text), path));
  if (snapshot.id != id) {
    return make_error(ErrorCode::kUnknownServerError, "{}: its id is {}", path, snapshot.id);
  }
  return std::optional(std::move(snapshot));
}

Result<std::optional<PaimonSnapshot>> TableFiles::latest_snapshot() const {
  ASSIGN_OR_RETURN(std::optional<int64_t> id, hint(kLatestHint));
  std::optional<PaimonSnapshot> latest;
  if (id) {
    ASSIGN_OR_RETURN(latest, snapshot(*id));
  }
  for (int i = 0; latest && i < kMaxProbes; ++i) {
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> next, snapshot(latest->id + 1));
    if (!next) return latest;
    latest = std::move(next);
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> ids, snapshot_ids());
  if (ids.empty()) return std::optional<PaimonSnapshot>();
  return snapshot(ids.back());
}

Result<std::optional<PaimonSnapshot>> TableFiles::newest_of(std::optional<PaimonSnapshot> latest,
                                                            std::string_view user) const {
  while (latest && latest->commit_user != user) {
    ASSIGN_OR_RETURN(latest, snapshot(latest->id - 1));
  }
  return latest;
}

Result<std::vector<int64_t>> TableFiles::snapshot_ids() const {
  return numbers(kSnapshotFolder, kSnapshotPrefix);
}

Result<std::optional<int64_t>> TableFiles::earliest_snapshot_id() const {
  ASSIGN_OR_RETURN(std::optional<int64_t> id, hint(kEarliestHint));
  if (id) {
    // Another writer may have removed it and not yet moved the hint.
    ASSIGN_OR_RETURN(std::optional<Bytes> first, objects_.get_range(snapshot_path(*id), 0, 1));
    if (first) return id;
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> ids, snapshot_ids());
  if (ids.empty()) return std::optional<int64_t>();
  return std::optional(ids.front());
}

Result<std::vector<PaimonSnapshot>> TableFiles::tags() const {
  ASSIGN_OR_RETURN(std::vector<ObjectInfo> found, objects_.list(folder(kTagFolder)));
  std::vector<PaimonSnapshot> tags;
  for (const ObjectInfo& tag : found) {
    ASSIGN_OR_RETURN(std::optional<std::string> text, read(tag.path));
    if (!text) continue;  // it was removed meanwhile
    ASSIGN_OR_RETURN(PaimonSnapshot snapshot, named(paimon_snapshot_from_json(*text), tag.path));
    tags.push_back(std::move(snapshot));
  }
  return tags;
}

Result<bool> TableFiles::add_snapshot(const PaimonSnapshot& snapshot) const {
  std::string path = snapshot_path(snapshot.id);
  std::string text = to_json(snapshot);
  Result<bool> added = objects_.put_if_absent(path, Bytes::copy_of(text));
  if (added && *added) return true;
  // The store may have done it and lost its answer, or tried again and met its own: no other
  // snapshot has the same lists.
  Result<std::optional<std::string>> there = read(path);
  if (!there) return added ? Result<bool>(fail(std::move(there).error())) : added;
  if (*there) return **there == text;
  return added ? make_error(ErrorCode::kStorageException, "{}: it is there and is not", path)
               : added;
}

void TableFiles::set_latest_hint(int64_t id) const {
  Status put = objects_.put(object_path(folder(kSnapshotFolder), kLatestHint),
                            Bytes::copy_of(std::to_string(id)));
  // Readers look behind a hint.
  if (!put) LOG_WARN("lake", "hint not written", KV("error", put.error().to_string()));
}

void TableFiles::set_earliest_hint(int64_t id) const {
  Status put = objects_.put(object_path(folder(kSnapshotFolder), kEarliestHint),
                            Bytes::copy_of(std::to_string(id)));
  if (!put) LOG_WARN("lake", "hint not written", KV("error", put.error().to_string()));
}

Status TableFiles::remove_snapshot(int64_t id) const { return objects_.remove(snapshot_path(id)); }

Result<std::vector<ManifestFile>> TableFiles::manifest_list(std::string_view name) const {
  std::string path = manifest_path(name);
  ASSIGN_OR_RETURN(std::optional<Bytes> content, objects_.get(path));
  if (!content) return missing(path);
  return named(decode_manifest_list(content->view()), path);
}

Result<Manifest> TableFiles::manifest(std::string_view name) const {
  std::string path = manifest_path(name);
  ASSIGN_OR_RETURN(std::optional<Bytes> content, objects_.get(path));
  if (!content) return missing(path);
  return named(decode_manifest(content->view()), path);
}

Result<std::vector<ManifestFile>> TableFiles::manifests_of(const PaimonSnapshot& snapshot) const {
  ASSIGN_OR_RETURN(std::vector<ManifestFile> files, manifest_list(snapshot.base_manifest_list));
  ASSIGN_OR_RETURN(std::vector<ManifestFile> delta, manifest_list(snapshot.delta_manifest_list));
  files.insert(
      files.end(), std::make_move_iterator(delta.begin()), std::make_move_iterator(delta.end()));
  return files;
}

Result<NamedFile> TableFiles::write_manifest_list(std::span<const ManifestFile> files,
                                                  avro::AvroCodec codec) const {
  ASSIGN_OR_RETURN(Bytes content,
                   encode_manifest_list(files, {.codec = codec, .sync = names_.bytes()}));
  NamedFile file{fmt::format("manifest-list-{}-0", names_.uuid()),
                 static_cast<int64_t>(content.size())};
  RETURN_IF_ERROR(objects_.put(manifest_path(file.name), content));
  return file;
}

Result<NamedFile> TableFiles::write_manifest(std::span<const ManifestEntry> entries,
                                             avro::AvroCodec codec) const {
  ASSIGN_OR_RETURN(Bytes content,
                   encode_manifest(entries, {.codec = codec, .sync = names_.bytes()}));
  NamedFile file{fmt::format("manifest-{}-0", names_.uuid()), static_cast<int64_t>(content.size())};
  RETURN_IF_ERROR(objects_.put(manifest_path(file.name), content));
  return file;
}

Status TableFiles::remove_manifest(std::string_view name) const {
  return objects_.remove(manifest_path(name));
}

}  // namespace lakestream::paimon
