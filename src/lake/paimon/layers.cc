#include "lake/paimon/layers.h"

#include <arrow/record_batch.h>

#include "format/arrow_schema.h"
#include "lake/paimon/binary_row.h"
#include "lake/sort_keys.h"

namespace lakestream::paimon {
namespace {

// The least key of each file, and behind it the greatest.
Result<SortKeys> bounds_of(const PaimonSchema& schema, const std::vector<ManifestEntry>& files) {
  std::vector<std::string> names = schema.trimmed_primary_key();
  SchemaBuilder builder;
  std::vector<DataType> types;
  for (const std::string& name : names) {
    std::optional<size_t> index = schema.index_of(name);
    if (!index) return make_error(ErrorCode::kUnknownServerError, "no column {}", name);
    types.push_back(schema.fields[*index].type);
    builder.column(name, types.back());
  }
  ASSIGN_OR_RETURN(Schema columns, builder.build());
  ArrowAppender appender(columns);
  Arena arena;
  for (const ManifestEntry& entry : files) {
    for (const std::string* key : {&entry.file.min_key, &entry.file.max_key}) {
      arena.clear();
      ASSIGN_OR_RETURN(std::span<const Value> row, read_binary_row(types, *key, &arena));
      RETURN_IF_ERROR(appender.append(row));
    }
  }
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, appender.finish());
  return SortKeys::make(*rows, names);
}

}  // namespace

std::optional<FileLayers> layers_of(const PaimonSchema& schema,
                                    const std::vector<ManifestEntry>& files) {
  Result<SortKeys> bounds = bounds_of(schema, files);
  if (!bounds) return std::nullopt;
  std::vector<VersionsFile> versions;
  for (const ManifestEntry& entry : files) {
    versions.push_back({entry.file.min_sequence, entry.file.max_sequence});
  }
  return lakestream::layers_of(versions, [&](size_t a, size_t b) {
    return bounds->compare(2 * a, *bounds, 2 * b + 1) <= 0 &&
           bounds->compare(2 * b, *bounds, 2 * a + 1) <= 0;
  });
}

}  // namespace lakestream::paimon
