#include "format/row_types.h"
#include "format/rows.h"

namespace lakestream {
namespace {

// Reads forward. Past the end it gives zeros and remembers that it failed, so that a row is judged
// once.
class Cursor {
 public:
  explicit Cursor(std::span<const uint8_t> bytes) : left_(bytes) {}

  template <typename T>
  T get() {
    if (left_.size() < sizeof(T)) return fail<T>();
    T value = load_le<T>(left_.data());
    left_ = left_.subspan(sizeof(T));
    return value;
  }
  uint64_t uvarint(int bytes_max) {
    uint64_t value = 0;
    for (int i = 0; i < bytes_max; ++i) {
      auto byte = get<uint8_t>();
      value |= uint64_t{byte & 0x7fU} << 7 * i;
      if ((byte & 0x80) == 0) return value;
    }
    return fail<uint64_t>();
  }
  uint32_t uvarint32() { return static_cast<uint32_t>(uvarint(5)); }
  uint64_t uvarint64() { return uvarint(10); }
  std::span<const uint8_t> bytes(uint64_t count) {
    if (count > left_.size()) return fail<std::span<const uint8_t>>();
    std::span<const uint8_t> result = left_.first(count);
    left_ = left_.subspan(count);
    return result;
  }
  bool failed() const { return failed_; }
  bool at_end() const { return left_.empty(); }

 private:
  template <typename T>
  T fail() {
    failed_ = true;
    left_ = {};
    return T{};
  }

  std::span<const uint8_t> left_;
  bool failed_ = false;
};

bool bit_at(const uint8_t* bits, size_t index) { return (bits[index / 8] >> index % 8 & 1) != 0; }

std::span<const uint8_t> without_trailing_zeros(std::span<const uint8_t> bytes) {
  while (!bytes.empty() && bytes.back() == 0) bytes = bytes.first(bytes.size() - 1);
  return bytes;
}

class Decoder {
 public:
  // Entries of containers may refer to the same bytes, so nesting could multiply what is decoded. A
  // row that an encoder made has at most eight values a byte (null bits), which is the budget.
  Decoder(RowFormat format, std::span<const uint8_t> bytes, size_t fields, Arena* arena)
      : format_(format), budget_(8 * bytes.size() + fields), arena_(*arena) {}

  bool failed() const { return failed_; }

  std::span<const Value> row(const std::vector<Field>& fields, std::span<const uint8_t> bytes) {
    switch (format_) {
      case RowFormat::kCompacted:
        return compacted_row(fields, bytes, true);
      case RowFormat::kIndexed:
        return indexed_row(fields, bytes);
      case RowFormat::kAligned:
        return aligned_row(fields, bytes);
    }
    return {};
  }

  std::span<const Value> compacted_row(const std::vector<Field>& fields,
                                       std::span<const uint8_t> bytes,
                                       bool with_null_bits) {
    Cursor cursor(bytes);
    std::span<const uint8_t> bits = cursor.bytes(with_null_bits ? (fields.size() + 7) / 8 : 0);
    std::span<Value> values = take(fields.size());
    if (failed_ || cursor.failed()) return fail();
    for (size_t i = 0; i < fields.size() && !failed_; ++i) {
      if (with_null_bits && bit_at(bits.data(), i)) continue;
      values[i] = compacted_field(fields[i].type, cursor);
    }
    if (cursor.failed() || !cursor.at_end()) return fail();
    return values;
  }

 private:
  std::span<const Value> fail() {
    failed_ = true;
    return {};
  }
  Value fail_value() {
    failed_ = true;
    return Value::null();
  }

  std::span<Value> take(size_t count) {
    if (count > budget_) {
      failed_ = true;
      return {};
    }
    budget_ -= count;
    return arena_.values(count);
  }

  Value decimal(const DataType& type, Int128 unscaled) {
    return fits_precision(unscaled, type.precision()) ? Value::decimal(unscaled) : fail_value();
  }
  Value decimal(const DataType& type, std::span<const uint8_t> unscaled) {
    if (unscaled.empty() || unscaled.size() > 16) return fail_value();
    return decimal(type, unscaled_of(unscaled));
  }
  Value timestamp(int64_t ms, uint32_t ns) {
    return ns <= 999'999 ? Value::timestamp(ms, static_cast<int32_t>(ns)) : fail_value();
  }

