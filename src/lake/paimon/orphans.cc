#include "lake/paimon/orphans.h"

#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/failpoint.h"
#include "io/object_store.h"

namespace lakestream::paimon {
namespace {

// What may be removed: files of buckets and of the manifest folder, and hidden ones anywhere.
bool is_candidate(std::string_view path, std::string_view root) {
  path.remove_prefix(root.size() + 1);
  size_t slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return false;
  std::string_view folder = path.substr(0, slash);
  std::string_view name = path.substr(slash + 1);
  if (name.starts_with('.') && name.ends_with(".tmp")) return true;
  size_t above = folder.find_last_of('/');
  std::string_view last = above == std::string_view::npos ? folder : folder.substr(above + 1);
  return folder == "manifest" || last.starts_with("bucket-");
}

// The names of all files that snapshots and tags stand on. Names of files are unique in a table.
class Named {
 public:
  explicit Named(const TableFiles& files) : files_(files) {}

  Result<std::set<std::string>> collect() {
    ASSIGN_OR_RETURN(std::vector<int64_t> ids, files_.snapshot_ids());
    for (int64_t id : ids) {
      ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> snapshot, files_.snapshot(id));
      if (snapshot) RETURN_IF_ERROR(add(*snapshot));
    }
    ASSIGN_OR_RETURN(std::vector<PaimonSnapshot> tags, files_.tags());
    for (const PaimonSnapshot& tag : tags) RETURN_IF_ERROR(add(tag));
    return std::move(names_);
  }

 private:
  Status add(const PaimonSnapshot& snapshot) {
    RETURN_IF_ERROR(add_list(snapshot.base_manifest_list));
    RETURN_IF_ERROR(add_list(snapshot.delta_manifest_list));
    if (snapshot.changelog_manifest_list) {
      RETURN_IF_ERROR(add_list(*snapshot.changelog_manifest_list));
    }
    if (snapshot.index_manifest) names_.insert(*snapshot.index_manifest);
    return ok();
  }

  Status add_list(const std::string& list) {
    if (!names_.insert(list).second) return ok();
    ASSIGN_OR_RETURN(std::vector<ManifestFile> manifests, files_.manifest_list(list));
    for (const ManifestFile& file : manifests) {
      if (!names_.insert(file.name).second) continue;
      ASSIGN_OR_RETURN(Manifest manifest, files_.manifest(file.name));
      for (const ManifestEntry& entry : manifest.entries) {
        names_.insert(entry.file.name);
        for (const std::string& extra : entry.foreign.extra_files) names_.insert(extra);
      }
    }
    return ok();
  }

  const TableFiles& files_;
  std::set<std::string> names_;
};

// Whether others count the files of the table, too.
Result<bool> is_shared(const TableFiles& files) {
  for (std::string_view folder : {"branch", "changelog"}) {
    ASSIGN_OR_RETURN(std::vector<ObjectInfo> found, files.objects().list(files.folder(folder)));
    if (!found.empty()) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<std::string>> remove_orphans(const TableFiles& files, TimestampMs before) {
  ASSIGN_OR_RETURN(std::vector<std::string> stale,
                   files.objects().list_stale(files.root(), before));
  std::erase_if(stale, [&](const std::string& path) { return !is_candidate(path, files.root()); });
  if (stale.empty()) return std::vector<std::string>();
  ASSIGN_OR_RETURN(bool shared, is_shared(files));
  if (shared) {
    return std::vector<std::string>{
        "files that nothing names are left to Paimon: the table has branches or a changelog of its "
        "own"};
  }
  ASSIGN_OR_RETURN(std::set<std::string> named, Named(files).collect());
  size_t removed = 0;
  for (const std::string& path : stale) {
    if (named.contains(path.substr(path.find_last_of('/') + 1))) continue;
    RETURN_IF_ERROR(files.objects().remove(path));
    ++removed;
    RETURN_IF_ERROR(failpoint("lake.after_orphan"));
  }
  if (removed == 0) return std::vector<std::string>();
  return std::vector<std::string>{fmt::format("{} files that no snapshot names are gone", removed)};
}

}  // namespace lakestream::paimon
