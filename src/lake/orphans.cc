#include "lake/orphans.h"

#include "base/failpoint.h"
#include "io/object_store.h"

namespace lakestream {
namespace {

// Of a write that never ended (io/object_store.h).
bool is_temporary(std::string_view name) { return name.starts_with('.') && name.ends_with(".tmp"); }

bool may_go(const OrphanRules& rules, std::string_view path) {
  path.remove_prefix(rules.root.size() + 1);
  std::string_view name = file_name_of(path);
  if (name.size() == path.size()) return false;
  std::string_view folder = path.substr(0, path.size() - name.size() - 1);
  return is_temporary(name) || rules.is_candidate(folder, name);
}

}  // namespace

std::string_view file_name_of(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

Result<std::vector<std::string>> remove_orphans(ObjectStore& objects,
                                                const OrphanRules& rules,
                                                TimestampMs before) {
  ASSIGN_OR_RETURN(std::vector<std::string> stale, objects.list_stale(rules.root, before));
  std::erase_if(stale, [&](const std::string& path) { return !may_go(rules, path); });
  if (stale.empty()) return std::vector<std::string>();
  ASSIGN_OR_RETURN(std::set<std::string> named, rules.names());
  size_t removed = 0;
  for (const std::string& path : stale) {
    if (named.contains(std::string(file_name_of(path)))) continue;
    RETURN_IF_ERROR(objects.remove(path));
    ++removed;
    RETURN_IF_ERROR(failpoint("lake.after_orphan"));
  }
  if (removed == 0) return std::vector<std::string>();
  return std::vector<std::string>{fmt::format("{} files that no snapshot names are gone", removed)};
}

}  // namespace lakestream
