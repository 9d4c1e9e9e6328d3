#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "table/json.h"
#include "table/partition.h"
#include "table/remote_documents.h"

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
  expect_round_trips("remote_log_manifest", remote_log_manifest_from_json);
  expect_round_trips("table_bucket_offsets", table_bucket_offsets_from_json);
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

std::vector<uint8_t> bytes_of_hex(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string partition_text(const DataType& type, const Json& value) {
  switch (type.root()) {
    case TypeRoot::kString:
      return value;
    case TypeRoot::kBoolean:
      return partition_text_of_boolean(value);
    case TypeRoot::kBytes:
      return partition_text_of_bytes(bytes_of_hex(value));
    case TypeRoot::kDate:
      return partition_text_of_date(value);
    case TypeRoot::kTime:
      return partition_text_of_time(value);
    case TypeRoot::kFloat:
      return partition_text_of_float(value);
    case TypeRoot::kDouble:
      return partition_text_of_double(value);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return partition_text_of_timestamp(value["ms"], value["ns"]);
    default:
      return partition_text_of_integer(value);
  }
}

TEST(GoldenTest, PartitionsHaveTheOfficialNames) {
  for (const Json& vector : vectors_of("partition_name")) {
    Schema schema = *schema_from_json(vector["schema"].dump());
    PartitionSpec spec;
    for (const std::string key : vector["partition_keys"]) {
      size_t index = *schema.index_of(key);
      spec.emplace_back(key, partition_text(schema.column(index).type, vector["row"][index]));
    }
    ResolvedPartitionSpec partition = *resolve_partition(vector["partition_keys"], spec);
    EXPECT_EQ(Json(partition.values), vector["values"]) << vector["id"];
    EXPECT_EQ(partition.name(), vector["name"]) << vector["id"];
    EXPECT_EQ(partition.qualified_name(), vector["qualified_name"]) << vector["id"];
    EXPECT_TRUE(check_new_partition_values(partition.values)) << vector["id"];
  }
}

TEST(GoldenTest, AutomaticPartitionsHaveTheOfficialValues) {
  constexpr int64_t kNow = 1'795'935'900;  // 2026-11-29 07:05
  for (const Json& vector : vectors_of("auto_partition")) {
    ASSERT_EQ(vector["now"], "2026-11-29T07:05Z[UTC]");
    for (const Json& example : vector["cases"]) {
      for (int i = 0; i < 5; ++i) {
        auto unit = static_cast<AutoPartitionUnit>(i);
        if (example["unit"] != std::string(name_of(unit))) continue;
        PartitionTimeFormat format = PartitionTimeFormat::of_unit(unit);
        EXPECT_EQ(format.value(kNow, example["offset"]), example["value"]);
        EXPECT_TRUE(format.matches(std::string(example["value"])));
      }
    }
  }
}

// Parts that the vectors do not show.
TEST(GoldenTest, RemoteDocumentsKeepTheirOptionalParts) {
  for (std::string text :
       {R"({"version":1,"database":"d","table":"t","table_id":7,"bucket_id":0,)"
        R"("highest_copied_end_offset":120,"remote_log_segments":[{"segment_id":"u",)"
        R"("start_offset":0,"end_offset":100,"logical_start_offset":10,"logical_end_offset":90,)"
        R"("max_timestamp":-1,"size_in_bytes":1}]})"}) {
    EXPECT_EQ(to_json(*remote_log_manifest_from_json(text)), text);
  }
  for (std::string text : {R"({"version":1,"table_id":42,"partition_offsets":[)"
                           R"({"partition_id":7,"bucket_offsets":[12]},)"
                           R"({"partition_id":9,"bucket_offsets":[-1,40]}]})",
                           R"({"version":1,"table_id":42})"}) {
    EXPECT_EQ(to_json(*table_bucket_offsets_from_json(text)), text);
  }
}

}  // namespace
}  // namespace lakestream
