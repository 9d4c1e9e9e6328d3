#include "cli/progress.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output.h"

namespace lakestream::cli {
namespace {

constexpr Duration kBetween = std::chrono::milliseconds(200);
constexpr double kMegabyte = 1e6;
constexpr double kSecondsMin = 1e-3;
constexpr std::string_view kEraseLine = "\r\033[K";

}  // namespace

std::string rates_of(uint64_t rows, uint64_t bytes, double seconds) {
  double time = std::max(seconds, kSecondsMin);
  auto rows_a_second = static_cast<uint64_t>(static_cast<double>(rows) / time);
  return fmt::format("{} rows/s, {:.1f} MB/s",
                     with_separators(rows_a_second),
                     static_cast<double>(bytes) / kMegabyte / time);
}

Progress::Progress(Clock* clock, std::optional<uint64_t> bytes_total)
    : clock_(clock),
      bytes_total_(bytes_total),
      begin_(clock->monotonic()),
      is_terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

double Progress::seconds() const {
  return std::chrono::duration<double>(clock_->monotonic() - begin_).count();
}

void Progress::update(uint64_t rows, uint64_t bytes) {
  if (!is_terminal_) return;
  Duration now = clock_->monotonic();
  if (is_visible_ && now - shown_ < kBetween) return;
  shown_ = now;
  is_visible_ = true;
  std::string share;
  if (bytes_total_ && *bytes_total_ > 0) {
    share = fmt::format("{:3} %  ", std::min<uint64_t>(100, bytes * 100 / *bytes_total_));
  }
  std::string line = fmt::format(
      "{}{}{}, {}", kEraseLine, share, count_of(rows, "row"), rates_of(rows, bytes, seconds()));
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void Progress::clear() {
  if (!is_visible_) return;
  is_visible_ = false;
  std::fwrite(kEraseLine.data(), 1, kEraseLine.size(), stderr);
  std::fflush(stderr);
}

}  // namespace lakestream::cli
