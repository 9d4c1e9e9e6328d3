#include <fstream>
#include <iterator>
#include <string>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lake/iceberg/iceberg_catalog.h"
#include "lake/iceberg/schema.h"
#include "lake/iceberg/table_metadata.h"
#include "lake/iceberg/table_update.h"
#include "lake/iceberg/types.h"
#include "table/schema.h"

namespace lakestream::iceberg {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string read_testdata(const std::string& name) {
  std::ifstream file(std::string(LAKESTREAM_SOURCE_DIR "/src/lake/testdata/pyiceberg/") + name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

IcebergType parsed_type(std::string_view json) {
  Result<JsonDocument> document = JsonDocument::parse(json, ErrorCode::kUnknownServerError);
  EXPECT_TRUE(document);
  Result<IcebergType> type = type_of(document->root());
  EXPECT_TRUE(type) << type.error().message();
  return *std::move(type);
}

std::string json_of(const IcebergType& type) {
  JsonWriter json;
  write_type(type, &json);
  return std::move(json).finish();
}

TEST(IcebergTypes, OursAsIcebergHasThem) {
  // Proves the mapping of every type, against the table of the Fluss protocol.
  struct Case {
    DataType ours;
    std::string_view json;
  };
  const Case cases[] = {
      {DataType::boolean(), R"("boolean")"},
      {DataType::tinyint(), R"("int")"},
      {DataType::smallint(), R"("int")"},
      {DataType::integer(), R"("int")"},
      {DataType::bigint(), R"("long")"},
      {DataType::float_(), R"("float")"},
      {DataType::double_(), R"("double")"},
      {DataType::char_(3), R"("string")"},
      {DataType::string(), R"("string")"},
      {DataType::binary(16), R"("binary")"},
      {DataType::bytes(), R"("binary")"},
      {DataType::decimal(10, 2), R"x("decimal(10, 2)")x"},
      {DataType::date(), R"("date")"},
      {DataType::time(3), R"("time")"},
      {DataType::timestamp(9), R"("timestamp")"},
      {DataType::timestamp_ltz(3), R"("timestamptz")"},
      {DataType::array(DataType::string().not_null()),
       R"({"type":"list","element-id":8,"element":"string","element-required":true})"},
      {DataType::map(DataType::integer(), DataType::array(DataType::bigint())),
       R"({"type":"map","key-id":8,"key":"int","value-id":9,"value":{"type":"list",)"
       R"("element-id":10,"element":"long","element-required":false},"value-required":false})"},
      {DataType::row({{"a", DataType::row({{"x", DataType::date(), {}}}), {}},
                      {"b", DataType::string(), {}}}),
       R"({"type":"struct","fields":[{"id":8,"name":"a","required":false,"type":{"type":"struct",)"
       R"("fields":[{"id":10,"name":"x","required":false,"type":"date"}]}},)"
       R"({"id":9,"name":"b","required":false,"type":"string"}]})"},
  };
  for (const Case& c : cases) {
    int32_t highest_id = 7;
    IcebergType type = iceberg_type_of(c.ours, &highest_id);
    EXPECT_EQ(json_of(type), c.json) << c.json;
    EXPECT_EQ(parsed_type(c.json), type) << c.json;
    EXPECT_TRUE(data_type_of(type, true)) << c.json;
  }
}

TEST(IcebergTypes, ThoseOfOthersAreKept) {
  // Proves that types which we do not write come back as they were, known here or not.
  for (std::string_view json :
       {R"("uuid")", R"("fixed[16]")", R"("timestamp_ns")", R"x("geometry(srid:3857)")x"}) {
    EXPECT_EQ(json_of(parsed_type(json)), json);
  }
  EXPECT_EQ(json_of(parsed_type(R"x("decimal(9,2)")x")), R"x("decimal(9, 2)")x");
  EXPECT_EQ(data_type_of(parsed_type(R"("fixed[16]")"), true), DataType::binary(16));
  EXPECT_EQ(data_type_of(parsed_type(R"("variant")"), true), std::nullopt);
  EXPECT_EQ(data_type_of(parsed_type(R"("time")"), false), DataType::time(6).not_null());
}

TEST(IcebergSchemas, ColumnsOfFilesHaveIds) {
  // Proves the Arrow types that are written and the ids on every level; a column of a type that we
  // have not is left out.
  IcebergSchema schema;
  int32_t highest_id = 4;
  for (const DataType& type : {DataType::timestamp_ltz(3).not_null(),
                               DataType::array(DataType::time(0)),
                               DataType::timestamp(9)}) {
    NestedField field;
    field.id = static_cast<int32_t>(schema.fields.size() + 1);
    field.name = fmt::format("c{}", field.id);
    field.required = !type.nullable();
    field.type = iceberg_type_of(type, &highest_id);
    schema.fields.push_back(std::move(field));
  }
  NestedField other;
  other.id = 4;
  other.name = "other";
  other.type = parsed_type(R"("variant")");
  schema.fields.push_back(other);
  std::shared_ptr<arrow::Schema> columns = arrow_schema_of(schema);
  ASSERT_EQ(columns->num_fields(), 3);
  EXPECT_TRUE(columns->field(0)->type()->Equals(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")));
  EXPECT_FALSE(columns->field(0)->nullable());
  EXPECT_EQ(*columns->field(0)->metadata()->Get("PARQUET:field_id"), "1");
  const std::shared_ptr<arrow::Field>& element = columns->field(1)->type()->field(0);
  EXPECT_TRUE(element->type()->Equals(arrow::time64(arrow::TimeUnit::MICRO)));
  EXPECT_EQ(*element->metadata()->Get("PARQUET:field_id"), "5");
  EXPECT_TRUE(columns->field(2)->type()->Equals(arrow::timestamp(arrow::TimeUnit::MICRO)));
  EXPECT_EQ(schema.highest_id(), 5);
}

TEST(IcebergPartitions, FoldersAsJavaNamesThem) {
  // Proves the escapes of values, as of java.net.URLEncoder.
  IcebergPartitionSpec spec{
      .fields = {{1, 1000, "day", "identity"}, {2, 1001, "id_bucket", "bucket[4]"}}};
  EXPECT_EQ(partition_folder(spec, {.values = {"2026-11-30"}, .bucket = 3}),
            "day=2026-11-30/id_bucket=3");
  EXPECT_EQ(partition_folder(spec, {.values = {"a b/ü*"}, .bucket = 0}),
            "day=a+b%2F%C3%BC*/id_bucket=0");
  EXPECT_EQ(bucket_count_of("bucket[16]"), 16);
  EXPECT_EQ(bucket_count_of("bucket[0]"), std::nullopt);
  EXPECT_EQ(bucket_count_of("truncate[4]"), std::nullopt);
}

TEST(IcebergMetadata, ADocumentOfPyicebergComesBack) {
  // Proves that a table of pyiceberg 0.12 is read, and that writing it loses nothing.
  Result<TableMetadata> metadata = metadata_from_json(read_testdata("table.metadata.json"));
  ASSERT_TRUE(metadata) << metadata.error().message();
  EXPECT_EQ(metadata->format_version, 2);
  EXPECT_THAT(metadata->snapshots, SizeIs(3));
  EXPECT_EQ(metadata->current_schema().fields[0].name, "id");
  EXPECT_EQ(metadata->default_spec().fields[0].name, "day");
  ASSERT_NE(metadata->current_snapshot(), nullptr);
  EXPECT_EQ(metadata->current_snapshot()->sequence, 3);
  EXPECT_EQ(metadata->current_snapshot()->summary.at("total-records"), "3");
  Result<TableMetadata> again = metadata_from_json(to_json(*metadata));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, *metadata);
}

constexpr std::string_view kSmall = R"({"format-version":2,"table-uuid":"u","location":"/w/t/",
"last-sequence-number":5,"last-updated-ms":100,"last-column-id":1,"current-schema-id":0,
"schemas":[{"type":"struct","schema-id":0,"fields":[
 {"id":1,"name":"k","required":true,"type":"string","doc":"key"}]}],
"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,
"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}],"properties":{"a":"b"},
"current-snapshot-id":7,"refs":{"old":{"snapshot-id":6,"type":"tag","max-ref-age-ms":9}},
"snapshots":[
 {"snapshot-id":6,"sequence-number":4,"timestamp-ms":90,"manifest-list":"/w/t/6.avro",
  "summary":{"operation":"append"}},
 {"snapshot-id":7,"parent-snapshot-id":6,"sequence-number":5,"timestamp-ms":100,
  "manifest-list":"/w/t/7.avro","summary":{"operation":"append"},"schema-id":0,"key-id":"k1"}],
"snapshot-log":[{"timestamp-ms":90,"snapshot-id":6},{"timestamp-ms":100,"snapshot-id":7}],
"metadata-log":[{"timestamp-ms":90,"metadata-file":"/w/t/m1"}],
"statistics":[{"snapshot-id":7,"statistics-path":"/w/t/s.puffin"}]})";

TableMetadata small() { return *metadata_from_json(kSmall); }

TEST(IcebergMetadata, UnknownMembersStay) {
  // Proves that members which are not known here are written as they were read.
  TableMetadata metadata = small();
  EXPECT_EQ(metadata.location, "/w/t");
  EXPECT_EQ(metadata.refs.at("main").snapshot_id, 7);
  std::string text = to_json(metadata);
  EXPECT_THAT(text, HasSubstr(R"("key-id":"k1")"));
  EXPECT_THAT(text, HasSubstr(R"("max-ref-age-ms":9)"));
  EXPECT_THAT(text, HasSubstr(R"("statistics":[{"snapshot-id":7)"));
  EXPECT_THAT(text, HasSubstr(R"("doc":"key")"));
}

TEST(IcebergMetadata, WhatIsNoTableIsRefused) {
  // Proves that damaged documents and other format versions are errors that say what is wrong.
  EXPECT_EQ(metadata_from_json("{").error().code(), ErrorCode::kUnknownServerError);
  std::string text(kSmall);
  auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    Result<TableMetadata> metadata = metadata_from_json(changed);
    return metadata ? std::string("taken") : metadata.error().message();
  };
  EXPECT_THAT(with("\"format-version\":2", "\"format-version\":3"), HasSubstr("format version 3"));
  EXPECT_THAT(with("\"current-schema-id\":0", "\"current-schema-id\":4"),
              HasSubstr("there is no schema 4"));
  EXPECT_THAT(with("\"current-snapshot-id\":7", "\"current-snapshot-id\":8"),
              HasSubstr("there is no snapshot 8"));
  EXPECT_THAT(with("\"table-uuid\":\"u\",", ""), HasSubstr("table-uuid"));
}

IcebergSnapshot snapshot_of(int64_t id, int64_t sequence, int64_t parent) {
  IcebergSnapshot snapshot;
  snapshot.id = id;
  snapshot.parent_id = parent;
  snapshot.sequence = sequence;
  snapshot.time_ms = 150;
  snapshot.manifest_list = fmt::format("/w/t/{}.avro", id);
  snapshot.summary = {{"operation", "append"}};
  return snapshot;
}

TEST(IcebergMetadata, AHistoryWithGapsGoesOn) {
  // Proves that snapshots before one that others have removed are found, and rolled back ones not.
  TableMetadata metadata = small();
  auto add = [&](int64_t id, int64_t sequence, int64_t parent) {
    IcebergSnapshot snapshot;
    snapshot.id = id;
    snapshot.sequence = sequence;
    snapshot.parent_id = parent;
    metadata.snapshots.push_back(snapshot);
  };
  auto ids = [&] {
    std::vector<int64_t> found;
    for (const IcebergSnapshot* snapshot : metadata.history()) found.push_back(snapshot->id);
    return found;
  };
  add(8, 6, 7);
  add(9, 7, 7);  // after 8 was rolled back
  metadata.current_snapshot_id = 9;
  EXPECT_THAT(ids(), ElementsAre(9, 7, 6));
  std::erase_if(metadata.snapshots, [](const IcebergSnapshot& old) { return old.id == 7; });
  std::erase_if(metadata.snapshots, [](const IcebergSnapshot& old) { return old.id == 8; });
  EXPECT_THAT(ids(), ElementsAre(9, 6));
}

TEST(IcebergUpdates, ASnapshotBecomesTheCurrentOne) {
  // Proves what the two updates of a commit change, and that a second one of the number is refused.
  std::vector<TableUpdate> updates = {update::AddSnapshot{snapshot_of(8, 6, 7)},
                                      update::SetSnapshotRef{"main", 8}};
  Result<TableMetadata> next = apply(updates, small(), 120);
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_EQ(next->current_snapshot()->id, 8);
  EXPECT_EQ(next->last_sequence, 6);
  EXPECT_EQ(next->last_updated_ms, 150);
  EXPECT_EQ(next->snapshot_log.back(), (SnapshotLogEntry{150, 8}));
  EXPECT_FALSE(apply(updates, *next, 120));
  std::vector<TableUpdate> late = {update::AddSnapshot{snapshot_of(9, 6, 7)}};
  EXPECT_THAT(apply(late, *next, 120).error().message(), HasSubstr("sequence number 6"));
}

TEST(IcebergUpdates, SnapshotsGoWithTheirRefsAndTheLogBeforeThem) {
  // Proves what the removal of a snapshot takes with it.
  std::vector<TableUpdate> updates = {update::RemoveSnapshots{{6}}};
  Result<TableMetadata> next = apply(updates, small(), 120);
  ASSERT_TRUE(next);
  EXPECT_THAT(next->snapshots, SizeIs(1));
  EXPECT_FALSE(next->refs.contains("old"));
  EXPECT_THAT(next->snapshot_log, ElementsAre(SnapshotLogEntry{100, 7}));
  EXPECT_EQ(next->current_snapshot_id, 7);
}

TEST(IcebergUpdates, SchemasGetIdsAndEqualOnesAreTakenAgain) {
  // Proves that a schema that was added is named by -1, and that one of the same columns is found.
  TableMetadata metadata = small();
  IcebergSchema schema = metadata.current_schema();
  NestedField more = schema.fields[0];
  more.id = 2;
  more.name = "more";
  schema.fields.push_back(more);
  std::vector<TableUpdate> updates = {update::AddSchema{schema}, update::SetCurrentSchema{}};
  Result<TableMetadata> next = apply(updates, metadata, 120);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->current_schema_id, 1);
  EXPECT_EQ(next->last_column_id, 2);
  std::vector<TableUpdate> back = {update::AddSchema{metadata.current_schema()},
                                   update::SetCurrentSchema{}};
  next = apply(back, *next, 120);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->current_schema_id, 0);
  EXPECT_THAT(next->schemas, SizeIs(2));
  std::vector<TableUpdate> none = {update::SetCurrentSchema{5}};
  EXPECT_FALSE(apply(none, metadata, 120));
}

