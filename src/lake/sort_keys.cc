#include "lake/sort_keys.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/check.h"
#include "base/endian.h"
#include "format/value.h"

namespace lakestream {
namespace {

// A column of a key: how many bytes it takes of each row, and those bytes.
class KeyColumn {
 public:
  KeyColumn(const arrow::Array& array, bool is_last) : array_(array), is_last_(is_last) {}

  // 0 when it differs from row to row. Nothing: the type can be no key.
  std::optional<size_t> width() const;
  // Adds the bytes of each row to `sizes`.
  void add_sizes(std::span<size_t> sizes) const;
  // Writes at the places of the rows and moves them on.
  void write(std::span<char*> places) const;

 private:
  template <typename Array, typename Encode>
  void write_fixed(std::span<char*> places, const Encode& encode) const {
    const auto& values = static_cast<const Array&>(array_);
    for (size_t i = 0; i < places.size(); ++i) {
      places[i] = encode(values.Value(static_cast<int64_t>(i)), places[i]);
    }
  }
  void write_texts(std::span<char*> places) const;
  void write_decimals(std::span<char*> places) const;

  const arrow::Array& array_;
  bool is_last_;
};

// The sign is turned, so that negative numbers come first.
template <typename Integer>
char* write_integer(Integer value, char* place) {
  using Unsigned = std::make_unsigned_t<Integer>;
  constexpr auto kSign = static_cast<Unsigned>(Unsigned{1} << (sizeof(Unsigned) * 8 - 1));
  store_be<Unsigned>(place, static_cast<Unsigned>(static_cast<Unsigned>(value) ^ kSign));
  return place + sizeof(Integer);
}

// IEEE 754: positive numbers are in the order of their bits, negative ones against it.
template <typename Bits, typename Float>
char* write_float(Float value, char* place) {
  if (std::isnan(value)) value = std::numeric_limits<Float>::quiet_NaN();
  auto bits = std::bit_cast<Bits>(value);
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  bits = (bits & kSign) != 0 ? ~bits : bits | kSign;
  store_be<Bits>(place, bits);
  return place + sizeof(Bits);
}

std::optional<size_t> KeyColumn::width() const {
  switch (array_.type_id()) {
    case arrow::Type::BOOL:
    case arrow::Type::INT8:
      return 1;
    case arrow::Type::INT16:
      return 2;
    case arrow::Type::INT32:
    case arrow::Type::FLOAT:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      return 4;
    case arrow::Type::INT64:
    case arrow::Type::DOUBLE:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
      return 8;
    case arrow::Type::DECIMAL128:
      return 16;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return 0;
    default:
      return std::nullopt;
  }
}

// A text that others follow ends in two zeros; a zero in it is followed by 255.
void KeyColumn::add_sizes(std::span<size_t> sizes) const {
  size_t fixed = width().value_or(0);
  const auto& texts = static_cast<const arrow::BinaryArray&>(array_);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (fixed > 0) {
      sizes[i] += fixed;
      continue;
    }
    std::string_view text = texts.GetView(static_cast<int64_t>(i));
    sizes[i] += text.size();
    if (is_last_) continue;
    sizes[i] += static_cast<size_t>(std::count(text.begin(), text.end(), '\0')) + 2;
  }
}

void KeyColumn::write_texts(std::span<char*> places) const {
  const auto& texts = static_cast<const arrow::BinaryArray&>(array_);
  for (size_t i = 0; i < places.size(); ++i) {
    std::string_view text = texts.GetView(static_cast<int64_t>(i));
    char* out = places[i];
    if (is_last_) {
      std::copy(text.begin(), text.end(), out);
      continue;
    }
    for (char byte : text) {
      *out++ = byte;
      if (byte == '\0') *out++ = '\xFF';
    }
    *out++ = '\0';
    *out++ = '\0';
    places[i] = out;
  }
}

void KeyColumn::write_decimals(std::span<char*> places) const {
  const auto& values = static_cast<const arrow::Decimal128Array&>(array_);
  for (size_t i = 0; i < places.size(); ++i) {
    const uint8_t* value = values.GetValue(static_cast<int64_t>(i));
    char* out = write_integer(load_le<int64_t>(value + 8), places[i]);
    store_be<uint64_t>(out, load_le<uint64_t>(value));
    places[i] = out + 8;
  }
}

void KeyColumn::write(std::span<char*> places) const {
  switch (array_.type_id()) {
    case arrow::Type::BOOL:
      return write_fixed<arrow::BooleanArray>(places, [](bool value, char* place) {
        *place = value ? '\1' : '\0';
        return place + 1;
      });
    case arrow::Type::INT8:
      return write_fixed<arrow::Int8Array>(places, write_integer<int8_t>);
    case arrow::Type::INT16:
      return write_fixed<arrow::Int16Array>(places, write_integer<int16_t>);
    case arrow::Type::INT32:
      return write_fixed<arrow::Int32Array>(places, write_integer<int32_t>);
    case arrow::Type::DATE32:
      return write_fixed<arrow::Date32Array>(places, write_integer<int32_t>);
    case arrow::Type::TIME32:
      return write_fixed<arrow::Time32Array>(places, write_integer<int32_t>);
    case arrow::Type::INT64:
      return write_fixed<arrow::Int64Array>(places, write_integer<int64_t>);
    case arrow::Type::TIME64:
      return write_fixed<arrow::Time64Array>(places, write_integer<int64_t>);
    case arrow::Type::TIMESTAMP:
      return write_fixed<arrow::TimestampArray>(places, write_integer<int64_t>);
    case arrow::Type::FLOAT:
      return write_fixed<arrow::FloatArray>(places, write_float<uint32_t, float>);
    case arrow::Type::DOUBLE:
      return write_fixed<arrow::DoubleArray>(places, write_float<uint64_t, double>);
    case arrow::Type::DECIMAL128:
      return write_decimals(places);
    default:
      return write_texts(places);
  }
}

uint64_t prefix_of(std::string_view key) {
  if (key.size() >= sizeof(uint64_t)) return load_be<uint64_t>(key.data());
  char padded[sizeof(uint64_t)] = {};
  std::copy(key.begin(), key.end(), padded);
  return load_be<uint64_t>(padded);
}

}  // namespace

