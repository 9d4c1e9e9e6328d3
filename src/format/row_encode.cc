#include <limits>

#include "format/row_types.h"
#include "format/rows.h"

namespace lakestream {
namespace {

tl::unexpected<Error> misfit(const DataType& type, std::string_view rule) {
  return make_error(ErrorCode::kUnknownServerError, "value of type {}: {}", type, rule);
}

template <typename T>
bool in_range(int64_t value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

// Kind and range of a value that is not null.
Status check_value(const DataType& type, const Value& value) {
  if (value.kind() != value_kind_of(type)) return misfit(type, "the value is of another kind");
  switch (type.root()) {
    case TypeRoot::kTinyint:
      return in_range<int8_t>(value.as_integer()) ? ok() : misfit(type, "out of range");
    case TypeRoot::kSmallint:
      return in_range<int16_t>(value.as_integer()) ? ok() : misfit(type, "out of range");
    case TypeRoot::kInteger:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return in_range<int32_t>(value.as_integer()) ? ok() : misfit(type, "out of range");
    case TypeRoot::kDecimal:
      if (fits_precision(value.as_decimal(), type.precision())) return ok();
      return misfit(type, "more digits than the precision");
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      if (value.timestamp_ns() >= 0 && value.timestamp_ns() <= 999'999) return ok();
      return misfit(type, "nanoseconds of a millisecond are 0 to 999999");
    case TypeRoot::kMap:
      return value.items().size() % 2 == 0 ? ok() : misfit(type, "a key without a value");
    case TypeRoot::kRow:
      if (value.items().size() == type.fields().size()) return ok();
      return misfit(type, "another number of fields");
    default:
      return ok();
  }
}

class Encoder {
 public:
  Encoder(RowFormat format, ByteWriter* out) : format_(format), out_(*out) {}

  Status row(const std::vector<Field>& fields, std::span<const Value> values) {
    switch (format_) {
      case RowFormat::kCompacted:
        return compacted_row(fields, values, true);
      case RowFormat::kIndexed:
        return indexed_row(fields, values);
      case RowFormat::kAligned:
        return aligned_row(fields, values);
    }
    return ok();
  }

  Status compacted_row(const std::vector<Field>& fields,
                       std::span<const Value> values,
                       bool with_null_bits) {
    size_t bits = out_.size();
    if (with_null_bits) out_.put_zeros((fields.size() + 7) / 8);
    for (size_t i = 0; i < fields.size(); ++i) {
      if (values[i].is_null()) {
        if (!with_null_bits) return misfit(fields[i].type, "a key has no nulls");
        out_.set_bit(bits, i);
        continue;
      }
      RETURN_IF_ERROR(compacted_field(fields[i].type, values[i]));
    }
    return ok();
  }

 private:
  Status compacted_field(const DataType& type, const Value& value) {
    RETURN_IF_ERROR(check_value(type, value));
    switch (type.root()) {
      case TypeRoot::kInteger:
      case TypeRoot::kDate:
      case TypeRoot::kTime:
        out_.put_uvarint(static_cast<uint32_t>(value.as_integer()));
        return ok();
      case TypeRoot::kBigint:
        out_.put_uvarint(static_cast<uint64_t>(value.as_integer()));
        return ok();
      case TypeRoot::kDecimal:
        if (is_compact_decimal(type)) {
          out_.put_uvarint(static_cast<uint64_t>(value.as_decimal()));
        } else {
          sized(unscaled_bytes(value.as_decimal()).span());
        }
        return ok();
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        out_.put_uvarint(static_cast<uint64_t>(value.timestamp_ms()));
        if (!is_compact_timestamp(type)) {
          out_.put_uvarint(static_cast<uint32_t>(value.timestamp_ns()));
        }
        return ok();
      case TypeRoot::kChar:
      case TypeRoot::kString:
      case TypeRoot::kBinary:
      case TypeRoot::kBytes:
        out_.put_uvarint(value.as_bytes().size());
        out_.put_bytes(value.as_bytes());
        return ok();
      case TypeRoot::kArray:
      case TypeRoot::kMap:
      case TypeRoot::kRow: {
        ByteWriter part;
        RETURN_IF_ERROR(Encoder(format_, &part).container(type, value));
        sized(part.span());
        return ok();
      }
      default:
        return fixed(type, value);
    }
  }

  void sized(std::span<const uint8_t> bytes) {
    out_.put_uvarint(bytes.size());
    out_.put_bytes(bytes);
  }

  // The types whose value has one width in every format.
  Status fixed(const DataType& type, const Value& value) {
    switch (type.root()) {
      case TypeRoot::kBoolean:
        out_.put<uint8_t>(value.as_boolean() ? 1 : 0);
        return ok();
      case TypeRoot::kTinyint:
        out_.put(static_cast<int8_t>(value.as_integer()));
        return ok();
      case TypeRoot::kSmallint:
        out_.put(static_cast<int16_t>(value.as_integer()));
        return ok();
      case TypeRoot::kInteger:
      case TypeRoot::kDate:
      case TypeRoot::kTime:
        out_.put(static_cast<int32_t>(value.as_integer()));
        return ok();
      case TypeRoot::kBigint:
        out_.put(value.as_integer());
        return ok();
      case TypeRoot::kFloat:
        out_.put(value.as_float());
        return ok();
      case TypeRoot::kDouble:
        out_.put(value.as_double());
        return ok();
      case TypeRoot::kDecimal:
        out_.put(static_cast<int64_t>(value.as_decimal()));
        return ok();
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        out_.put(value.timestamp_ms());
        return ok();
      default:
        return misfit(type, "has no fixed width");
    }
  }

  Status indexed_row(const std::vector<Field>& fields, std::span<const Value> values) {
    size_t bits = out_.size();
    out_.put_zeros((fields.size() + 7) / 8);
    size_t next_length = out_.size();
    for (const Field& field : fields) {
      if (is_variable_in_indexed(field.type)) out_.put<int32_t>(0);
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      if (values[i].is_null()) {
        out_.set_bit(bits, i);
        continue;
      }
      size_t begin = out_.size();
      RETURN_IF_ERROR(indexed_field(fields[i].type, values[i]));
      if (!is_variable_in_indexed(fields[i].type)) continue;
      out_.patch(next_length, static_cast<int32_t>(out_.size() - begin));
      next_length += 4;
    }
    return ok();
  }

  Status indexed_field(const DataType& type, const Value& value) {
    RETURN_IF_ERROR(check_value(type, value));
    switch (type.root()) {
      case TypeRoot::kChar:
      case TypeRoot::kBinary: {
        auto width = static_cast<size_t>(type.length());
        std::string_view bytes = value.as_bytes();
        if (bytes.size() > width)
          return misfit(type, "longer in bytes than an indexed row can hold");
        out_.put_bytes(bytes);
        out_.put_zeros(width - bytes.size());
        return ok();
      }
      case TypeRoot::kString:
      case TypeRoot::kBytes:
        out_.put_bytes(value.as_bytes());
        return ok();
      case TypeRoot::kDecimal:
        if (is_compact_decimal(type)) return fixed(type, value);
        out_.put_bytes(unscaled_bytes(value.as_decimal()).span());
        return ok();
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        out_.put(value.timestamp_ms());
        if (!is_compact_timestamp(type)) out_.put(value.timestamp_ns());
        return ok();
      case TypeRoot::kArray:
      case TypeRoot::kMap:
      case TypeRoot::kRow:
        return container(type, value);
      default:
        return fixed(type, value);
    }
  }

  Status aligned_row(const std::vector<Field>& fields, std::span<const Value> values) {
    size_t start = out_.size();
    size_t header = (fields.size() + 71) / 64 * 8;
    out_.put_zeros(header + 8 * fields.size());
    for (size_t i = 0; i < fields.size(); ++i) {
      if (values[i].is_null()) {
        out_.set_bit(start, 8 + i);
        continue;
      }
      RETURN_IF_ERROR(slot(fields[i].type, values[i], start + header + 8 * i, start));
    }
    return ok();
  }

  // The part of a nested value: array, map or row.
  Status container(const DataType& type, const Value& value) {
    std::span<const Value> items = value.items();
    if (type.is(TypeRoot::kRow)) return row(type.fields(), items);
    if (type.is(TypeRoot::kArray)) return array(type.element_type(), items, 1);
    size_t start = out_.size();
    out_.put<int32_t>(0);
    RETURN_IF_ERROR(array(type.key_type(), items, 2));
    out_.patch(start, static_cast<int32_t>(out_.size() - start - 4));
    return array(type.value_type(), items.empty() ? items : items.subspan(1), 2);
  }

  // Every stride-th item.
  Status array(const DataType& type, std::span<const Value> items, size_t stride) {
    size_t start = out_.size();
    size_t count = (items.size() + stride - 1) / stride;
    size_t width = element_width(type);
    size_t elements = start + 4 + (count + 31) / 32 * 4;
    out_.put(static_cast<int32_t>(count));
    out_.put_zeros((count + 31) / 32 * 4 + count * width);
    out_.pad_to_8(start);
    for (size_t i = 0; i < count; ++i) {
      const Value& value = items[i * stride];
      if (value.is_null()) {
        out_.set_bit(start + 4, i);
        continue;
      }
      RETURN_IF_ERROR(slot(type, value, elements + i * width, start));
    }
    return ok();
  }

  // Writes a value into its slot, and what does not fit there to the end. Offsets count from
  // `start`.
  Status slot(const DataType& type, const Value& value, size_t position, size_t start) {
    RETURN_IF_ERROR(check_value(type, value));
    switch (type.root()) {
      case TypeRoot::kBoolean:
        out_.patch<uint8_t>(position, value.as_boolean() ? 1 : 0);
        return ok();
      case TypeRoot::kTinyint:
        out_.patch(position, static_cast<int8_t>(value.as_integer()));
        return ok();
      case TypeRoot::kSmallint:
        out_.patch(position, static_cast<int16_t>(value.as_integer()));
        return ok();
      case TypeRoot::kInteger:
      case TypeRoot::kDate:
      case TypeRoot::kTime:
        out_.patch(position, static_cast<int32_t>(value.as_integer()));
        return ok();
      case TypeRoot::kBigint:
        out_.patch(position, value.as_integer());
        return ok();
      case TypeRoot::kFloat:
        out_.patch(position, value.as_float());
        return ok();
      case TypeRoot::kDouble:
        out_.patch(position, value.as_double());
        return ok();
      default:
        return wide_slot(type, value, position, start);
    }
  }

  Status wide_slot(const DataType& type, const Value& value, size_t position, size_t start) {
    if (is_timestamp(type)) {
      if (is_compact_timestamp(type)) {
        out_.patch(position, value.timestamp_ms());
        return ok();
      }
      refer(position, static_cast<uint32_t>(value.timestamp_ns()), start);
      out_.put(value.timestamp_ms());
      return ok();
    }
    if (type.is(TypeRoot::kDecimal)) {
      if (is_compact_decimal(type)) {
        out_.patch(position, static_cast<int64_t>(value.as_decimal()));
        return ok();
      }
      UnscaledBytes unscaled = unscaled_bytes(value.as_decimal());
      refer(position, static_cast<uint32_t>(unscaled.span().size()), start);
      out_.put_bytes(unscaled.span());
      out_.put_zeros(16 - unscaled.span().size());
      return ok();
    }
    if (type.is_nested()) {
      refer(position, 0, start);
      size_t begin = out_.size();
      RETURN_IF_ERROR(container(type, value));
      out_.patch(position, static_cast<uint32_t>(out_.size() - begin));
      out_.pad_to_8(start);
      return ok();
    }
    std::string_view bytes = value.as_bytes();
    if (bytes.size() > 7) {
      refer(position, static_cast<uint32_t>(bytes.size()), start);
      out_.put_bytes(bytes);
      out_.pad_to_8(start);
      return ok();
    }
    for (size_t i = 0; i < bytes.size(); ++i) out_.patch(position + i, bytes[i]);
    out_.patch(position + 7, static_cast<uint8_t>(0x80 | bytes.size()));
    return ok();
  }

  // Points the slot to the end of the content.
  void refer(size_t position, uint32_t low, size_t start) {
    out_.patch(position, low);
    out_.patch(position + 4, static_cast<uint32_t>(out_.size() - start));
  }

  RowFormat format_;
  ByteWriter& out_;
};

}  // namespace

Status RowCodec::encode(std::span<const Value> row, ByteWriter* out) const {
  CHECK(row.size() == fields_.size(), "values of a row");
  size_t before = out->size();
  Status status = Encoder(format_, out).row(fields_, row);
  if (!status) out->truncate(before);
  return status;
}

Status RowCodec::encode_key(std::span<const Value> row, ByteWriter* out) const {
  CHECK(row.size() == fields_.size() && format_ == RowFormat::kCompacted, "values of a key");
  size_t before = out->size();
  Status status = Encoder(format_, out).compacted_row(fields_, row, false);
  if (!status) out->truncate(before);
  return status;
}

}  // namespace lakestream
