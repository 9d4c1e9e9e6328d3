#include "table/partition.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "table/test_util.h"

namespace lakestream {
namespace {

std::string format_outcome(std::string_view pattern, AutoPartitionUnit unit) {
  return outcome(PartitionTimeFormat::parse(pattern, unit));
}

std::string invalid(const std::string& message) {
  return "INVALID_TABLE_EXCEPTION: time format " + message;
}

TEST(PartitionTest, SpecsNameEachKeyOnce) {
  EXPECT_EQ(
      outcome(resolve_partition({"a", "b"}, {{"a", "1"}})),
      "PARTITION_SPEC_INVALID_EXCEPTION: partition has 1 values, the table has 2 partition keys "
      "(a, b)");
  EXPECT_EQ(outcome(resolve_partition({"a", "b"}, {{"a", "1"}, {"c", "2"}})),
            "PARTITION_SPEC_INVALID_EXCEPTION: partition has no value for the partition key 'b'");
  EXPECT_EQ(outcome(resolve_partition({"a", "b"}, {{"a", "1"}, {"a", "2"}})),
            "PARTITION_SPEC_INVALID_EXCEPTION: partition has no value for the partition key 'b'");
  ResolvedPartitionSpec partition = *resolve_partition({"a", "b"}, {{"b", "2"}, {"a", "1"}});
  EXPECT_EQ(partition.name(), "1$2");
  EXPECT_EQ(partition.qualified_name(), "a=1/b=2");
  EXPECT_EQ(*partition_of_name({"a", "b"}, "1$2"), partition);
  EXPECT_EQ(
      outcome(partition_of_name({"a"}, "1$2")),
      "PARTITION_SPEC_INVALID_EXCEPTION: partition name '1$2' has 2 values, the table has 1 keys "
      "(a)");
}

TEST(PartitionTest, PartialSpecsSelect) {
  ResolvedPartitionSpec partition{{"a", "b"}, {"1", "2"}};
  EXPECT_TRUE(partition.matches({}));
  EXPECT_TRUE(partition.matches({{"b", "2"}}));
  EXPECT_FALSE(partition.matches({{"b", "1"}}));
  EXPECT_FALSE(partition.matches({{"a", "1"}, {"b", "1"}}));
}

TEST(PartitionTest, ValuesAreNames) {
  EXPECT_EQ(outcome(check_partition_values({"a", ""})),
            "PARTITION_SPEC_INVALID_EXCEPTION: partition value '': a name must not be empty");
  EXPECT_EQ(outcome(check_partition_values({"2026-11-29 10:00"})),
            "PARTITION_SPEC_INVALID_EXCEPTION: partition value '2026-11-29 10:00': only letters, "
            "digits, '_' and '-' are allowed");
  EXPECT_EQ(outcome(check_partition_values({"__historical__"})), "accepted");
  EXPECT_EQ(outcome(check_new_partition_values({"__historical__"})),
            "PARTITION_SPEC_INVALID_EXCEPTION: partition value '__historical__': values that start "
            "with '__' are reserved");
}

// Expected texts: Java's Float.toString and Double.toString, with '_' for the point.
TEST(PartitionTest, FloatingPointTexts) {
  EXPECT_EQ(partition_text_of_float(1e10f), "1_0E10");
  EXPECT_EQ(partition_text_of_float(0.001f), "0_001");
  EXPECT_EQ(partition_text_of_float(9.99e-4f), "9_99E-4");
  EXPECT_EQ(partition_text_of_float(9999999.0f), "9999999_0");
  EXPECT_EQ(partition_text_of_float(1e7f), "1_0E7");
  EXPECT_EQ(partition_text_of_float(0.1f), "0_1");
  EXPECT_EQ(partition_text_of_double(0.1), "0_1");
  EXPECT_EQ(partition_text_of_double(-0.0), "-0_0");
  EXPECT_EQ(partition_text_of_double(1.7976931348623157e308), "1_7976931348623157E308");
  EXPECT_EQ(partition_text_of_double(std::nan("")), "NaN");
  EXPECT_EQ(partition_text_of_double(std::numeric_limits<double>::infinity()), "Inf");
  EXPECT_EQ(partition_text_of_float(-std::numeric_limits<float>::infinity()), "-Inf");
}

TEST(PartitionTest, TimesBefore1970AndFarAway) {
  EXPECT_EQ(partition_text_of_date(0), "1970-01-01");
  EXPECT_EQ(partition_text_of_date(-1), "1969-12-31");
  EXPECT_EQ(partition_text_of_date(-719'528), "0000-01-01");
  EXPECT_EQ(partition_text_of_date(11'016), "2000-02-29");
  EXPECT_EQ(partition_text_of_date(std::numeric_limits<int32_t>::max()), "5881580-07-11");
  EXPECT_EQ(partition_text_of_time(0), "00-00-00_000");
  EXPECT_EQ(partition_text_of_time(86'399'999), "23-59-59_999");
  EXPECT_EQ(partition_text_of_timestamp(-1, 999'999), "1969-12-31-23-59-59_999999999");
  EXPECT_EQ(partition_text_of_timestamp(-1000, 0), "1969-12-31-23-59-59_");
  EXPECT_EQ(partition_text_of_timestamp(10, 0), "1970-01-01-00-00-00_01");
}

TEST(PartitionTimeFormatTest, PatternsFitTheirUnit) {
  using enum AutoPartitionUnit;
  EXPECT_EQ(
      format_outcome("yyyyMM", kDay),
      invalid("'yyyyMM': the unit DAY needs exactly the fields year, month, day, in this order"));
  EXPECT_EQ(format_outcome("ddMMyyyy", kDay),
            invalid("'ddMMyyyy': the unit DAY needs exactly the fields year, month, day, in this "
                    "order"));
  EXPECT_EQ(format_outcome("", kYear),
            invalid("'': the unit YEAR needs exactly the fields year, in this order"));
  EXPECT_EQ(format_outcome("yyMM", kMonth),
            invalid("'yyMM': the field 'y' has width 2, it must be 4"));
  EXPECT_EQ(format_outcome("yyyyMMMdd", kDay),
            invalid("'yyyyMMMdd': the field 'M' has width 3, it must be 2"));
  EXPECT_EQ(format_outcome("yyyy-ww", kMonth),
            invalid("'yyyy-ww': 'w' is no field, use y, Q, M, d, H or put text in quotes"));
  EXPECT_EQ(format_outcome("yyyy'x", kYear), invalid("'yyyy'x': a quote is not closed"));
  EXPECT_EQ(format_outcome("yyyy/MM", kMonth),
            invalid("'yyyy/MM': partition value '2024/11': only letters, digits, '_' and '-' are "
                    "allowed"));
  EXPECT_NE(format_outcome("yyyy[MM]", kMonth), "accepted");
  EXPECT_NE(format_outcome("'__'yyyy", kYear), "accepted");
  EXPECT_EQ(format_outcome("uuuu-LL-dd'T'HH", kHour), "accepted");
  EXPECT_EQ(format_outcome("yyyy_Q", kQuarter), "accepted");
}

TEST(PartitionTimeFormatTest, LiteralsStayAndDaysAreClamped) {
  int64_t leap_day = 19'782LL * 86'400;  // 2024-02-29
  PartitionTimeFormat days = *PartitionTimeFormat::parse("'d'yyyy-MM-dd", AutoPartitionUnit::kDay);
  EXPECT_EQ(days.value(leap_day, 0), "d2024-02-29");
  EXPECT_EQ(days.value(leap_day, 1), "d2024-03-01");
  EXPECT_EQ(days.value(-1, 0), "d1969-12-31");
  PartitionTimeFormat years = PartitionTimeFormat::of_unit(AutoPartitionUnit::kYear);
  EXPECT_EQ(years.value(leap_day, 1), "2025");
  EXPECT_EQ(years.value(leap_day, -4), "2020");
}

TEST(PartitionTimeFormatTest, KnowsItsOwnValues) {
  PartitionTimeFormat days = *PartitionTimeFormat::parse("yyyy-MM-dd", AutoPartitionUnit::kDay);
  EXPECT_TRUE(days.matches("2024-02-29"));
  for (std::string_view text : {"",
                                "2024",
                                "2023-02-29",
                                "2024-13-01",
                                "2024-00-01",
                                "2024-01-00",
                                "2024-01-32",
                                "2024_01-01",
                                "2024-01-011",
                                "-024-01-01",
                                "2024-+1-01"}) {
    EXPECT_FALSE(days.matches(text)) << text;
  }
  PartitionTimeFormat hours = PartitionTimeFormat::of_unit(AutoPartitionUnit::kHour);
  EXPECT_TRUE(hours.matches("2024022923"));
  EXPECT_FALSE(hours.matches("2024022924"));
  PartitionTimeFormat quarters = PartitionTimeFormat::of_unit(AutoPartitionUnit::kQuarter);
  EXPECT_TRUE(quarters.matches("20244"));
  EXPECT_FALSE(quarters.matches("20245"));
}

}  // namespace
}  // namespace lakestream
