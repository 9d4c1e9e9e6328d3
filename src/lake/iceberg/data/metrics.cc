#include "lake/iceberg/data/metrics.h"

#include <algorithm>

#include "lake/lake.h"
#include "lake/text_bounds.h"

namespace lakestream::iceberg {
namespace {

bool is_system_column(std::string_view name) {
  return name == kLakeBucketColumn || name == kLakeOffsetColumn || name == kLakeTimestampColumn;
}

// Big endian without the leading bytes that only repeat the sign.
std::string shortest(std::string big_endian) {
  size_t begin = 0;
  auto sign_of = [](char byte) { return (static_cast<uint8_t>(byte) & 0x80) != 0; };
  while (begin + 1 < big_endian.size()) {
    char byte = big_endian[begin];
    bool only_sign = byte == '\0' ? !sign_of(big_endian[begin + 1])
                                  : byte == '\xFF' && sign_of(big_endian[begin + 1]);
    if (!only_sign) break;
    ++begin;
  }
  return big_endian.substr(begin);
}

// The least bytes that are above all that begin with `bytes`.
std::optional<std::string> next_bytes(std::string bytes) {
  while (!bytes.empty()) {
    auto last = static_cast<uint8_t>(bytes.back());
    if (last < 0xFF) {
      bytes.back() = static_cast<char>(last + 1);
      return bytes;
    }
    bytes.pop_back();
  }
  return std::nullopt;
}

std::string cut_lower(const IcebergType& type, std::string bound, int32_t chars) {
  if (type.kind == TypeKind::kString) return std::string(truncated_min(bound, chars));
  return bound.substr(0, static_cast<size_t>(chars));
}

std::optional<std::string> cut_upper(const IcebergType& type, std::string bound, int32_t chars) {
  if (type.kind == TypeKind::kString) return truncated_max(bound, chars);
  if (bound.size() <= static_cast<size_t>(chars)) return bound;
  return next_bytes(bound.substr(0, static_cast<size_t>(chars)));
}

void set_bounds(const IcebergType& type,
                const ColumnBounds& bounds,
                const MetricsMode& mode,
                FieldMetrics* metrics) {
  metrics->lower = single_value(type, bounds.min);
  metrics->upper = single_value(type, bounds.max);
  bool is_cut = type.kind == TypeKind::kString || type.kind == TypeKind::kBinary;
  if (!is_cut || mode.chars == 0) return;
  metrics->lower = cut_lower(type, *std::move(metrics->lower), mode.chars);
  metrics->upper = cut_upper(type, *std::move(metrics->upper), mode.chars);
}

}  // namespace

std::optional<std::string> single_value(const IcebergType& type, std::string_view plain) {
  size_t width = 0;
  switch (type.kind) {
    case TypeKind::kBoolean:
      width = 1;
      break;
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kDate:
      width = 4;
      break;
    case TypeKind::kLong:
    case TypeKind::kDouble:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      width = 8;
      break;
    case TypeKind::kString:
    case TypeKind::kBinary:
      return std::string(plain);
    case TypeKind::kDecimal: {
      if (plain.empty()) return std::nullopt;
      std::string big_endian(plain);
      // Up to 18 digits Parquet has integers.
      if (type.precision <= 18) std::reverse(big_endian.begin(), big_endian.end());
      return shortest(std::move(big_endian));
    }
    default:
      return std::nullopt;
  }
  if (plain.size() != width) return std::nullopt;
  return std::string(plain);
}

std::vector<FieldMetrics> metrics_of(std::span<const NestedField> fields,
                                     const DataSettings& settings,
                                     const ParquetFileInfo& info) {
  constexpr MetricsMode kAll{.chars = 0};
  std::vector<FieldMetrics> all;
  for (const ParquetColumn& column : info.columns) {
    auto field = std::find_if(fields.begin(), fields.end(), [&](const NestedField& known) {
      return known.id == column.field_id;
    });
    if (field == fields.end()) continue;
    const MetricsMode& mode =
        is_system_column(field->name) ? kAll : settings.metrics_of(field->name);
    FieldMetrics metrics{.id = field->id, .bytes = column.bytes};
    if (mode.has_counts) {
      metrics.values = info.rows;
      metrics.nulls = column.null_count;
      metrics.nans = column.nan_count;
    }
    if (mode.has_bounds && column.bounds) set_bounds(field->type, *column.bounds, mode, &metrics);
    all.push_back(std::move(metrics));
  }
  std::sort(all.begin(), all.end(), [](const FieldMetrics& a, const FieldMetrics& b) {
    return a.id < b.id;
  });
  return all;
}

}  // namespace lakestream::iceberg
