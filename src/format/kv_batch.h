#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "format/batch_builder.h"
#include "format/byte_writer.h"

// The KV record batch, in which clients send upserts and deletes: a header and records of a key and
// an encoded row, which is absent in a delete.
//
// A checksum that does not match is kCorruptRecordException; a batch that is wrong under a right
// checksum is kUnknownServerError, which clients do not retry.
//
// Thread rule: a KvBatchView belongs to one thread at a time; records are views of it.
//
//   ASSIGN_OR_RETURN(KvBatchView batch, KvBatchView::parse(bytes));
//   RETURN_IF_ERROR(batch.validate());
//   KvReader reader(batch);
//   while (!reader.at_end()) {
//     ASSIGN_OR_RETURN(KvRecord record, reader.next());
//   }
namespace lakestream {

inline constexpr size_t kKvBatchHeaderSize = 28;

class KvBatchView {
 public:
  // The view of exactly one batch: the size is the one that the header says. Errors:
  // kUnknownServerError.
  static Result<KvBatchView> parse(Bytes bytes);

  const Bytes& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  uint32_t crc() const { return load_le<uint32_t>(bytes_.data() + 5); }
  SchemaId schema_id() const { return SchemaId(load_le<int16_t>(bytes_.data() + 9)); }
  WriterId writer_id() const { return WriterId(load_le<int64_t>(bytes_.data() + 12)); }
  int32_t batch_sequence() const { return load_le<int32_t>(bytes_.data() + 20); }
  int32_t record_count() const { return load_le<int32_t>(bytes_.data() + 24); }

  // The checksum, every rule of the header, and that the records tile the batch. Rows are not
  // decoded.
  Status validate() const;

 private:
  explicit KvBatchView(Bytes bytes) : bytes_(std::move(bytes)) {}
  Status validate_header() const;

  Bytes bytes_;
};

struct KvRecord {
  std::span<const uint8_t> key;
  std::optional<std::span<const uint8_t>> row;  // absent in a delete
};

class KvReader {
 public:
  explicit KvReader(const KvBatchView& batch);

  bool at_end() const { return left_count_ == 0; }
  // Requires: not at_end(). Errors: kUnknownServerError when the record does not fit or bytes
  // follow the last.
  Result<KvRecord> next();

 private:
  std::span<const uint8_t> left_;
  int32_t count_;
  int32_t left_count_;
};

class KvBatchBuilder {
 public:
  explicit KvBatchBuilder(SchemaId schema_id);

  void upsert(std::span<const uint8_t> key, std::span<const uint8_t> row);
  void remove(std::span<const uint8_t> key);

  int32_t record_count() const { return record_count_; }
  size_t size() const { return out_.size(); }
  // The batch so far; the builder starts anew. Requires: a size below 2 GiB.
  Bytes finish(const BatchWriter& writer);

 private:
  SchemaId schema_id_;
  ByteWriter out_;
  int32_t record_count_ = 0;
};

}  // namespace lakestream
