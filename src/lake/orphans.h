#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

// Removes files of a lake table that no snapshot names: data files and manifests, as commits leave
// them that never came, and what unfinished writes left. A commit on its way names its files only
// in the end, so a file has to be older than any commit takes.
//
// Files are listed first and snapshots read then: what a commit names in between is seen. A file
// counts as named when its name is, whatever the folder: names are unique in a table, while writers
// spell folders in several ways.
//
// Thread rule: pure but for the files; calls block; any thread.
//
//   OrphanRules rules{.root = root, .is_candidate = is_ours, .names = [&] { return names_of(t); }};
//   ASSIGN_OR_RETURN(std::vector<std::string> done, remove_orphans(objects, rules, a_day_ago));
namespace lakestream {

class ObjectStore;

struct OrphanRules {
  std::string root;  // of the table
  // Whether a file in this folder, below the root, may be one, by its name.
  bool (*is_candidate)(std::string_view folder, std::string_view name) = nullptr;
  // Of all files that snapshots stand on, without folders.
  std::function<Result<std::set<std::string>>()> names;
};

// What was done, in sentences. An error of names() is handed on, and nothing is removed.
Result<std::vector<std::string>> remove_orphans(ObjectStore& objects,
                                                const OrphanRules& rules,
                                                TimestampMs before);

// "b" of "/a/b"
std::string_view file_name_of(std::string_view path);

}  // namespace lakestream
