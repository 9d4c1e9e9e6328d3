#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lake/paimon/manifest.h"
#include "lake/paimon/schema.h"

// How the data files of a bucket lie above each other, by the ranges of their keys and sequence
// numbers: which can hold no older version of a key that another one holds.
//
// Thread rule: pure functions.
//
//   std::optional<FileLayers> layers = layers_of(schema, entries);
//   if (layers && layers->newer.empty()) read_as_they_are();
namespace lakestream::paimon {

// Places in what was given.
struct FileLayers {
  std::vector<size_t> old;    // their ranges of keys lie apart
  std::vector<size_t> newer;  // where they share keys with one of those, their rows are later
};

// `files`: in the order of their least sequence numbers. Nothing when the ranges can not be told.
std::optional<FileLayers> layers_of(const PaimonSchema& schema,
                                    const std::vector<ManifestEntry>& files);

}  // namespace lakestream::paimon
