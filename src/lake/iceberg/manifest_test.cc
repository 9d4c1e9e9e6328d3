#include "lake/iceberg/manifest.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lake/avro/avro_file.h"
#include "lake/iceberg/manifest_schema.h"
#include "lake/iceberg/table_metadata.h"

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

IcebergPartitionSpec spec() {
  return {.id = 1,
          .fields = {{3, 1000, "the day", "identity"}, {1, 1001, "id_bucket", "bucket[4]"}}};
}

IcebergSchema schema() {
  IcebergSchema made;
  for (std::string_view name : {"id", "name", "the day"}) {
    NestedField field;
    field.id = static_cast<int32_t>(made.fields.size() + 1);
    field.name = name;
    made.fields.push_back(std::move(field));
  }
  return made;
}

std::shared_ptr<const DataFile> data_file() {
  return std::make_shared<DataFile>(DataFile{
      .path = "/w/t/data/a.parquet",
      .partition = {.values = {"2026-11-30"}, .bucket = 3},
      .rows = 12,
      .bytes = 4711,
      .metrics = {{.id = 1, .bytes = 40, .values = 12, .nulls = 0, .lower = "a", .upper = "b"},
                  {.id = 2, .nulls = 12},
                  {.id = 3, .nans = 1}},
      .sort_order_id = 1,
      .split_offsets = {4, 2000}});
}

std::shared_ptr<const DataFile> delete_file() {
  return std::make_shared<DataFile>(DataFile{.content = FileContent::kEqualityDeletes,
                                             .path = "/w/t/data/b-deletes.parquet",
                                             .partition = {.values = {"2026-12-01"}, .bucket = 0},
                                             .rows = 2,
                                             .bytes = 100,
                                             .equality_ids = {1, 2}});
}

TEST(IcebergManifests, EntriesComeBack) {
  // Proves that all parts of entries are written and read, and that what is not said is inherited.
  std::vector<ManifestEntry> entries = {
      {.status = EntryStatus::kAdded, .snapshot_id = 5, .file = data_file()},
      {.status = EntryStatus::kAdded, .snapshot_id = 5, .sequence = 3, .file = data_file()},
      {.status = EntryStatus::kExisting,
       .snapshot_id = 4,
       .sequence = 2,
       .file_sequence = 2,
       .file = data_file()}};
  IcebergSchema columns = schema();
  IcebergPartitionSpec fields = spec();
  ManifestEncoding encoding{.schema = columns, .spec = fields};
  Result<Bytes> bytes = encode_manifest(entries, encoding);
  ASSERT_TRUE(bytes) << bytes.error().message();
  ManifestFile line = describe(entries, encoding, 5, 9);
  Result<Manifest> manifest = decode_manifest(bytes->view(), line, fields);
  ASSERT_TRUE(manifest) << manifest.error().message();
  EXPECT_FALSE(manifest->has_unknown_parts);
  ASSERT_THAT(manifest->entries, SizeIs(3));
  EXPECT_EQ(*manifest->entries[0].file, *data_file());
  EXPECT_EQ(manifest->entries[0].sequence, 9);
  EXPECT_EQ(manifest->entries[0].file_sequence, 9);
  EXPECT_EQ(manifest->entries[1].sequence, 3);
  EXPECT_EQ(manifest->entries[2].sequence, 2);
  EXPECT_EQ(manifest->entries[2].status, EntryStatus::kExisting);
  EXPECT_EQ(manifest->entries[2].snapshot_id, 4);

  avro::AvroReader reader = *avro::AvroReader::open(bytes->view());
  EXPECT_EQ(reader.metadata().at("content"), "data");
  EXPECT_EQ(reader.metadata().at("format-version"), "2");
  EXPECT_EQ(reader.metadata().at("partition-spec-id"), "1");
  EXPECT_THAT(reader.metadata().at("schema"), HasSubstr(R"("name":"the day")"));
  EXPECT_THAT(reader.schema().text(), HasSubstr(R"("name":"the_x20day")"));
}

