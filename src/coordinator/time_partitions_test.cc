#include "coordinator/time_partitions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lakestream::coordinator {
namespace {

// 2026-03-31 23:30 UTC: the next day, month and quarter in Berlin already.
constexpr TimestampMs kNow(1'774'999'800'000);
constexpr Duration kNoSpread{0};

TimePartitions make(AutoPartitionOptions options, std::vector<std::string> keys = {"day"}) {
  TableDescriptor table;
  table.partition_keys = std::move(keys);
  TimeZone zone;
  if (auto fixed = TimeZone::fixed(options.time_zone)) zone = *fixed;
  return TimePartitions::of(table, options, zone).value().value();
}

AutoPartitionOptions automatic(AutoPartitionUnit unit, std::string zone = "UTC") {
  AutoPartitionOptions options;
  options.enabled = true;
  options.unit = unit;
  options.time_zone = std::move(zone);
  options.precreate_count = 3;
  options.retention_count = 2;
  return options;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

// Proves the names that each unit asks for, in two zones.
TEST(TimePartitions, Units) {
  auto names = [](AutoPartitionUnit unit, std::string zone) {
    return joined(make(automatic(unit, std::move(zone))).wanted(kNow, kNoSpread));
  };
  using Unit = AutoPartitionUnit;
  EXPECT_EQ(names(Unit::kYear, "UTC"), "2026 2027 2028");
  EXPECT_EQ(names(Unit::kQuarter, "UTC"), "20261 20262 20263");
  EXPECT_EQ(names(Unit::kMonth, "UTC"), "202603 202604 202605");
  EXPECT_EQ(names(Unit::kDay, "UTC"), "20260331 20260401 20260402");
  EXPECT_EQ(names(Unit::kHour, "UTC"), "2026033123 2026040100 2026040101");
  EXPECT_EQ(names(Unit::kQuarter, "+02:00"), "20262 20263 20264");
  EXPECT_EQ(names(Unit::kMonth, "+02:00"), "202604 202605 202606");
  EXPECT_EQ(names(Unit::kDay, "+02:00"), "20260401 20260402 20260403");
  EXPECT_EQ(names(Unit::kHour, "-01:00"), "2026033122 2026033123 2026040100");
}

// Proves that hours follow each other in the night in which summer time begins.
TEST(TimePartitions, HoursOfSummerTime) {
  Result<TimeZone> berlin = TimeZone::region("Europe/Berlin");
  if (!berlin) GTEST_SKIP() << "there is no time zone database";
  TableDescriptor table;
  table.partition_keys = {"hour"};
  auto partitions =
      TimePartitions::of(table, automatic(AutoPartitionUnit::kHour), *berlin).value().value();
  // 2026-03-29 00:30 UTC, half an hour before.
  EXPECT_EQ(joined(partitions.wanted(TimestampMs(1'774'744'200'000), kNoSpread)),
            "2026032901 2026032903 2026032904");
}

// Proves that the spread delays what is to come, neither the current partition nor the end of an
// old one (apache/fluss#3173).
TEST(TimePartitions, Spread) {
  TimePartitions days = make(automatic(AutoPartitionUnit::kDay));
  EXPECT_EQ(joined(days.wanted(kNow, std::chrono::hours(23))), "20260331 20260401 20260402");
  TimestampMs midnight(kNow.value() + 1'800'000);
  EXPECT_EQ(joined(days.wanted(midnight, std::chrono::hours(23))), "20260401 20260402");
  TimestampMs later(midnight.value() + 23 * 3'600'000);
  EXPECT_EQ(joined(days.wanted(later, std::chrono::hours(23))), "20260401 20260402 20260403");
  EXPECT_FALSE(days.is_expired("20260329", kNow));
  EXPECT_TRUE(days.is_expired("20260329", midnight));
  AutoPartitionOptions one = automatic(AutoPartitionUnit::kDay);
  one.precreate_count = 1;
  EXPECT_EQ(joined(make(one).wanted(midnight, std::chrono::hours(23))), "20260401");
  one.precreate_count = 0;
  EXPECT_EQ(joined(make(one).wanted(midnight, kNoSpread)), "");
}

// Proves which partitions are too old, and that only values of the format are looked at.
TEST(TimePartitions, Expired) {
  TimePartitions days = make(automatic(AutoPartitionUnit::kDay));
  for (const char* name : {"20260328", "20251231", "00010101"}) {
    EXPECT_TRUE(days.is_expired(name, kNow)) << name;
  }
  for (const char* name :
       {"20260329", "20260331", "20270101", "__historical__", "1", "2025", "2024-03-25", ""}) {
    EXPECT_FALSE(days.is_expired(name, kNow)) << name;
  }
  AutoPartitionOptions all = automatic(AutoPartitionUnit::kDay);
  all.retention_count = -1;
  EXPECT_FALSE(make(all).is_expired("20251231", kNow));
  all.retention_count = 0;
  EXPECT_TRUE(make(all).is_expired("20260330", kNow));
  EXPECT_FALSE(make(all).is_expired("20260331", kNow));
}

// Proves that a table of several keys only loses partitions, by the value of its time key.
TEST(TimePartitions, SeveralKeys) {
  AutoPartitionOptions options = automatic(AutoPartitionUnit::kDay);
  options.key = "day";
  TimePartitions pairs = make(options, {"region", "day"});
  EXPECT_EQ(joined(pairs.wanted(kNow, kNoSpread)), "");
  EXPECT_TRUE(pairs.is_expired("eu$20260328", kNow));
  EXPECT_FALSE(pairs.is_expired("eu$20260329", kNow));
  EXPECT_FALSE(pairs.is_expired("20260101$x", kNow));
  EXPECT_FALSE(pairs.is_expired("20260101", kNow));
}

// Proves the values that users may create (apache/fluss#2939).
TEST(TimePartitions, NewValues) {
  auto outcome = [](const TimePartitions& partitions, std::string value) {
    Status done = partitions.check_new({{"day"}, {std::move(value)}}, kNow);
    return done ? std::string("accepted") : done.error().message();
  };
  TimePartitions years = make(automatic(AutoPartitionUnit::kYear));
  EXPECT_EQ(outcome(years, "2024-03-25"),
            "partition value '2024-03-25' of 'day' is no time of this table, whose partitions "
            "have values such as '2026'");
  EXPECT_EQ(outcome(years, "2024"), "accepted");
  EXPECT_EQ(outcome(years, "2099"), "accepted");
  TimePartitions days = make(automatic(AutoPartitionUnit::kDay));
  EXPECT_EQ(outcome(days, "20260301"),
            "partition value '20260301' of 'day' is too old: with "
            "'table.auto-partition.num-retention' = 2 the oldest that is kept is '20260329'");
  EXPECT_EQ(outcome(days, "20260329"), "accepted");
  EXPECT_NE(outcome(days, "20260230"), "accepted") << "no such day";
  AutoPartitionOptions format = automatic(AutoPartitionUnit::kDay);
  format.enabled = false;
  format.time_format = "yyyy-MM-dd";
  EXPECT_EQ(outcome(make(format), "1999-01-01"), "accepted") << "nothing is too old";
  EXPECT_NE(outcome(make(format), "19990101"), "accepted");
  EXPECT_EQ(make(format).check_new({{"day"}, {"x"}}, kNow).error().code(),
            ErrorCode::kPartitionSpecInvalidException);
  TableDescriptor table;
  table.partition_keys = {"day"};
  EXPECT_FALSE(TimePartitions::of(table, {}, {}).value().has_value()) << "any value will do";
}

}  // namespace
}  // namespace lakestream::coordinator
