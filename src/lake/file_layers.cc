#include "lake/file_layers.h"

#include <algorithm>

namespace lakestream {

std::optional<FileLayers> layers_of(std::span<const VersionsFile> files,
                                    const std::function<bool(size_t, size_t)>& share_keys) {
  FileLayers layers;
  for (size_t i = 0; i < files.size(); ++i) {
    bool is_above =
        std::ranges::any_of(layers.newer, [&](size_t other) { return share_keys(i, other); });
    for (size_t other : layers.old) {
      if (!share_keys(i, other)) continue;
      if (files[other].max_order >= files[i].min_order) return std::nullopt;
      is_above = true;
    }
    if (files[i].is_deletes && !is_above) continue;
    (is_above ? layers.newer : layers.old).push_back(i);
  }
  return layers;
}

}  // namespace lakestream
