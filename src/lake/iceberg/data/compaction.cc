#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/endian.h"
#include "lake/iceberg/data/columns.h"
#include "lake/iceberg/data/data.h"
#include "lake/iceberg/data/deletes.h"
#include "lake/iceberg/data/file_maker.h"
#include "lake/iceberg/data/file_rows.h"
#include "lake/iceberg/data/key_runs.h"
#include "lake/iceberg/data/settings.h"
#include "lake/lake.h"

namespace lakestream::iceberg {
namespace {

// Fewer small files than these are left alone.
constexpr size_t kFilesMin = 3;
// What has this part of the target size is not small.
constexpr double kSmallRatio = 0.75;
// All rows of a bucket with a key are rewritten when what came since is this part of them, or so
// many files that readers feel it.
constexpr double kNewRatio = 0.25;
constexpr size_t kNewFilesMax = 16;

// The least offset in the file; that of the commit for one that does not say.
int64_t first_offset_of(const LiveFile& file, const NestedField* offset) {
  for (const FieldMetrics& metrics : file.file->metrics) {
    if (offset == nullptr || metrics.id != offset->id || !metrics.lower) continue;
    if (metrics.lower->size() == sizeof(int64_t)) return load_le<int64_t>(metrics.lower->data());
  }
  return file.sequence;
}

// Small files that follow each other, in the order of offsets; each group is to become one file.
std::vector<std::vector<LiveFile>> groups_of(const IcebergSchema& schema,
                                             const DataSettings& settings,
                                             std::vector<LiveFile> files) {
  const NestedField* offset = schema.find(kLakeOffsetColumn);
  std::stable_sort(files.begin(), files.end(), [&](const LiveFile& a, const LiveFile& b) {
    return first_offset_of(a, offset) < first_offset_of(b, offset);
  });
  auto target = static_cast<double>(settings.target_file_bytes);
  std::vector<std::vector<LiveFile>> groups;
  std::vector<LiveFile> group;
  double bytes = 0;
  auto end_group = [&](size_t files_min) {
    if (group.size() >= files_min) groups.push_back(std::move(group));
    group.clear();
    bytes = 0;
  };
  for (LiveFile& file : files) {
    auto size = static_cast<double>(file.file->bytes);
    if (size >= target * kSmallRatio) {
      end_group(kFilesMin);
      continue;
    }
    group.push_back(std::move(file));
    bytes += size;
    if (bytes >= target) end_group(2);
  }
  end_group(kFilesMin);
  return groups;
}

Status copy_rows(const WritePlace& place,
                 const LiveFile& file,
                 const DeletedRows& deleted,
                 FileMaker* maker) {
  ASSIGN_OR_RETURN(std::unique_ptr<FileRows> rows,
                   FileRows::open(place.objects,
                                  *file.file,
                                  {.fields = known_fields(*place.schema),
                                   .deleted = deleted.of(file.file->path)}));
  while (true) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, rows->next());
    if (batch == nullptr) return ok();
    RETURN_IF_ERROR(maker->write(batch));
  }
}

Result<WrittenFiles> compact_rows(const WritePlace& place,
                                  const DataSettings& settings,
                                  const BucketFiles& live) {
  WrittenFiles written;
  // Of those that delete by values nothing is known here.
  bool has_equality = std::any_of(live.deletes.begin(), live.deletes.end(), [](const auto& file) {
    return file.file->content == FileContent::kEqualityDeletes;
  });
  if (has_equality) return written;
  std::vector<std::vector<LiveFile>> groups = groups_of(*place.schema, settings, live.data);
  if (groups.empty()) return written;
  ASSIGN_OR_RETURN(DeletedRows deleted, deleted_rows(place.objects, live));
  ASSIGN_OR_RETURN(FileMaker maker,
                   FileMaker::make(place, {.fields = known_fields(*place.schema)}));
  for (const std::vector<LiveFile>& group : groups) {
    for (const LiveFile& file : group) {
      RETURN_IF_ERROR(copy_rows(place, file, deleted, &maker));
      written.removed.push_back(file.file->path);
    }
    RETURN_IF_ERROR(maker.end_file());
  }
  written.data = maker.take();
  // With all data files gone there is nothing that deletes could be of.
  if (written.removed.size() < live.data.size()) return written;
  for (const LiveFile& file : live.deletes) written.removed.push_back(file.file->path);
  return written;
}

bool wants_merge(const DataSettings& settings, const BucketFiles& live) {
  auto target = static_cast<double>(settings.target_file_bytes);
  double all_bytes = 0;
  double new_bytes = 0;
  size_t new_files = live.deletes.size();
  for (const LiveFile& file : live.deletes) new_bytes += static_cast<double>(file.file->bytes);
  for (const LiveFile& file : live.data) {
    auto size = static_cast<double>(file.file->bytes);
    all_bytes += size;
    if (size >= target * kSmallRatio) continue;
    new_bytes += size;
    ++new_files;
  }
  if (new_files < kFilesMin) return false;
  return new_files >= kNewFilesMax || new_bytes >= (all_bytes + new_bytes) * kNewRatio;
}

Result<WrittenFiles> merge_rows(const WritePlace& place,
                                const DataSettings& settings,
                                const BucketFiles& live) {
  WrittenFiles written;
  if (!wants_merge(settings, live)) return written;
  std::vector<NestedField> fields = known_fields(*place.schema);
  std::vector<NestedField> key = key_fields(*place.schema);
  ASSIGN_OR_RETURN(FileMaker maker, FileMaker::make(place, {.fields = fields, .key = ids_of(key)}));
  ASSIGN_OR_RETURN(std::unique_ptr<BucketMerge> merge,
                   BucketMerge::open(place.objects, live, fields, key));
  while (true) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, merge->next());
    if (rows == nullptr) break;
    RETURN_IF_ERROR(maker.write(rows));
  }
  RETURN_IF_ERROR(maker.end_file());
  written.data = maker.take();
  for (const auto* files : {&live.data, &live.deletes}) {
    for (const LiveFile& file : *files) written.removed.push_back(file.file->path);
  }
  return written;
}

}  // namespace

Result<WrittenFiles> compact_bucket(const WritePlace& place, BucketFiles live, int64_t sequence) {
  ASSIGN_OR_RETURN(DataSettings settings, data_settings(place.properties));
  ASSIGN_OR_RETURN(WrittenFiles written,
                   place.schema->has_primary_key() ? merge_rows(place, settings, live)
                                                   : compact_rows(place, settings, live));
  written.data_sequence = sequence;
  return written;
}

}  // namespace lakestream::iceberg
