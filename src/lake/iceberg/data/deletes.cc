#include "lake/iceberg/data/deletes.h"

#include <algorithm>
#include <limits>
#include <span>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include "format/arrow_error.h"
#include "lake/arrays.h"
#include "lake/iceberg/data/file_maker.h"
#include "lake/iceberg/data/file_rows.h"

namespace lakestream::iceberg {
namespace {

// Rows that are put together at once.
constexpr size_t kTakenRows = 1 << 16;

Status read_positions(ObjectStore& objects,
                      const LiveFile& deletes,
                      const std::map<std::string_view, const LiveFile*>& data,
                      DeletedRows* deleted) {
  ASSIGN_OR_RETURN(std::unique_ptr<FileRows> rows,
                   FileRows::open(objects, *deletes.file, {.fields = position_delete_fields()}));
  std::string path;  // of the last one
  RowSet* rows_of_path = nullptr;
  bool is_first = true;
  while (true) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, rows->next());
    if (batch == nullptr) return ok();
    const auto& paths = static_cast<const arrow::StringArray&>(*batch->column(0));
    const auto& positions = static_cast<const arrow::Int64Array&>(*batch->column(1));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      if (is_first || paths.GetView(i) != path) {
        path = paths.GetString(i);
        is_first = false;
        auto file = data.find(path);
        bool applies = file != data.end() && file->second->sequence <= deletes.sequence;
        rows_of_path = applies ? &deleted->add(*file->second->file) : nullptr;
      }
      if (rows_of_path != nullptr) rows_of_path->insert(positions.Value(i));
    }
  }
}

Status write_rows(const FoundRows& file, FileMaker* maker) {
  for (size_t first = 0; first < file.rows.size(); first += kTakenRows) {
    std::span<const int64_t> rows(file.rows);
    rows = rows.subspan(first, std::min(kTakenRows, rows.size() - first));
    auto count = static_cast<int64_t>(rows.size());
    arrow::StringBuilder paths;
    RETURN_IF_ERROR(from_arrow(paths.Reserve(count)));
    RETURN_IF_ERROR(
        from_arrow(paths.ReserveData(count * static_cast<int64_t>(file.file->path.size()))));
    for (int64_t i = 0; i < count; ++i) paths.UnsafeAppend(file.file->path);
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> path_column, from_arrow(paths.Finish()));
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> row_column,
                     filled_array<arrow::Int64Array>(arrow::int64(), count, [&](int64_t* out) {
                       std::copy(rows.begin(), rows.end(), out);
                     }));
    RETURN_IF_ERROR(maker->write(arrow::RecordBatch::Make(
        maker->columns(), count, {std::move(path_column), std::move(row_column)})));
  }
  return ok();
}

}  // namespace

const std::vector<NestedField>& position_delete_fields() {
  // Ids and names are those of the Iceberg specification.
  static const std::vector<NestedField> fields = {
      {.id = 2147483546,
       .name = "file_path",
       .required = true,
       .type = {.kind = TypeKind::kString, .fields = {}}},
      {.id = 2147483545,
       .name = "pos",
       .required = true,
       .type = {.kind = TypeKind::kLong, .fields = {}}}};
  return fields;
}

RowSet& DeletedRows::add(const DataFile& file) {
  return rows_.try_emplace(file.path, file.rows).first->second;
}

const RowSet* DeletedRows::of(const std::string& path) const {
  auto found = rows_.find(path);
  return found == rows_.end() ? nullptr : &found->second;
}

Result<DeletedRows> deleted_rows(ObjectStore& objects, const BucketFiles& files) {
  std::map<std::string_view, const LiveFile*> data;
  for (const LiveFile& file : files.data) data.emplace(file.file->path, &file);
  DeletedRows deleted;
  for (const LiveFile& file : files.deletes) {
    if (file.file->content != FileContent::kPositionDeletes) continue;
    RETURN_IF_ERROR(read_positions(objects, file, data, &deleted));
  }
  return deleted;
}

Result<std::vector<DataFile>> write_position_deletes(const WritePlace& place,
                                                     const std::vector<FoundRows>& found,
                                                     int first_number) {
  ASSIGN_OR_RETURN(FileMaker maker,
                   FileMaker::make(place,
                                   {.content = FileContent::kPositionDeletes,
                                    .fields = position_delete_fields(),
                                    .first_number = first_number,
                                    .suffix = kDeletesSuffix}));
  for (const FoundRows& file : found) RETURN_IF_ERROR(write_rows(file, &maker));
  RETURN_IF_ERROR(maker.end_file());
  return maker.take();
}

Result<std::vector<LiveFile>> equality_deletes(const BucketFiles& files, std::vector<int32_t> key) {
  std::sort(key.begin(), key.end());
  int64_t oldest = std::numeric_limits<int64_t>::max();
  for (const LiveFile& file : files.data) oldest = std::min(oldest, file.sequence);
  std::vector<LiveFile> deletes;
  for (const LiveFile& file : files.deletes) {
    if (file.file->content != FileContent::kEqualityDeletes || file.sequence <= oldest) continue;
    std::vector<int32_t> ids = file.file->equality_ids;
    std::sort(ids.begin(), ids.end());
    if (ids != key || key.empty()) {
      return make_error(ErrorCode::kUnknownServerError,
                        "{} deletes rows by other columns than the primary key; compact the table "
                        "with the engine that wrote it",
                        file.file->path);
    }
    deletes.push_back(file);
  }
  return deletes;
}

}  // namespace lakestream::iceberg
