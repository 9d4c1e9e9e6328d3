#include <map>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "io/sim/sim_world.h"
#include "lake/lake.h"
#include "table/descriptor.h"

namespace lakestream {
namespace {

using testing::HasSubstr;

TEST(LakeFormats, OthersAreRefused) {
  // Proves that a format which is not there, and a catalog that is none, are named.
  SimWorld world(1);
  SimNode& node = world.add_node("a");
  SimObjectStore objects(node.disk());
  auto refused = [&](LakeFormatKind kind, Properties catalog) {
    auto made = make_lake_format(kind, {.catalog = std::move(catalog)}, node.env(), objects);
    if (made) return std::string("made");
    EXPECT_EQ(made.error().code(), ErrorCode::kInvalidConfigException);
    return made.error().message();
  };
  EXPECT_EQ(
      refused(LakeFormatKind::kLance, {}),
      "lake format lance: there are only paimon and iceberg yet; choose one of them and remove "
      "datalake.lance.*");
  EXPECT_THAT(refused(LakeFormatKind::kPaimon, {}), HasSubstr("no warehouse"));
  EXPECT_THAT(refused(LakeFormatKind::kPaimon, {{"warehouse", "/w"}, {"metastore", "hive"}}),
              HasSubstr("metastore is 'hive'"));
  EXPECT_THAT(refused(LakeFormatKind::kPaimon, {{"warehouse", "ftp://h/w"}}),
              HasSubstr("warehouse"));
  EXPECT_EQ(refused(LakeFormatKind::kPaimon, {{"warehouse", "/w"}}), "made");
  EXPECT_THAT(refused(LakeFormatKind::kIceberg, {}), HasSubstr("'warehouse' is missing"));
  EXPECT_THAT(refused(LakeFormatKind::kIceberg, {{"type", "glue"}}), HasSubstr("type is 'glue'"));
  EXPECT_THAT(refused(LakeFormatKind::kIceberg, {{"warehouse", "/w"}, {"catalog-impl", "a.Glue"}}),
              HasSubstr("catalog-impl 'a.Glue'"));
  EXPECT_EQ(refused(LakeFormatKind::kIceberg, {{"warehouse", "/w"}, {"type", "hadoop"}}), "made");
}

// Proves that in a lake of several formats each table is in that of its own property.
TEST(LakeFormats, TablesHaveTheirOwn) {
  SimWorld world(1);
  SimNode& node = world.add_node("a");
  SimObjectStore objects(node.disk());
  std::map<LakeFormatKind, LakeFormatOptions> options = {
      {LakeFormatKind::kPaimon, {.catalog = {{"warehouse", "/p"}}}},
      {LakeFormatKind::kIceberg, {.catalog = {{"warehouse", "/i"}}}}};
  auto lake = *make_lake(options, node.env(), objects);
  TableDescriptor table;
  table.schema = *SchemaBuilder().column("id", DataType::bigint()).build();
  table = *normalize(std::move(table));
  for (const auto& [kind, of_kind] : options) {
    TablePath path{"db", std::string(name_of(kind))};
    table.properties["table.datalake.format"] = name_of(kind);
    ASSERT_TRUE(lake->create_table(path, table, LakeTableUse::kNewTable));
    EXPECT_TRUE(*lake->table_exists(path, table));
    EXPECT_TRUE(lake->open_table(path, table));
    for (const auto& [other, of_other] : options) {
      auto format = *make_lake_format(other, of_other, node.env(), objects);
      EXPECT_EQ(*format->table_exists(path, table), other == kind);
    }
  }
  table.properties["table.datalake.format"] = "hudi";
  auto refused = lake->create_table({"db", "t"}, table, LakeTableUse::kNewTable);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "table db.t: its lake format (table.datalake.format) is hudi, which has no options at "
            "this server; set datalake.hudi.*");
}

}  // namespace
}  // namespace lakestream
