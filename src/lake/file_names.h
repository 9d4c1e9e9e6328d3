#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "io/random.h"

// Names that no other file of a table has: a UUID (RFC 9562, version 4) out of a seed of this
// process and a counter.
//
// Thread rule: any thread.
//
//   FileNames names(env.random.fork());
//   std::string name = "data-" + names.uuid() + "-0.parquet";
namespace lakestream {

class FileNames {
 public:
  explicit FileNames(Random random) : seed_(random.next()) {}

  // "5e1c2a70-0b9d-4c1e-9a4f-d2f6a1b0c3e8"
  std::string uuid();
  // For the marker between the blocks of an Avro file.
  std::array<uint8_t, 16> bytes();

 private:
  uint64_t seed_;
  std::atomic<uint64_t> count_ = 0;
};

}  // namespace lakestream
