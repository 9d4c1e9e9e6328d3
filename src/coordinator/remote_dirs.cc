#include "coordinator/remote_dirs.h"

#include <algorithm>

namespace lakestream::coordinator {

// The smooth weighted round robin of nginx.
std::optional<std::string> RemoteDirs::next() {
  int64_t total = 0;
  for (size_t i = 0; i < dirs_.size(); ++i) {
    due_[i] += dirs_[i].weight;
    total += dirs_[i].weight;
  }
  if (total == 0) return std::nullopt;
  auto most = std::max_element(due_.begin(), due_.end()) - due_.begin();
  auto chosen = static_cast<size_t>(most);
  due_[chosen] -= total;
  return dirs_[chosen].root;
}

}  // namespace lakestream::coordinator
