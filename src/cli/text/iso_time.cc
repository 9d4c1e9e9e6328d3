#include "cli/text/iso_time.h"

#include <fmt/format.h>

namespace lakestream::cli {
namespace {

constexpr int64_t kMillisPerSecond = 1000;
constexpr int64_t kMillisPerMinute = 60 * kMillisPerSecond;
constexpr int64_t kMillisPerHour = 60 * kMillisPerMinute;
constexpr int64_t kMillisPerDay = 24 * kMillisPerHour;
constexpr int32_t kNanosPerMilli = 1'000'000;
constexpr int kNanoDigits = 9;
constexpr int kYearDigitsMin = 4;
constexpr int kYearDigitsMax = 6;

// Days and calendar dates: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms". An era is
// 400 years, a year begins in March.
constexpr int64_t kDaysPerEra = 146'097;
constexpr int64_t kDaysToEpoch = 719'468;  // from 0000-03-01

struct Date {
  int64_t year;
  int month;
  int day;
};

int64_t days_of(const Date& date) {
  int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t year_of_era = year - era * 400;
  int64_t month = (date.month + 9) % 12;
  int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kDaysToEpoch;
}

Date date_of(int64_t days) {
  days += kDaysToEpoch;
  int64_t era = (days >= 0 ? days : days - kDaysPerEra + 1) / kDaysPerEra;
  int64_t day_of_era = days - era * kDaysPerEra;
  int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146'096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month = (5 * day_of_year + 2) / 153;
  int month_number = static_cast<int>(month < 10 ? month + 3 : month - 9);
  int64_t year = year_of_era + era * 400 + (month_number <= 2 ? 1 : 0);
  return {year, month_number, static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1)};
}

int days_of_month(int64_t year, int month) {
  if (month == 2) {
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return is_leap ? 29 : 28;
  }
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Takes parts off the front of a text.
class Parts {
 public:
  explicit Parts(std::string_view text) : rest_(text) {}

  bool is_empty() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // `min` to `max` digits.
  std::optional<int64_t> number(int min, int max) {
    int64_t value = 0;
    int count = 0;
    while (count < max && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
      ++count;
    }
    if (count < min) return std::nullopt;
    return value;
  }
  std::optional<int64_t> two_digits(int64_t max) {
    std::optional<int64_t> value = number(2, 2);
    return value && *value <= max ? value : std::nullopt;
  }

 private:
  std::string_view rest_;
};

std::optional<int64_t> take_date(Parts& parts) {
  bool is_negative = parts.take('-');
  std::optional<int64_t> year = parts.number(kYearDigitsMin, kYearDigitsMax);
  if (!year || !parts.take('-')) return std::nullopt;
  std::optional<int64_t> month = parts.two_digits(12);
  if (!month || *month == 0 || !parts.take('-')) return std::nullopt;
  std::optional<int64_t> day = parts.two_digits(31);
  int64_t signed_year = is_negative ? -*year : *year;
  if (!day || *day == 0 || *day > days_of_month(signed_year, static_cast<int>(*month))) {
    return std::nullopt;
  }
  return days_of({signed_year, static_cast<int>(*month), static_cast<int>(*day)});
}

// The digits behind the point of a second.
bool take_fraction(Parts& parts, IsoTime* time) {
  int64_t nanos = 0;
  int digits = 0;
  while (std::optional<int64_t> digit = parts.number(1, 1)) {
    if (++digits > kNanoDigits) return false;
    nanos = nanos * 10 + *digit;
    if (*digit != 0) time->fraction_digits = digits;
  }
  if (digits == 0) return false;
  for (int i = digits; i < kNanoDigits; ++i) nanos *= 10;
  time->ms += nanos / kNanosPerMilli;
  time->ns = static_cast<int32_t>(nanos % kNanosPerMilli);
  return true;
}

bool take_time_of_day(Parts& parts, IsoTime* time) {
  std::optional<int64_t> hour = parts.two_digits(23);
  if (!hour || !parts.take(':')) return false;
  std::optional<int64_t> minute = parts.two_digits(59);
  if (!minute) return false;
  time->ms += *hour * kMillisPerHour + *minute * kMillisPerMinute;
  if (!parts.take(':')) return true;
  std::optional<int64_t> second = parts.two_digits(59);
  if (!second) return false;
  time->ms += *second * kMillisPerSecond;
  return !parts.take('.') || take_fraction(parts, time);
}

// "Z", "+02", "+02:00", "+0200" or nothing.
bool take_zone(Parts& parts, IsoTime* time) {
  if (parts.take('Z') || parts.take('z')) {
    time->has_zone = true;
    return true;
  }
  bool is_behind = parts.take('-');
  if (!is_behind && !parts.take('+')) return true;
  std::optional<int64_t> hours = parts.two_digits(18);
  if (!hours) return false;
  int64_t offset = *hours * kMillisPerHour;
  bool has_colon = parts.take(':');
  if (has_colon || !parts.is_empty()) {
    std::optional<int64_t> minutes = parts.two_digits(59);
    if (!minutes) return false;
    offset += *minutes * kMillisPerMinute;
  }
  time->ms += is_behind ? offset : -offset;
  time->has_zone = true;
  return true;
}

std::string fraction_of(int64_t ms_of_second, int32_t ns, int digits) {
  if (digits == 0) return "";
  std::string all = fmt::format("{:09}", ms_of_second * kNanosPerMilli + ns);
  return "." + all.substr(0, static_cast<size_t>(digits));
}

}  // namespace

std::optional<int64_t> parse_date(std::string_view text) {
  Parts parts(text);
  std::optional<int64_t> days = take_date(parts);
  return parts.is_empty() ? days : std::nullopt;
}

std::optional<IsoTime> parse_time_of_day(std::string_view text) {
  Parts parts(text);
  IsoTime time;
  if (!take_time_of_day(parts, &time) || !parts.is_empty()) return std::nullopt;
  return time;
}

std::optional<IsoTime> parse_timestamp(std::string_view text) {
  Parts parts(text);
  std::optional<int64_t> days = take_date(parts);
  if (!days) return std::nullopt;
  IsoTime time;
  time.ms = *days * kMillisPerDay;
  if (parts.is_empty()) return time;
  if (!parts.take('T') && !parts.take(' ') && !parts.take('t')) return std::nullopt;
  if (!take_time_of_day(parts, &time)) return std::nullopt;
  parts.take(' ');
  if (!take_zone(parts, &time) || !parts.is_empty()) return std::nullopt;
  return time;
}

std::string format_date(int64_t days) {
  Date date = date_of(days);
  return fmt::format("{}{:04}-{:02}-{:02}",
                     date.year < 0 ? "-" : "",
                     date.year < 0 ? -date.year : date.year,
                     date.month,
                     date.day);
}

std::string format_time_of_day(int64_t ms, int digits) {
  return fmt::format("{:02}:{:02}:{:02}{}",
                     ms / kMillisPerHour,
                     ms / kMillisPerMinute % 60,
                     ms / kMillisPerSecond % 60,
                     fraction_of(ms % kMillisPerSecond, 0, digits));
}

std::string format_timestamp(int64_t ms, int32_t ns, int digits) {
  int64_t days = ms / kMillisPerDay - (ms % kMillisPerDay < 0 ? 1 : 0);
  int64_t of_day = ms - days * kMillisPerDay;
  return fmt::format("{}T{:02}:{:02}:{:02}{}",
                     format_date(days),
                     of_day / kMillisPerHour,
                     of_day / kMillisPerMinute % 60,
                     of_day / kMillisPerSecond % 60,
                     fraction_of(of_day % kMillisPerSecond, ns, digits));
}

}  // namespace lakestream::cli
