#pragma once

#include <cstdint>

// Random numbers: seeded from the system, or with the run's seed in simulation (xoshiro256**,
// D. Blackman and S. Vigna, "Scrambled Linear Pseudorandom Number Generators", 2018).
//
// Thread rule: belongs to one thread at a time; fork() makes an independent one for another thread.
//
//   uint64_t bucket = random.below(bucket_count);
namespace lakestream {

class Random {
 public:
  explicit Random(uint64_t seed);
  static Random from_system();

  uint64_t next();
  // Uniform in [0, limit). Requires: limit > 0.
  uint64_t below(uint64_t limit);
  // True with probability numerator / denominator.
  bool chance(uint64_t numerator, uint64_t denominator) { return below(denominator) < numerator; }
  Random fork() { return Random(next()); }

 private:
  uint64_t state_[4];
};

}  // namespace lakestream
