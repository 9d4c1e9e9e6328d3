#include "log/log_shard.h"

#include "log/log_state.h"

namespace lakestream::log_internal {

void LogShard::keep_file(Segment& segment, std::shared_ptr<File> file) {
  segment.file = std::move(file);
  use_file(segment);
  size_t files_max = std::max<size_t>(1, limits_.open_files_max / limits_.share());
  while (files_.size() > files_max) {
    Segment& least_used = *files_.front();
    release_file(least_used);
  }
}

void LogShard::use_file(Segment& segment) {
  if (segment.use) {
    files_.splice(files_.end(), files_, *segment.use);
  } else {
    segment.use = files_.insert(files_.end(), &segment);
  }
}

std::shared_ptr<File> LogShard::release_file(Segment& segment) {
  if (segment.use) files_.erase(*segment.use);
  segment.use.reset();
  return std::exchange(segment.file, nullptr);
}

void LogShard::detach(LogState& log) {
  logs_.erase(&log);
  if (log.tail_place) tails_.erase(*log.tail_place);
  log.tail_place.reset();
}

void LogShard::tail_changed(LogState& log, uint64_t before, uint64_t after) {
  tail_bytes_ = tail_bytes_ - before + after;
  if (log.tail_place && (after > before || after == 0)) {
    tails_.erase(*log.tail_place);
    log.tail_place.reset();
  }
  if (!log.tail_place && after > 0) log.tail_place = tails_.insert(tails_.end(), &log);

  uint64_t bytes_max = limits_.tail_bytes_max / limits_.share();
  for (auto at = tails_.begin(); at != tails_.end() && tail_bytes_ > bytes_max;) {
    LogState& oldest = **at;
    tail_bytes_ -= oldest.drop_tail();
    if (oldest.tail_is_empty()) {
      at = tails_.erase(at);
      oldest.tail_place.reset();
    } else {
      ++at;  // the rest of it waits for the disk
    }
  }
}

}  // namespace lakestream::log_internal
