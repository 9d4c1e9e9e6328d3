#include "table/path.h"

#include <unordered_set>

#include <gtest/gtest.h>

#include "table/test_util.h"

namespace lakestream {
namespace {

TEST(PathTest, NamesObeyTheRules) {
  EXPECT_EQ(why_no_name(""), "a name must not be empty");
  EXPECT_EQ(why_no_name("."), "'.' and '..' are no names");
  EXPECT_EQ(why_no_name(".."), "'.' and '..' are no names");
  EXPECT_EQ(why_no_name("a.b"), "only letters, digits, '_' and '-' are allowed");
  EXPECT_EQ(why_no_name("a/b"), "only letters, digits, '_' and '-' are allowed");
  EXPECT_EQ(why_no_name("ä"), "only letters, digits, '_' and '-' are allowed");
  EXPECT_EQ(why_no_name(std::string(201, 'a')), "a name has at most 200 characters, this one 201");
  EXPECT_EQ(why_no_name(std::string(200, 'a')), std::nullopt);
  EXPECT_EQ(why_no_name("Aa0_-"), std::nullopt);
}

TEST(PathTest, EachKindOfNameHasItsCode) {
  EXPECT_EQ(outcome(check_new_database_name("__x")),
            "INVALID_DATABASE_EXCEPTION: database name '__x': names that start with '__' are "
            "reserved, choose another");
  EXPECT_EQ(
      outcome(check_new_table_name("a b")),
      "INVALID_TABLE_EXCEPTION: table name 'a b': only letters, digits, '_' and '-' are allowed");
  EXPECT_EQ(check_new_table_path({"", ""}).error().code(), ErrorCode::kInvalidDatabaseException);
  EXPECT_EQ(check_new_table_path({"d", ""}).error().code(), ErrorCode::kInvalidTableException);
  EXPECT_TRUE(check_new_table_path({"d", "_t"}));
  EXPECT_EQ(check_producer_id("..").error().code(), ErrorCode::kInvalidProducerIdException);
  EXPECT_TRUE(check_producer_id("__p"));
}

TEST(PathTest, TextsAreForMessages) {
  EXPECT_EQ(fmt::format("{}", TablePath{"d", "t"}), "d.t");
  EXPECT_EQ(fmt::format("{}", PhysicalTablePath{{"d", "t"}, std::nullopt}), "d.t");
  EXPECT_EQ(fmt::format("{}", PhysicalTablePath{{"d", "t"}, "2026"}), "d.t(p=2026)");
  EXPECT_EQ(fmt::format("{}", TableBucket{TableId(7), std::nullopt, BucketId(1)}),
            "table 7 bucket 1");
  EXPECT_EQ(fmt::format("{}", TableBucket{TableId(7), PartitionId(3), BucketId(1)}),
            "table 7 partition 3 bucket 1");
}

// Buckets of neighbouring tables and partitions do not fall on the same hash.
TEST(PathTest, HashesDiffer) {
  std::unordered_set<size_t> hashes;
  for (int64_t table = 0; table < 20; ++table) {
    for (int64_t partition = -1; partition < 20; ++partition) {
      for (int32_t bucket = 0; bucket < 20; ++bucket) {
        TableBucket key{TableId(table), std::nullopt, BucketId(bucket)};
        if (partition >= 0) key.partition = PartitionId(partition);
        hashes.insert(std::hash<TableBucket>()(key));
      }
    }
  }
  EXPECT_EQ(hashes.size(), 20u * 21u * 20u);
  EXPECT_NE(std::hash<TablePath>()({"a", "b"}), std::hash<TablePath>()({"b", "a"}));
  EXPECT_LT((TableBucket{TableId(1), std::nullopt, BucketId(9)}),
            (TableBucket{TableId(1), PartitionId(0), BucketId(0)}));
}

}  // namespace
}  // namespace lakestream
