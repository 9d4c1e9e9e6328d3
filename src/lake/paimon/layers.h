#pragma once

#include <optional>
#include <vector>

#include "lake/file_layers.h"
#include "lake/paimon/manifest.h"
#include "lake/paimon/schema.h"

// How the data files of a bucket lie above each other, by the ranges of their keys and sequence
// numbers.
//
// Thread rule: pure functions.
//
//   std::optional<FileLayers> layers = layers_of(schema, entries);
//   if (layers && layers->newer.empty()) read_as_they_are();
namespace lakestream::paimon {

// `files`: in the order of their least sequence numbers. Nothing when the ranges can not be told.
std::optional<FileLayers> layers_of(const PaimonSchema& schema,
                                    const std::vector<ManifestEntry>& files);

}  // namespace lakestream::paimon
