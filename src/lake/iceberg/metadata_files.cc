#include "lake/iceberg/metadata_files.h"

#include "base/logging.h"
#include "io/object_store.h"

namespace lakestream::iceberg {
namespace {

template <typename T>
Result<T> named(Result<T> result, const std::string& path) {
  if (result) return result;
  return fail(std::move(result).error().with_context(path));
}

}  // namespace

std::string MetadataFiles::path_of(std::string_view name) const {
  return object_path(object_path(location_, "metadata"), name);
}

Result<Bytes> MetadataFiles::read(const std::string& path) const {
  ASSIGN_OR_RETURN(std::optional<Bytes> content, objects_.get(path));
  if (content) return *std::move(content);
  return make_error(ErrorCode::kUnknownServerError, "{}: it is named, but not there", path);
}

Result<std::vector<ManifestFile>> MetadataFiles::manifest_list(const std::string& path) const {
  ASSIGN_OR_RETURN(Bytes content, read(path));
  return named(decode_manifest_list(content.view()), path);
}

Result<Manifest> MetadataFiles::manifest(const ManifestFile& line,
                                         const TableMetadata& metadata) const {
  const IcebergPartitionSpec* spec = metadata.find_spec(line.spec_id);
  if (spec == nullptr) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{}: there is no partition spec {}",
                      line.path,
                      line.spec_id);
  }
  ASSIGN_OR_RETURN(Bytes content, read(line.path));
  return named(decode_manifest(content.view(), line, *spec), line.path);
}

Result<std::string> MetadataFiles::write_manifest_list(std::span<const ManifestFile> lines,
                                                       const ManifestListEncoding& encoding) const {
  ASSIGN_OR_RETURN(Bytes content, encode_manifest_list(lines, encoding));
  std::string path = path_of(fmt::format("snap-{}-1-{}.avro", encoding.snapshot_id, names_.uuid()));
  RETURN_IF_ERROR(objects_.put(path, content));
  return path;
}

Result<ManifestFile> MetadataFiles::write_manifest(std::span<const ManifestEntry> entries,
                                                   ManifestEncoding encoding,
                                                   int64_t snapshot_id,
                                                   int64_t sequence) const {
  encoding.sync = names_.bytes();
  ASSIGN_OR_RETURN(Bytes content, encode_manifest(entries, encoding));
  ManifestFile line = describe(entries, encoding, snapshot_id, sequence);
  line.path = path_of(fmt::format("{}-m0.avro", names_.uuid()));
  line.length = static_cast<int64_t>(content.size());
  RETURN_IF_ERROR(objects_.put(line.path, content));
  return line;
}

void MetadataFiles::remove(const std::string& path) const {
  Status removed = objects_.remove(path);
  if (!removed) LOG_WARN("lake", "file left behind", KV("path", path));
}

}  // namespace lakestream::iceberg
