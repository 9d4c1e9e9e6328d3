#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "format/byte_writer.h"

// Values of the key-value store and what is answered of them. A stored value is an encoded row
// behind its schema id and, in layout version 2, behind a tag (a time in milliseconds for row
// expiry). Lookups answer the plain form, scans a value batch of it.
//
// Thread rule: pure functions; a StoredValue and a ValueBatchReader are views.
//
//   put_value(ValueLayout::kTagged, {.tag = now_ms, .schema_id = SchemaId(1), .row = row}, &out);
//   ASSIGN_OR_RETURN(StoredValue value, parse_value(ValueLayout::kTagged, bytes));
namespace lakestream {

// `table.kv.value-layout-version`.
enum class ValueLayout : uint8_t { kPlain = 1, kTagged = 2 };

struct StoredValue {
  int64_t tag = 0;  // kTagged only
  SchemaId schema_id;
  std::span<const uint8_t> row;
};

void put_value(ValueLayout layout, const StoredValue& value, ByteWriter* out);
// Errors: kUnknownServerError when the bytes are too short.
Result<StoredValue> parse_value(ValueLayout layout, std::span<const uint8_t> bytes);
// The plain form of a stored value: schema id and row. Shares the owner. Errors: as parse_value().
Result<Bytes> plain_value(ValueLayout layout, const Bytes& stored);

// A value batch: plain values behind their sizes.
class ValueBatchBuilder {
 public:
  ValueBatchBuilder();

  // Requires: a plain value.
  void append(std::span<const uint8_t> plain);
  int32_t record_count() const { return record_count_; }
  size_t size() const { return out_.size(); }
  // The batch so far; the builder starts anew. Requires: a size below 2 GiB.
  Bytes finish();

 private:
  ByteWriter out_;
  int32_t record_count_ = 0;
};

class ValueBatchReader {
 public:
  // Errors: kUnknownServerError when it is not exactly one batch.
  static Result<ValueBatchReader> parse(std::span<const uint8_t> batch);

  int32_t record_count() const { return count_; }
  bool at_end() const { return left_count_ == 0; }
  // Requires: not at_end(). Errors: kUnknownServerError when the record does not fit or bytes
  // follow the last.
  Result<StoredValue> next();

 private:
  ValueBatchReader(std::span<const uint8_t> records, int32_t count)
      : left_(records), count_(count), left_count_(count) {}

  std::span<const uint8_t> left_;
  int32_t count_;
  int32_t left_count_;
};

}  // namespace lakestream
