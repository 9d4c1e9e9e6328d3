#include "cli/latency.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lakestream::cli {
namespace {

constexpr int kCutBits = 5;
constexpr uint64_t kCuts = uint64_t{1} << kCutBits;
constexpr size_t kBucketCount = (64 - kCutBits + 1) * kCuts;

size_t bucket_of(uint64_t nanos) {
  if (nanos < kCuts) return static_cast<size_t>(nanos);
  int shift = 63 - std::countl_zero(nanos) - kCutBits;
  return static_cast<size_t>((static_cast<uint64_t>(shift) + 1) * kCuts + (nanos >> shift) - kCuts);
}

// The largest duration of the bucket.
uint64_t end_of(size_t bucket) {
  if (bucket < kCuts) return bucket;
  uint64_t shift = bucket / kCuts - 1;
  return ((bucket % kCuts + kCuts + 1) << shift) - 1;
}

}  // namespace

Latency::Latency() : counts_(kBucketCount, 0) {}

void Latency::add(Duration duration) {
  auto nanos = static_cast<uint64_t>(std::max<int64_t>(0, duration.count()));
  ++counts_[bucket_of(nanos)];
  ++count_;
  max_ = std::max(max_, nanos);
}

void Latency::merge(const Latency& other) {
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

Duration Latency::percentile(double share) const {
  auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= wanted && seen > 0) {
      return Duration(static_cast<int64_t>(std::min(end_of(i), max_)));
    }
  }
  return Duration(0);
}

}  // namespace lakestream::cli