TEST(IcebergUpdates, TheMetadataLogIsCutOff) {
  // Proves that the next version names the file before it and keeps as many as the option says.
  TableChange change{
      .updates = {update::SetProperties{{{"write.metadata.previous-versions-max", "2"}}},
                  update::RemoveProperties{{"a"}}}};
  Result<TableMetadata> next = next_version(change, small(), "/w/t/m2", 120);
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->properties.contains("a"));
  EXPECT_THAT(next->metadata_log,
              ElementsAre(MetadataLogEntry{90, "/w/t/m1"}, MetadataLogEntry{100, "/w/t/m2"}));
  next = next_version({}, *next, "/w/t/m3", 130);
  EXPECT_THAT(next->metadata_log,
              ElementsAre(MetadataLogEntry{100, "/w/t/m2"}, MetadataLogEntry{120, "/w/t/m3"}));
}

TEST(IcebergUpdates, RequirementsAreHeldAgainstTheState) {
  // Proves which requirement is broken, in words.
  TableMetadata metadata = small();
  auto why = [&](TableRequirement requirement) {
    return broken_requirement(std::span(&requirement, 1), metadata).value_or("holds");
  };
  EXPECT_EQ(why(requirement::Uuid{"u"}), "holds");
  EXPECT_EQ(why(requirement::Uuid{"v"}), "its uuid is u, not v");
  EXPECT_EQ(why(requirement::RefSnapshot{"main", 7}), "holds");
  EXPECT_EQ(why(requirement::RefSnapshot{"main", std::nullopt}),
            "its snapshot of main is 7, not none");
  EXPECT_EQ(why(requirement::RefSnapshot{"other", std::nullopt}), "holds");
  EXPECT_EQ(why(requirement::CurrentSchema{0}), "holds");
  EXPECT_EQ(why(requirement::LastColumnId{3}), "its last column id is 1, not 3");
  EXPECT_EQ(why(requirement::NotThere{}), "it is there already");
}

