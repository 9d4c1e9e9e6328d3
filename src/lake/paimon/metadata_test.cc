#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "format/keys.h"
#include "lake/file_names.h"
#include "lake/paimon/binary_row.h"
#include "lake/paimon/lake_files.h"
#include "lake/paimon/manifest.h"
#include "lake/paimon/partitions.h"
#include "lake/paimon/schema.h"
#include "lake/paimon/snapshot.h"
#include "lake/paimon/types.h"
#include "table/json_reader.h"

namespace lakestream::paimon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string read_testdata(const std::string& name) {
  std::ifstream file(std::string(LAKESTREAM_SOURCE_DIR "/src/lake/testdata/pypaimon/") + name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string hex(std::string_view bytes) {
  return to_hex({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

TEST(PaimonBinaryRow, BytesAreThoseOfPaimon) {
  // Proves the bytes against rows that pypaimon 2.1.0 made, and that reading them gives the values.
  struct Case {
    std::vector<DataType> types;
    std::vector<Value> values;
    std::string bytes;
  };
  DataType string = DataType::string();
  std::string zeros(16, '0');
  const Case cases[] = {
      {{}, {}, "00000000" + zeros},
      {{DataType::bigint()}, {Value::integer(1)}, "00000001" + zeros + "0100000000000000"},
      {{DataType::bigint()}, {Value::integer(-1)}, "00000001" + zeros + "ffffffffffffffff"},
      {{DataType::integer()}, {Value::integer(7)}, "00000001" + zeros + "0700000000000000"},
      {{string}, {Value::bytes("abc")}, "00000001" + zeros + "6162630000000083"},
      {{string}, {Value::bytes("seven77")}, "00000001" + zeros + "736576656e373787"},
      {{string},
       {Value::bytes("eight888")},
       "00000001" + zeros + "08000000100000006569676874383838"},
      {{string},
       {Value::bytes("a-longer-string")},
       "00000001" + zeros + "0f00000010000000612d6c6f6e6765722d737472696e6700"},
      {{DataType::integer(), string},
       {Value::integer(5), Value::bytes("k5")},
       "00000002" + zeros + "05000000000000006b35000000000082"},
      {{DataType::integer(), string},
       {Value::null(), Value::bytes("k5")},
       "00000002" + std::string("0001000000000000") + zeros + "6b35000000000082"},
  };
  for (const Case& c : cases) {
    std::string row = binary_row(c.types, c.values);
    EXPECT_EQ(hex(row), c.bytes);
    Arena arena;
    Result<std::span<const Value>> back = read_binary_row(c.types, row, &arena);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(std::vector<Value>(back->begin(), back->end()), c.values);
  }
}

TEST(PaimonBinaryRow, BytesThatAreNoRowAreRefused) {
  // Proves that a row that is cut off or of other columns gives an error.
  std::vector<DataType> types = {DataType::bigint(), DataType::string()};
  std::vector<Value> values = {Value::integer(1), Value::bytes("a-longer-string")};
  std::string row = binary_row(types, values);
  Arena arena;
  for (size_t size = 0; size < row.size() - 1; ++size) {
    EXPECT_FALSE(read_binary_row(types, row.substr(0, size), &arena)) << size;
  }
  EXPECT_EQ(read_binary_row({}, row, &arena).error().message(),
            "BinaryRow of 2 fields: 0 are expected");
}

Result<DataType> type_of_text(std::string_view json) {
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(json, ErrorCode::kUnknownServerError));
  return type_of(document.root());
}

std::string written(std::string_view json) {
  Result<DataType> type = type_of_text(json);
  if (!type) return type.error().message();
  JsonWriter out;
  write_type(*type, &out);
  return std::move(out).finish();
}

std::string written_scalar(std::string_view text) {
  std::string out = written(fmt::format("\"{}\"", text));
  return out.starts_with('"') ? out.substr(1, out.size() - 2) : out;
}

TEST(PaimonTypes, TextsAreReadAndWritten) {
  // Proves every type's own text.
  for (std::string_view text : {"BOOLEAN",
                                "TINYINT",
                                "SMALLINT",
                                "INT NOT NULL",
                                "BIGINT",
                                "FLOAT",
                                "DOUBLE",
                                "CHAR(3)",
                                "STRING NOT NULL",
                                "BINARY(4)",
                                "BYTES",
                                "DECIMAL(10, 2)",
                                "DATE",
                                "TIME(0)",
                                "TIMESTAMP(6)",
                                "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL"}) {
    EXPECT_EQ(written_scalar(text), text);
  }
  for (std::string_view text :
       {R"({"type":"ARRAY NOT NULL","element":"INT"})",
        R"({"type":"MAP","key":"STRING NOT NULL","value":{"type":"ARRAY","element":"BIGINT"}})",
        R"({"type":"ROW","fields":[{"id":4,"name":"a","type":"INT","description":"an a"}]})"}) {
    EXPECT_EQ(written(text), text);
  }
}

TEST(PaimonTypes, OtherSpellingsAreRead) {
  // Proves the spellings of other writers, and that what is no type of ours is refused.
  EXPECT_EQ(written_scalar("TIMESTAMP_LTZ(3)"), "TIMESTAMP(3) WITH LOCAL TIME ZONE");
  EXPECT_EQ(written_scalar("TIMESTAMP WITHOUT TIME ZONE"), "TIMESTAMP(6)");
  EXPECT_EQ(written_scalar("VARCHAR(2147483647)"), "STRING");
  EXPECT_EQ(written_scalar("decimal(5) null"), "DECIMAL(5, 0)");
  EXPECT_EQ(written_scalar("INTEGER"), "INT");
  for (std::string_view text :
       {"VARCHAR(20)", "", "INT INT", "CHAR(", "CHAR(x)", "DECIMAL(99, 2)", "VARIANT"}) {
    EXPECT_THAT(written_scalar(text), HasSubstr("there is no such type here")) << text;
  }
  EXPECT_THAT(written(R"({"type":"MULTISET","element":"INT"})"), HasSubstr("no nested type"));
}

TEST(PaimonSchema, DocumentsOfPypaimonAreRead) {
  // Proves that a schema file of pypaimon 2.1.0 is understood, and that ours is read again.
  Result<PaimonSchema> schema = paimon_schema_from_json(read_testdata("pk.schema-0"));
  ASSERT_TRUE(schema) << schema.error().message();
  EXPECT_EQ(schema->id, 0);
  ASSERT_EQ(schema->fields.size(), 5u);
  EXPECT_EQ(schema->fields[0].type, DataType::bigint().not_null());
  EXPECT_EQ(schema->fields[3].type, DataType::timestamp_ltz(3));
  EXPECT_THAT(schema->trimmed_primary_key(), ElementsAre("id"));
  EXPECT_THAT(schema->partition_keys, ElementsAre("dt"));
  EXPECT_EQ(schema->bucket_count(), 2);
  EXPECT_FALSE(schema->has_system_columns());
  Result<PaimonSchema> again = paimon_schema_from_json(to_json(*schema));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(to_json(*again), to_json(*schema));
  EXPECT_EQ(again->fields, schema->fields);
}

TEST(PaimonSchema, DocumentsThatAreNoneAreRefused) {
  // Proves that what is missing or does not fit is named.
  auto refused = [](std::string_view text) {
    Result<PaimonSchema> schema = paimon_schema_from_json(text);
    return schema ? "taken" : schema.error().message();
  };
  EXPECT_THAT(refused(""), HasSubstr("no JSON"));
  EXPECT_THAT(refused("{}"), HasSubstr("id: is missing"));
  EXPECT_THAT(refused(R"({"version":3,"id":0,"fields":[],"highestFieldId":0,
                      "partitionKeys":["dt"],"primaryKeys":[],"options":{}})"),
              HasSubstr("key 'dt' is no field"));
}

TEST(PaimonSnapshot, DocumentsOfPypaimonAreRead) {
  // Proves that a snapshot of pypaimon 2.1.0 is understood, and that ours is read again.
  Result<PaimonSnapshot> snapshot = paimon_snapshot_from_json(read_testdata("pk.snapshot-2"));
  ASSERT_TRUE(snapshot) << snapshot.error().message();
  EXPECT_EQ(snapshot->id, 2);
  EXPECT_EQ(snapshot->commit_kind, "APPEND");
  EXPECT_EQ(snapshot->total_records, 5);
  EXPECT_EQ(snapshot->delta_records, 2);
  snapshot->properties = {{"fluss-offsets", "file:/r/a.offsets"}};
  snapshot->changelog_manifest_list = "manifest-list-c";
  Result<PaimonSnapshot> again = paimon_snapshot_from_json(to_json(*snapshot));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, *snapshot);
  EXPECT_FALSE(paimon_snapshot_from_json(R"({"version":3,"id":1})"));
}

TEST(PaimonPartitions, TextsRowsAndFoldersBelongTogether) {
  // Proves for each type that the text in our partition name, the row and the folder name agree;
  // folder names are those that Paimon's cast to a string gives.
  struct Case {
    DataType type;
    std::string text;
    std::string folder;
  };
  const Case cases[] = {
      {DataType::string(), "eu-1", "p=eu-1/bucket-3"},
      {DataType::char_(4), "abcd", "p=abcd/bucket-3"},
      {DataType::boolean(), "true", "p=true/bucket-3"},
      {DataType::boolean(), "false", "p=false/bucket-3"},
      {DataType::tinyint(), "-128", "p=-128/bucket-3"},
      {DataType::integer(), "2026", "p=2026/bucket-3"},
      {DataType::bigint(), "-9223372036854775808", "p=-9223372036854775808/bucket-3"},
      {DataType::date(), "2026-11-30", "p=2026-11-30/bucket-3"},
      {DataType::date(), "1969-12-31", "p=1969-12-31/bucket-3"},
      {DataType::time(0), "12-34-56_789", "p=12%3A34%3A56/bucket-3"},
      {DataType::timestamp(3), "2026-11-30-12-34-56_7", "p=2026-11-30 12%3A34%3A56.700/bucket-3"},
      {DataType::timestamp(0), "2026-11-30-12-34-56_", "p=2026-11-30 12%3A34%3A56/bucket-3"},
      {DataType::timestamp_ltz(6),
       "1969-12-31-23-59-59_999999",
       "p=1969-12-31 23%3A59%3A59.999999/bucket-3"},
      {DataType::float_(), "1_5", "p=1.5/bucket-3"},
      {DataType::float_(), "1_0E10", "p=1.0E10/bucket-3"},
      {DataType::double_(), "-Inf", "p=-Infinity/bucket-3"},
  };
  for (const Case& c : cases) {
    PaimonSchema schema;
    schema.fields = {{.id = 0, .name = "p", .type = c.type}};
    schema.partition_keys = {"p"};
    Result<Partitioning> partitioning = Partitioning::of(schema);
    ASSERT_TRUE(partitioning);
    Result<std::string> row = partitioning->row_of({c.text});
    ASSERT_TRUE(row) << row.error().message();
    EXPECT_THAT(*partitioning->values_of(*row), ElementsAre(c.text));
    EXPECT_EQ(partitioning->place_of(*row, 3, 4)->folder, c.folder);
  }
}

TEST(PaimonPartitions, TextsOfNoValueAreRefused) {
  // Proves that a text which is not the value's own way to be written is refused.
  for (const auto& [type, text] : std::vector<std::pair<DataType, std::string>>{
           {DataType::integer(), "007"},
           {DataType::integer(), "2147483648"},
           {DataType::integer(), ""},
           {DataType::tinyint(), "200"},
           {DataType::boolean(), "TRUE"},
           {DataType::date(), "2026-2-1"},
           {DataType::date(), "2026-02-31"},
           {DataType::date(), "x"},
           {DataType::time(0), "25-00-00_000"},
           {DataType::timestamp(3), "2026-11-30-12-34-56"},
           {DataType::double_(), "1_50"}}) {
    Result<Value> value = partition_value(type, text);
    ASSERT_FALSE(value) << type.to_string() << " " << text;
    EXPECT_EQ(value.error().code(), ErrorCode::kPartitionSpecInvalidException);
  }
}

TEST(PaimonPartitions, FolderNamesAreEscaped) {
  // Proves the escapes, and the folder of what is null or blank.
  EXPECT_EQ(escape_folder("a b/c=d%\x01[x]^"), "a b%2Fc%3Dd%25%01%5Bx%5D%5E");
  PaimonSchema schema;
  schema.fields = {{.id = 0, .name = "p=q", .type = DataType::string()}};
  schema.partition_keys = {"p=q"};
  Result<Partitioning> partitioning = Partitioning::of(schema);
  std::vector<DataType> types = {DataType::string()};
  for (Value value : {Value::null(), Value::bytes(""), Value::bytes(" \t")}) {
    std::string row = binary_row(types, {&value, 1});
    EXPECT_EQ(partitioning->place_of(row, 0, -1)->folder, "p%3Dq=__DEFAULT_PARTITION__/bucket-0");
  }
}

ManifestEntry entry_of(std::string name, std::string partition = "") {
  ManifestEntry entry;
  entry.partition = std::move(partition);
  entry.bucket = 1;
  entry.total_buckets = 4;
  entry.file = DataFile{.name = std::move(name), .size = 100, .rows = 10};
  return entry;
}

TEST(PaimonManifest, FilesOfPypaimonAreRead) {
  // Proves that manifests and lists of pypaimon 2.1.0 are understood.
  Result<std::vector<ManifestFile>> list = decode_manifest_list(read_testdata("pk.delta-list"));
  ASSERT_TRUE(list) << list.error().message();
  ASSERT_EQ(list->size(), 1u);
  EXPECT_EQ(list->front().added_files, 2);
  EXPECT_EQ(list->front().deleted_files, 0);
  EXPECT_EQ(static_cast<size_t>(list->front().size), read_testdata("pk.manifest").size());
  Result<Manifest> manifest = decode_manifest(read_testdata("pk.manifest"));
  ASSERT_TRUE(manifest) << manifest.error().message();
  ASSERT_EQ(manifest->entries.size(), 2u);
  EXPECT_FALSE(manifest->has_unknown_parts);
  PaimonSchema schema = *paimon_schema_from_json(read_testdata("pk.schema-0"));
  Partitioning partitioning = *Partitioning::of(schema);
  std::vector<DataType> key = {DataType::bigint()};
  int64_t rows = 0;
  for (const ManifestEntry& entry : manifest->entries) {
    EXPECT_EQ(entry.kind, EntryKind::kAdd);
    EXPECT_EQ(entry.total_buckets, 2);
    EXPECT_THAT(*partitioning.values_of(entry.partition), ElementsAre("2026-11-30"));
    Arena arena;
    EXPECT_TRUE(read_binary_row(key, entry.file.min_key, &arena));
    EXPECT_EQ(entry.file.level, 0);
    rows += entry.file.rows;
  }
  EXPECT_EQ(rows, 3);
}

TEST(PaimonManifest, WhatIsWrittenIsReadAgain) {
  // Proves the round trip of entries with all of their parts, and of lines of a list.
  std::vector<DataType> key = {DataType::bigint()};
  std::vector<Value> one = {Value::integer(1)};
  ManifestEntry full = entry_of("data-1.parquet", binary_row({}, {}));
  full.kind = EntryKind::kDelete;
  full.file.min_key = binary_row(key, one);
  full.file.max_key = full.file.min_key;
  full.file.key_stats = {full.file.min_key, full.file.max_key, {0}};
  full.file.value_stats = {full.file.min_key, full.file.max_key, {std::nullopt}};
  full.file.value_stats_columns = std::nullopt;
  full.file.min_sequence = 5;
  full.file.max_sequence = 9;
  full.file.schema_id = 2;
  full.file.level = 5;
  full.file.created_ms = 1'768'467'000'000;
  full.file.delete_rows = -1;
  full.file.compacted = true;
  full.foreign = {{"a.index"}, "embedded", "s3://b/x", 77, std::vector<std::string>{"id"}};
  std::vector<ManifestEntry> entries = {full, entry_of("data-2.parquet", binary_row({}, {}))};
  Result<Bytes> file = encode_manifest(entries, {});
  ASSERT_TRUE(file) << file.error().message();
  Result<Manifest> back = decode_manifest(file->view());
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->entries, entries);
  EXPECT_FALSE(back->has_unknown_parts);

  ManifestFile line = describe(entries, {});
  line.name = "manifest-1";
  line.size = 7;
  EXPECT_EQ(line.added_files, 1);
  EXPECT_EQ(line.deleted_files, 1);
  EXPECT_EQ(line.max_level, 5);
  Result<Bytes> list = encode_manifest_list({&line, 1}, {});
  ASSERT_TRUE(list);
  EXPECT_THAT(*decode_manifest_list(list->view()), ElementsAre(line));
}

TEST(PaimonManifest, StatisticsOfPartitionsAreByValue) {
  // Proves that the smallest and largest values are those of the type, not of the bytes.
  std::vector<DataType> types = {DataType::integer()};
  std::vector<ManifestEntry> entries;
  for (int64_t value : {256, 1, -1}) {
    Value cell = Value::integer(value);
    entries.push_back(entry_of("data", binary_row(types, {&cell, 1})));
  }
  Value null = Value::null();
  entries.push_back(entry_of("data", binary_row(types, {&null, 1})));
  ManifestFile line = describe(entries, types);
  Arena arena;
  EXPECT_EQ((*read_binary_row(types, line.partition_stats.min_values, &arena))[0],
            Value::integer(-1));
  EXPECT_EQ((*read_binary_row(types, line.partition_stats.max_values, &arena))[0],
            Value::integer(256));
  EXPECT_THAT(line.partition_stats.null_counts, ElementsAre(1));
}

TEST(PaimonManifest, EntriesMergeInOrder) {
  // Proves what is left: an entry that deletes takes the one before, at the same level alone.
  auto added = [](std::string name, int32_t level) {
    ManifestEntry entry = entry_of(std::move(name));
    entry.file.level = level;
    return entry;
  };
  auto deleted = [&](std::string name, int32_t level) {
    ManifestEntry entry = added(std::move(name), level);
    entry.kind = EntryKind::kDelete;
    return entry;
  };
  std::vector<ManifestEntry> left = merge_entries({added("a", 0),
                                                   added("b", 0),
                                                   deleted("a", 0),
                                                   added("a", 5),  // moved to another level
                                                   deleted("before", 0)});
  EXPECT_THAT(left, ElementsAre(added("b", 0), added("a", 5), deleted("before", 0)));
}

TEST(PaimonFiles, NamesAreTheirOwn) {
  // Proves the form of names, and that neither a name nor a process gives one again.
  FileNames names(Random(7));
  FileNames others(Random(8));
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.merge(std::set{names.uuid(), others.uuid()});
  EXPECT_EQ(seen.size(), 2000u);
  EXPECT_THAT(*seen.begin(), testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-.*"));
}

TEST(PaimonFiles, WhatAWriterMadeComesBack) {
  // Proves that a commit sees what the writer wrote, and how much that is.
  WrittenFiles written;
  written.place.bucket = 3;
  written.added = {entry_of("a").file, entry_of("b").file};
  LakeFiles files = to_lake_files(written);
  EXPECT_EQ(files.rows(), 20u);
  EXPECT_EQ(files.bytes(), 200u);
  ASSERT_NE(written_files(files), nullptr);
  EXPECT_EQ(written_files(files)->place.bucket, 3);
  EXPECT_EQ(written_files(LakeFiles()), nullptr);
}

TEST(PaimonManifest, DamagedFilesAreRefused) {
  // Proves that no cut and no changed byte of a manifest leads beyond an error.
  std::string file = read_testdata("pk.manifest");
  for (size_t at = 0; at < file.size(); at += 3) {
    (void)decode_manifest(std::string_view(file).substr(0, at));
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x21);
    (void)decode_manifest(damaged);
    (void)decode_manifest_list(damaged);
  }
  EXPECT_FALSE(decode_manifest(read_testdata("pk.delta-list")));
}

}  // namespace
}  // namespace lakestream::paimon
