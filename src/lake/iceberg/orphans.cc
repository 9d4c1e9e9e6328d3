#include "lake/iceberg/orphans.h"

#include <set>
#include <string_view>
#include <utility>

#include "base/failpoint.h"
#include "io/object_store.h"
#include "lake/iceberg/expiry.h"

namespace lakestream::iceberg {
namespace {

std::string_view name_in(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

// What may be removed: data files, manifests and their lists, and hidden files anywhere.
bool is_candidate(std::string_view path, std::string_view location) {
  path.remove_prefix(location.size() + 1);
  std::string_view name = name_in(path);
  if (name.starts_with('.') && name.ends_with(".tmp")) return true;
  return (path.starts_with("data/") && name.ends_with(".parquet")) ||
         (path.starts_with("metadata/") && name.ends_with(".avro"));
}

// The names of all files that snapshots stand on: they are unique in a table, and their paths may
// be spelled in more than one way.
Result<std::set<std::string, std::less<>>> named_files(const MetadataFiles& files,
                                                       const TableMetadata& metadata) {
  std::set<std::string, std::less<>> names;
  for (const IcebergSnapshot& snapshot : metadata.snapshots) {
    names.emplace(name_in(snapshot.manifest_list));
    ASSIGN_OR_RETURN(std::vector<ManifestFile> lines, files.manifest_list(snapshot.manifest_list));
    for (const ManifestFile& line : lines) {
      if (!names.emplace(name_in(line.path)).second) continue;
      ASSIGN_OR_RETURN(Manifest manifest, files.manifest(line, metadata));
      for (const ManifestEntry& entry : manifest.entries) names.emplace(name_in(entry.file->path));
    }
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> remove_orphans(const CommitContext& context,
                                                const std::string& uuid,
                                                TimestampMs before) {
  const MetadataFiles& files = context.files;
  ASSIGN_OR_RETURN(std::vector<std::string> stale,
                   files.objects().list_stale(files.location(), before));
  std::erase_if(stale,
                [&](const std::string& path) { return !is_candidate(path, files.location()); });
  if (stale.empty()) return std::vector<std::string>();
  ASSIGN_OR_RETURN(LoadedTable table, load_same_table(context.catalog, context.path, uuid));
  if (shares_files(table.metadata)) {
    return std::vector<std::string>{
        "files that nothing names are left: other tables may have them, too"};
  }
  ASSIGN_OR_RETURN(auto named, named_files(files, table.metadata));
  size_t removed = 0;
  for (const std::string& path : stale) {
    if (named.contains(name_in(path))) continue;
    RETURN_IF_ERROR(files.objects().remove(path));
    ++removed;
    RETURN_IF_ERROR(failpoint("lake.after_orphan"));
  }
  if (removed == 0) return std::vector<std::string>();
  return std::vector<std::string>{fmt::format("{} files that no snapshot names are gone", removed)};
}

}  // namespace lakestream::iceberg
