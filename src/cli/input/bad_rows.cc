#include "cli/input/bad_rows.h"

#include <cstdio>

namespace lakestream::cli {
namespace {

constexpr uint64_t kShownMax = 10;

}  // namespace

Status BadRows::take(Error why) {
  if (!skip_) {
    return make_error(
        why.code(), "{}; correct it, or leave such rows out with --on-error skip", why.message());
  }
  ++count_;
  if (count_ <= kShownMax) {
    std::fprintf(stderr, "left out: %s\n", why.message().c_str());
  } else if (count_ == kShownMax + 1) {
    std::fprintf(stderr, "left out: more, which are counted only\n");
  }
  return ok();
}

}  // namespace lakestream::cli
