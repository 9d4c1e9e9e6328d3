#include "format/keys.h"

#include <algorithm>

#include "format/key_text.h"
#include "format/row_types.h"
#include "format/rows.h"

namespace lakestream {
namespace {

std::string_view name_of(KeyEncoding encoding) {
  switch (encoding) {
    case KeyEncoding::kCompacted:
      return "compacted";
    case KeyEncoding::kPaimon:
      return "paimon";
    case KeyEncoding::kIceberg:
      return "iceberg";
    case KeyEncoding::kHudi:
      return "hudi";
  }
  return "unknown";
}

bool takes(KeyEncoding encoding, const DataType& type) {
  switch (encoding) {
    case KeyEncoding::kCompacted:
      return true;
    case KeyEncoding::kPaimon:
      return !type.is_nested();
    case KeyEncoding::kIceberg:
      return !type.is_nested() && !type.is(TypeRoot::kBoolean) && !type.is(TypeRoot::kTinyint) &&
             !type.is(TypeRoot::kSmallint) && !type.is(TypeRoot::kTimestampLtz);
    case KeyEncoding::kHudi:
      return !type.is_nested() && !type.is(TypeRoot::kBinary) && !type.is(TypeRoot::kBytes);
  }
  return false;
}

tl::unexpected<Error> refused(KeyEncoding encoding, std::string_view rule) {
  return make_error(ErrorCode::kUnknownServerError, "{} key: {}", name_of(encoding), rule);
}

Status encode_iceberg(const DataType& type, const Value& value, ByteWriter* out) {
  constexpr int64_t kMicrosPerMilli = 1000;
  if (value.is_null()) return refused(KeyEncoding::kIceberg, "it has no nulls");
  switch (type.root()) {
    case TypeRoot::kInteger:
    case TypeRoot::kDate:
    case TypeRoot::kBigint:
      out->put(value.as_integer());
      return ok();
    case TypeRoot::kTime:
      out->put(value.as_integer() * kMicrosPerMilli);
      return ok();
    case TypeRoot::kTimestamp: {
      int64_t micros = 0;
      if (__builtin_mul_overflow(value.timestamp_ms(), kMicrosPerMilli, &micros) ||
          __builtin_add_overflow(micros, value.timestamp_ns() / kMicrosPerMilli, &micros)) {
        return refused(KeyEncoding::kIceberg, "microseconds can not hold the timestamp");
      }
      out->put(micros);
      return ok();
    }
    case TypeRoot::kFloat:
      out->put(value.as_float());
      return ok();
    case TypeRoot::kDouble:
      out->put(value.as_double());
      return ok();
    case TypeRoot::kDecimal:
      out->put_bytes(unscaled_bytes(value.as_decimal()).span());
      return ok();
    default:
      out->put_bytes(value.as_bytes());
      return ok();
  }
}

// The hash of the list of texts that Hudi reads back from its record key, where a comma parts the
// values and two words stand for null and empty; so these can not be told apart from values.
Status encode_hudi(const std::vector<Field>& fields,
                   std::span<const Value> values,
                   ByteWriter* out) {
  bool single = values.size() == 1;
  uint32_t hash = 1;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_null()) {
      hash = 31 * hash + (single ? java_hash("__null__") : 0);
      continue;
    }
    std::string text = key_text(fields[i].type, values[i]);
    if (!single &&
        (text.find(',') != std::string::npos || text == "__null__" || text == "__empty__")) {
      return refused(KeyEncoding::kHudi, "a text with a comma, __null__ or __empty__ is ambiguous");
    }
    hash = 31 * hash + java_hash(text);
  }
  store_be<uint32_t>(out->extend(4), hash);
  return ok();
}

}  // namespace

KeyEncoder::KeyEncoder(KeyEncoding encoding, const Schema& schema, std::span<const size_t> columns)
    : encoding_(encoding),
      columns_(columns.begin(), columns.end()),
      codec_(std::make_shared<const RowCodec>(
          encoding == KeyEncoding::kPaimon ? RowFormat::kAligned : RowFormat::kCompacted,
          schema,
          columns)) {}

Result<KeyEncoder> KeyEncoder::make(KeyEncoding encoding,
                                    const Schema& schema,
                                    std::span<const size_t> columns) {
  if (columns.empty() || (encoding == KeyEncoding::kIceberg && columns.size() != 1)) {
    return make_error(ErrorCode::kInvalidTableException,
                      "{} key of {} columns: {} is the rule",
                      name_of(encoding),
                      columns.size(),
                      encoding == KeyEncoding::kIceberg ? "exactly one" : "at least one");
  }
  for (size_t index : columns) {
    const Column& column = schema.column(index);
    if (takes(encoding, column.type)) continue;
    return make_error(ErrorCode::kInvalidTableException,
                      "key column {}: {} keys do not take the type {}",
                      column.name,
                      name_of(encoding),
                      column.type);
  }
  return KeyEncoder(encoding, schema, columns);
}

