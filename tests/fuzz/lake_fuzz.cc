#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "lake/avro/avro_file.h"
#include "lake/iceberg/manifest.h"
#include "lake/iceberg/table_metadata.h"
#include "lake/paimon/binary_row.h"
#include "lake/paimon/manifest.h"
#include "lake/paimon/schema.h"
#include "lake/paimon/snapshot.h"

// Reads the input behind its first byte as a file of a lake table, of the kind that the byte
// chooses. What is accepted has to be written and read again to the same value.
namespace lakestream::iceberg {
namespace {

void check_manifest(std::string_view input) {
  IcebergPartitionSpec spec{
      .fields = {{2, 1000, "day", "identity"}, {3, 1001, "__bucket", "identity"}}};
  Result<Manifest> manifest = decode_manifest(input, {}, spec);
  if (!manifest) return;
  IcebergSchema schema;
  Result<Bytes> written = encode_manifest(manifest->entries, {.schema = schema, .spec = spec});
  CHECK(written.has_value(), "a manifest can be written");
  Result<Manifest> again = decode_manifest(written->view(), {}, spec);
  CHECK(again.has_value() && again->entries.size() == manifest->entries.size(), "entries stay");
  for (size_t i = 0; i < again->entries.size(); ++i) {
    CHECK(*again->entries[i].file == *manifest->entries[i].file, "reading and writing settle");
  }
}

void check_manifest_list(std::string_view input) {
  Result<std::vector<ManifestFile>> files = decode_manifest_list(input);
  if (!files) return;
  Result<Bytes> written = encode_manifest_list(*files, {});
  CHECK(written.has_value(), "a list can be written");
  Result<std::vector<ManifestFile>> again = decode_manifest_list(written->view());
  CHECK(again.has_value() && *again == *files, "reading and writing settle");
}

void check_metadata(std::string_view input) {
  Result<TableMetadata> metadata = metadata_from_json(input);
  if (!metadata) return;
  Result<TableMetadata> again = metadata_from_json(to_json(*metadata));
  CHECK(again.has_value() && *again == *metadata, "reading and writing settle");
}

}  // namespace

void check(std::string_view input) {
  if (input.empty()) return;
  std::string_view rest = input.substr(1);
  if (input[0] == 'M') check_manifest(rest);
  if (input[0] == 'L') check_manifest_list(rest);
  if (input[0] == 'J') check_metadata(rest);
}

}  // namespace lakestream::iceberg

namespace lakestream::paimon {
namespace {

void check_avro(std::string_view input) {
  Result<avro::AvroReader> reader = avro::AvroReader::open(input);
  if (!reader) return;
  avro::AvroWriter writer(reader->schema(), {.codec = avro::AvroCodec::kNull});
  // Branches of a union that take the same values may be written as another one, so only that it
  // can be written.
  (void)reader->each([&](const avro::AvroValue& value) { return writer.append(value); });
}

void check_manifest(std::string_view input) {
  Result<Manifest> manifest = decode_manifest(input);
  if (!manifest) return;
  Result<Bytes> written = encode_manifest(manifest->entries, {});
  CHECK(written.has_value(), "a manifest can be written");
  Result<Manifest> again = decode_manifest(written->view());
  CHECK(again.has_value() && again->entries == manifest->entries, "reading and writing settle");
}

void check_manifest_list(std::string_view input) {
  Result<std::vector<ManifestFile>> files = decode_manifest_list(input);
  if (!files) return;
  Result<Bytes> written = encode_manifest_list(*files, {});
  CHECK(written.has_value(), "a list can be written");
  Result<std::vector<ManifestFile>> again = decode_manifest_list(written->view());
  CHECK(again.has_value() && *again == *files, "reading and writing settle");
}

void check_schema(std::string_view input) {
  Result<PaimonSchema> schema = paimon_schema_from_json(input);
  if (!schema) return;
  std::string written = to_json(*schema);
  Result<PaimonSchema> again = paimon_schema_from_json(written);
  CHECK(again.has_value() && to_json(*again) == written, "reading and writing settle");
}

void check_snapshot(std::string_view input) {
  Result<PaimonSnapshot> snapshot = paimon_snapshot_from_json(input);
  if (!snapshot) return;
  Result<PaimonSnapshot> again = paimon_snapshot_from_json(to_json(*snapshot));
  CHECK(again.has_value() && *again == *snapshot, "reading and writing settle");
}

void check_row(std::string_view input) {
  const DataType types[] = {DataType::bigint(), DataType::string(), DataType::timestamp(6)};
  Arena arena;
  Result<std::span<const Value>> row = read_binary_row(types, input, &arena);
  if (!row) return;
  std::string written = binary_row(types, *row);
  Result<std::span<const Value>> again = read_binary_row(types, written, &arena);
  CHECK(again.has_value() && binary_row(types, *again) == written, "reading and writing settle");
}

void check(std::string_view input) {
  if (input.empty()) return;
  std::string_view rest = input.substr(1);
  switch (input[0]) {
    case 'a':
      return check_avro(rest);
    case 'm':
      return check_manifest(rest);
    case 'l':
      return check_manifest_list(rest);
    case 'c':
      return check_schema(rest);
    case 's':
      return check_snapshot(rest);
    case 'r':
      return check_row(rest);
    default:
      return;
  }
}

}  // namespace
}  // namespace lakestream::paimon

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  lakestream::paimon::check(input);
  lakestream::iceberg::check(input);
  return 0;
}
