#include "cli/start_position.h"

#include <fmt/format.h>

#include "base/config.h"
#include "cli/text/iso_time.h"

namespace lakestream::cli {
namespace {

constexpr std::string_view kTimestamp = "timestamp:";
constexpr std::string_view kOffset = "offset:";

// Without a sign.
std::optional<int64_t> parse_count(std::string_view text) {
  Result<int64_t> number = parse_integer(text);
  return number && *number >= 0 ? std::optional(*number) : std::nullopt;
}

}  // namespace

std::optional<TimestampMs> parse_time(const std::string& text) {
  if (std::optional<int64_t> ms = parse_count(text)) return TimestampMs(*ms);
  std::optional<IsoTime> time = parse_timestamp(text);
  return time ? std::optional(TimestampMs(time->ms)) : std::nullopt;
}

OptionRule time_rule() {
  return [](const std::string& text) -> std::string {
    if (parse_time(text)) return "";
    return fmt::format("'{}' is no time as 2024-05-31T13:45:30Z or as milliseconds", text);
  };
}

std::optional<client::OffsetSpec> parse_start(const std::string& text) {
  using client::OffsetSpec;
  std::string_view rest = text;
  if (rest == "earliest") return OffsetSpec::earliest();
  if (rest == "latest") return OffsetSpec::latest();
  if (rest.starts_with(kTimestamp)) {
    std::optional<int64_t> ms = parse_count(rest.substr(kTimestamp.size()));
    return ms ? std::optional(OffsetSpec::at_time(TimestampMs(*ms))) : std::nullopt;
  }
  if (rest.starts_with(kOffset)) {
    std::optional<int64_t> offset = parse_count(rest.substr(kOffset.size()));
    return offset ? std::optional(OffsetSpec::exact(Offset(*offset))) : std::nullopt;
  }
  std::optional<IsoTime> time = parse_timestamp(text);
  return time ? std::optional(OffsetSpec::at_time(TimestampMs(time->ms))) : std::nullopt;
}

OptionRule start_rule() {
  return [](const std::string& text) -> std::string {
    if (parse_start(text)) return "";
    return fmt::format(
        "'{}' is none of earliest, latest, offset:N, timestamp:MS, or a time as "
        "2024-05-31T13:45:30Z",
        text);
  };
}

}  // namespace lakestream::cli
