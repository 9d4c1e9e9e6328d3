#include "io/random.h"

#include <bit>
#include <random>

#include "base/check.h"

namespace lakestream {

Random::Random(uint64_t seed) {
  for (uint64_t& word : state_) {  // splitmix64 spreads the seed
    seed += 0x9e3779b97f4a7c15;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    word = z ^ (z >> 31);
  }
}

Random Random::from_system() {
  std::random_device device;
  return Random(static_cast<uint64_t>(device()) << 32 | device());
}

uint64_t Random::next() {
  uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

uint64_t Random::below(uint64_t limit) {
  CHECK(limit > 0, "empty range");
  // The bias of a plain remainder is below 2^-32 for every limit that is used here.
  return next() % limit;
}

}  // namespace lakestream
