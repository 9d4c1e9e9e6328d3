#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/logging.h"
#include "format/batch.h"
#include "io/sim/sim_disk.h"
#include "kv/kv_mark.h"
#include "log/file_names.h"
#include "log/recovery.h"
#include "log/remote_segment.h"
#include "log/segment_index.h"
#include "log/segment_scan.h"
#include "log/store_files.h"
#include "meta/acl_record.h"
#include "meta/records.h"
#include "table/json.h"
#include "table/remote_documents.h"

// What lies on the disk, in remote storage and in the metadata store: the first byte says what the
// rest is. What is read is written and read again to the same value. A log's directory of any
// content is opened without a crash, and what the first start leaves is in order for the second.
// Checksums are set right first, so that what lies behind them is reached.
namespace lakestream {
namespace {

Bytes sealed(std::string_view input) {
  std::string content(input);
  uint32_t crc = crc32c({reinterpret_cast<const uint8_t*>(input.data()), input.size()});
  for (int shift = 0; shift < 32; shift += 8) content.push_back(static_cast<char>(crc >> shift));
  return Bytes::copy_of(content);
}

// --- documents and records

template <typename Value>
std::string written(const Value& value) {
  if constexpr (requires { to_json(value); }) {
    return to_json(value);
  } else {
    return std::string(encode(value).view());
  }
}

template <typename Decode>
void check_text(Decode decode, std::string_view input) {
  auto value = decode(input);
  if (!value) return;
  std::string text = written(*value);
  auto again = decode(text);
  CHECK(again.has_value() && *again == *value, "reading and writing settle");
}

template <typename Decode>
void check_record(Decode decode, std::string_view input) {
  check_text([decode](std::string_view text) { return decode(Bytes::copy_of(text)); }, input);
}

void check_document(char kind, std::string_view input) {
  switch (kind) {
    case 'a':
      return check_text(remote_log_manifest_from_json, input);
    case 'b':
      return check_text(table_bucket_offsets_from_json, input);
    case 'c':
      return check_text(kv_snapshot_from_json, input);
    case 'd':
      return check_text(kv_table_lease_from_json, input);
    case 'e':
      return check_text(data_type_from_json, input);
    case 'f':
      return check_text(schema_from_json, input);
    case 'g':
      return check_text(table_from_json, input);
    case 'h':
      return check_text(database_from_json, input);
    default:
      return;
  }
}

void check_meta(char kind, std::string_view input) {
  switch (kind) {
    case 'A':
      return check_record(decode_cluster_config, input);
    case 'B':
      return check_record(decode_server_tags, input);
    case 'C':
      return check_record(decode_rebalance, input);
    case 'D':
      return check_record(decode_database, input);
    case 'E':
      return check_record(decode_table, input);
    case 'F':
      return check_record(decode_partition, input);
    case 'G':
      return check_record(decode_assignment, input);
    case 'H':
      return check_record(decode_leader_isr, input);
    case 'I':
      return check_record(decode_kv_snapshot, input);
    case 'J':
      return check_record(decode_remote_log, input);
    case 'K':
      return check_record(decode_kv_lease, input);
    case 'L':
      return check_record(decode_producer, input);
    case 'M':
      return check_record(decode_lake_table, input);
    case 'N':
      return check_record(decode_acl, input);
    case 'O':
      (void)decode_counter(Bytes::copy_of(input));
      (void)decode_epoch(Bytes::copy_of(input));
      (void)decode_number(input, std::numeric_limits<int32_t>::max());
      return;
    default:
      return;
  }
}

// --- files of logs and key-value stores

using namespace log_internal;  // NOLINT: its files are what is read here

template <typename Decode, typename Encode>
void check_file(Decode decode, Encode encode_again, std::string_view input) {
  auto value = decode(sealed(input));
  if (!value) return;
  Bytes bytes = encode_again(*value);
  auto again = decode(bytes);
  CHECK(again.has_value() && encode_again(*again) == bytes, "reading and writing settle");
}

void check_mark(std::string_view input) {
  Result<KvMark> mark = parse_mark(input);
  if (!mark) return;
  Result<KvMark> again = parse_mark(encode_mark(*mark));
  CHECK(again.has_value() && *again == *mark, "reading and writing settle");
}

void put(SimDisk& disk, const std::string& path, const Bytes& content) {
  auto file = disk.open(path, OpenMode::kCreate);
  CHECK(file.has_value() && (*file)->truncate(0).has_value(), "a file on a disk in memory");
  CHECK((*file)->write_at(0, {&content, 1}).has_value(), "a write to memory");
}

// Batches with the length that they say and the right checksum, as far as they go.
Bytes sealed_batches(std::string_view input) {
  MutableBytes bytes = MutableBytes::allocate(input.size());
  std::ranges::copy(input, bytes.data());
  for (size_t at = 0; bytes.size() - at >= batch_header_size(kBatchMagicMax);) {
    auto length = load_le<int32_t>(bytes.data() + at + 8);
    size_t size = static_cast<size_t>(static_cast<uint32_t>(length)) + 12;
    if (size < batch_header_size(kBatchMagicMax) || size > bytes.size() - at) break;
    if (bytes.data()[at + 12] <= kBatchMagicMax) seal_batch(bytes.span().subspan(at, size));
    at += size;
  }
  return std::move(bytes).freeze();
}

constexpr const char* kDirectory = "/log-0";

// Files one after the other: kind, offset in the name, u16 size, content.
void put_files(SimDisk& disk, std::string_view input) {
  CHECK(disk.create_directories(kDirectory).has_value(), "a directory in memory");
  while (input.size() >= 4) {
    auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(input[i])); };
    size_t kind = byte(0) % 5;
    Offset offset(static_cast<int64_t>(byte(1)));
    size_t size = std::min(byte(2) | byte(3) << 8, input.size() - 4);
    std::string_view content = input.substr(4, size);
    input.remove_prefix(4 + size);
    if (kind == 4) {
      put(disk, std::string(kDirectory) + "/" + std::string(kManifestName), sealed(content));
      continue;
    }
    std::string path = file_path(kDirectory, offset, static_cast<FileKind>(kind));
    bool is_sealed = kind == 3;
    Bytes bytes = kind == 0 ? sealed_batches(content) : Bytes::copy_of(content);
    put(disk, path, is_sealed ? sealed(content) : bytes);
  }
}

