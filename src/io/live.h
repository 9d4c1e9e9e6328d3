#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "io/shard.h"

// A value that all shards read and that is replaced as a whole from time to time: each shard has
// its own pointer to it, so that reading takes no lock and no atomic. A shard sees values in the
// order in which they were published, and one that was published before an answer was sent is there
// when the next request of that client arrives.
//
// Thread rule: on() and hold() on the shard; publish() from any thread, but one publisher at a
// time.
//
//   Live<Limits> limits(shards, std::make_shared<const Limits>());
//   limits.publish(std::make_shared<const Limits>(next));
//   if (size > limits.on(shard).size_max) return too_large();
namespace lakestream {

template <typename T>
class Live {
 public:
  // The shards' indexes are 0, 1, 2, … It must outlive their loops.
  Live(std::vector<Shard*> shards, std::shared_ptr<const T> first) : slots_(shards.size()) {
    for (size_t i = 0; i < shards.size(); ++i) {
      CHECK(shards[i]->index() == i, "shards are numbered from 0");
      slots_[i] = Slot{.shard = shards[i], .value = first};
    }
  }

  // The reference is good until the caller suspends; what is needed longer is held.
  const T& on(const Shard& shard) const { return *slot(shard).value; }
  std::shared_ptr<const T> hold(const Shard& shard) const { return slot(shard).value; }

  // Each shard takes the value in a later turn of its loop.
  void publish(std::shared_ptr<const T> value) {
    for (Slot& slot : slots_) {
      Slot* mine = &slot;
      slot.shard->post([mine, value] { mine->value = value; });
    }
  }

 private:
  // Shards write to their own slot only; a cache line each.
  struct alignas(64) Slot {
    Shard* shard = nullptr;
    std::shared_ptr<const T> value;
  };
  const Slot& slot(const Shard& shard) const {
    CHECK(shard.index() < slots_.size(), "a shard that the value was made for");
    return slots_[shard.index()];
  }
  std::vector<Slot> slots_;
};

}  // namespace lakestream
