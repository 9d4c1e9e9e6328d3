#include "lake/avro/avro_encode.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/endian.h"

namespace lakestream::avro {
namespace {

constexpr int kMaxVarintBytes = 10;

tl::unexpected<Error> damaged(std::string_view rule) {
  return make_error(ErrorCode::kUnknownServerError, "avro data: {}", rule);
}

tl::unexpected<Error> misfit(std::string_view rule) {
  return make_error(ErrorCode::kUnknownServerError, "avro value: {}", rule);
}

bool fits(const AvroType& type, const AvroValue& value) {
  using Kind = AvroValue::Kind;
  switch (type.kind) {
    case AvroKind::kNull:
      return value.is_null();
    case AvroKind::kBoolean:
      return value.kind() == Kind::kBoolean;
    case AvroKind::kInt:
    case AvroKind::kLong:
      return value.kind() == Kind::kInteger;
    case AvroKind::kFloat:
    case AvroKind::kDouble:
      return value.kind() == Kind::kNumber;
    case AvroKind::kBytes:
    case AvroKind::kString:
    case AvroKind::kFixed:
    case AvroKind::kEnum:
      return value.kind() == Kind::kBytes;
    case AvroKind::kArray:
      return value.kind() == Kind::kArray;
    case AvroKind::kMap:
      return value.kind() == Kind::kMap && value.items().size() % 2 == 0;
    case AvroKind::kRecord:
      return value.kind() == Kind::kRecord && value.items().size() == type.fields.size();
    case AvroKind::kUnion:
      return true;
  }
  return false;
}

Status encode_union(const AvroType& type, const AvroValue& value, ByteWriter* out) {
  auto fitting = std::find_if(type.parts.begin(), type.parts.end(), [&](const AvroType* part) {
    return fits(*part, value);
  });
  if (fitting == type.parts.end()) return misfit("no branch of the union takes it");
  put_long(fitting - type.parts.begin(), out);
  return encode(**fitting, value, out);
}

Status encode_integer(const AvroType& type, const AvroValue& value, ByteWriter* out) {
  using Limits = std::numeric_limits<int32_t>;
  int64_t integer = value.as_integer();
  if (type.kind == AvroKind::kInt && (integer < Limits::min() || integer > Limits::max())) {
    return misfit("an int has 32 bits");
  }
  put_long(integer, out);
  return ok();
}

Status encode_number(const AvroType& type, const AvroValue& value, ByteWriter* out) {
  if (type.kind == AvroKind::kFloat) {
    out->put<float>(static_cast<float>(value.as_number()));
  } else {
    out->put<double>(value.as_number());
  }
  return ok();
}

Status encode_enum(const AvroType& type, const AvroValue& value, ByteWriter* out) {
  auto symbol = std::find(type.symbols.begin(), type.symbols.end(), value.as_bytes());
  if (symbol == type.symbols.end()) return misfit("the enum has no such symbol");
  put_long(symbol - type.symbols.begin(), out);
  return ok();
}

// All items are one block, and an empty one ends it.
Status encode_items(const AvroType& type, const AvroValue& value, ByteWriter* out) {
  std::span<const AvroValue> items = value.items();
  bool is_map = type.kind == AvroKind::kMap;
  if (!items.empty()) put_long(static_cast<int64_t>(items.size() / (is_map ? 2 : 1)), out);
  for (size_t i = 0; i < items.size(); ++i) {
    if (is_map && i % 2 == 0) {
      if (items[i].kind() != AvroValue::Kind::kBytes) return misfit("a key of a map is a text");
      put_bytes(items[i].as_bytes(), out);
    } else {
      RETURN_IF_ERROR(encode(*type.parts[0], items[i], out));
    }
  }
  put_long(0, out);
  return ok();
}

}  // namespace

void put_long(int64_t value, ByteWriter* out) {
  // Zigzag: the sign is the lowest bit.
  out->put_uvarint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

void put_bytes(std::string_view bytes, ByteWriter* out) {
  put_long(static_cast<int64_t>(bytes.size()), out);
  out->put_bytes(bytes);
}

Status encode(const AvroType& type, const AvroValue& value, ByteWriter* out) {
  if (!fits(type, value)) return misfit("it is of another type than its schema says");
  switch (type.kind) {
    case AvroKind::kNull:
      return ok();
    case AvroKind::kBoolean:
      out->put<uint8_t>(value.as_boolean() ? 1 : 0);
      return ok();
    case AvroKind::kInt:
    case AvroKind::kLong:
      return encode_integer(type, value, out);
    case AvroKind::kFloat:
    case AvroKind::kDouble:
      return encode_number(type, value, out);
    case AvroKind::kBytes:
    case AvroKind::kString:
      put_bytes(value.as_bytes(), out);
      return ok();
    case AvroKind::kFixed:
      if (value.as_bytes().size() != type.size) return misfit("a fixed of another size");
      out->put_bytes(value.as_bytes());
      return ok();
    case AvroKind::kEnum:
      return encode_enum(type, value, out);
    case AvroKind::kArray:
    case AvroKind::kMap:
      return encode_items(type, value, out);
    case AvroKind::kUnion:
      return encode_union(type, value, out);
    case AvroKind::kRecord:
      for (size_t i = 0; i < type.fields.size(); ++i) {
        Status field = encode(*type.fields[i].type, value.items()[i], out);
        if (!field) return fail(std::move(field).error().with_context(type.fields[i].name));
      }
      return ok();
  }
  return ok();
}

Result<int64_t> AvroInput::long_value() {
  uint64_t value = 0;
  for (int i = 0; i < kMaxVarintBytes; ++i) {
    if (rest_.empty()) return damaged("it ends within a number");
    auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    if (i == kMaxVarintBytes - 1 && byte > 1) break;
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) != 0) continue;
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }
  return damaged("a number has more than 64 bits");
}

