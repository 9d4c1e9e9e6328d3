#include "lake/paimon/compaction.h"

#include <algorithm>
#include <set>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "lake/lake.h"
#include "lake/paimon/file_columns.h"
#include "lake/paimon/key_runs.h"
#include "lake/parquet/parquet_reader.h"

namespace lakestream::paimon {
namespace {

constexpr int64_t kBatchRows = 1 << 16;

void sort_by_sequence(std::vector<DataFile>* files) {
  std::sort(files->begin(), files->end(), [](const DataFile& a, const DataFile& b) {
    return std::tie(a.min_sequence, a.max_sequence) < std::tie(b.min_sequence, b.max_sequence);
  });
}

LakeDataFile lake_data_file(const WritePlace& place, const DataFile& file) {
  return {.path = file_path(place, file),
          .bytes = static_cast<uint64_t>(file.size),
          .rows = static_cast<uint64_t>(file.rows)};
}

Status copy_rows(const WritePlace& place, const DataFile& file, FileMaker* maker) {
  LakeDataFile source = lake_data_file(place, file);
  ASSIGN_OR_RETURN(
      std::unique_ptr<ParquetFileReader> reader,
      ParquetFileReader::open(place.objects, source.path, source.bytes, kWholeParquetBytes));
  if (reader->rows() != file.rows) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{} has {} rows; the table says {}",
                      source.path,
                      reader->rows(),
                      file.rows);
  }
  RETURN_IF_ERROR(reader->select(maker->columns(), kBatchRows));
  while (true) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, reader->next());
    if (rows == nullptr) return ok();
    RETURN_IF_ERROR(maker->write(rows));
  }
}

}  // namespace

std::vector<std::vector<DataFile>> append_compactions(const TableSettings& settings,
                                                      std::vector<DataFile> live) {
  sort_by_sequence(&live);
  auto target = static_cast<double>(settings.target_file_bytes);
  std::vector<std::vector<DataFile>> groups;
  std::vector<DataFile> group;
  double bytes = 0;
  auto end_group = [&](size_t files_min) {
    if (group.size() >= files_min) groups.push_back(std::move(group));
    group.clear();
    bytes = 0;
  };
  auto files_min = static_cast<size_t>(settings.compaction_files_min);
  for (DataFile& file : live) {
    auto size = static_cast<double>(file.size);
    if (size >= target * settings.small_file_ratio) {
      end_group(files_min);
      continue;
    }
    group.push_back(std::move(file));
    bytes += size;
    if (bytes >= target) end_group(2);
  }
  end_group(files_min);
  return groups;
}

Result<WrittenFiles> compact_append(const WritePlace& place, std::vector<DataFile> files) {
  WrittenFiles written;
  written.place = place.place;
  if (files.empty()) return written;
  sort_by_sequence(&files);
  ASSIGN_OR_RETURN(
      FileMaker maker,
      FileMaker::make(place, {.compacted = true, .next_sequence = files.front().min_sequence}));
  for (const DataFile& file : files) RETURN_IF_ERROR(copy_rows(place, file, &maker));
  ASSIGN_OR_RETURN(written.added, maker.finish());
  written.removed = std::move(files);
  return written;
}

bool wants_key_compaction(const TableSettings& settings, const std::vector<DataFile>& live) {
  int32_t runs = 0;
  std::set<int32_t> levels;
  for (const DataFile& file : live) {
    if (file.level == 0 || levels.insert(file.level).second) ++runs;
  }
  return runs >= settings.compaction_trigger;
}

Result<WrittenFiles> compact_keys(const WritePlace& place, std::vector<DataFile> live) {
  WrittenFiles written;
  written.place = place.place;
  if (live.empty()) return written;
  ASSIGN_OR_RETURN(TableSettings settings, table_settings(*place.schema));
  std::vector<LakeDataFile> sources;
  for (const DataFile& file : live) sources.push_back(lake_data_file(place, file));
  ASSIGN_OR_RETURN(std::unique_ptr<KeyMerge> merge,
                   merge_files(place.objects,
                               sources,
                               place.schema->trimmed_primary_key(),
                               file_columns_of(*place.schema, false)));
  ASSIGN_OR_RETURN(FileMaker maker,
                   FileMaker::make(place, {.level = settings.top_level, .compacted = true}));
  while (true) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, merge->next());
    if (rows == nullptr) break;
    RETURN_IF_ERROR(maker.write(arranged(maker.columns(), *rows)));
  }
  ASSIGN_OR_RETURN(written.added, maker.finish());
  written.removed = std::move(live);
  return written;
}

}  // namespace lakestream::paimon
