#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/config.h"
#include "table/condition.h"
#include "table/ddl.h"
#include "table/json.h"
#include "table/validate.h"

// Damaged texts are refused or read as something that is consistent; they never break the reader.
namespace lakestream {
namespace {

// SplitMix64 with a fixed seed: the same damage in every run.
class Damage {
 public:
  std::string operator()(std::string text) {
    static constexpr std::string_view kPieces[] = {
        "\"", "{", "}", "[", "]", ",",    ":",    "'",    "`",  "(",           ")",      "<",
        ">",  ";", "-", "0", "9", "\xff", "null", "true", "-1", "99999999999", "\\u0000"};
    for (uint64_t i = 0; i < 1 + next() % 3; ++i) {
      size_t at = next() % (text.size() + 1);
      switch (next() % 3) {
        case 0:
          text.erase(at, next() % 8);
          break;
        case 1:
          text.insert(at, kPieces[next() % std::size(kPieces)]);
          break;
        default:
          text.insert(at, text.substr(next() % (text.size() + 1), next() % 40));
      }
    }
    return text;
  }

 private:
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t state_ = 42;
};

constexpr std::string_view kSql =
    "CREATE TABLE IF NOT EXISTS d.t (k INT, r ROW<x INT, y ARRAY<DECIMAL(20, 4)> NOT NULL>, m "
    "MAP<STRING, TIMESTAMP_LTZ(3)> COMMENT 'it''s', n BIGINT, p STRING, PRIMARY KEY (k, p) NOT "
    "ENFORCED) COMMENT 'c' PARTITIONED BY (p) WITH ('bucket.num' = '4', 'auto-increment.fields' = "
    "'n', 'fields.m.agg' = 'last_value', 'table.merge-engine' = 'aggregation', 'x' = 'y')";

TEST(RobustnessTest, DamagedStatements) {
  Damage damage;
  int accepted = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string text = damage(std::string(kSql));
    Result<Statement> statement = parse_ddl(SqlText{text});
    const CreateTable* create = statement ? std::get_if<CreateTable>(&*statement) : nullptr;
    if (create == nullptr) continue;
    ++accepted;
    std::string again = show_create_table(create->name, create->descriptor);
    Result<Statement> reread = parse_ddl(SqlText{again});
    ASSERT_TRUE(reread) << text << "\n" << again << "\n" << reread.error().message();
    EXPECT_EQ(std::get<CreateTable>(*reread).descriptor, create->descriptor) << text;
    (void)complete_table(create->descriptor, {});
  }
  EXPECT_GT(accepted, 100);
}

TEST(RobustnessTest, DamagedConditions) {
  Damage damage;
  int accepted = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string text = damage(
        "NOT (a >= -1.5e3 OR `b c` IN ('x', TRUE, NULL)) AND d BETWEEN 1 AND 2 AND e IS NOT NULL "
        "AND f NOT LIKE '%y' OR g <> DATE '2026-01-31'");
    accepted += parse_condition(text) ? 1 : 0;
  }
  EXPECT_GT(accepted, 100);
}

TEST(RobustnessTest, DamagedDocuments) {
  Damage damage;
  std::string whole = to_json(std::get<CreateTable>(*parse_ddl(SqlText{kSql})).descriptor);
  int accepted = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string text = damage(whole);
    Result<TableDescriptor> table = table_from_json(text);
    if (!table) continue;
    ++accepted;
    Result<TableDescriptor> reread = table_from_json(to_json(*table));
    ASSERT_TRUE(reread) << text << "\n" << reread.error().message();
    EXPECT_EQ(*reread, *table) << text;
  }
  EXPECT_GT(accepted, 100);
}

TEST(RobustnessTest, DamagedValues) {
  Damage damage;
  for (int i = 0; i < 5'000; ++i) {
    (void)parse_duration(damage("P1DT2H3M4.5S"));
    (void)parse_duration(damage("10 min"));
    (void)parse_memory_size(damage("64 kb"));
    (void)parse_list(damage("a,'b,c',\"d\""), ',');
    (void)parse_config_file(damage("a: 1\n# x\nb: '2'\n"));
    (void)PartitionTimeFormat::parse(damage("yyyy-MM-dd'T'HH"), AutoPartitionUnit::kHour);
  }
}

}  // namespace
}  // namespace lakestream
