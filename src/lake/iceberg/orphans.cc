#include "lake/iceberg/orphans.h"

#include <set>
#include <string_view>

#include "lake/iceberg/expiry.h"
#include "lake/orphans.h"

namespace lakestream::iceberg {
namespace {

bool is_candidate(std::string_view folder, std::string_view name) {
  if (folder == "metadata") return name.ends_with(".avro");
  return (folder == "data" || folder.starts_with("data/")) && name.ends_with(".parquet");
}

Result<std::set<std::string>> names_of(const CommitContext& context, const std::string& uuid) {
  ASSIGN_OR_RETURN(LoadedTable table, load_same_table(context.catalog, context.path, uuid));
  std::set<std::string> names;
  auto add = [&](std::string_view path) { return names.emplace(file_name_of(path)).second; };
  for (const IcebergSnapshot& snapshot : table.metadata.snapshots) {
    add(snapshot.manifest_list);
    ASSIGN_OR_RETURN(std::vector<ManifestFile> lines,
                     context.files.manifest_list(snapshot.manifest_list));
    for (const ManifestFile& line : lines) {
      if (!add(line.path)) continue;
      ASSIGN_OR_RETURN(Manifest manifest, context.files.manifest(line, table.metadata));
      for (const ManifestEntry& entry : manifest.entries) add(entry.file->path);
    }
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> remove_orphans(const CommitContext& context,
                                                const std::string& uuid,
                                                TimestampMs before) {
  ASSIGN_OR_RETURN(LoadedTable table, load_same_table(context.catalog, context.path, uuid));
  if (shares_files(table.metadata)) {
    return std::vector<std::string>{
        "files that nothing names are left: other tables may have them, too"};
  }
  OrphanRules rules{.root = context.files.location(), .is_candidate = &is_candidate, .names = [&] {
                      return names_of(context, uuid);
                    }};
  return lakestream::remove_orphans(context.files.objects(), rules, before);
}

}  // namespace lakestream::iceberg