TEST(IcebergManifests, LinesSayWhatIsInThem) {
  // Proves counts, sequence numbers and partition summaries of a line, and that a list keeps them.
  std::vector<ManifestEntry> entries = {
      {.status = EntryStatus::kAdded, .snapshot_id = 5, .file = delete_file()},
      {.status = EntryStatus::kExisting, .snapshot_id = 4, .sequence = 2, .file = data_file()},
      {.status = EntryStatus::kDeleted, .snapshot_id = 5, .sequence = 1, .file = data_file()}};
  IcebergSchema columns = schema();
  IcebergPartitionSpec fields = spec();
  ManifestFile line = describe(
      entries, {.schema = columns, .spec = fields, .content = ManifestContent::kDeletes}, 5, 9);
  line.path = "/w/t/metadata/a-m0.avro";
  line.length = 77;
  EXPECT_EQ(line.added_files, 1);
  EXPECT_EQ(line.existing_files, 1);
  EXPECT_EQ(line.deleted_files, 1);
  EXPECT_EQ(line.added_rows, 2);
  EXPECT_EQ(line.deleted_rows, 12);
  EXPECT_EQ(line.sequence, 9);
  EXPECT_EQ(line.min_sequence, 2);
  ASSERT_THAT(line.partitions, SizeIs(2));
  EXPECT_EQ(line.partitions[0].lower, "2026-11-30");
  EXPECT_EQ(line.partitions[0].upper, "2026-12-01");
  EXPECT_EQ(line.partitions[1].upper, std::string("\3\0\0\0", 4));
  Result<Bytes> bytes =
      encode_manifest_list(std::span(&line, 1), {.snapshot_id = 5, .sequence = 9});
  ASSERT_TRUE(bytes);
  EXPECT_THAT(*decode_manifest_list(bytes->view()), ElementsAre(line));
  EXPECT_EQ(avro::AvroReader::open(bytes->view())->metadata().at("parent-snapshot-id"), "null");

  using Values = std::vector<std::optional<std::string>>;
  EXPECT_TRUE(may_contain(line, {}));
  EXPECT_TRUE(may_contain(line, Values{std::nullopt}));
  EXPECT_TRUE(may_contain(line, Values{"2026-12-01"}));
  EXPECT_FALSE(may_contain(line, Values{"2026-11-29"}));
  EXPECT_FALSE(may_contain(line, Values{"2027-01-01"}));
}

TEST(IcebergManifests, ThoseOfPyicebergAreRead) {
  // Proves that lists and manifests of pyiceberg 0.12 are read with all that we know of.
  TableMetadata metadata = *metadata_from_json(read_testdata("table.metadata.json"));
  Result<std::vector<ManifestFile>> lines = decode_manifest_list(read_testdata("list.avro"));
  ASSERT_TRUE(lines) << lines.error().message();
  ASSERT_THAT(*lines, SizeIs(3));
  int64_t rows = 0;
  std::vector<std::string> days;
  for (size_t i = 0; i < lines->size(); ++i) {
    const ManifestFile& line = (*lines)[i];
    std::string bytes = read_testdata(fmt::format("manifest-{}.avro", i));
    EXPECT_EQ(static_cast<int64_t>(bytes.size()), line.length);
    ASSERT_THAT(line.partitions, SizeIs(2));
    Result<Manifest> manifest = decode_manifest(bytes, line, *metadata.find_spec(line.spec_id));
    ASSERT_TRUE(manifest) << manifest.error().message();
    for (const ManifestEntry& entry : manifest->entries) {
      if (entry.status == EntryStatus::kDeleted) continue;
      rows += entry.file->rows;
      days.push_back(entry.file->partition.values[0]);
      EXPECT_EQ(entry.file->format, "PARQUET");
      EXPECT_GT(*entry.sequence, 0);
      ASSERT_FALSE(entry.file->metrics.empty());
      EXPECT_EQ(entry.file->metrics[0].id, 1);
      EXPECT_EQ(entry.file->metrics[0].values, entry.file->rows);
      EXPECT_TRUE(entry.file->metrics[0].lower);
    }
  }
  EXPECT_EQ(rows, 3);
  std::sort(days.begin(), days.end());
  EXPECT_THAT(days, ElementsAre("2026-11-29", "2026-11-30"));
}

TEST(IcebergManifests, BytesThatAreDamagedAreRefused) {
  // Proves that no byte of a manifest or a list can be changed to crash a reader.
  IcebergSchema columns = schema();
  IcebergPartitionSpec fields = spec();
  std::vector<ManifestEntry> entries = {{.snapshot_id = 5, .file = data_file()}};
  ManifestEncoding encoding{.schema = columns, .spec = fields};
  Bytes bytes = *encode_manifest(entries, encoding);
  ManifestFile line = describe(entries, encoding, 5, 9);
  Bytes list = *encode_manifest_list(std::span(&line, 1), {.snapshot_id = 5, .sequence = 9});
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged(bytes.view());
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    (void)decode_manifest(damaged, line, fields);
    (void)decode_manifest(damaged.substr(0, i), line, fields);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    std::string damaged(list.view());
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    (void)decode_manifest_list(damaged);
  }
  IcebergPartitionSpec other{.fields = {{1, 1000, "id_bucket", "bucket[4]"}}};
  Result<Manifest> refused = decode_manifest(bytes.view(), line, other);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("the partition has 2 fields"));
}

}  // namespace
}  // namespace lakestream::iceberg
