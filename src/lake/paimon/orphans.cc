#include "lake/paimon/orphans.h"

#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "io/object_store.h"
#include "lake/orphans.h"

namespace lakestream::paimon {
namespace {

bool is_candidate(std::string_view folder, std::string_view) {
  return folder == "manifest" || file_name_of(folder).starts_with("bucket-");
}

// The names of all files that snapshots and tags stand on.
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
  ASSIGN_OR_RETURN(bool shared, is_shared(files));
  if (shared) {
    return std::vector<std::string>{
        "files that nothing names are left to Paimon: the table has branches or a changelog of its "
        "own"};
  }
  OrphanRules rules{.root = files.root(), .is_candidate = &is_candidate, .names = [&] {
                      return Named(files).collect();
                    }};
  return lakestream::remove_orphans(files.objects(), rules, before);
}

}  // namespace lakestream::paimon
