#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "format/byte_writer.h"
#include "format/value.h"
#include "table/descriptor.h"
#include "table/schema.h"
#include "table/table_choices.h"

// Keys of rows: a KeyEncoder turns the key columns of a row into the bytes that identify it
// (primary key) or choose its bucket (bucket key), in the way the lake format of the table wants;
// bucket_of() turns bucket key bytes into a bucket. TableKeys makes the choice for a table.
//
// Thread rule: immutable, any thread.
//
//   ASSIGN_OR_RETURN(TableKeys keys, TableKeys::of(schema, {.bucket_keys = {"id"}}));
//   RETURN_IF_ERROR(keys.bucket_key()->encode(row, &out));
//   ASSIGN_OR_RETURN(BucketId bucket, bucket_of(keys.bucketing(), out.span(), 4));
namespace lakestream {

enum class KeyEncoding : uint8_t { kCompacted, kPaimon, kIceberg, kHudi };

class KeyEncoder {
 public:
  // `columns` are positions in the row, in key order. Errors: kInvalidTableException for a type
  // that the encoding does not take, or more than one column for kIceberg.
  static Result<KeyEncoder> make(KeyEncoding encoding,
                                 const Schema& schema,
                                 std::span<const size_t> columns);

  KeyEncoding encoding() const { return encoding_; }
  // Positions in the row.
  std::span<const size_t> columns() const { return columns_; }
  // Appends the key of the row, which has all columns of the schema. Errors: kUnknownServerError
  // for a value that the encoding refuses, such as a null in a compacted key; then `out` is as
  // before.
  Status encode(std::span<const Value> row, ByteWriter* out) const;
  // The key columns of a compacted key. Errors: kUnknownServerError.
  Result<std::span<const Value>> decode(std::span<const uint8_t> key, Arena* arena) const;

 private:
  KeyEncoder(KeyEncoding encoding, const Schema& schema, std::span<const size_t> columns);

  KeyEncoding encoding_;
  std::vector<size_t> columns_;
  std::shared_ptr<const class RowCodec> codec_;
};

enum class Bucketing : uint8_t { kFluss, kPaimon, kIceberg, kHudi };

// The bucket of a bucket key, 0 to count - 1. Errors: kUnknownServerError for an empty key with
// kFluss or kIceberg, or one that is not 4 bytes with kHudi. Requires: count > 0.
Result<BucketId> bucket_of(Bucketing bucketing, std::span<const uint8_t> key, int32_t count);

// The hash behind kFluss and kPaimon: murmur3 with seed 42, whose tail takes byte by byte.
uint32_t murmur42(std::span<const uint8_t> bytes);

// The text of a value in the name of its partition. Errors: kPartitionSpecInvalidException for a
// null and for a type that can be no partition key.
Result<std::string> partition_text(const DataType& type, const Value& value);

struct TableKeyOptions {
  std::vector<std::string> partition_keys = {};
  std::vector<std::string> bucket_keys = {};
  std::optional<LakeFormatKind> lake_format = std::nullopt;  // `table.datalake.format`
  int32_t kv_format_version = 1;                             // `table.kv.format-version`
};

// Which encoders a table uses.
class TableKeys {
 public:
  // Errors: kInvalidTableException.
  static Result<TableKeys> of(const Schema& schema, const TableKeyOptions& options);

  // Of the primary key without partition columns; absent for a log table.
  const std::optional<KeyEncoder>& primary_key() const { return primary_key_; }
  // Absent for a log table without bucket keys.
  const std::optional<KeyEncoder>& bucket_key() const { return bucket_key_; }
  // The bytes of both are the same.
  bool bucket_key_is_primary_key() const { return same_; }
  // Of prefix lookups: the bucket key's columns in the primary key's encoding. Absent when the
  // bucket key is no proper prefix of the primary key or the encoding is not prefix-preserving.
  const std::optional<KeyEncoder>& prefix_key() const { return prefix_key_; }
  Bucketing bucketing() const { return bucketing_; }

 private:
  std::optional<KeyEncoder> primary_key_;
  std::optional<KeyEncoder> bucket_key_;
  std::optional<KeyEncoder> prefix_key_;
  bool same_ = false;
  Bucketing bucketing_ = Bucketing::kFluss;
};

}  // namespace lakestream
