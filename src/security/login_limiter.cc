#include "security/login_limiter.h"

#include <algorithm>

namespace lakestream::security {

LoginLimiter::LoginLimiter(int32_t failures_max, Milliseconds window, uint64_t seed)
    : cost_ms_(failures_max > 0 ? std::max<int64_t>(window.count() / failures_max, 1) : 0),
      window_ms_(window.count()),
      seed_(seed) {}

size_t LoginLimiter::place_of(std::string_view host) const {
  // FNV-1a from a secret start, mixed at the end (the finaliser of MurmurHash3).
  uint64_t hash = seed_ ^ 0xcbf29ce484222325;
  for (char c : host) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccd;
  hash ^= hash >> 33;
  return static_cast<size_t>(hash % kPlaces);
}

LoginLimiter::Milliseconds LoginLimiter::wait_of(std::string_view host, Milliseconds now) const {
  if (cost_ms_ == 0) return Milliseconds(0);
  int64_t empty_at = empty_at_[place_of(host)].load(std::memory_order_relaxed);
  // There has to be room for one more failure.
  return Milliseconds(std::max<int64_t>(empty_at + cost_ms_ - window_ms_ - now.count(), 0));
}

void LoginLimiter::note_failure(std::string_view host, Milliseconds now) {
  if (cost_ms_ == 0) return;
  std::atomic<int64_t>& empty_at = empty_at_[place_of(host)];
  int64_t before = empty_at.load(std::memory_order_relaxed);
  while (!empty_at.compare_exchange_weak(
      before, std::max(before, now.count()) + cost_ms_, std::memory_order_relaxed)) {
  }
}

}  // namespace lakestream::security
