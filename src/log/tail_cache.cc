#include "log/tail_cache.h"

#include <algorithm>

#include "log/batch_head.h"
#include "log/batch_select.h"

namespace lakestream::log_internal {

void TailCache::read(const ReadRequest& request, LogRead* read) const {
  auto above = std::upper_bound(
      entries_.begin(), entries_.end(), request.from, [](Offset asked, const Entry& entry) {
        return asked < entry.base_offset;
      });
  size_t budget = request.bytes_max;
  for (auto at = std::prev(above); at != entries_.end(); ++at) {
    bool first = read->records.empty();
    Selection chosen = select_batches(
        at->batches.span(), request.from, request.limit, budget, first && request.at_least_one);
    if (chosen.empty()) return;
    if (first) read->first_offset = chosen.first_offset;
    read->end_offset = chosen.end_offset;
    read->records.append(at->batches.slice(chosen.begin, chosen.end - chosen.begin));
    if (chosen.end != at->batches.size()) return;
    budget -= std::min(budget, chosen.end - chosen.begin);
    if (budget == 0) return;
  }
}

std::optional<Offset> TailCache::find(TimestampMs timestamp) const {
  auto at = std::lower_bound(
      entries_.begin(), entries_.end(), timestamp, [](const Entry& entry, TimestampMs asked) {
        return entry.timestamp < asked;
      });
  if (at == entries_.end()) return std::nullopt;
  std::span<const uint8_t> rest = at->batches.span();
  while (auto head = read_batch_head(rest)) {
    if (head->commit_timestamp >= timestamp) return head->base_offset;
    rest = rest.subspan(head->size);
  }
  return std::nullopt;
}

void TailCache::shed(uint64_t bytes_max, Offset written) {
  while (bytes_ > bytes_max && !entries_.empty() && entries_.front().end_offset <= written) {
    bytes_ -= entries_.front().batches.size();
    entries_.pop_front();
  }
}

void TailCache::truncate(Offset end) {
  while (!entries_.empty() && entries_.back().end_offset > end) {
    bytes_ -= entries_.back().batches.size();
    entries_.pop_back();
  }
}

void TailCache::drop_below(Offset start) {
  while (!entries_.empty() && entries_.front().end_offset <= start) {
    bytes_ -= entries_.front().batches.size();
    entries_.pop_front();
  }
}

}  // namespace lakestream::log_internal