Status KeyEncoder::encode(std::span<const Value> row, ByteWriter* out) const {
  constexpr size_t kFewColumns = 8;
  Value few[kFewColumns];
  std::vector<Value> many;
  std::span<Value> key(few, std::min(columns_.size(), kFewColumns));
  if (columns_.size() > kFewColumns) {
    many.resize(columns_.size());
    key = many;
  }
  for (size_t i = 0; i < key.size(); ++i) {
    key[i] = row[columns_[i]];
    const DataType& type = codec_->fields()[i].type;
    if (!key[i].is_null() && key[i].kind() != value_kind_of(type)) {
      return refused(encoding_, "a value is of another kind than its column");
    }
  }
  switch (encoding_) {
    case KeyEncoding::kCompacted:
      return codec_->encode_key(key, out);
    case KeyEncoding::kPaimon:
      return codec_->encode(key, out);
    case KeyEncoding::kIceberg:
      return encode_iceberg(codec_->fields()[0].type, key[0], out);
    case KeyEncoding::kHudi:
      return encode_hudi(codec_->fields(), key, out);
  }
  return ok();
}

Result<std::span<const Value>> KeyEncoder::decode(std::span<const uint8_t> key,
                                                  Arena* arena) const {
  if (encoding_ == KeyEncoding::kCompacted) return codec_->decode_key(key, arena);
  if (encoding_ == KeyEncoding::kPaimon) return codec_->decode(key, arena);
  return refused(encoding_, "it can not be read back");
}

namespace {

KeyEncoding encoding_of(const std::optional<LakeFormatKind>& format) {
  if (!format) return KeyEncoding::kCompacted;
  switch (*format) {
    case LakeFormatKind::kPaimon:
      return KeyEncoding::kPaimon;
    case LakeFormatKind::kIceberg:
      return KeyEncoding::kIceberg;
    case LakeFormatKind::kHudi:
      return KeyEncoding::kHudi;
    case LakeFormatKind::kLance:
      return KeyEncoding::kCompacted;
  }
  return KeyEncoding::kCompacted;
}

Bucketing bucketing_of(KeyEncoding encoding) {
  switch (encoding) {
    case KeyEncoding::kPaimon:
      return Bucketing::kPaimon;
    case KeyEncoding::kIceberg:
      return Bucketing::kIceberg;
    case KeyEncoding::kHudi:
      return Bucketing::kHudi;
    case KeyEncoding::kCompacted:
      return Bucketing::kFluss;
  }
  return Bucketing::kFluss;
}

Result<std::vector<size_t>> positions_of(const Schema& schema,
                                         const std::vector<std::string>& names) {
  std::vector<size_t> positions;
  for (const std::string& name : names) {
    std::optional<size_t> index = schema.index_of(name);
    if (!index) {
      return make_error(
          ErrorCode::kInvalidTableException, "key column {}: the schema has no such column", name);
    }
    positions.push_back(*index);
  }
  return positions;
}

// A hash can not be a primary key, and of a lake's encoding only the compacted one keeps prefixes.
KeyEncoding primary_key_encoding(KeyEncoding lake, int32_t version, bool is_default) {
  if (lake == KeyEncoding::kHudi || (version == 2 && !is_default)) return KeyEncoding::kCompacted;
  return lake;
}

bool is_proper_prefix(const std::vector<std::string>& prefix,
                      const std::vector<std::string>& whole) {
  return !prefix.empty() && prefix.size() < whole.size() &&
         std::equal(prefix.begin(), prefix.end(), whole.begin());
}

}  // namespace

Result<TableKeys> TableKeys::of(const Schema& schema, const TableKeyOptions& options) {
  if (options.kv_format_version != 1 && options.kv_format_version != 2) {
    return make_error(ErrorCode::kInvalidTableException,
                      "table.kv.format-version {}: 1 and 2 exist",
                      options.kv_format_version);
  }
  KeyEncoding lake = encoding_of(options.lake_format);
  TableKeys keys;
  keys.bucketing_ = bucketing_of(lake);
  std::vector<std::string> physical = default_bucket_keys(schema, options.partition_keys);
  const std::vector<std::string>& bucket_keys =
      options.bucket_keys.empty() ? physical : options.bucket_keys;
  ASSIGN_OR_RETURN(std::vector<size_t> bucket_columns, positions_of(schema, bucket_keys));
  if (!schema.has_primary_key()) {
    if (bucket_columns.empty()) return keys;
    ASSIGN_OR_RETURN(keys.bucket_key_, KeyEncoder::make(lake, schema, bucket_columns));
    return keys;
  }
  bool is_default = bucket_keys == physical;
  KeyEncoding primary = primary_key_encoding(lake, options.kv_format_version, is_default);
  ASSIGN_OR_RETURN(std::vector<size_t> columns, positions_of(schema, physical));
  ASSIGN_OR_RETURN(keys.primary_key_, KeyEncoder::make(primary, schema, columns));
  keys.same_ = is_default && primary == lake;
  if (keys.same_) {
    keys.bucket_key_ = keys.primary_key_;
  } else {
    ASSIGN_OR_RETURN(keys.bucket_key_, KeyEncoder::make(lake, schema, bucket_columns));
  }
  if (primary == KeyEncoding::kCompacted && is_proper_prefix(bucket_keys, physical)) {
    ASSIGN_OR_RETURN(keys.prefix_key_, KeyEncoder::make(primary, schema, bucket_columns));
  }
  return keys;
}

}  // namespace lakestream
