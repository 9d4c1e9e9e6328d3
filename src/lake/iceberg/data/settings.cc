#include "lake/iceberg/data/settings.h"

#include <charconv>
#include <limits>

#include "base/config.h"
#include "lake/iceberg/data/data.h"

namespace lakestream::iceberg {
namespace {

constexpr std::string_view kColumnMetrics = "write.metadata.metrics.column.";

tl::unexpected<Error> refused(std::string_view key, std::string_view value, std::string_view rule) {
  return make_error(ErrorCode::kInvalidTableException,
                    "property {} of the Iceberg table is '{}'; {}",
                    key,
                    value,
                    rule);
}

const std::string* find(const Properties& properties, std::string_view key) {
  auto found = properties.find(std::string(key));
  return found == properties.end() ? nullptr : &found->second;
}

Status read_number(const Properties& properties,
                   std::string_view key,
                   int64_t max,
                   int64_t* value) {
  const std::string* text = find(properties, key);
  if (text == nullptr) return ok();
  Result<int64_t> parsed = parse_integer(*text);
  if (!parsed || *parsed <= 0 || *parsed > max) return refused(key, *text, "give a number above 0");
  *value = *parsed;
  return ok();
}

Status read_codec(const Properties& properties, DataSettings* settings) {
  constexpr std::string_view kCodec = "write.parquet.compression-codec";
  constexpr std::string_view kLevel = "write.parquet.compression-level";
  if (const std::string* name = find(properties, kCodec)) {
    std::optional<ParquetCodec> codec = parquet_codec_of(*name);
    if (!codec) return refused(kCodec, *name, "take zstd, snappy, lz4, gzip or uncompressed");
    settings->codec = *codec;
    if (*codec != ParquetCodec::kZstd) settings->codec_level.reset();
  }
  if (find(properties, kLevel) == nullptr) return ok();
  int64_t level = 0;
  RETURN_IF_ERROR(read_number(properties, kLevel, 22, &level));
  settings->codec_level = static_cast<int32_t>(level);
  return ok();
}

Result<MetricsMode> metrics_mode(std::string_view key, std::string_view text) {
  constexpr std::string_view kTruncate = "truncate(";
  if (text == "none") return MetricsMode{.has_counts = false, .has_bounds = false};
  if (text == "counts") return MetricsMode{.has_bounds = false};
  if (text == "full") return MetricsMode{.chars = 0};
  int32_t chars = 0;
  if (text.starts_with(kTruncate) && text.ends_with(')')) {
    std::from_chars(text.data() + kTruncate.size(), text.data() + text.size() - 1, chars);
  }
  if (chars <= 0) return refused(key, text, "take none, counts, truncate(16) or full");
  return MetricsMode{.chars = chars};
}

Status read_metrics(const Properties& properties, DataSettings* settings) {
  constexpr std::string_view kDefault = "write.metadata.metrics.default";
  if (const std::string* mode = find(properties, kDefault)) {
    ASSIGN_OR_RETURN(settings->metrics, metrics_mode(kDefault, *mode));
  }
  for (const auto& [key, mode] : properties) {
    if (!key.starts_with(kColumnMetrics)) continue;
    ASSIGN_OR_RETURN(settings->column_metrics[key.substr(kColumnMetrics.size())],
                     metrics_mode(key, mode));
  }
  return ok();
}

}  // namespace

const MetricsMode& DataSettings::metrics_of(std::string_view column) const {
  auto found = column_metrics.find(column);
  return found == column_metrics.end() ? metrics : found->second;
}

Result<DataSettings> data_settings(const Properties& properties) {
  constexpr std::string_view kFileFormat = "write.format.default";
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  DataSettings settings;
  const std::string* format = find(properties, kFileFormat);
  if (format != nullptr && *format != "parquet") {
    return refused(kFileFormat, *format, "only parquet is supported");
  }
  RETURN_IF_ERROR(
      read_number(properties, "write.target-file-size-bytes", kMax, &settings.target_file_bytes));
  RETURN_IF_ERROR(read_number(
      properties, "write.parquet.row-group-size-bytes", kMax, &settings.row_group_bytes));
  RETURN_IF_ERROR(read_codec(properties, &settings));
  RETURN_IF_ERROR(read_metrics(properties, &settings));
  if (const std::string* deletes = find(properties, kDeletesProperty)) {
    if (*deletes != "equality" && *deletes != "position") {
      return refused(kDeletesProperty, *deletes, "take equality or position");
    }
    settings.has_position_deletes = *deletes == "position";
  }
  return settings;
}

}  // namespace lakestream::iceberg
