#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

// Slows down who guesses passwords: an address that failed to log in too often within a window is
// not listened to for a while, even with the right password. Memory is fixed; addresses share a
// place by a hash that nobody outside can foresee.
//
// Thread rule: any thread.
//
//   LoginLimiter limiter(10, std::chrono::minutes(1), random.next());
//   if (limiter.wait_of(host, now).count() > 0) return refuse();
//   if (!verify()) limiter.note_failure(host, now);
namespace lakestream::security {

class LoginLimiter {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // `failures_max` of an address within `window`; 0 is no limit.
  LoginLimiter(int32_t failures_max, Milliseconds window, uint64_t seed);

  // How long the address has to wait; 0 when it may try. `now` only moves forward.
  Milliseconds wait_of(std::string_view host, Milliseconds now) const;
  void note_failure(std::string_view host, Milliseconds now);

 private:
  static constexpr size_t kPlaces = 4096;
  size_t place_of(std::string_view host) const;

  int64_t cost_ms_;  // of a failure; 0 without a limit
  int64_t window_ms_;
  uint64_t seed_;
  // When the failures of each place are forgotten (a leaky bucket, written as the time at which it
  // is empty).
  std::array<std::atomic<int64_t>, kPlaces> empty_at_{};
};

}  // namespace lakestream::security
