#include "table/schema.h"

#include <gtest/gtest.h>

#include "table/descriptor.h"
#include "table/test_util.h"

namespace lakestream {
namespace {

std::string invalid(const std::string& message) { return "INVALID_TABLE_EXCEPTION: " + message; }

SchemaBuilder two_columns() {
  return SchemaBuilder().column("a", DataType::integer()).column("b", DataType::string());
}

TEST(TypesTest, ParametersOutOfRangeAreRefused) {
  EXPECT_EQ(outcome(DataType::char_(0).check()), invalid("length 0 of CHAR is below 1"));
  EXPECT_EQ(outcome(DataType::binary(-1).check()), invalid("length -1 of BINARY is below 1"));
  EXPECT_EQ(outcome(DataType::decimal(39, 0).check()),
            invalid("precision 39 of DECIMAL is outside 1..38"));
  EXPECT_EQ(outcome(DataType::decimal(0, 0).check()),
            invalid("precision 0 of DECIMAL is outside 1..38"));
  EXPECT_EQ(outcome(DataType::decimal(5, 6).check()),
            invalid("scale 6 of DECIMAL is outside 0..5, its precision"));
  EXPECT_EQ(outcome(DataType::time(10).check()), invalid("precision 10 of TIME is outside 0..9"));
  EXPECT_EQ(outcome(DataType::timestamp_ltz(-1).check()),
            invalid("precision -1 of TIMESTAMP_LTZ is outside 0..9"));
}

TEST(TypesTest, NestedTypesAreCheckedAllTheWayDown) {
  EXPECT_EQ(outcome(DataType::array(DataType::map(DataType::string(), DataType::char_(0))).check()),
            invalid("length 0 of CHAR is below 1"));
  Field x{"x", DataType::integer(), std::nullopt, 1};
  EXPECT_EQ(outcome(DataType::row({x, x}).check()),
            invalid("ROW has two fields 'x', field names must differ"));
  EXPECT_EQ(outcome(DataType::row({Field{" ", DataType::integer(), std::nullopt, 1}}).check()),
            invalid("ROW has a field without a name"));

  DataType deep = DataType::integer();
  for (int i = 0; i < kMaxTypeDepth; ++i) deep = DataType::array(deep);
  EXPECT_TRUE(deep.check());
  EXPECT_EQ(outcome(DataType::array(deep).check()),
            invalid("type is nested deeper than 64 levels, flatten it"));
}

// The text of SQL, which is also what users see in messages.
TEST(TypesTest, TextIsSql) {
  EXPECT_EQ(DataType::integer().not_null().to_string(), "INT NOT NULL");
  EXPECT_EQ(DataType::decimal(10, 2).to_string(), "DECIMAL(10, 2)");
  EXPECT_EQ(DataType::timestamp_ltz(3).to_string(), "TIMESTAMP_LTZ(3)");
  EXPECT_EQ(
      DataType::map(DataType::string().not_null(), DataType::array(DataType::date())).to_string(),
      "MAP<STRING NOT NULL, ARRAY<DATE>>");
  DataType row = DataType::row({Field{"a`b", DataType::bytes(), "it's", 1},
                                Field{"c", DataType::double_(), std::nullopt, 2}});
  EXPECT_EQ(fmt::format("{}", row), "ROW<`a``b` BYTES COMMENT 'it''s', `c` DOUBLE>");
  EXPECT_EQ(DataType::row({}).to_string(), "ROW<>");
}

TEST(TypesTest, EqualityLooksAtEverything) {
  EXPECT_EQ(DataType::char_(3), DataType::char_(3));
  EXPECT_NE(DataType::char_(3), DataType::char_(4));
  EXPECT_NE(DataType::char_(3), DataType::binary(3));
  EXPECT_NE(DataType::char_(3), DataType::char_(3).not_null());
  EXPECT_NE(DataType::array(DataType::date()), DataType::array(DataType::date().not_null()));
}

TEST(SchemaTest, PartsThatDoNotFitAreRefused) {
  EXPECT_EQ(outcome(two_columns().column("a", DataType::date()).build()),
            invalid("column 'a' is there twice, column names must differ"));
  EXPECT_EQ(outcome(SchemaBuilder().column("", DataType::date()).build()),
            invalid("a column has no name"));
  EXPECT_EQ(outcome(SchemaBuilder().column("c", DataType::char_(0)).build()),
            invalid("column 'c': length 0 of CHAR is below 1"));
  EXPECT_EQ(outcome(two_columns().primary_key({"x"}).build()),
            invalid("primary key column 'x' is not a column of the table"));
  EXPECT_EQ(outcome(two_columns().primary_key({"a", "a"}).build()),
            invalid("primary key names column 'a' twice"));
  EXPECT_EQ(
      outcome(SchemaBuilder()
                  .column(Column{"a", DataType::integer(), {}, AggFunction{AggType::kSum, {}}, 0})
                  .primary_key({"a"})
                  .build()),
      invalid("primary key column 'a' has aggregate function sum, only other columns may"));
}

TEST(SchemaTest, AutoIncrementIsOneIntegerColumnBesideTheKey) {
  SchemaBuilder keyed = two_columns().column("n", DataType::bigint()).primary_key({"a"});
  EXPECT_EQ(outcome(two_columns().auto_increment("a").build()),
            invalid("auto-increment column 'a' needs a table with a primary key"));
  EXPECT_EQ(outcome(SchemaBuilder(keyed).auto_increment("x").build()),
            invalid("auto-increment column 'x' is not a column of the table"));
  EXPECT_EQ(outcome(SchemaBuilder(keyed).auto_increment("a").build()),
            invalid("auto-increment column 'a' is part of the primary key"));
  EXPECT_EQ(outcome(SchemaBuilder(keyed).auto_increment("b").build()),
            invalid("auto-increment column 'b' has type STRING, it must be INT or BIGINT"));
  EXPECT_EQ(outcome(SchemaBuilder(keyed).auto_increment("n").auto_increment("b").build()),
            invalid("table has 2 auto-increment columns, at most 1 is allowed"));
  EXPECT_EQ(outcome(SchemaBuilder(keyed).auto_increment("n").build()), "accepted");
}

TEST(SchemaTest, IdsAreUniqueOverColumnsAndNestedFields) {
  Column nested{"r", DataType::row({Field{"x", DataType::date(), {}, 0}}), {}, {}, 1};
  EXPECT_EQ(outcome(SchemaBuilder().column("a", DataType::date()).column_with_ids(nested).build()),
            invalid("field id 0 is used twice, ids must be unique over columns and nested fields"));
  EXPECT_EQ(
      outcome(SchemaBuilder().column_with_ids(Column{"a", DataType::date(), {}, {}, -2}).build()),
      invalid("field id -2 is negative"));
}

TEST(SchemaTest, KeyColumnsBecomeNotNull) {
  Schema schema = *two_columns().primary_key({"b"}).build();
  EXPECT_TRUE(schema.column(0).type.nullable());
  EXPECT_FALSE(schema.column(1).type.nullable());
  EXPECT_EQ(schema.primary_key_indexes(), std::vector<size_t>{1});
}

// Ids are never used again: a builder that goes on from a schema takes those after the highest.
TEST(SchemaTest, AddedColumnsTakeNewIds) {
  Schema schema = *two_columns().raise_highest_field_id(7).build();
  Schema wider = *SchemaBuilder(schema)
                      .column("r", DataType::row({Field{"x", DataType::date(), {}, -1}}))
                      .build();
  EXPECT_EQ(wider.column(1).id, 1);
  EXPECT_EQ(wider.column(2).id, 8);
  EXPECT_EQ(wider.column(2).type.fields()[0].id, 9);
  EXPECT_EQ(wider.highest_field_id(), 9);
  EXPECT_EQ(wider.index_of_id(8), 2u);
  EXPECT_EQ(wider.index_of_id(2), std::nullopt);
}

TEST(SchemaTest, UnknownNestedIdsAreFilledIn) {
  Column old{"r",
             DataType::row({Field{"x", DataType::date(), {}, kUnknownFieldId},
                            Field{"y", DataType::date(), {}, 3}}),
             {},
             {},
             0};
  Schema schema = *SchemaBuilder().column_with_ids(old).assign_unknown_field_ids().build();
  EXPECT_EQ(schema.column(0).type.fields()[0].id, 4);
  EXPECT_EQ(schema.column(0).type.fields()[1].id, 3);
}

TEST(AggFunctionTest, NamesMayHaveAnyCaseAndHyphens) {
  EXPECT_EQ(agg_type_of("LAST-value_ignore-NULLS"), AggType::kLastValueIgnoreNulls);
  EXPECT_EQ(agg_type_of("rbm64"), AggType::kRbm64);
  EXPECT_EQ(agg_type_of("median"), std::nullopt);
}

TEST(AggFunctionTest, ParametersAndTypesAreChecked) {
  auto check = [](AggType type, Properties parameters, DataType column) {
    return outcome(AggFunction{type, std::move(parameters)}.check(column));
  };
  EXPECT_EQ(
      check(AggType::kSum, {{"delimiter", ","}}, DataType::bigint()),
      "INVALID_CONFIG_EXCEPTION: parameter 'delimiter' is unknown to aggregate function sum, it "
      "takes none");
  EXPECT_EQ(check(AggType::kListagg, {{"separator", ","}}, DataType::string()),
            "INVALID_CONFIG_EXCEPTION: parameter 'separator' is unknown to aggregate function "
            "listagg, it takes 'delimiter'");
  EXPECT_EQ(check(AggType::kStringAgg, {{"delimiter", ""}}, DataType::string()),
            "INVALID_CONFIG_EXCEPTION: parameter 'delimiter' of aggregate function string_agg is "
            "empty, give a text");
  EXPECT_EQ(check(AggType::kSum, {}, DataType::string()),
            "INVALID_CONFIG_EXCEPTION: aggregate function sum does not support the type STRING");
  EXPECT_EQ(check(AggType::kMax, {}, DataType::boolean()),
            "INVALID_CONFIG_EXCEPTION: aggregate function max does not support the type BOOLEAN");
  EXPECT_EQ(check(AggType::kListagg, {{"delimiter", ";"}}, DataType::char_(3)), "accepted");
  EXPECT_EQ(check(AggType::kMin, {}, DataType::timestamp(3)), "accepted");
  EXPECT_EQ(check(AggType::kProduct, {}, DataType::decimal(10, 2)), "accepted");
  EXPECT_EQ(check(AggType::kBoolOr, {}, DataType::boolean()), "accepted");
  EXPECT_EQ(check(AggType::kRbm32, {}, DataType::bytes()), "accepted");
  EXPECT_EQ(check(AggType::kFirstValue, {}, DataType::array(DataType::date())), "accepted");
}

// A descriptor of columns a, b, d with the primary key.
TableDescriptor table_with_key(std::vector<std::string> key) {
  TableDescriptor table;
  table.schema = *two_columns().column("d", DataType::date()).primary_key(std::move(key)).build();
  return table;
}

TEST(DescriptorTest, BucketKeysOfAPrimaryKeyTableFollowFromTheKey) {
  TableDescriptor table = table_with_key({"d", "b", "a"});
  table.partition_keys = {"d"};
  EXPECT_EQ(normalize(table)->bucket_keys(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(normalize(table)->bucket_count(), std::nullopt);
  table.distribution = Distribution{4, {"a"}};
  EXPECT_EQ(normalize(table)->bucket_keys(), std::vector<std::string>{"a"});
  EXPECT_EQ(normalize(table_with_key({}))->distribution, std::nullopt);
}

TEST(DescriptorTest, KeysThatDoNotFitAreRefused) {
  TableDescriptor table = table_with_key({"a", "d"});
  table.partition_keys = {"x"};
  EXPECT_EQ(outcome(normalize(table)), invalid("partition key 'x' is not a column of the table"));
  table.partition_keys = {"d", "d"};
  EXPECT_EQ(outcome(normalize(table)), invalid("partition key 'd' is there twice"));
  table.partition_keys = {"b"};
  EXPECT_EQ(outcome(normalize(table)),
            invalid("partition key 'b' is not part of the primary key (a, d), it must be"));
  table.partition_keys = {"a", "d"};
  EXPECT_EQ(outcome(normalize(table)),
            invalid("primary key (a, d) has only partition keys, add a column that is none"));
  table.partition_keys = {"d"};
  table.distribution = Distribution{4, {"x"}};
  EXPECT_EQ(outcome(normalize(table)), invalid("bucket key 'x' is not a column of the table"));
  table.distribution = Distribution{4, {"b"}};
  EXPECT_EQ(outcome(normalize(table)),
            invalid("bucket key 'b' is not part of the primary key (a, d), it must be"));
  table.distribution = Distribution{4, {"d"}};
  EXPECT_EQ(outcome(normalize(table)),
            invalid("bucket key 'd' is a partition key, choose other columns"));
  table.distribution = Distribution{4, {"a", "a"}};
  EXPECT_EQ(outcome(normalize(table)), invalid("bucket key 'a' is there twice"));
}

}  // namespace
}  // namespace lakestream
