#include "lake/iceberg/orphans.h"

#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "io/object_store.h"
#include "lake/iceberg/expiry.h"
#include "lake/orphans.h"
#include "table/json_reader.h"

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

// A state of another table in this folder, such as one that had its name before.
Result<std::optional<std::string>> state_of_another(const CommitContext& context,
                                                    const LoadedTable& table) {
  std::set<std::string, std::less<>> own = {std::string(file_name_of(table.metadata_file))};
  for (const MetadataLogEntry& entry : table.metadata.metadata_log) {
    own.emplace(file_name_of(entry.file));
  }
  ObjectStore& objects = context.files.objects();
  std::string folder = object_path(context.files.location(), "metadata");
  ASSIGN_OR_RETURN(std::vector<ObjectInfo> files, objects.list(folder));
  for (const ObjectInfo& file : files) {
    std::string_view name = file_name_of(file.path);
    // v12.metadata.json is of the catalog that has one table in a folder.
    bool is_state = name.find(".metadata.json") != std::string_view::npos && !name.starts_with('v');
    if (!is_state || own.contains(name)) continue;
    ASSIGN_OR_RETURN(std::optional<Bytes> content, objects.get(file.path));
    if (!content) continue;
    Result<JsonDocument> document =
        JsonDocument::parse(content->view(), ErrorCode::kUnknownServerError);
    Result<std::string> uuid =
        document ? document->root().text_at("table-uuid") : fail(std::move(document).error());
    if (!uuid || *uuid != table.metadata.uuid) return std::optional(file.path);
  }
  return std::optional<std::string>();
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
  ASSIGN_OR_RETURN(std::optional<std::string> another, state_of_another(context, table));
  if (another) {
    return std::vector<std::string>{fmt::format(
        "files that nothing names are left: {} is of another table in this folder", *another)};
  }
  OrphanRules rules{.root = context.files.location(), .is_candidate = &is_candidate, .names = [&] {
                      return names_of(context, uuid);
                    }};
  return lakestream::remove_orphans(context.files.objects(), rules, before);
}

}  // namespace lakestream::iceberg
