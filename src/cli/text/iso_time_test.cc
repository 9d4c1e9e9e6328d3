#include "cli/text/iso_time.h"

#include <gtest/gtest.h>

namespace lakestream::cli {
namespace {

// Seconds since 1970 by GNU date, `date -u -d TEXT +%s`.
struct Known {
  const char* text;
  int64_t seconds;
};
constexpr Known kKnown[] = {
    {"1970-01-01T00:00:00", 0},
    {"1969-12-31T23:59:59", -1},
    {"2000-02-29T12:00:00", 951'825'600},
    {"2100-03-01T00:00:00", 4'107'542'400},
    {"1600-02-29T00:00:00", -11'670'998'400},
    {"0001-01-01T00:00:00", -62'135'596'800},
    {"9999-12-31T23:59:59", 253'402'300'799},
};

// The calendar is that of GNU date, in both directions.
TEST(IsoTimeTest, KnownTimes) {
  for (const Known& known : kKnown) {
    std::optional<IsoTime> time = parse_timestamp(known.text);
    ASSERT_TRUE(time) << known.text;
    EXPECT_EQ(time->ms, known.seconds * 1000) << known.text;
    EXPECT_EQ(format_timestamp(known.seconds * 1000, 0, 0), known.text);
  }
}

// Every day of four centuries has the text that leads back to it, one day after the other.
TEST(IsoTimeTest, EveryDay) {
  int64_t day = *parse_date("1899-12-31");
  int64_t last = *parse_date("2300-01-01");
  EXPECT_EQ(last - day, 146'098);
  for (; day <= last; ++day) ASSERT_EQ(parse_date(format_date(day)), day) << format_date(day);
}

// What is not a date or a time of the calendar is refused, not corrected.
TEST(IsoTimeTest, Refused) {
  for (const char* text : {"",
                           "2023-02-29",
                           "1900-02-29",
                           "2023-00-01",
                           "2023-13-01",
                           "2023-04-31",
                           "2023-4-1",
                           "23-04-01",
                           "2023-04-01T",
                           "2023-04-01T24:00",
                           "2023-04-01T12:60",
                           "2023-04-01T12:00:60",
                           "2023-04-01T12:00:00.",
                           "2023-04-01T12:00:00.0000000001",
                           "2023-04-01T12:00:00+19:00",
                           "2023-04-01T12:00:00+0",
                           "2023-04-01T12:00:00ZZ",
                           "2023-04-01 12:00:00 x"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
  EXPECT_FALSE(parse_date("2023-04-01T12:00"));
  EXPECT_FALSE(parse_time_of_day("12"));
  EXPECT_FALSE(parse_time_of_day("12:00Z"));
}

// Fractions keep their digits, zones are taken into account.
TEST(IsoTimeTest, FractionsAndZones) {
  std::optional<IsoTime> time = parse_timestamp("1970-01-01 00:00:00.123456780Z");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->ms, 123);
  EXPECT_EQ(time->ns, 456'780);
  EXPECT_EQ(time->fraction_digits, 8);
  EXPECT_TRUE(time->has_zone);
  EXPECT_EQ(format_timestamp(time->ms, time->ns, 9), "1970-01-01T00:00:00.123456780");
  EXPECT_EQ(format_timestamp(-1, 999'999, 9), "1969-12-31T23:59:59.999999999");
  EXPECT_EQ(format_time_of_day(86'399'999, 3), "23:59:59.999");

  for (const char* text : {"1970-01-01T02:00:00+02:00",
                           "1970-01-01T02:00:00+0200",
                           "1970-01-01T02:00:00+02",
                           "1969-12-31T22:30:00-01:30"}) {
    std::optional<IsoTime> zoned = parse_timestamp(text);
    ASSERT_TRUE(zoned) << text;
    EXPECT_EQ(zoned->ms, 0) << text;
  }
}

}  // namespace
}  // namespace lakestream::cli
