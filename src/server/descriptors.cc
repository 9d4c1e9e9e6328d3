#include "server/descriptors.h"

#include <limits>

#include <sys/resource.h>

namespace lakestream {

size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<size_t>::max();
  rlimit raised{limit.rlim_max, limit.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  return static_cast<size_t>(limit.rlim_cur);
}

}  // namespace lakestream
