#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

// How files with versions of keys lie above each other: which can hold no older version of a key
// that another one holds. A version has an order; the highest of a key counts.
//
// Thread rule: pure functions.
//
//   std::optional<FileLayers> layers = layers_of(files, share_keys);
//   if (layers && layers->newer.empty()) read_as_they_are();
namespace lakestream {

struct VersionsFile {
  int64_t min_order = 0;
  int64_t max_order = 0;
  bool is_deletes = false;  // all of its versions take their key away
};

// Places in what was given.
struct FileLayers {
  std::vector<size_t> old;    // no two share keys
  std::vector<size_t> newer;  // where they share keys with one of those, their rows are later
};

// `files`: by rising min_order. `share_keys`: whether two of them may have a key in common. Deletes
// are never old, and in neither when they share no keys with a file before them. Nothing when the
// orders of two files that share keys do not lie apart.
std::optional<FileLayers> layers_of(std::span<const VersionsFile> files,
                                    const std::function<bool(size_t, size_t)>& share_keys);

}  // namespace lakestream
