#pragma once

#include <cstdint>

#include "base/result.h"

// What happens to input that is no row of the table: the first one ends the command, or all are
// left out, counted, and the first few shown on stderr.
//
// Thread rule: the main thread.
//
//   if (!fits(row)) RETURN_IF_ERROR(bad_rows->take(why));
namespace lakestream::cli {

class BadRows {
 public:
  explicit BadRows(bool skip) : skip_(skip) {}

  // Whether to go on without the row. Errors: `why`, with what to do.
  Status take(Error why);
  uint64_t count() const { return count_; }

 private:
  bool skip_;
  uint64_t count_ = 0;
};

}  // namespace lakestream::cli
