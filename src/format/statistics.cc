#include "format/statistics.h"

#include <cmath>

#include <arrow/record_batch.h>

#include "format/arrow_schema.h"

namespace lakestream {
namespace {

constexpr int8_t kVersion = 1;

template <typename Float>
bool float_less(Float a, Float b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  if (a == 0 && b == 0) return std::signbit(a) && !std::signbit(b);
  return a < b;
}

std::vector<size_t> positions(std::span<const int32_t> columns) {
  return std::vector<size_t>(columns.begin(), columns.end());
}

// The next `count` integers; nullopt when they are not there.
template <typename T>
std::optional<std::vector<int32_t>> take(std::span<const uint8_t>& block, size_t count) {
  if (block.size() / sizeof(T) < count) return std::nullopt;
  std::vector<int32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = load_le<T>(block.data() + i * sizeof(T));
  block = block.subspan(count * sizeof(T));
  return values;
}

std::optional<std::span<const Value>> take_row(std::span<const uint8_t>& block,
                                               const RowCodec& codec,
                                               Arena* arena) {
  auto size = take<int32_t>(block, 1);
  if (!size || size->front() < 0 || static_cast<size_t>(size->front()) > block.size()) {
    return std::nullopt;
  }
  auto row = codec.decode(block.first(static_cast<size_t>(size->front())), arena);
  block = block.subspan(static_cast<size_t>(size->front()));
  if (!row) return std::nullopt;
  return *row;
}

void put_row(const ByteWriter& row, ByteWriter* out) {
  out->put(static_cast<int32_t>(row.size()));
  out->put_bytes(row.span());
}

}  // namespace

bool has_statistics(const DataType& type) {
  return !type.is_nested() && !type.is(TypeRoot::kBinary) && !type.is(TypeRoot::kBytes);
}

bool statistics_less(const DataType& type, const Value& a, const Value& b) {
  switch (value_kind_of(type)) {
    case Value::Kind::kBoolean:
      return !a.as_boolean() && b.as_boolean();
    case Value::Kind::kInteger:
      return a.as_integer() < b.as_integer();
    case Value::Kind::kFloat:
      return float_less(a.as_float(), b.as_float());
    case Value::Kind::kDouble:
      return float_less(a.as_double(), b.as_double());
    case Value::Kind::kBytes:
      return a.as_bytes() < b.as_bytes();  // char_traits<char> compares unsigned
    case Value::Kind::kDecimal:
      return a.as_decimal() < b.as_decimal();
    case Value::Kind::kTimestamp:
      if (a.timestamp_ms() != b.timestamp_ms()) return a.timestamp_ms() < b.timestamp_ms();
      return a.timestamp_ns() < b.timestamp_ns();
    default:
      return false;
  }
}

std::optional<BatchStatistics> StatisticsReader::read(std::span<const uint8_t> block,
                                                      Arena* arena) {
  if (block.size() < 3 || static_cast<int8_t>(block[0]) != kVersion) return std::nullopt;
  auto count = load_le<int16_t>(block.data() + 1);
  if (count <= 0) return std::nullopt;
  block = block.subspan(3);
  auto columns = take<int16_t>(block, static_cast<size_t>(count));
  if (!columns) return std::nullopt;
  if (!codec_ || *columns != columns_) {
    for (int32_t column : *columns) {
      if (column < 0 || column >= static_cast<int64_t>(schema_.size())) return std::nullopt;
    }
    codec_.emplace(RowFormat::kAligned, schema_, positions(*columns));
    columns_ = *columns;
  }
  auto null_counts = take<int32_t>(block, static_cast<size_t>(count));
  if (!null_counts) return std::nullopt;
  auto minimum = take_row(block, *codec_, arena);
  if (!minimum) return std::nullopt;
  auto maximum = take_row(block, *codec_, arena);
  if (!maximum) return std::nullopt;
  return BatchStatistics{*std::move(columns), *std::move(null_counts), *minimum, *maximum};
}

Status write_statistics(const arrow::RecordBatch& rows,
                        const Schema& schema,
                        std::span<const int32_t> columns,
                        ByteWriter* out) {
  ASSIGN_OR_RETURN(ArrowRows cells, ArrowRows::make(rows.Slice(0, rows.num_rows()), schema));
  std::vector<int32_t> null_counts(columns.size());
  std::vector<Value> minimum(columns.size());
  std::vector<Value> maximum(columns.size());
  Arena arena;
  for (size_t i = 0; i < columns.size(); ++i) {
    auto column = static_cast<size_t>(columns[i]);
    const DataType& type = schema.column(column).type;
    if (!has_statistics(type)) {
      return make_error(ErrorCode::kUnknownServerError,
                        "column {} of type {} has no statistics",
                        schema.column(column).name,
                        type);
    }
    for (int64_t row = 0; row < cells.size(); ++row) {
      ASSIGN_OR_RETURN(Value value, cells.cell(column, row, &arena));
      if (value.is_null()) {
        ++null_counts[i];
        continue;
      }
      if (minimum[i].is_null() || statistics_less(type, value, minimum[i])) minimum[i] = value;
      if (maximum[i].is_null() || statistics_less(type, maximum[i], value)) maximum[i] = value;
    }
  }
  RowCodec codec(RowFormat::kAligned, schema, positions(columns));
  ByteWriter row;
  RETURN_IF_ERROR(codec.encode(minimum, &row));
  out->put(kVersion);
  out->put(static_cast<int16_t>(columns.size()));
  for (int32_t column : columns) out->put(static_cast<int16_t>(column));
  for (int32_t count : null_counts) out->put(count);
  put_row(row, out);
  row.clear();
  RETURN_IF_ERROR(codec.encode(maximum, &row));
  put_row(row, out);
  return ok();
}

}  // namespace lakestream
