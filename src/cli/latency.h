#pragma once

#include <cstdint>
#include <vector>

#include "io/clock.h"

// Durations as a histogram: buckets of powers of two, each cut in 32, so that a percentile is at
// most 3 % above the true one, and memory does not grow with their number (as in HdrHistogram, G.
// Tene).
//
// Thread rule: belongs to one thread.
//
//   Latency latency;
//   latency.add(end - begin);
//   latency.percentile(0.99);  // the duration below which 99 % are
namespace lakestream::cli {

class Latency {
 public:
  Latency();

  void add(Duration duration);
  void merge(const Latency& other);
  uint64_t count() const { return count_; }
  // Requires: 0 <= share <= 1. 0 without any.
  Duration percentile(double share) const;
  Duration max() const { return Duration(static_cast<int64_t>(max_)); }

 private:
  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t max_ = 0;  // nanoseconds
};

}  // namespace lakestream::cli
