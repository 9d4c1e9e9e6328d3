#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/byte_writer.h"
#include "format/value.h"
#include "table/schema.h"
#include "table/types.h"

// RowCodec encodes and decodes rows of fixed columns in one of the three row formats: compacted
// (the default of key-value tables), indexed, and aligned (statistics; the layout that Flink and
// Paimon call BinaryRow). Decoding trusts nothing: whatever the bytes, it ends, stays inside them
// and takes memory in proportion to them.
//
// Thread rule: immutable, any thread.
//
//   RowCodec codec(RowFormat::kCompacted, schema);
//   RETURN_IF_ERROR(codec.encode(row, &out));
//   Arena arena;
//   ASSIGN_OR_RETURN(std::span<const Value> row, codec.decode(bytes, &arena));
namespace lakestream {

enum class RowFormat : uint8_t { kCompacted, kIndexed, kAligned };

class RowCodec {
 public:
  RowCodec(RowFormat format, std::vector<Field> fields);
  RowCodec(RowFormat format, const Schema& schema);
  // Of some columns, in the given order.
  RowCodec(RowFormat format, const Schema& schema, std::span<const size_t> columns);

  RowFormat format() const { return format_; }
  const std::vector<Field>& fields() const { return fields_; }

  // Appends the row. Errors: kUnknownServerError when a value does not fit its type; then `out` is
  // as before.
  Status encode(std::span<const Value> row, ByteWriter* out) const;
  // The compacted row without null bits, which is the key of a primary-key table. Requires:
  // kCompacted. Errors: also when a value is null.
  Status encode_key(std::span<const Value> row, ByteWriter* out) const;

  // Texts of the result point into `bytes`, nested values into the arena. Errors:
  // kUnknownServerError when the bytes are no row of these columns.
  Result<std::span<const Value>> decode(std::span<const uint8_t> bytes, Arena* arena) const;
  Result<std::span<const Value>> decode_key(std::span<const uint8_t> bytes, Arena* arena) const;

 private:
  RowFormat format_;
  std::vector<Field> fields_;
};

// Shows rows of one schema under another: columns are matched by id, those that the source lacks
// are null, those that the target lacks are dropped. Thread rule: immutable.
class RowAlignment {
 public:
  // Requires: columns of one id have one type.
  RowAlignment(const Schema& source, const Schema& target);

  bool is_identity() const { return identity_; }
  // The row itself when nothing changes, else a new one in the arena. Requires: a row of the
  // source.
  std::span<const Value> apply(std::span<const Value> row, Arena* arena) const;

 private:
  std::vector<std::optional<size_t>> source_of_;  // per target column
  bool identity_;
};

// The columns of a schema as fields.
std::vector<Field> fields_of(const Schema& schema);

std::string_view row_format_name(RowFormat format);

}  // namespace lakestream
