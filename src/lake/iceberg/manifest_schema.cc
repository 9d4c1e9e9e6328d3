#include "lake/iceberg/manifest_schema.h"

#include <cctype>
#include <iterator>

#include "base/check.h"
#include "table/json_writer.h"

namespace lakestream::iceberg {
namespace {

// Before and behind the fields of the partition.
constexpr std::string_view kEntryBegin = R"({
"type":"record","name":"manifest_entry","fields":[
 {"name":"status","type":"int","field-id":0},
 {"name":"snapshot_id","type":["null","long"],"default":null,"field-id":1},
 {"name":"sequence_number","type":["null","long"],"default":null,"field-id":3},
 {"name":"file_sequence_number","type":["null","long"],"default":null,"field-id":4},
 {"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
  {"name":"content","type":"int","field-id":134},
  {"name":"file_path","type":"string","field-id":100},
  {"name":"file_format","type":"string","field-id":101},
  {"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":)";

constexpr std::string_view kEntryEnd = R"(}},
  {"name":"record_count","type":"long","field-id":103},
  {"name":"file_size_in_bytes","type":"long","field-id":104},
  {"name":"column_sizes","field-id":108,"default":null,"type":["null",
   {"type":"array","logicalType":"map","items":{"type":"record","name":"k117_v118","fields":[
    {"name":"key","type":"int","field-id":117},{"name":"value","type":"long","field-id":118}]}}]},
  {"name":"value_counts","field-id":109,"default":null,"type":["null",
   {"type":"array","logicalType":"map","items":{"type":"record","name":"k119_v120","fields":[
    {"name":"key","type":"int","field-id":119},{"name":"value","type":"long","field-id":120}]}}]},
  {"name":"null_value_counts","field-id":110,"default":null,"type":["null",
   {"type":"array","logicalType":"map","items":{"type":"record","name":"k121_v122","fields":[
    {"name":"key","type":"int","field-id":121},{"name":"value","type":"long","field-id":122}]}}]},
  {"name":"nan_value_counts","field-id":137,"default":null,"type":["null",
   {"type":"array","logicalType":"map","items":{"type":"record","name":"k138_v139","fields":[
    {"name":"key","type":"int","field-id":138},{"name":"value","type":"long","field-id":139}]}}]},
  {"name":"lower_bounds","field-id":125,"default":null,"type":["null",
   {"type":"array","logicalType":"map","items":{"type":"record","name":"k126_v127","fields":[
    {"name":"key","type":"int","field-id":126},{"name":"value","type":"bytes","field-id":127}]}}]},
  {"name":"upper_bounds","field-id":128,"default":null,"type":["null",
   {"type":"array","logicalType":"map","items":{"type":"record","name":"k129_v130","fields":[
    {"name":"key","type":"int","field-id":129},{"name":"value","type":"bytes","field-id":130}]}}]},
  {"name":"split_offsets","field-id":132,"default":null,"type":["null",
   {"type":"array","items":"long","element-id":133}]},
  {"name":"equality_ids","field-id":135,"default":null,"type":["null",
   {"type":"array","items":"int","element-id":136}]},
  {"name":"sort_order_id","type":["null","int"],"default":null,"field-id":140},
  {"name":"referenced_data_file","type":["null","string"],"default":null,"field-id":143}]}}]})";

constexpr std::string_view kListSchema = R"({
"type":"record","name":"manifest_file","fields":[
 {"name":"manifest_path","type":"string","field-id":500},
 {"name":"manifest_length","type":"long","field-id":501},
 {"name":"partition_spec_id","type":"int","field-id":502},
 {"name":"content","type":"int","field-id":517},
 {"name":"sequence_number","type":"long","field-id":515},
 {"name":"min_sequence_number","type":"long","field-id":516},
 {"name":"added_snapshot_id","type":"long","field-id":503},
 {"name":"added_files_count","type":"int","field-id":504},
 {"name":"existing_files_count","type":"int","field-id":505},
 {"name":"deleted_files_count","type":"int","field-id":506},
 {"name":"added_rows_count","type":"long","field-id":512},
 {"name":"existing_rows_count","type":"long","field-id":513},
 {"name":"deleted_rows_count","type":"long","field-id":514},
 {"name":"partitions","field-id":507,"default":null,"type":["null",
  {"type":"array","element-id":508,"items":{"type":"record","name":"r508","fields":[
   {"name":"contains_null","type":"boolean","field-id":509},
   {"name":"contains_nan","type":["null","boolean"],"default":null,"field-id":518},
   {"name":"lower_bound","type":["null","bytes"],"default":null,"field-id":510},
   {"name":"upper_bound","type":["null","bytes"],"default":null,"field-id":511}]}}]}]})";

void write_partition_field(const PartitionField& field, bool is_bucket, JsonWriter* json) {
  std::string name = avro_name_of(field.name);
  json->begin_object()
      .field("name", name)
      .key("type")
      .begin_array()
      .text("null")
      .text(is_bucket ? "int" : "string");
  json->end_array().key("default").null().field("field-id", field.field_id);
  if (name != field.name) json->field("iceberg-field-name", field.name);
  json->end_object();
}

avro::AvroSchema parsed(std::string_view text) {
  Result<avro::AvroSchema> schema = avro::AvroSchema::parse(text);
  CHECK(schema.has_value(), schema ? "" : schema.error().message());
  return *std::move(schema);
}

}  // namespace

std::string avro_name_of(std::string_view name) {
  std::string made;
  for (size_t i = 0; i < name.size(); ++i) {
    auto byte = static_cast<unsigned char>(name[i]);
    bool is_digit = std::isdigit(byte) != 0;
    if (is_digit && i == 0) made += '_';
    if (std::isalpha(byte) != 0 || is_digit || byte == '_') {
      made += name[i];
    } else {
      fmt::format_to(std::back_inserter(made), "_x{:X}", byte);
    }
  }
  return made;
}

Result<avro::AvroSchema> manifest_entry_schema(const IcebergPartitionSpec& spec) {
  JsonWriter fields;
  fields.begin_array();
  for (const PartitionField& field : spec.fields) {
    write_partition_field(field, &field == &spec.fields.back(), &fields);
  }
  fields.end_array();
  return avro::AvroSchema::parse(
      fmt::format("{}{}{}", kEntryBegin, std::move(fields).finish(), kEntryEnd));
}

const avro::AvroSchema& manifest_list_schema() {
  static const avro::AvroSchema schema = parsed(kListSchema);
  return schema;
}

}  // namespace lakestream::iceberg
