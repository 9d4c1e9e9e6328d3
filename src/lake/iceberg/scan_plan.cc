#include "lake/iceberg/scan_plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/letter_case.h"
#include "lake/iceberg/data/data.h"
#include "lake/iceberg/lake_files.h"
#include "lake/iceberg/name_mapping.h"

namespace lakestream::iceberg {
namespace {

// The values that are asked for, by place in the spec.
Result<std::vector<std::optional<std::string>>> wanted_values(const TableMetadata& metadata,
                                                              const PartitionSpec& partitions) {
  const IcebergPartitionSpec& spec = metadata.default_spec();
  std::vector<std::string> keys;
  for (size_t i = 0; i + 1 < spec.fields.size(); ++i) {
    const NestedField* column = metadata.current_schema().find(spec.fields[i].source_id);
    keys.push_back(column != nullptr ? column->name : spec.fields[i].name);
  }
  std::vector<std::optional<std::string>> values(keys.size());
  for (const auto& [key, value] : partitions) {
    auto place = std::find(keys.begin(), keys.end(), key);
    if (place == keys.end()) {
      return make_error(ErrorCode::kPartitionSpecInvalidException,
                        "'{}' is none of the partition keys ({})",
                        key,
                        fmt::join(keys, ", "));
    }
    values[static_cast<size_t>(place - keys.begin())] = value;
  }
  return values;
}

bool is_wanted(const PartitionTuple& tuple, const std::vector<std::optional<std::string>>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] && (i >= tuple.values.size() || tuple.values[i] != *wanted[i])) return false;
  }
  return true;
}

// Java and pyiceberg give columns of other names than Avro's one of their own in their files.
bool has_plain_name(const NestedField& field) {
  auto is_letter = [](char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_'; };
  auto is_plain = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  const std::string& name = field.name;
  if (name.empty() || !is_letter(name[0])) return false;
  if (!std::all_of(name.begin(), name.end(), is_plain)) return false;
  const std::vector<NestedField>& fields = field.type.fields;
  return std::all_of(fields.begin(), fields.end(), has_plain_name);
}

// Others remove schemas that no snapshot has, of which there still may be files.
bool has_all_schemas(const TableMetadata& metadata) {
  std::set<int32_t> ids;
  for (const IcebergSchema& schema : metadata.schemas) ids.insert(schema.id);
  return *ids.begin() == 0 && *ids.rbegin() + 1 == static_cast<int32_t>(ids.size());
}

// Nested fields, too, are the same and not only alike.
bool has_same_parts(const IcebergType& a, const IcebergType& b) {
  return std::ranges::equal(a.fields, b.fields, [](const NestedField& x, const NestedField& y) {
    return x.id == y.id && has_same_parts(x.type, y.type);
  });
}

// Whether the columns of all files are found under their names of today, in the same types.
bool have_same_names(const TableMetadata& metadata) {
  const IcebergSchema& now = metadata.current_schema();
  if (!has_all_schemas(metadata)) return false;
  for (const NestedField& field : now.fields) {
    if (!has_own_names(field) || !has_plain_name(field)) return false;
  }
  for (const IcebergSchema& old : metadata.schemas) {
    for (const NestedField& field : old.fields) {
      const NestedField* same_id = now.find(field.id);
      const NestedField* same_name = now.find(std::string_view(field.name));
      if (same_id != same_name) return false;
      if (same_id == nullptr) continue;
      if (!same_type(same_id->type, field.type)) return false;
      if (!has_same_parts(same_id->type, field.type)) return false;
    }
  }
  return true;
}

Status check_formats(const BucketFiles& files) {
  for (const auto* list : {&files.data, &files.deletes}) {
    for (const LiveFile& live : *list) {
      if (live.file->format == "PARQUET" || live.file->format == "parquet") continue;
      return make_error(ErrorCode::kInvalidTableException,
                        "file {} is {}, and only PARQUET is read",
                        live.file->path,
                        live.file->format);
    }
  }
  return ok();
}

}  // namespace

Status plan_splits(const MetadataFiles& files,
                   LiveCache& cache,
                   const TableMetadata& metadata,
                   const IcebergSnapshot& snapshot,
                   const PartitionSpec& partitions,
                   LakeScan* scan) {
  ASSIGN_OR_RETURN(auto wanted, wanted_values(metadata, partitions));
  std::shared_ptr<const LiveFiles> live = cache.known(&snapshot);
  if (!live && !partitions.empty()) {
    ASSIGN_OR_RETURN(LiveFiles some,
                     live_files(files, metadata, snapshot, wanted, &scan->pruned_files));
    live = std::make_shared<const LiveFiles>(std::move(some));
  }
  if (!live) {
    ASSIGN_OR_RETURN(live, cache.of(metadata, &snapshot));
  }
  bool by_name = have_same_names(metadata);
  for (const auto& [tuple, bucket] : live->buckets) {
    if (bucket->data.empty()) continue;
    if (!is_wanted(tuple, wanted)) {
      scan->pruned_files += bucket->data.size();
      continue;
    }
    RETURN_IF_ERROR(check_formats(*bucket));
    LakeSplit split;
    split.partition = tuple.values;
    split.bucket = BucketId(tuple.bucket);
    for (const LiveFile& file : bucket->data) split.files.push_back(to_lake_data_file(file));
    BucketFiles content = *bucket;
    content.sequence = snapshot.sequence;
    split.needs_merge = !by_name || needs_merge(content);
    if (by_name && split.needs_merge) {
      std::optional<LakeLayers> layers = key_layers(metadata.current_schema(), content);
      split.needs_merge = !layers || !layers->are_flat();
      if (split.needs_merge) split.layers = std::move(layers);
    }
    split.content = to_split_content(std::move(content));
    scan->splits.push_back(std::move(split));
  }
  return ok();
}

}  // namespace lakestream::iceberg