void check_index(SimDisk& disk, const OpenedSegment& segment) {
  auto index = IndexFiles::open(disk, kDirectory, segment.base_offset);
  if (!index) return;
  for (int64_t at : {0, 1, 100}) {
    (void)index->floor(at, index->count());
    (void)index->floor(TimestampMs(at), index->count());
    (void)index->count_before(static_cast<uint64_t>(at));
  }
  LogSegment whole{.base_offset = segment.base_offset,
                   .end_offset = segment.end_offset,
                   .size = segment.size,
                   .max_timestamp = segment.max_timestamp,
                   .sealed = true,
                   .path = file_path(kDirectory, segment.base_offset, FileKind::kLog)};
  (void)check_segment(disk, whole, 64);
}

// The first byte is the recovery point.
void check_log(std::string_view input) {
  if (input.empty()) return;
  SimDisk disk(Random(1));
  put_files(disk, input.substr(1));
  OpenHints hints;
  hints.recovery_point.offset = Offset(static_cast<unsigned char>(input[0]));
  hints.index_interval_bytes = 64;
  auto opened = open_log_directory(disk, kDirectory, hints);
  if (!opened) return;
  CHECK(!opened->segments.empty(), "a log has a segment");
  for (const OpenedSegment& segment : opened->segments) check_index(disk, segment);
  auto again = open_log_directory(disk, kDirectory, hints);
  CHECK(again.has_value(), "what was recovered can be opened");
  CHECK(again->bytes_cut == 0, "what was recovered is in order");
  CHECK(again->segments.back().end_offset == opened->segments.back().end_offset, "the log's end");
  CHECK(again->writers == opened->writers, "writers stay known");
}

void check_log_file(char kind, std::string_view input) {
  switch (kind) {
    case '0':
      return check_log(input);
    case '1':
      return check_file(
          WriterStates::decode, [](const WriterStates& states) { return states.encode(); }, input);
    case '2':
      return check_file(decode_clean_logs, encode_clean_logs, input);
    case '3':
      return check_file(decode_recovery_points, encode_recovery_points, input);
    case '4':
      return check_mark(input);
    default:
      return;
  }
}

}  // namespace
}  // namespace lakestream

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  lakestream::set_log_level(lakestream::LogLevel::kError);
  std::string_view input(reinterpret_cast<const char*>(data), size);
  lakestream::check_document(input[0], input.substr(1));
  lakestream::check_meta(input[0], input.substr(1));
  lakestream::check_log_file(input[0], input.substr(1));
  return 0;
}
