#include <algorithm>
#include <set>
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
// Of a bucket with a key, files that are so much larger than all that came behind them stay as they
// are, so that a row is rewritten a few times and not with each commit.
constexpr double kOlderRatio = 4;

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

// The data files of a bucket with a key.
struct MergePlan {
  std::vector<LiveFile> older;   // stay; all are of earlier commits than the others
  std::vector<LiveFile> merged;  // become one run
  bool is_wanted = false;
};

MergePlan merge_plan(const BucketFiles& live) {
  MergePlan plan;
  plan.merged = live.data;
  std::stable_sort(plan.merged.begin(), plan.merged.end(), [](const LiveFile& a, const auto& b) {
    return a.sequence < b.sequence;
  });
  double bytes = 0;
  for (const LiveFile& file : live.deletes) bytes += static_cast<double>(file.file->bytes);
  size_t begin = plan.merged.size();
  size_t commits = 0;
  while (begin > 0) {
    size_t first = begin;
    double of_commit = 0;
    while (first > 0 && plan.merged[first - 1].sequence == plan.merged[begin - 1].sequence) {
      of_commit += static_cast<double>(plan.merged[--first].file->bytes);
    }
    if (commits > 0 && of_commit > kOlderRatio * bytes) break;
    bytes += of_commit;
    begin = first;
    ++commits;
  }
  auto middle = plan.merged.begin() + static_cast<int64_t>(begin);
  plan.older.assign(plan.merged.begin(), middle);
  plan.merged.erase(plan.merged.begin(), middle);
  std::set<int64_t> deletes;  // commits with deletes of all data files that stay
  for (const LiveFile& file : live.deletes) {
    if (plan.older.empty() || file.sequence > plan.older.back().sequence) {
      deletes.insert(file.sequence);
    }
  }
  plan.is_wanted = commits >= kFilesMin || deletes.size() >= kFilesMin ||
                   (plan.older.empty() && commits + deletes.size() >= kFilesMin);
  return plan;
}

// The rows of the merged files, without those that are deleted.
Status rewrite_rows(const WritePlace& place,
                    const BucketFiles& live,
                    const MergePlan& plan,
                    WrittenFiles* written) {
  std::vector<NestedField> fields = known_fields(*place.schema);
  std::vector<NestedField> key = key_fields(*place.schema);
  ASSIGN_OR_RETURN(FileMaker maker, FileMaker::make(place, {.fields = fields, .key = ids_of(key)}));
  ASSIGN_OR_RETURN(std::unique_ptr<BucketMerge> merge,
                   BucketMerge::open(
                       place.objects, {.data = plan.merged, .deletes = live.deletes}, fields, key));
  while (true) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, merge->next());
    if (rows == nullptr) break;
    RETURN_IF_ERROR(maker.write(rows));
  }
  RETURN_IF_ERROR(maker.end_file());
  written->data = maker.take();
  for (const LiveFile& file : plan.merged) written->removed.push_back(file.file->path);
  return ok();
}

// Equality deletes of the older files become one, as far as each of them is of all older files.
Status rewrite_equality_deletes(const WritePlace& place,
                                const BucketFiles& live,
                                const MergePlan& plan,
                                WrittenFiles* written) {
  std::vector<NestedField> key = key_fields(*place.schema);
  ASSIGN_OR_RETURN(std::vector<LiveFile> deletes,
                   equality_deletes({.data = plan.older, .deletes = live.deletes}, ids_of(key)));
  std::erase_if(deletes,
                [&](const LiveFile& file) { return file.sequence <= plan.older.back().sequence; });
  for (const LiveFile& file : live.deletes) {
    // Nothing is left that it could be of.
    bool is_over = file.sequence <= plan.older.front().sequence;
    bool is_equality = file.file->content == FileContent::kEqualityDeletes;
    if (is_over && is_equality) written->removed.push_back(file.file->path);
  }
  if (deletes.size() < 2) return ok();
  std::vector<std::unique_ptr<KeyRun>> runs;
  for (const LiveFile& file : deletes) {
    KeyRunOptions options{.key = key};
    options.rows = {.fields = key, .whole_bytes = whole_bytes_of_each(deletes.size())};
    ASSIGN_OR_RETURN(std::unique_ptr<KeyRun> run,
                     open_key_run(place.objects, *file.file, std::move(options)));
    runs.push_back(std::move(run));
    written->removed.push_back(file.file->path);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<KeyMerge> merge, KeyMerge::open(std::move(runs)));
  ASSIGN_OR_RETURN(FileMaker maker,
                   FileMaker::make(place,
                                   {.content = FileContent::kEqualityDeletes,
                                    .fields = key,
                                    .key = ids_of(key),
                                    .suffix = kDeletesSuffix}));
  while (true) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> keys, merge->next());
    if (keys == nullptr) break;
    RETURN_IF_ERROR(maker.write(keys));
  }
  RETURN_IF_ERROR(maker.end_file());
  written->deletes = maker.take();
  return ok();
}

// Position deletes of the older files become one.
Status rewrite_position_deletes(const WritePlace& place,
                                const BucketFiles& live,
                                const MergePlan& plan,
                                WrittenFiles* written) {
  ASSIGN_OR_RETURN(DeletedRows deleted,
                   deleted_rows(place.objects, {.data = plan.older, .deletes = live.deletes}));
  std::vector<FoundRows> found;
  for (const LiveFile& file : plan.older) {
    const RowSet* rows = deleted.of(file.file->path);
    if (rows == nullptr) continue;
    found.push_back({.file = file.file.get(), .rows = rows->rows()});
    written->referenced.push_back(file.file->path);
  }
  std::sort(found.begin(), found.end(), [](const FoundRows& a, const FoundRows& b) {
    return a.file->path < b.file->path;
  });
  if (!found.empty()) {
    int first_number = static_cast<int>(written->deletes.size()) + 1;
    ASSIGN_OR_RETURN(std::vector<DataFile> made,
                     write_position_deletes(place, found, first_number));
    written->deletes.insert(written->deletes.end(), made.begin(), made.end());
  }
  for (const LiveFile& file : live.deletes) {
    if (file.file->content != FileContent::kPositionDeletes) continue;
    written->removed.push_back(file.file->path);
  }
  return ok();
}

Result<WrittenFiles> merge_rows(const WritePlace& place, const BucketFiles& live) {
  WrittenFiles written;
  MergePlan plan = merge_plan(live);
  if (!plan.is_wanted) return written;
  Status rewritten = rewrite_rows(place, live, plan, &written);
  if (rewritten && plan.older.empty()) {
    for (const LiveFile& file : live.deletes) written.removed.push_back(file.file->path);
  } else {
    if (rewritten) rewritten = rewrite_equality_deletes(place, live, plan, &written);
    if (rewritten) rewritten = rewrite_position_deletes(place, live, plan, &written);
  }
  if (rewritten) return written;
  remove_written(place.objects, written);
  return fail(std::move(rewritten).error());
}

}  // namespace

Result<WrittenFiles> compact_bucket(const WritePlace& place, BucketFiles live, int64_t sequence) {
  ASSIGN_OR_RETURN(DataSettings settings, data_settings(place.properties));
  ASSIGN_OR_RETURN(WrittenFiles written,
                   place.schema->has_primary_key() ? merge_rows(place, live)
                                                   : compact_rows(place, settings, live));
  written.data_sequence = sequence;
  return written;
}

}  // namespace lakestream::iceberg