TEST(IcebergUpdates, JsonIsThatOfRestCatalogs) {
  // Proves the documents that a REST catalog is sent, against its specification.
  auto json = [](const TableUpdate& update) {
    JsonWriter writer;
    write_update(update, &writer);
    return std::move(writer).finish();
  };
  EXPECT_EQ(json(update::SetSnapshotRef{"main", 8}),
            R"({"action":"set-snapshot-ref","ref-name":"main","type":"branch","snapshot-id":8})");
  EXPECT_EQ(json(update::SetSnapshotRef{"main", 8, "branch", {{"max-ref-age-ms", "5"}}}),
            R"({"action":"set-snapshot-ref","ref-name":"main","type":"branch","snapshot-id":8,)"
            R"("max-ref-age-ms":5})");
  EXPECT_EQ(json(update::RemoveSnapshots{{1, 2}}),
            R"({"action":"remove-snapshots","snapshot-ids":[1,2]})");
  EXPECT_EQ(json(update::SetProperties{{{"a", "b"}}}),
            R"({"action":"set-properties","updates":{"a":"b"}})");
  EXPECT_EQ(json(update::RemoveProperties{{"a"}}),
            R"({"action":"remove-properties","removals":["a"]})");
  EXPECT_EQ(json(update::AddSnapshot{snapshot_of(8, 6, 7)}),
            R"({"action":"add-snapshot","snapshot":{"sequence-number":6,"snapshot-id":8,)"
            R"("parent-snapshot-id":7,"timestamp-ms":150,"summary":{"operation":"append"},)"
            R"("manifest-list":"/w/t/8.avro"}})");
  EXPECT_EQ(json(update::SetCurrentSchema{}), R"({"action":"set-current-schema","schema-id":-1})");
  auto requirement = [](const TableRequirement& wanted) {
    JsonWriter writer;
    write_requirement(wanted, &writer);
    return std::move(writer).finish();
  };
  EXPECT_EQ(requirement(requirement::RefSnapshot{"main", std::nullopt}),
            R"({"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":null})");
  EXPECT_EQ(requirement(requirement::Uuid{"u"}), R"({"type":"assert-table-uuid","uuid":"u"})");
  EXPECT_EQ(requirement(requirement::NotThere{}), R"({"type":"assert-create"})");
}

}  // namespace
}  // namespace lakestream::iceberg
