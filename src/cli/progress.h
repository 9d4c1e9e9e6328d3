#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/clock.h"

// A line on a terminal's stderr that tells how far a command is; nothing when stderr is none.
//
// Thread rule: the main thread.
//
//   Progress progress(&clock, file_size);
//   progress.update(rows, bytes);
//   progress.clear();
namespace lakestream::cli {

class Progress {
 public:
  Progress(Clock* clock, std::optional<uint64_t> bytes_total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(uint64_t rows, uint64_t bytes);
  // Takes the line away.
  void clear();
  double seconds() const;

 private:
  Clock* clock_;
  std::optional<uint64_t> bytes_total_;
  Duration begin_;
  Duration shown_{0};
  bool is_terminal_;
  bool is_visible_ = false;
};

// "400,923 rows/s, 36.2 MB/s"
std::string rates_of(uint64_t rows, uint64_t bytes, double seconds);

}  // namespace lakestream::cli
