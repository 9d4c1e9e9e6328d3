#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "table/json.h"

namespace lakestream {
namespace {

using Json = nlohmann::json;

std::vector<Json> vectors_of(const std::string& kind) {
  std::ifstream file(LAKESTREAM_SOURCE_DIR "/tests/golden/vectors/index.json");
  std::vector<Json> found;
  Json index = Json::parse(file);
  for (const Json& vector : index["vectors"]) {
    if (vector["kind"] == kind) found.push_back(vector);
  }
  EXPECT_FALSE(found.empty()) << kind;
  return found;
}

// Reads each document of the kind, writes it again and compares the two as JSON.
template <typename Parse>
void expect_round_trips(const std::string& kind, Parse parse) {
  for (const Json& vector : vectors_of(kind)) {
    std::string text = vector["json_text"];
    auto parsed = parse(text);
    ASSERT_TRUE(parsed) << vector["id"] << ": " << parsed.error().to_string();
    EXPECT_EQ(Json::parse(to_json(*parsed)), Json::parse(text)) << vector["id"];
  }
}

TEST(GoldenTest, DocumentsComeBackAsTheOfficialSerializerWroteThem) {
  expect_round_trips("schema", schema_from_json);
  expect_round_trips("table_descriptor", table_from_json);
  expect_round_trips("database_descriptor", database_from_json);
}

// Field order and the absence of white space are part of the format; only the order of properties,
// a map in the official writer, is not.
TEST(GoldenTest, TextIsTheSameByteForByte) {
  for (const Json& vector : vectors_of("schema")) {
    std::string text = vector["json_text"];
    EXPECT_EQ(to_json(*schema_from_json(text)), text) << vector["id"];
  }
  for (const Json& vector : vectors_of("table_descriptor")) {
    std::string text = vector["json_text"];
    TableDescriptor table = *table_from_json(text);
    if (table.properties.size() > 1) continue;
    EXPECT_EQ(to_json(table), text) << vector["id"];
  }
}

// The builder gives the ids that the official one gave to the same columns.
TEST(GoldenTest, BuilderAssignsTheOfficialIds) {
  for (const Json& vector : vectors_of("table_descriptor")) {
    Schema schema = table_from_json(std::string(vector["json_text"]))->schema;
    SchemaBuilder builder;
    for (const Column& column : schema.columns()) builder.column(column);
    builder.primary_key(schema.primary_key());
    for (const std::string& name : schema.auto_increment_columns()) builder.auto_increment(name);
    EXPECT_EQ(to_json(*builder.build()), to_json(schema)) << vector["id"];
  }
}

}  // namespace
}  // namespace lakestream