Result<std::string_view> AvroInput::fixed_value(size_t size) {
  if (size > rest_.size()) return damaged("it ends within a value");
  std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

Result<std::string_view> AvroInput::bytes_value() {
  ASSIGN_OR_RETURN(int64_t size, long_value());
  if (size < 0) return damaged("a length is negative");
  return fixed_value(static_cast<size_t>(size));
}

Result<AvroValue> AvroInput::scalar(const AvroType& type) {
  switch (type.kind) {
    case AvroKind::kNull:
      return AvroValue::null();
    case AvroKind::kBoolean: {
      ASSIGN_OR_RETURN(std::string_view byte, fixed_value(1));
      if (byte[0] != 0 && byte[0] != 1) return damaged("a boolean is 0 or 1");
      return AvroValue::boolean(byte[0] == 1);
    }
    case AvroKind::kInt:
    case AvroKind::kLong: {
      ASSIGN_OR_RETURN(int64_t value, long_value());
      using Limits = std::numeric_limits<int32_t>;
      if (type.kind == AvroKind::kInt && (value < Limits::min() || value > Limits::max())) {
        return damaged("an int has more than 32 bits");
      }
      return AvroValue::integer(value);
    }
    case AvroKind::kFloat: {
      ASSIGN_OR_RETURN(std::string_view bytes, fixed_value(sizeof(float)));
      return AvroValue::number(static_cast<double>(load_le<float>(bytes.data())));
    }
    case AvroKind::kDouble: {
      ASSIGN_OR_RETURN(std::string_view bytes, fixed_value(sizeof(double)));
      return AvroValue::number(load_le<double>(bytes.data()));
    }
    case AvroKind::kFixed: {
      ASSIGN_OR_RETURN(std::string_view bytes, fixed_value(type.size));
      return AvroValue::bytes(bytes);
    }
    case AvroKind::kEnum: {
      ASSIGN_OR_RETURN(int64_t index, long_value());
      if (index < 0 || static_cast<size_t>(index) >= type.symbols.size()) {
        return damaged("the enum has no such symbol");
      }
      return AvroValue::bytes(type.symbols[static_cast<size_t>(index)]);
    }
    default: {
      ASSIGN_OR_RETURN(std::string_view bytes, bytes_value());
      return AvroValue::bytes(bytes);
    }
  }
}

Result<AvroValue> AvroInput::record(const AvroType& type, int depth) {
  std::vector<AvroValue> fields;
  fields.reserve(type.fields.size());
  for (const AvroField& field : type.fields) {
    Result<AvroValue> part = value(*field.type, depth + 1);
    if (!part) return fail(std::move(part).error().with_context(field.name));
    fields.push_back(*std::move(part));
  }
  return AvroValue::record(std::move(fields), &type);
}

// The items of the next block of an array or a map. A negative count is followed by the size of the
// block, for readers that skip it.
Result<size_t> AvroInput::item_count() {
  ASSIGN_OR_RETURN(int64_t count, long_value());
  if (count < 0) {
    ASSIGN_OR_RETURN(int64_t size, long_value());
    if (size < 0 || count == std::numeric_limits<int64_t>::min()) {
      return damaged("a size is out of range");
    }
    count = -count;
  }
  if (static_cast<uint64_t>(count) > budget_) return damaged("it ends within an array");
  return static_cast<size_t>(count);
}

Result<AvroValue> AvroInput::items(const AvroType& type, int depth) {
  const AvroType& part = *type.parts[0];
  bool is_map = type.kind == AvroKind::kMap;
  std::vector<AvroValue> values;
  while (true) {
    ASSIGN_OR_RETURN(size_t count, item_count());
    if (count == 0) break;
    for (size_t i = 0; i < count; ++i) {
      if (is_map) {
        ASSIGN_OR_RETURN(std::string_view key, bytes_value());
        values.push_back(AvroValue::bytes(key));
      }
      ASSIGN_OR_RETURN(AvroValue item, value(part, depth + 1));
      values.push_back(std::move(item));
    }
  }
  return is_map ? AvroValue::map(std::move(values)) : AvroValue::array(std::move(values));
}

Result<AvroValue> AvroInput::value(const AvroType& type, int depth) {
  if (depth > kMaxAvroDepth) return damaged("values are nested too deep");
  if (budget_ == 0) return damaged("it has too many values without bytes");
  --budget_;
  switch (type.kind) {
    case AvroKind::kRecord:
      return record(type, depth);
    case AvroKind::kArray:
    case AvroKind::kMap:
      return items(type, depth);
    case AvroKind::kUnion: {
      ASSIGN_OR_RETURN(int64_t index, long_value());
      if (index < 0 || static_cast<size_t>(index) >= type.parts.size()) {
        return damaged("the union has no such branch");
      }
      return value(*type.parts[static_cast<size_t>(index)], depth + 1);
    }
    default:
      return scalar(type);
  }
}

}  // namespace lakestream::avro
