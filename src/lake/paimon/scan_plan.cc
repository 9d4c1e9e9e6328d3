#include "lake/paimon/scan_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "io/object_store.h"
#include "lake/paimon/file_columns.h"
#include "lake/paimon/layers.h"
#include "lake/paimon/table_settings.h"
#include "lake/table_changes.h"

namespace lakestream::paimon {
namespace {

// Files are read by the names of columns, so these have to mean the same in both schemas.
Status check_columns(const PaimonSchema& of_file, const PaimonSchema& of_reader) {
  for (const PaimonField& old : of_file.fields) {
    for (const PaimonField& field : of_reader.fields) {
      bool same_id = field.id == old.id;
      bool same_name = field.name == old.name;
      if (!same_id && !same_name) continue;
      bool same = same_type(field.type.with_nullable(true), old.type.with_nullable(true));
      if (same_id && same_name && same) continue;
      return make_error(ErrorCode::kUnknownServerError,
                        "column {} {} of schema {} is {} {} in schema {}; files of the older one "
                        "can not be read",
                        old.name,
                        old.type,
                        of_file.id,
                        field.name,
                        field.type,
                        of_reader.id);
    }
  }
  return ok();
}

// The files are not yet one file a key: they have to be merged, or rows that delete be left out.
bool needs_merge(const PaimonSchema& schema, const std::vector<ManifestEntry>& entries) {
  if (!schema.has_primary_key()) return false;
  int32_t level = entries.front().file.level;
  return std::any_of(entries.begin(), entries.end(), [&](const ManifestEntry& entry) {
    return entry.file.level == 0 || entry.file.level != level || entry.file.delete_rows != 0;
  });
}

LakeDataFile data_file_of(const TableFiles& files,
                          const FilePlace& place,
                          const ManifestEntry& entry) {
  return LakeDataFile{.path = entry.foreign.external_path ? *entry.foreign.external_path
                                                          : files.data_path(place, entry.file.name),
                      .bytes = static_cast<uint64_t>(std::max<int64_t>(entry.file.size, 0)),
                      .rows = static_cast<uint64_t>(entry.file.rows),
                      .has_deletes = entry.file.delete_rows != 0};
}

// What can be told of how the files of a split are merged; that they need not be, at best.
void set_layers(const PaimonSchema& schema,
                const std::vector<ManifestEntry>& entries,
                LakeSplit* split) {
  // Options that merge in another way are refused by the reader, in its words.
  if (!table_settings(schema)) return;
  std::optional<FileLayers> layers = layers_of(schema, entries);
  if (!layers) return;
  LakeLayers made;
  for (size_t place : layers->old) made.old.push_back(split->files[place]);
  for (size_t place : layers->newer) made.newer.push_back(split->files[place]);
  made.order_column = kSequenceColumn;
  made.kind_column = kKindColumn;
  for (RowKind kind : {RowKind::kInsert, RowKind::kUpdateAfter}) {
    made.kept_kinds.push_back(static_cast<int32_t>(kind));
  }
  split->needs_merge = !made.are_flat();
  if (split->needs_merge) split->layers = std::move(made);
}

}  // namespace

Status plan_splits(const TableFiles& files,
                   const PaimonSchema& schema,
                   const Partitioning& partitioning,
                   const LiveFiles& live,
                   const PartitionSpec& partitions,
                   LakeScan* scan) {
  for (const auto& [key, value] : partitions) {
    const std::vector<std::string>& keys = partitioning.keys();
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      return make_error(ErrorCode::kPartitionSpecInvalidException,
                        "'{}' is none of the partition keys ({})",
                        key,
                        fmt::join(keys, ", "));
    }
  }
  std::set<int64_t> checked = {schema.id};
  for (const auto& [bucket, entries] : live) {
    ASSIGN_OR_RETURN(std::vector<std::string> values, partitioning.values_of(bucket.first));
    ResolvedPartitionSpec partition{.keys = partitioning.keys(), .values = std::move(values)};
    if (!partition.matches(partitions)) {
      scan->pruned_files += entries->size();
      continue;
    }
    std::vector<ManifestEntry> sorted = *entries;
    std::sort(sorted.begin(), sorted.end(), [](const ManifestEntry& a, const ManifestEntry& b) {
      return std::pair(a.file.min_sequence, a.file.name) <
             std::pair(b.file.min_sequence, b.file.name);
    });
    LakeSplit split;
    split.partition = std::move(partition.values);
    if (schema.bucket_count() > 0) split.bucket = BucketId(bucket.second);
    split.needs_merge = needs_merge(schema, sorted);
    ASSIGN_OR_RETURN(FilePlace place, partitioning.place_of(bucket.first, bucket.second, -1));
    for (const ManifestEntry& entry : sorted) {
      if (checked.insert(entry.file.schema_id).second) {
        ASSIGN_OR_RETURN(PaimonSchema of_file, files.schema(entry.file.schema_id));
        RETURN_IF_ERROR(check_columns(of_file, schema));
      }
      split.files.push_back(data_file_of(files, place, entry));
    }
    if (split.needs_merge) set_layers(schema, sorted, &split);
    scan->splits.push_back(std::move(split));
  }
  return ok();
}

}  // namespace lakestream::paimon