Result<SortKeys> SortKeys::make(const arrow::RecordBatch& rows,
                                std::span<const std::string> columns) {
  auto count = static_cast<size_t>(rows.num_rows());
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  std::vector<KeyColumn> parts;
  size_t fixed = 0;
  bool all_fixed = true;
  for (const std::string& name : columns) {
    std::shared_ptr<arrow::Array> array = rows.GetColumnByName(name);
    if (array == nullptr || array->null_count() > 0) {
      return make_error(ErrorCode::kUnknownServerError,
                        "key column {} {}",
                        name,
                        array == nullptr ? "is missing" : "has nulls, which a key can not have");
    }
    KeyColumn part(*array, &name == &columns.back());
    std::optional<size_t> width = part.width();
    if (!width) {
      return make_error(ErrorCode::kUnknownServerError,
                        "key column {} is {}, which can be no key",
                        name,
                        array->type()->ToString());
    }
    fixed += *width;
    all_fixed = all_fixed && *width > 0;
    parts.push_back(part);
    arrays.push_back(std::move(array));
  }
  SortKeys keys;
  std::vector<size_t> sizes(count, 0);
  for (const KeyColumn& part : parts) part.add_sizes(sizes);
  keys.ends_.resize(count + 1);
  for (size_t i = 0; i < count; ++i) keys.ends_[i + 1] = keys.ends_[i] + sizes[i];
  keys.bytes_.resize(keys.ends_[count]);
  std::vector<char*> places(count);
  for (size_t i = 0; i < count; ++i) places[i] = keys.bytes_.data() + keys.ends_[i];
  for (const KeyColumn& part : parts) part.write(places);
  keys.prefixes_.resize(count);
  for (size_t i = 0; i < count; ++i) keys.prefixes_[i] = prefix_of(keys.key(i));
  keys.prefix_is_all_ = all_fixed && fixed <= sizeof(uint64_t);
  return keys;
}

bool SortKeys::is_rising() const {
  for (size_t i = 1; i < size(); ++i) {
    if (compare(i - 1, *this, i) >= 0) return false;
  }
  return true;
}

size_t SortKeys::first_not_below(size_t row, const SortKeys& other, size_t other_row) const {
  auto is_below = [&](size_t at) { return compare(at, other, other_row) < 0; };
  if (row == size() || !is_below(row)) return row;
  // By steps that double, then by halving.
  size_t below = row;
  size_t distance = 1;
  while (below + distance < size() && is_below(below + distance)) {
    below += distance;
    distance *= 2;
  }
  size_t limit = std::min(size(), below + distance);
  while (limit - below > 1) {
    size_t middle = below + (limit - below) / 2;
    (is_below(middle) ? below : limit) = middle;
  }
  return limit;
}

std::vector<uint32_t> SortKeys::sorted() const {
  CHECK(size() < std::numeric_limits<uint32_t>::max(), "rows to sort");
  struct Entry {
    uint64_t prefix;
    uint32_t row;
  };
  std::vector<Entry> entries(size());
  for (size_t i = 0; i < size(); ++i) entries[i] = {prefixes_[i], static_cast<uint32_t>(i)};
  std::sort(entries.begin(), entries.end(), [this](const Entry& a, const Entry& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    if (!prefix_is_all_) {
      int order = key(a.row).compare(key(b.row));
      if (order != 0) return order < 0;
    }
    return a.row < b.row;
  });
  std::vector<uint32_t> rows(size());
  for (size_t i = 0; i < size(); ++i) rows[i] = entries[i].row;
  return rows;
}

}  // namespace lakestream
