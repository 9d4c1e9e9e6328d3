#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/endian.h"
#include "base/ids.h"
#include "base/result.h"

// The log record batch: the unit of produce, storage, replication and fetch. A log segment and the
// records of a message are a plain concatenation of batches. BatchView reads the header of one
// batch of magic 0, 1 or 2, BatchHeaderView does so without the rest of the batch; BatchReader
// walks a concatenation; stamp_batch() fills what the server decides, outside the checksum. The
// rules that need a schema are in format/batch_shape.h.
//
// A checksum that does not match is damage on the way (kCorruptRecordException, a client sends
// again). A batch that is wrong under a right checksum is kUnknownServerError: sending it again can
// not help.
//
// Thread rule: a BatchView belongs to one thread at a time; it shares the owner of its bytes. A
// BatchHeaderView may not outlive them.
//
//   BatchReader reader(records);
//   for (;;) {
//     ASSIGN_OR_RETURN(std::optional<BatchView> batch, reader.next());
//     if (!batch) break;
//     RETURN_IF_ERROR(batch->validate());
//   }
namespace lakestream {

// What a record did to its table. The numbers are the bytes of the format.
enum class ChangeType : int8_t {
  kAppend = 0,        // +A
  kInsert = 1,        // +I
  kUpdateBefore = 2,  // -U
  kUpdateAfter = 3,   // +U
  kDelete = 4,        // -D
};
inline constexpr int8_t kChangeTypeMax = 4;

inline constexpr int8_t kBatchMagicMax = 2;
inline constexpr size_t kBatchLengthEnd =
    12;  // base offset and length, in front of what length counts
inline constexpr size_t kBatchHeaderBytesMin = 48;  // of magic 0

// The positions that differ between the magics; the rest follows the checksum in the same order.
constexpr size_t batch_crc_position(int8_t magic) { return magic == 2 ? 25 : 21; }
constexpr size_t batch_header_size(int8_t magic) { return magic == 0 ? 48 : magic == 1 ? 52 : 56; }

// A part of a batch.
struct BatchRange {
  size_t offset = 0;
  size_t size = 0;
};

// The fields of a header, read in place; the rest of the batch may be elsewhere.
class BatchHeaderView {
 public:
  // Checks the magic and that all of the header is there. The view does not own the bytes. Errors:
  // kUnknownServerError.
  static Result<BatchHeaderView> parse(std::span<const uint8_t> start);

  size_t header_size() const { return batch_header_size(magic_); }
  size_t crc_position() const { return batch_crc_position(magic_); }
  // Of the whole batch, as its length field says.
  int64_t announced_size() const {
    return int64_t{load<int32_t>(8)} + static_cast<int64_t>(kBatchLengthEnd);
  }

  Offset base_offset() const { return Offset(load<int64_t>(0)); }
  int8_t magic() const { return magic_; }
  TimestampMs commit_timestamp() const { return TimestampMs(load<int64_t>(13)); }
  // kNoLeaderEpoch for magic 0 and 1.
  LeaderEpoch leader_epoch() const {
    return magic_ == 2 ? LeaderEpoch(load<int32_t>(21)) : kNoLeaderEpoch;
  }
  uint32_t crc() const { return load<uint32_t>(crc_position()); }
  SchemaId schema_id() const { return SchemaId(load<int16_t>(crc_position() + 4)); }
  uint8_t attributes() const { return load<uint8_t>(crc_position() + 6); }
  bool append_only() const { return (attributes() & 1) != 0; }
  int32_t last_offset_delta() const { return load<int32_t>(crc_position() + 7); }
  WriterId writer_id() const { return WriterId(load<int64_t>(crc_position() + 11)); }
  int32_t batch_sequence() const { return load<int32_t>(crc_position() + 19); }
  int32_t record_count() const { return load<int32_t>(crc_position() + 23); }
  int32_t statistics_size() const { return magic_ == 0 ? 0 : load<int32_t>(crc_position() + 27); }

  // An empty batch takes one offset too.
  Offset last_offset() const { return Offset(base_offset().value() + last_offset_delta()); }
  Offset next_offset() const { return Offset(last_offset().value() + 1); }

 private:
  BatchHeaderView(const uint8_t* header, int8_t magic) : header_(header), magic_(magic) {}

  template <typename T>
  T load(size_t position) const {
    return load_le<T>(header_ + position);
  }

  const uint8_t* header_;
  int8_t magic_;
};

class BatchView : public BatchHeaderView {
 public:
  // The view of exactly one batch. Checks the magic and that the size is the one the header says,
  // so that every accessor stays inside. Errors: kUnknownServerError.
  static Result<BatchView> parse(Bytes bytes);

  const Bytes& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }

  std::span<const uint8_t> statistics() const {
    return bytes_.span().subspan(header_size(), static_cast<size_t>(statistics_size()));
  }
  // What follows the header and the statistics.
  size_t records_position() const { return header_size() + static_cast<size_t>(statistics_size()); }
  Bytes records() const { return bytes_.slice(records_position()); }

  // The checksum over everything from the schema id to the end. Errors: kCorruptRecordException.
  Status validate_crc() const;
  // The checksum and every rule of the header. Errors: kCorruptRecordException for the checksum,
  // kUnknownServerError for the rest.
  Status validate() const;

 private:
  BatchView(BatchHeaderView header, Bytes bytes)
      : BatchHeaderView(header), bytes_(std::move(bytes)) {}

  Bytes bytes_;
};

// Walks a concatenation of batches. A trailing partial batch ends the walk without an error, as a
// fetch cuts at a byte budget; position() then stays below the size.
class BatchReader {
 public:
  explicit BatchReader(Bytes records) : records_(std::move(records)) {}

  // The next whole batch, nullopt at the end. Errors: kUnknownServerError for a batch that can not
  // be.
  Result<std::optional<BatchView>> next();
  // Bytes of the batches that were returned.
  size_t position() const { return position_; }
  bool exhausted() const { return position_ == records_.size(); }

 private:
  Bytes records_;
  size_t position_ = 0;
};

// The batches of a produce request: at least one, every byte used. Errors: kUnknownServerError.
Result<std::vector<BatchView>> parse_batches(Bytes records);

// What the server decides about a batch.
struct BatchStamp {
  Offset base_offset;
  TimestampMs commit_timestamp;
  LeaderEpoch leader_epoch = kNoLeaderEpoch;  // written to magic 2 only
};

// Writes the stamp in place. It lies outside the checksum. Requires: `batch` was parsed by
// BatchView and nobody else reads it yet.
void stamp_batch(uint8_t* batch, const BatchStamp& stamp);

// The fields of a header that a writer chooses.
struct BatchHeader {
  int8_t magic = 0;
  SchemaId schema_id;
  bool append_only = false;
  WriterId writer_id = kNoWriter;
  int32_t batch_sequence = -1;
  int32_t record_count = 0;
  int32_t statistics_size = 0;  // 0 for magic 0
};

// Writes a header with base offset 0, commit time 0 and no leader epoch; length and checksum come
// with seal_batch(). Requires: batch_header_size(magic) bytes at `batch`.
void write_batch_header(uint8_t* batch, const BatchHeader& header);
// Sets length and checksum of a batch whose every other byte is in place.
void seal_batch(std::span<uint8_t> batch);
// A batch without records: it moves the writer's sequence and takes one offset.
Bytes build_empty_batch(const BatchHeader& header);

}  // namespace lakestream
