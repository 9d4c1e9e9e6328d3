#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Dates and times as ISO 8601 text, in the proleptic Gregorian calendar.
//
// Thread rule: pure functions.
//
//   std::optional<IsoTime> time = parse_timestamp("2024-05-31T13:45:30.5+02:00");
//   format_timestamp(time->ms, time->ns, 3);  // "2024-05-31T11:45:30.500"
namespace lakestream::cli {

struct IsoTime {
  int64_t ms = 0;  // since 1970-01-01, in UTC when there is a zone
  int32_t ns = 0;  // of that millisecond
  bool has_zone = false;
  int fraction_digits = 0;  // of the second, without zeros at the end
};

// "2024-05-31"; days since 1970-01-01.
std::optional<int64_t> parse_date(std::string_view text);
// "13:45", "13:45:30", "13:45:30.123", after midnight of 1970-01-01.
std::optional<IsoTime> parse_time_of_day(std::string_view text);
// A date, or a date and a time between which stands 'T' or a space, perhaps with "Z" or "+02:00".
std::optional<IsoTime> parse_timestamp(std::string_view text);

std::string format_date(int64_t days);
// With `digits` of the second's fraction.
std::string format_time_of_day(int64_t ms, int digits);
std::string format_timestamp(int64_t ms, int32_t ns, int digits);

}  // namespace lakestream::cli