  Value compacted_field(const DataType& type, Cursor& cursor) {
    switch (type.root()) {
      case TypeRoot::kInteger:
      case TypeRoot::kDate:
      case TypeRoot::kTime:
        return Value::integer(static_cast<int32_t>(cursor.uvarint32()));
      case TypeRoot::kBigint:
        return Value::integer(static_cast<int64_t>(cursor.uvarint64()));
      case TypeRoot::kDecimal:
        if (is_compact_decimal(type)) {
          return decimal(type, static_cast<Int128>(static_cast<int64_t>(cursor.uvarint64())));
        }
        return decimal(type, cursor.bytes(cursor.uvarint32()));
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz: {
        auto ms = static_cast<int64_t>(cursor.uvarint64());
        return timestamp(ms, is_compact_timestamp(type) ? 0 : cursor.uvarint32());
      }
      case TypeRoot::kChar:
      case TypeRoot::kString:
      case TypeRoot::kBinary:
      case TypeRoot::kBytes:
        return Value::bytes(cursor.bytes(cursor.uvarint32()));
      case TypeRoot::kArray:
      case TypeRoot::kMap:
      case TypeRoot::kRow:
        return container(type, cursor.bytes(cursor.uvarint32()));
      default:
        return fixed(type, cursor);
    }
  }

  // The types whose value has one width in every format.
  Value fixed(const DataType& type, Cursor& cursor) {
    switch (type.root()) {
      case TypeRoot::kBoolean:
        return Value::boolean(cursor.get<uint8_t>() != 0);
      case TypeRoot::kTinyint:
        return Value::integer(cursor.get<int8_t>());
      case TypeRoot::kSmallint:
        return Value::integer(cursor.get<int16_t>());
      case TypeRoot::kInteger:
      case TypeRoot::kDate:
      case TypeRoot::kTime:
        return Value::integer(cursor.get<int32_t>());
      case TypeRoot::kBigint:
        return Value::integer(cursor.get<int64_t>());
      case TypeRoot::kFloat:
        return Value::float_(cursor.get<float>());
      case TypeRoot::kDouble:
        return Value::double_(cursor.get<double>());
      case TypeRoot::kDecimal:
        return decimal(type, static_cast<Int128>(cursor.get<int64_t>()));
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        return timestamp(cursor.get<int64_t>(), 0);
      default:
        return fail_value();
    }
  }

  std::span<const Value> indexed_row(const std::vector<Field>& fields,
                                     std::span<const uint8_t> bytes) {
    Cursor cursor(bytes);
    std::span<const uint8_t> bits = cursor.bytes((fields.size() + 7) / 8);
    size_t variable = 0;
    for (const Field& field : fields) variable += is_variable_in_indexed(field.type) ? 1 : 0;
    Cursor lengths(cursor.bytes(4 * variable));
    std::span<Value> values = take(fields.size());
    if (failed_ || cursor.failed()) return fail();
    for (size_t i = 0; i < fields.size() && !failed_; ++i) {
      if (!bit_at(bits.data(), i)) values[i] = indexed_field(fields[i].type, cursor, lengths);
    }
    if (cursor.failed() || !cursor.at_end()) return fail();
    return values;
  }

  Value indexed_field(const DataType& type, Cursor& cursor, Cursor& lengths) {
    if (is_variable_in_indexed(type)) {
      std::span<const uint8_t> bytes = cursor.bytes(lengths.get<uint32_t>());
      if (type.is_nested()) return container(type, bytes);
      return type.is(TypeRoot::kDecimal) ? decimal(type, bytes) : Value::bytes(bytes);
    }
    if (type.is(TypeRoot::kChar) || type.is(TypeRoot::kBinary)) {
      return Value::bytes(
          without_trailing_zeros(cursor.bytes(static_cast<uint64_t>(type.length()))));
    }
    if (is_timestamp(type) && !is_compact_timestamp(type)) {
      auto ms = cursor.get<int64_t>();
      return timestamp(ms, cursor.get<uint32_t>());
    }
    return fixed(type, cursor);
  }

  std::span<const Value> aligned_row(const std::vector<Field>& fields,
                                     std::span<const uint8_t> bytes) {
    size_t header = (fields.size() + 71) / 64 * 8;
    if (header + 8 * fields.size() > bytes.size()) return fail();
    std::span<Value> values = take(fields.size());
    for (size_t i = 0; i < fields.size() && !failed_; ++i) {
      if (!bit_at(bytes.data(), 8 + i)) values[i] = slot(fields[i].type, header + 8 * i, bytes);
    }
    return values;
  }

  Value container(const DataType& type, std::span<const uint8_t> bytes) {
    if (type.is(TypeRoot::kRow)) return Value::row(row(type.fields(), bytes));
    if (type.is(TypeRoot::kArray)) return Value::array(array(type.element_type(), bytes));
    return map(type, bytes);
  }

  Value map(const DataType& type, std::span<const uint8_t> bytes) {
    Cursor cursor(bytes);
    std::span<const uint8_t> key_bytes = cursor.bytes(cursor.get<uint32_t>());
    if (cursor.failed()) return fail_value();
    std::span<const Value> keys = array(type.key_type(), key_bytes);
    std::span<const Value> values = array(type.value_type(), bytes.subspan(4 + key_bytes.size()));
    if (failed_ || keys.size() != values.size()) return fail_value();
    std::span<Value> entries = arena_.values(2 * keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i].is_null()) return fail_value();
      entries[2 * i] = keys[i];
      entries[2 * i + 1] = values[i];
    }
    return Value::map(entries);
  }

