#pragma once

#include <memory>

#include "client/scanner.h"

// A log read from its beginning to where it ends now, as batches that nobody decodes.
namespace lakestream::bench {

struct RawRead {
  double seconds = 0;
  client::ScannerCounters counters;
};
Task<Result<RawRead>> read_raw(std::shared_ptr<client::Connection> connection,
                               TablePath table,
                               client::ScannerOptions options);

}  // namespace lakestream::bench
