#include "lake/paimon/mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lakestream::paimon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DataType row_of(std::string name) {
  return DataType::row({{std::move(name), DataType::string(), std::nullopt, 0}});
}

TableDescriptor orders() {
  TableDescriptor table;
  table.schema = *SchemaBuilder()
                      .column("id", DataType::bigint())
                      .column("at", DataType::time(3))
                      .column("lines", DataType::array(row_of("sku")))
                      .column("day", DataType::string())
                      .primary_key({"id", "day"})
                      .build();
  table.comment = "what was ordered";
  table.partition_keys = {"day"};
  table.distribution = Distribution{.bucket_count = 4, .bucket_keys = {}};
  table.properties = {{"table.datalake.enabled", "true"},
                      {"table.datalake.paimon.warehouse", "/w"}};
  table.custom_properties = {{"paimon.file.compression", "snappy"}, {"owner", "me"}};
  return *normalize(std::move(table));
}

std::string refusal(const Properties& custom, const Properties& properties = {}) {
  TableDescriptor table = orders();
  table.custom_properties = custom;
  table.properties = properties;
  Result<PaimonSchema> schema = paimon_schema_of(table, LakeLayout::kSystemColumns);
  if (schema) return "taken";
  EXPECT_EQ(schema.error().code(), ErrorCode::kInvalidTableException);
  return schema.error().message();
}

TEST(PaimonMapping, AKeyTable) {
  // Proves columns with ids, keys, options and comment as the Fluss protocol maps them.
  Result<PaimonSchema> schema = paimon_schema_of(orders(), LakeLayout::kSystemColumns);
  ASSERT_TRUE(schema) << schema.error().message();
  std::vector<std::string> columns;
  for (const PaimonField& field : schema->fields) {
    columns.push_back(fmt::format("{} {} {}", field.id, field.name, field.type));
  }
  EXPECT_THAT(columns,
              ElementsAre("0 id BIGINT NOT NULL",
                          "1 at TIME(0)",
                          "2 lines ARRAY<ROW<`sku` STRING>>",
                          "4 day STRING NOT NULL",
                          "5 __bucket INT",
                          "6 __offset BIGINT",
                          "7 __timestamp TIMESTAMP_LTZ(3)"));
  EXPECT_EQ(schema->fields[2].type.element_type().fields()[0].id, 3);
  EXPECT_EQ(schema->highest_field_id, 7);
  EXPECT_THAT(schema->primary_keys, ElementsAre("id", "day"));
  EXPECT_THAT(schema->partition_keys, ElementsAre("day"));
  EXPECT_EQ(schema->comment, "what was ordered");
  EXPECT_EQ(schema->options,
            (Properties{{"bucket", "4"},
                        {"bucket-key", "id"},
                        {"changelog-producer", "input"},
                        {"file.compression", "snappy"},
                        {"fluss.owner", "me"},
                        {"fluss.table.datalake.enabled", "true"},
                        {"partition.legacy-name", "false"}}));
  EXPECT_TRUE(schema->has_system_columns());
  EXPECT_FALSE(paimon_schema_of(orders(), LakeLayout::kPlain)->has_system_columns());
}

TEST(PaimonMapping, ALogTableWithoutBucketKeys) {
  // Proves that such a table does not tell buckets apart, and that dropped columns stay away.
  TableDescriptor table;
  table.schema = *SchemaBuilder()
                      .column("a", DataType::integer())
                      .column("__dropped_1_b", DataType::integer())
                      .column("c", DataType::integer())
                      .build();
  table.distribution = Distribution{.bucket_count = 8, .bucket_keys = {}};
  Result<PaimonSchema> schema = paimon_schema_of(table, LakeLayout::kPlain);
  ASSERT_TRUE(schema) << schema.error().message();
  EXPECT_EQ(schema->options, (Properties{{"bucket", "-1"}, {"partition.legacy-name", "false"}}));
  EXPECT_EQ(schema->bucket_count(), -1);
  EXPECT_EQ(schema->fields.size(), 2u);
  EXPECT_THAT(schema->primary_keys, IsEmpty());
}

TEST(PaimonMapping, OptionsThatCanNotBeAreRefused) {
  // Proves that options which follow from the table, or would be read wrongly, are named.
  for (std::string key : {"bucket", "bucket-key", "partition.legacy-name"}) {
    EXPECT_THAT(refusal({{key, "1"}}), HasSubstr(fmt::format("option {} is '1'", key)));
    EXPECT_THAT(refusal({{"paimon." + key, "1"}}), HasSubstr("option paimon." + key));
    EXPECT_THAT(refusal({}, {{key, "1"}}), HasSubstr(fmt::format("option {} is '1'", key)));
  }
  EXPECT_THAT(refusal({{"paimon.path", "/x"}}), HasSubstr("lie in the warehouse"));
  EXPECT_THAT(refusal({{"paimon.deletion-vectors.enabled", "true"}}),
              HasSubstr("would not see rows before they are compacted"));
  EXPECT_EQ(refusal({{"paimon.deletion-vectors.enabled", "false"}}), "taken");
  EXPECT_EQ(refusal({{"path", "/x"}, {"type", "mine"}}), "taken");  // the user's own
  TableDescriptor log = orders();
  log.schema = *SchemaBuilder().column("day", DataType::string().not_null()).build();
  log.custom_properties = {{"paimon.changelog-producer", "input"}};
  Result<PaimonSchema> schema = paimon_schema_of(log, LakeLayout::kPlain);
  ASSERT_FALSE(schema);
  EXPECT_THAT(schema.error().message(), HasSubstr("only a table with a primary key"));
}