  std::span<const Value> array(const DataType& type, std::span<const uint8_t> bytes) {
    Cursor cursor(bytes);
    uint64_t count = cursor.get<uint32_t>();
    std::span<const uint8_t> bits = cursor.bytes((count + 31) / 32 * 4);
    size_t width = element_width(type);
    cursor.bytes(count * width);
    if (cursor.failed()) return fail();
    std::span<Value> values = take(count);
    size_t elements = 4 + bits.size();
    for (size_t i = 0; i < values.size() && !failed_; ++i) {
      if (!bit_at(bits.data(), i)) values[i] = slot(type, elements + i * width, bytes);
    }
    return values;
  }

  // The value of the slot at `position`; what it refers to counts from the start of `bytes`.
  // Requires: the slot lies inside.
  Value slot(const DataType& type, size_t position, std::span<const uint8_t> bytes) {
    bool compact =
        is_timestamp(type) ? is_compact_timestamp(type)
        : type.is(TypeRoot::kDecimal)
            ? is_compact_decimal(type)
            : element_width(type) < 8 || type.is(TypeRoot::kBigint) || type.is(TypeRoot::kDouble);
    if (compact) {
      Cursor cursor(bytes.subspan(position, element_width(type)));
      return fixed(type, cursor);
    }
    auto low = load_le<uint32_t>(bytes.data() + position);
    auto high = load_le<uint32_t>(bytes.data() + position + 4);
    bool is_text = !type.is_nested() && !is_timestamp(type) && !type.is(TypeRoot::kDecimal);
    if (is_text && (high >> 31) != 0) {
      size_t size = high >> 24 & 0x7f;
      return size <= 7 ? Value::bytes(bytes.subspan(position, size)) : fail_value();
    }
    size_t size = is_timestamp(type) ? 8 : low;
    if (high > bytes.size() || size > bytes.size() - high) return fail_value();
    std::span<const uint8_t> entry = bytes.subspan(high, size);
    if (is_timestamp(type)) return timestamp(load_le<int64_t>(entry.data()), low);
    if (type.is(TypeRoot::kDecimal)) return decimal(type, entry);
    return is_text ? Value::bytes(entry) : container(type, entry);
  }

  RowFormat format_;
  size_t budget_;
  Arena& arena_;
  bool failed_ = false;
};

tl::unexpected<Error> no_row(std::string_view what, size_t size, size_t fields) {
  return make_error(ErrorCode::kUnknownServerError,
                    "row of {} bytes: it is no {} of {} columns",
                    size,
                    what,
                    fields);
}

}  // namespace

std::vector<Field> fields_of(const Schema& schema) {
  std::vector<Field> fields;
  fields.reserve(schema.size());
  for (const Column& column : schema.columns()) {
    fields.push_back({column.name, column.type, std::nullopt, column.id});
  }
  return fields;
}

std::string_view row_format_name(RowFormat format) {
  switch (format) {
    case RowFormat::kCompacted:
      return "compacted";
    case RowFormat::kIndexed:
      return "indexed";
    case RowFormat::kAligned:
      return "aligned";
  }
  return "unknown";
}

RowCodec::RowCodec(RowFormat format, std::vector<Field> fields)
    : format_(format), fields_(std::move(fields)) {}

RowCodec::RowCodec(RowFormat format, const Schema& schema)
    : format_(format), fields_(fields_of(schema)) {}

RowCodec::RowCodec(RowFormat format, const Schema& schema, std::span<const size_t> columns)
    : format_(format) {
  fields_.reserve(columns.size());
  for (size_t index : columns) {
    const Column& column = schema.column(index);
    fields_.push_back({column.name, column.type, std::nullopt, column.id});
  }
}

Result<std::span<const Value>> RowCodec::decode(std::span<const uint8_t> bytes,
                                                Arena* arena) const {
  Decoder decoder(format_, bytes, fields_.size(), arena);
  std::span<const Value> values = decoder.row(fields_, bytes);
  if (decoder.failed()) return no_row(row_format_name(format_), bytes.size(), fields_.size());
  return values;
}

Result<std::span<const Value>> RowCodec::decode_key(std::span<const uint8_t> bytes,
                                                    Arena* arena) const {
  CHECK(format_ == RowFormat::kCompacted, "keys are compacted");
  Decoder decoder(format_, bytes, fields_.size(), arena);
  std::span<const Value> values = decoder.compacted_row(fields_, bytes, false);
  if (decoder.failed()) return no_row("compacted key", bytes.size(), fields_.size());
  return values;
}

}  // namespace lakestream
