#include "lake/paimon/table_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/config.h"

namespace lakestream::paimon {
namespace {

// Options that change what files mean or where they lie; an empty value: none is taken.
struct Fixed {
  std::string_view key;
  std::string_view value;
};
constexpr std::array<Fixed, 12> kFixed = {{{"file.format", "parquet"},
                                           {"changelog-file.format", "parquet"},
                                           {"file.format.per.level", ""},
                                           {"merge-engine", "deduplicate"},
                                           {"sequence.field", ""},
                                           {"sequence.snapshot-ordering", "false"},
                                           {"rowkind.field", ""},
                                           {"ignore-delete", "false"},
                                           {"deletion-vectors.enabled", "false"},
                                           {"data-file.external-paths", ""},
                                           {"data-file.path-directory", ""},
                                           {"row-tracking.enabled", "false"}}};

const std::string* find(const PaimonSchema& schema, std::string_view key) {
  auto found = schema.options.find(key);
  return found == schema.options.end() ? nullptr : &found->second;
}

tl::unexpected<Error> refused(std::string_view key, std::string_view value, std::string_view rule) {
  return make_error(ErrorCode::kInvalidTableException,
                    "option {} of the Paimon table is '{}'; {}",
                    key,
                    value,
                    rule);
}

Status read_size(const PaimonSchema& schema, std::string_view key, int64_t* value) {
  const std::string* text = find(schema, key);
  if (text == nullptr) return ok();
  Result<int64_t> parsed = parse_memory_size(*text);
  if (!parsed || *parsed <= 0) return refused(key, *text, "give a size, such as 128 mb");
  *value = *parsed;
  return ok();
}

Status read_integer(
    const PaimonSchema& schema, std::string_view key, int32_t min, int32_t max, int32_t* value) {
  const std::string* text = find(schema, key);
  if (text == nullptr) return ok();
  Result<int64_t> parsed = parse_integer(*text);
  if (!parsed || *parsed < min || *parsed > max) {
    return refused(key, *text, fmt::format("give a number from {} to {}", min, max));
  }
  *value = static_cast<int32_t>(*parsed);
  return ok();
}

Status read_codec(const PaimonSchema& schema, TableSettings* settings) {
  if (const std::string* name = find(schema, "file.compression")) {
    std::optional<ParquetCodec> codec = parquet_codec_of(*name);
    if (!codec) return refused("file.compression", *name, "take zstd, snappy, lz4, gzip or none");
    settings->codec = *codec;
  }
  if (settings->codec != ParquetCodec::kZstd) {
    settings->codec_level.reset();
    return ok();
  }
  int32_t level = 1;
  RETURN_IF_ERROR(read_integer(schema, "file.compression.zstd-level", 1, 22, &level));
  settings->codec_level = level;
  return ok();
}

Status read_stats_mode(const PaimonSchema& schema, TableSettings* settings) {
  constexpr std::string_view kKey = "metadata.stats-mode";
  constexpr std::string_view kTruncate = "truncate(";
  const std::string* text = find(schema, kKey);
  if (text == nullptr) return ok();
  std::string_view mode = *text;
  if (mode == "none") {
    settings->stats_mode = StatsMode::kNone;
  } else if (mode == "counts") {
    settings->stats_mode = StatsMode::kCounts;
  } else if (mode == "full") {
    settings->stats_mode = StatsMode::kFull;
  } else {
    int32_t chars = 0;
    if (mode.starts_with(kTruncate) && mode.ends_with(')')) {
      std::from_chars(mode.data() + kTruncate.size(), mode.data() + mode.size() - 1, chars);
    }
    if (chars <= 0) return refused(kKey, mode, "take none, counts, truncate(16) or full");
    settings->stats_chars = chars;
  }
  return ok();
}

Status read_changelog(const PaimonSchema& schema, TableSettings* settings) {
  const std::string* producer = find(schema, "changelog-producer");
  if (producer == nullptr || *producer == "none") return ok();
  if (*producer != "input") {
    return refused("changelog-producer", *producer, "a changelog is made of the input only");
  }
  settings->has_changelog = true;
  return ok();
}

Status read_levels(const PaimonSchema& schema, TableSettings* settings) {
  RETURN_IF_ERROR(read_integer(
      schema, "num-sorted-run.compaction-trigger", 1, 1000, &settings->compaction_trigger));
  int32_t levels = settings->compaction_trigger + 1;
  RETURN_IF_ERROR(read_integer(schema, "num-levels", 2, 1000, &levels));
  settings->top_level = levels - 1;
  return ok();
}

}  // namespace

Result<TableSettings> table_settings(const PaimonSchema& schema) {
  for (const Fixed& fixed : kFixed) {
    const std::string* value = find(schema, fixed.key);
    if (value == nullptr || *value == fixed.value) continue;
    if (fixed.value.empty()) return refused(fixed.key, *value, "tables here can not have it");
    return refused(fixed.key, *value, fmt::format("only {} is supported", fixed.value));
  }
  TableSettings settings;
  RETURN_IF_ERROR(read_size(schema, "target-file-size", &settings.target_file_bytes));
  RETURN_IF_ERROR(read_size(schema, "file.block-size", &settings.row_group_bytes));
  RETURN_IF_ERROR(read_size(schema, "write-buffer-size", &settings.write_buffer_bytes));
  RETURN_IF_ERROR(read_codec(schema, &settings));
  RETURN_IF_ERROR(read_stats_mode(schema, &settings));
  RETURN_IF_ERROR(read_changelog(schema, &settings));
  RETURN_IF_ERROR(read_levels(schema, &settings));
  RETURN_IF_ERROR(read_integer(
      schema, "compaction.min.file-num", 2, 1'000'000, &settings.compaction_files_min));
  if (const std::string* prefix = find(schema, "data-file.prefix")) settings.data_prefix = *prefix;
  if (const std::string* prefix = find(schema, "changelog-file.prefix")) {
    settings.changelog_prefix = *prefix;
  }
  const std::string* thin = find(schema, "data-file.thin-mode");
  settings.has_key_columns = thin == nullptr || *thin != "true";
  if (const std::string* ratio = find(schema, "compaction.small-file-ratio")) {
    Result<double> parsed = parse_number(*ratio);
    if (!parsed || *parsed <= 0 || *parsed > 1) {
      return refused("compaction.small-file-ratio", *ratio, "give a number up to 1");
    }
    settings.small_file_ratio = *parsed;
  }
  return settings;
}

}  // namespace lakestream::paimon
