#include <algorithm>
#include <optional>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "lake/iceberg/data/columns.h"
#include "lake/iceberg/data/data.h"
#include "lake/iceberg/data/deletes.h"
#include "lake/iceberg/data/file_rows.h"
#include "lake/iceberg/data/key_runs.h"
#include "lake/merge_reader.h"
#include "lake/parquet/cast.h"

namespace lakestream::iceberg {
namespace {

// One file after the other.
class ConcatReader final : public LakeReader {
 public:
  ConcatReader(ObjectStore& objects,
               std::vector<LiveFile> files,
               DeletedRows deleted,
               std::vector<NestedField> fields,
               std::shared_ptr<arrow::Schema> columns)
      : objects_(objects),
        files_(std::move(files)),
        deleted_(std::move(deleted)),
        fields_(std::move(fields)),
        columns_(std::move(columns)) {}

  Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    while (true) {
      if (rows_ == nullptr) {
        if (file_ == files_.size()) return nullptr;
        const DataFile& file = *files_[file_++].file;
        ASSIGN_OR_RETURN(
            rows_,
            FileRows::open(objects_, file, {.fields = fields_, .deleted = deleted_.of(file.path)}));
      }
      ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, rows_->next());
      if (rows != nullptr) return cast_columns(rows, columns_);
      rows_.reset();
    }
  }

 private:
  ObjectStore& objects_;
  std::vector<LiveFile> files_;
  DeletedRows deleted_;
  std::vector<NestedField> fields_;
  std::shared_ptr<arrow::Schema> columns_;
  size_t file_ = 0;  // the next
  std::unique_ptr<FileRows> rows_;
};

BucketFiles files_of(const LakeSplit& split) {
  if (const BucketFiles* files = bucket_files(split)) return *files;
  BucketFiles files;
  for (const LakeDataFile& file : split.files) {
    DataFile data{.path = file.path,
                  .rows = static_cast<int64_t>(file.rows),
                  .bytes = static_cast<int64_t>(file.bytes)};
    files.data.push_back({.file = std::make_shared<const DataFile>(std::move(data))});
  }
  return files;
}

// Of the wanted columns, under the names that the caller has for them.
Result<std::vector<NestedField>> fields_of(const SplitReaderOptions& options) {
  std::vector<NestedField> fields;
  for (const ReaderColumn& column : options.columns) {
    const NestedField* field = options.schema->find(column.id);
    if (field == nullptr) {
      return make_error(ErrorCode::kUnknownServerError,
                        "column {} with id {} is not in schema {} of the Iceberg table",
                        column.name,
                        column.id,
                        options.schema->id);
    }
    fields.push_back(*field);
    fields.back().name = column.name;
    // Files from before the column was there lack it.
    if (column.type.nullable()) fields.back().required = false;
  }
  return fields;
}

// A file alone needs no merge when it has one row a key already, in their order.
Result<bool> is_sorted(ObjectStore& objects,
                       const BucketFiles& files,
                       const std::vector<NestedField>& key) {
  if (files.data.size() != 1) return files.data.empty();
  ASSIGN_OR_RETURN(std::vector<LiveFile> deletes, equality_deletes(files, ids_of(key)));
  if (!deletes.empty()) return false;
  ASSIGN_OR_RETURN(std::unique_ptr<FileRows> rows,
                   FileRows::open(objects, *files.data[0].file, {}));
  return rows->is_sorted_by(ids_of(key));
}

}  // namespace

bool needs_merge(const BucketFiles& files) { return !files.data.empty() && !files.deletes.empty(); }

Result<std::unique_ptr<LakeReader>> open_split_reader(SplitReaderOptions options) {
  BucketFiles files = files_of(options.split);
  ASSIGN_OR_RETURN(std::vector<NestedField> fields, fields_of(options));
  std::shared_ptr<arrow::Schema> columns = output_columns(options.columns);
  std::vector<NestedField> key = key_fields(*options.schema);
  bool is_plain = key.empty();
  if (is_plain) {
    RETURN_IF_ERROR(equality_deletes(files, {}));
  } else {
    ASSIGN_OR_RETURN(is_plain, is_sorted(options.objects, files, key));
  }
  if (is_plain) {
    ASSIGN_OR_RETURN(DeletedRows deleted, deleted_rows(options.objects, files));
    return std::make_unique<ConcatReader>(options.objects,
                                          std::move(files.data),
                                          std::move(deleted),
                                          std::move(fields),
                                          std::move(columns));
  }
  for (NestedField& field : key) {
    auto wanted = std::find_if(fields.begin(), fields.end(), [&](const NestedField& known) {
      return known.id == field.id;
    });
    if (wanted == fields.end()) {
      fields.push_back(field);
    } else {
      field.name = wanted->name;
    }
  }
  ASSIGN_OR_RETURN(std::unique_ptr<BucketMerge> merge,
                   BucketMerge::open(options.objects, files, fields, key));
  return std::make_unique<MergeReader<BucketMerge>>(std::move(merge), std::move(columns));
}

}  // namespace lakestream::iceberg