TEST(PaimonMapping, NamesOfTheSystemAreRefused) {
  // Proves that a column can not have a name that Paimon or the layout gives a meaning.
  for (std::string name : {"__bucket", "_VALUE_KIND", "rowkind", "_KEY_id"}) {
    TableDescriptor table = orders();
    table.schema = *SchemaBuilder(table.schema).column(name, DataType::integer()).build();
    Result<PaimonSchema> schema = paimon_schema_of(table, LakeLayout::kPlain);
    ASSERT_FALSE(schema) << name;
    EXPECT_THAT(schema.error().message(), HasSubstr("column " + name));
    EXPECT_FALSE(altered_schema(*paimon_schema_of(orders(), LakeLayout::kPlain), orders(), table));
  }
}

TEST(PaimonMapping, PartitionKeysWithoutATextAreRefused) {
  // Proves that bytes can not name a folder.
  TableDescriptor table = orders();
  table.schema = *SchemaBuilder().column("day", DataType::bytes().not_null()).build();
  Result<PaimonSchema> schema = paimon_schema_of(table, LakeLayout::kPlain);
  ASSERT_FALSE(schema);
  EXPECT_THAT(schema.error().message(), HasSubstr("partition key day"));
}

TEST(PaimonMapping, WhatDiffersIsNamed) {
  // Proves of each part of a table that a difference keeps it from being taken, and what is no
  // difference.
  PaimonSchema same = *paimon_schema_of(orders(), LakeLayout::kSystemColumns);
  EXPECT_TRUE(check_same_table(same, orders()));
  auto differs = [&](auto change) {
    PaimonSchema there = same;
    change(there);
    Status status = check_same_table(there, orders());
    if (status) return std::string("taken");
    EXPECT_EQ(status.error().code(), ErrorCode::kLakeTableAlreadyExist);
    return status.error().message();
  };
  EXPECT_THAT(differs([](PaimonSchema& t) { t.fields[0].type = DataType::integer().not_null(); }),
              HasSubstr("column 1 is id INT NOT NULL, not id BIGINT NOT NULL"));
  EXPECT_THAT(differs([](PaimonSchema& t) { t.fields.erase(t.fields.begin() + 1); }),
              HasSubstr("column 2 is lines"));
  EXPECT_THAT(differs([](PaimonSchema& t) { t.partition_keys.clear(); }),
              HasSubstr("its partition keys are (), not (day)"));
  EXPECT_THAT(differs([](PaimonSchema& t) { t.primary_keys = {"id"}; }),
              HasSubstr("its primary keys are (id), not (id, day)"));
  EXPECT_THAT(differs([](PaimonSchema& t) { t.options["bucket"] = "5"; }),
              HasSubstr("its option bucket is '5', not '4'"));
  EXPECT_THAT(differs([](PaimonSchema& t) { t.options.erase("partition.legacy-name"); }),
              HasSubstr("its option partition.legacy-name is not set, not 'false'"));
  EXPECT_THAT(differs([](PaimonSchema& t) { t.options["merge-engine"] = "first-row"; }),
              HasSubstr("its option merge-engine is 'first-row', not not set"));

  EXPECT_EQ(differs([](PaimonSchema& t) {
              for (PaimonField& field : t.fields) field.id += 100;
              t.fields.back().type = DataType::timestamp_ltz(6);
              t.fields[0].description = "of the order";
              t.options["snapshot.time-retained"] = "1 d";
              t.comment.reset();
            }),
            "taken");
}

TEST(PaimonMapping, ColumnsAndOptionsAreAltered) {
  // Proves where a new column goes, which ids it gets, and how options change.
  TableDescriptor before = orders();
  TableDescriptor after = before;
  after.schema = *SchemaBuilder(before.schema).column("note", row_of("by")).build();
  after.custom_properties = {{"paimon.file.compression", "zstd"},
                             {"paimon.target-file-size", "1 mb"}};
  PaimonSchema there = *paimon_schema_of(before, LakeLayout::kSystemColumns);
  there.options["someone-elses"] = "kept";
  Result<PaimonSchema> altered = altered_schema(there, before, after);
  ASSERT_TRUE(altered) << altered.error().message();
  EXPECT_TRUE(altered->has_system_columns());
  ASSERT_EQ(altered->fields.size(), there.fields.size() + 1);
  EXPECT_EQ(altered->fields[4].name, "note");
  EXPECT_EQ(altered->fields[4].id, 8);
  EXPECT_EQ(altered->fields[4].type.fields()[0].id, 9);
  EXPECT_EQ(altered->highest_field_id, 9);
  EXPECT_EQ(altered->options["file.compression"], "zstd");
  EXPECT_EQ(altered->options["target-file-size"], "1 mb");
  EXPECT_EQ(altered->options["someone-elses"], "kept");
  EXPECT_FALSE(altered->options.contains("fluss.owner"));
  // Made again it changes nothing.
  Result<PaimonSchema> again = altered_schema(*altered, before, after);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->fields, altered->fields);
  EXPECT_EQ(again->options, altered->options);
}

TEST(PaimonMapping, OptionsThatDoNotChangeAreRefused) {
  // Proves that what Paimon fixes for the life of a table is not altered.
  TableDescriptor before = orders();
  PaimonSchema there = *paimon_schema_of(before, LakeLayout::kSystemColumns);
  for (std::string key : {"merge-engine", "rowkind.field", "path", "bucket"}) {
    TableDescriptor after = before;
    after.custom_properties["paimon." + key] = "x";
    Result<PaimonSchema> altered = altered_schema(there, before, after);
    ASSERT_FALSE(altered) << key;
    EXPECT_EQ(altered.error().code(), ErrorCode::kInvalidAlterTableException);
  }
}

}  // namespace
}  // namespace lakestream::paimon
