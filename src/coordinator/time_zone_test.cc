#include "coordinator/time_zone.h"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

namespace lakestream::coordinator {
namespace {

// Proves that regions have the time that the C library gives them, in the past and beyond the
// tables of the files, north and south, with and without summer time.
TEST(TimeZone, RegionsLikeTheSystem) {
  for (const char* name : {"Europe/Berlin",
                           "America/New_York",
                           "Australia/Lord_Howe",
                           "America/Santiago",
                           "Asia/Kolkata",
                           "Asia/Shanghai",
                           "Africa/Casablanca",
                           "Etc/GMT+5"}) {
    Result<TimeZone> zone = TimeZone::region(name);
    if (!zone) GTEST_SKIP() << "there is no time zone database";
    setenv("TZ", name, 1);
    tzset();
    constexpr int64_t kStep = 7 * 3600 * 24 + 3571;
    for (int64_t at = 0; at < 3'000'000'000; at += kStep) {
      time_t time = at;
      std::tm local{};
      localtime_r(&time, &local);
      ASSERT_EQ(zone->local_seconds(at), at + local.tm_gmtoff) << name << " at " << at;
    }
  }
  unsetenv("TZ");
  tzset();
}

// Proves the names of fixed distances.
TEST(TimeZone, Fixed) {
  auto distance = [](std::string_view name) -> std::optional<int64_t> {
    std::optional<TimeZone> zone = TimeZone::fixed(name);
    if (!zone) return std::nullopt;
    return zone->local_seconds(1000) - 1000;
  };
  for (const char* name : {"UTC", "Etc/UTC", "Z", "GMT", "UT", "+0", "UTC+00:00"}) {
    EXPECT_EQ(distance(name), 0) << name;
  }
  for (const char* name : {"+2", "+02", "+02:00", "+0200", "UTC+2", "GMT+02:00"}) {
    EXPECT_EQ(distance(name), 7200) << name;
  }
  EXPECT_EQ(distance("-05:30"), -19'800);
  for (const char* name :
       {"", "Europe/Berlin", "+", "+19", "+1:0", "+02:60", "+02:", "UTC2", "Zulu"}) {
    EXPECT_EQ(distance(name), std::nullopt) << name;
  }
}

// Proves that unknown regions are errors that name them, and that no name leads to other files.
TEST(TimeZone, UnknownRegions) {
  Result<TimeZone> unknown = TimeZone::region("Mars/Olympus");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code(), ErrorCode::kInvalidConfigException);
  EXPECT_NE(unknown.error().message().find("'Mars/Olympus'"), std::string::npos);
  for (const char* name : {"",
                           "/etc/localtime",
                           "/usr/share/zoneinfo/Europe/Berlin",
                           "../x",
                           "a/",
                           "a b",
                           "file:Europe/Berlin"}) {
    EXPECT_FALSE(TimeZone::region(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace lakestream::coordinator
