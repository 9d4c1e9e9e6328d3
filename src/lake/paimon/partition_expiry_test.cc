#include "lake/paimon/partition_expiry.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lakestream::paimon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// 2026-11-30T12:00:00Z
constexpr TimestampMs kNow(1'796'040'000'000);
constexpr int64_t kHourMs = 3'600'000;

// A table whose partitions are texts, with one bucket of one file each.
class PartitionExpiryTest : public testing::Test {
 protected:
  explicit PartitionExpiryTest(std::vector<std::string> keys = {"dt"}) {
    for (const std::string& key : keys) {
      schema_.fields.push_back({.id = 0, .name = key, .type = DataType::string().not_null()});
    }
    schema_.partition_keys = std::move(keys);
    schema_.options = {{"bucket", "1"}, {"partition.expiration-time", "1 d"}};
  }

  void add(const std::vector<std::string>& values, int64_t created_ms = 0) {
    std::string row = *Partitioning::of(schema_)->row_of(values);
    ManifestEntry entry;
    entry.partition = row;
    entry.total_buckets = 1;
    entry.file.name = "data-1.parquet";
    entry.file.created_ms = created_ms;
    live_[{row, 0}] = std::make_shared<const std::vector<ManifestEntry>>(1, entry);
  }

  // The folders of the partitions that go, or why none can.
  std::vector<std::string> expired() {
    auto gone = expired_partitions(schema_, *Partitioning::of(schema_), live_, kNow);
    if (!gone) return {gone.error().message()};
    std::vector<std::string> folders;
    for (const WrittenFiles& files : *gone) {
      EXPECT_EQ(files.removed.size(), 1U);
      EXPECT_TRUE(files.added.empty());
      folders.push_back(files.place.folder);
    }
    return folders;
  }

  PaimonSchema schema_;
  LiveFiles live_;
};

struct DayHourTest : PartitionExpiryTest {
  DayHourTest() : PartitionExpiryTest({"day", "hour"}) {}
};

// Proves that the days before yesterday go, yesterday's noon being the border, the oldest first,
// and that what is no time stays.
TEST_F(PartitionExpiryTest, Days) {
  for (const char* day : {"2026-11-30", "2026-11-29", "2026-11-28", "2020-01-01", "other", ""}) {
    add({day});
  }
  EXPECT_THAT(
      expired(),
      ElementsAre("dt=2020-01-01/bucket-0", "dt=2026-11-28/bucket-0", "dt=2026-11-29/bucket-0"));
  schema_.options["partition.expiration-max-num"] = "2";
  EXPECT_THAT(expired(), ElementsAre("dt=2020-01-01/bucket-0", "dt=2026-11-28/bucket-0"));
}

// Proves that nothing goes without the option.
TEST_F(PartitionExpiryTest, Off) {
  add({"2020-01-01"});
  schema_.options.erase("partition.expiration-time");
  EXPECT_THAT(expired(), IsEmpty());
}

// Proves that a time of day counts, to the second.
TEST_F(PartitionExpiryTest, Times) {
  add({"2026-11-29 11:59:59"});
  add({"2026-11-29T12:00:00"});
  EXPECT_THAT(expired(), ElementsAre("dt=2026-11-29 11%3A59%3A59/bucket-0"));
}

// Proves that a formatter says how a time is written, and that a text that is not so stays.
TEST_F(PartitionExpiryTest, Formatter) {
  schema_.options["partition.timestamp-formatter"] = "yyyyMMdd";
  add({"20200101"});
  add({"2020-01-01"});
  add({"20261130"});
  add({"20201301"});
  EXPECT_THAT(expired(), ElementsAre("dt=20200101/bucket-0"));
}

// Proves that a pattern puts a time together out of several values.
TEST_F(DayHourTest, Pattern) {
  schema_.options["partition.timestamp-pattern"] = "$day $hour:00:00";
  add({"2026-11-29", "11"});
  add({"2026-11-29", "13"});
  EXPECT_THAT(expired(), ElementsAre("day=2026-11-29/hour=11/bucket-0"));
}

// Proves that by update time the newest file counts and no value.
TEST_F(PartitionExpiryTest, UpdateTime) {
  schema_.options["partition.expiration-strategy"] = "update-time";
  add({"2026-11-30"}, kNow.value() - 25 * kHourMs);
  add({"2020-01-01"}, kNow.value() - 23 * kHourMs);
  EXPECT_THAT(expired(), ElementsAre("dt=2026-11-30/bucket-0"));
}

// Proves that a value that is none, or that could not be followed, is refused with its rule.
TEST_F(PartitionExpiryTest, Refused) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"partition.expiration-time", "soon"},
           {"partition.expiration-strategy", "custom"},
           {"partition.timestamp-formatter", "yyyy-MMM"},
           {"partition.expiration-max-num", "0"}}) {
    PaimonSchema schema = schema_;
    schema.options[key] = value;
    Status checked = check_partition_expiry(schema);
    ASSERT_FALSE(checked) << key;
    EXPECT_THAT(checked.error().message(), HasSubstr(key));
    EXPECT_EQ(checked.error().code(), ErrorCode::kInvalidTableException);
  }
  schema_.partition_keys.clear();
  EXPECT_FALSE(check_partition_expiry(schema_));
}

}  // namespace
}  // namespace lakestream::paimon
