#include "table/json.h"

#include <gtest/gtest.h>

#include "table/json_reader.h"
#include "table/test_util.h"

namespace lakestream {
namespace {

std::string type_outcome(std::string_view text) { return outcome(data_type_from_json(text)); }
std::string schema_outcome(std::string_view text) { return outcome(schema_from_json(text)); }

constexpr std::string_view kColumn = R"({"name":"a","data_type":{"type":"INTEGER"},"id":0})";

TEST(JsonTest, WhatIsNoDocumentIsRefused) {
  EXPECT_NE(schema_outcome("").find("text is no JSON"), std::string::npos);
  EXPECT_NE(schema_outcome("{\"columns\":[").find("text is no JSON"), std::string::npos);
  EXPECT_NE(schema_outcome("\xff").find("text is no JSON"), std::string::npos);
  EXPECT_EQ(schema_outcome("[]"), "INVALID_TABLE_EXCEPTION: the document is no object");
  EXPECT_EQ(schema_outcome(std::string(kMaxJsonBytes + 1, ' ')),
            "INVALID_TABLE_EXCEPTION: JSON text has 4194305 bytes, at most 4194304 are read");
  EXPECT_EQ(outcome(database_from_json("[]")), "accepted");
  EXPECT_NE(outcome(database_from_json("{")).find("INVALID_DATABASE_EXCEPTION"), std::string::npos);
}

TEST(JsonTest, ErrorsNameThePlace) {
  EXPECT_EQ(schema_outcome("{}"), "INVALID_TABLE_EXCEPTION: columns: is missing");
  EXPECT_EQ(schema_outcome(R"({"columns":{}})"), "INVALID_TABLE_EXCEPTION: columns: is no array");
  EXPECT_EQ(schema_outcome(R"({"columns":[{"data_type":{"type":"DATE"}}]})"),
            "INVALID_TABLE_EXCEPTION: columns[0].name: is missing");
  EXPECT_EQ(schema_outcome(R"({"columns":[{"name":"a","data_type":{"type":"INT"}}]})"),
            "INVALID_TABLE_EXCEPTION: columns[0].data_type: type 'INT' is unknown");
  EXPECT_EQ(
      schema_outcome(R"({"columns":[{"name":"a","data_type":{"type":"TIME_WITHOUT_TIME_ZONE",)"
                     R"("precision":12}}]})"),
      "INVALID_TABLE_EXCEPTION: columns[0].data_type: precision 12 of TIME is outside 0..9");
  EXPECT_EQ(
      schema_outcome(R"({"columns":[{"name":"a","data_type":{"type":"CHAR","length":"3"}}]})"),
      "INVALID_TABLE_EXCEPTION: columns[0].data_type.length: is no integer");
  EXPECT_EQ(
      schema_outcome(
          R"({"columns":[{"name":"a","data_type":{"type":"CHAR","length":3000000000}}]})"),
      "INVALID_TABLE_EXCEPTION: columns[0].data_type.length: 3000000000 does not fit 32 bits");
  EXPECT_EQ(
      schema_outcome(R"({"columns":[{"name":"a","data_type":{"type":"DATE"},)"
                     R"("agg_function":{"type":"median"}}]})"),
      "INVALID_TABLE_EXCEPTION: columns[0].agg_function: aggregate function 'median' is unknown");
  EXPECT_EQ(outcome(table_from_json(
                R"({"schema":{"columns":[]},"partition_key":[],"properties":{"k":["v"]}})")),
            "INVALID_TABLE_EXCEPTION: properties.k: is no text");
  EXPECT_EQ(outcome(table_from_json(R"({"schema":{"columns":[]},"partition_key":["p"]})")),
            "INVALID_TABLE_EXCEPTION: partition key 'p' is not a column of the table");
}

TEST(JsonTest, NestingIsLimited) {
  std::string open;
  std::string close;
  for (int i = 0; i < kMaxTypeDepth + 1; ++i) {
    open += R"({"type":"ARRAY","element_type":)";
    close += "}";
  }
  EXPECT_NE(type_outcome(open + R"({"type":"DATE"})" + close).find("deeper than 64 levels"),
            std::string::npos);
  // Far deeper text neither exhausts the stack nor the patience.
  EXPECT_NE(type_outcome(std::string(1'000'000, '[')), "accepted");
}

TEST(JsonTest, IdsAreGivenForAllColumnsOrNone) {
  std::string mixed = R"({"columns":[{"name":"a","data_type":{"type":"DATE"},"id":0},)"
                      R"({"name":"b","data_type":{"type":"DATE"}}]})";
  EXPECT_EQ(
      schema_outcome(mixed),
      "INVALID_TABLE_EXCEPTION: columns: some columns have an id and some have none, give all "
      "or none");
  Schema old = *schema_from_json(R"({"columns":[{"name":"a","data_type":{"type":"DATE"}},)"
                                 R"({"name":"b","data_type":{"type":"DATE"}}]})");
  EXPECT_EQ(old.column(1).id, 1);
  EXPECT_EQ(old.highest_field_id(), 1);
}

TEST(JsonTest, HighestFieldIdCoversAllIds) {
  std::string columns = fmt::format(R"({{"columns":[{}])", kColumn);
  EXPECT_EQ(schema_from_json(columns + "}")->highest_field_id(), 0);
  EXPECT_EQ(schema_from_json(columns + R"(,"highest_field_id":9})")->highest_field_id(), 9);
  EXPECT_EQ(
      schema_outcome(columns + R"(,"highest_field_id":-1})"),
      "INVALID_TABLE_EXCEPTION: the document highest_field_id -1 is below the id 0 of a field");
}

// Writers of other versions may add fields, leave optional ones out or set them to null.
TEST(JsonTest, ReadingIsLenient) {
  Result<Schema> schema = schema_from_json(
      R"( {"future":[1], "columns":[{"id":0,"name":"a","comment":null,"agg_function":null,)"
      R"("data_type":{"type":"ROW","nullable":true,"fields":)"
      R"([{"name":"x","field_type":{"type":"DATE"}},{"name":"y","field_type":{"type":"DATE"}}]}}],)"
      R"("primary_key":null} )");
  ASSERT_TRUE(schema) << schema.error().to_string();
  EXPECT_EQ(schema->column(0).type.fields()[1].id, kUnknownFieldId);
  Result<TableDescriptor> table = table_from_json(
      R"({"schema":{"columns":[]},"bucket_count":3,"properties":{"n":7,"b":true}})");
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_EQ(table->properties, (Properties{{"n", "7"}, {"b", "true"}}));
  EXPECT_EQ(table->bucket_count(), 3);
}

TEST(JsonTest, TextsAreEscaped) {
  DatabaseDescriptor database{"\"\\\n\t\x01 ä €", {{"k\"", "v"}}};
  std::string text = to_json(database);
  EXPECT_EQ(*database_from_json(text), database);
  // Bytes that are no UTF-8 never make an unreadable document.
  database.comment = "a\xffz";
  EXPECT_EQ(database_from_json(to_json(database))->comment, "a\xef\xbf\xbdz");
}

}  // namespace
}  // namespace lakestream
