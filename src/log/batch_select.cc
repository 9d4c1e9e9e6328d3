#include "log/batch_select.h"

#include "log/batch_head.h"

namespace lakestream::log_internal {

Selection select_batches(std::span<const uint8_t> bytes,
                         Offset from,
                         Offset limit,
                         size_t bytes_max,
                         bool at_least_one) {
  Selection chosen{.first_offset = from, .end_offset = from};
  while (chosen.end < bytes.size()) {
    std::span<const uint8_t> rest = bytes.subspan(chosen.end);
    std::optional<BatchHead> head = read_batch_head(rest);
    if (!head) {
      // A header may be cut off by the end of the bytes.
      bool partial = rest.size() < kBatchHeadBytesMax;
      chosen.cut_short = partial ? kBatchHeadBytesMax : 0;
      chosen.damaged = !partial;
      return chosen;
    }
    if (head->next_offset <= from) {
      if (head->size > rest.size()) {
        chosen.cut_short = head->size;
        return chosen;
      }
      chosen.begin = chosen.end = chosen.end + head->size;
      continue;
    }
    if (head->base_offset >= limit) return chosen;
    size_t together = chosen.end - chosen.begin + head->size;
    bool first = chosen.empty();
    if (together > bytes_max && !(first && at_least_one)) return chosen;
    if (head->size > rest.size()) {
      chosen.cut_short = head->size;
      return chosen;
    }
    if (first) chosen.first_offset = head->base_offset;
    chosen.end_offset = head->next_offset;
    chosen.end += head->size;
  }
  return chosen;
}

}  // namespace lakestream::log_internal
