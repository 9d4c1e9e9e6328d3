#include "lake/iceberg/data/key_runs.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_error.h"
#include "lake/batches.h"
#include "lake/iceberg/data/columns.h"

namespace lakestream::iceberg {
namespace {

class FileRun final : public KeyRun {
 public:
  FileRun(std::string path, std::unique_ptr<FileRows> rows, KeyRunOptions options)
      : path_(std::move(path)),
        rows_(std::move(rows)),
        options_(std::move(options)),
        key_(names_of(options_.key)) {}

  const std::string& name() const override { return path_; }

  Result<std::optional<SortKeys>> bound() override {
    const std::vector<NestedField>& fields = options_.rows.fields;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].id != options_.key[0].id) continue;
      return least_key_of(
          rows_->reader(), rows_->name_in_file(i), arrow_field_of(fields[i])->type());
    }
    return std::optional<SortKeys>();
  }

  Result<std::optional<KeyBatch>> next() override {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, next_rows());
    if (rows == nullptr) return std::optional<KeyBatch>();
    ASSIGN_OR_RETURN(SortKeys keys, SortKeys::make(*rows, key_));
    KeyBatch batch{.rows = std::move(rows), .keys = std::move(keys), .sequence = options_.sequence};
    if (options_.takes_away) batch.takes_away.resize(batch.keys.size(), 1);
    return std::optional(std::move(batch));
  }

  // Takes all rows into memory. Of several of one key the last one counts.
  Status sort() {
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    while (true) {
      ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, rows_->next());
      if (rows == nullptr) break;
      batches.push_back(std::move(rows));
    }
    is_in_memory_ = true;
    if (batches.empty()) return ok();
    ASSIGN_OR_RETURN(all_, from_arrow(arrow::ConcatenateRecordBatches(batches)));
    ASSIGN_OR_RETURN(SortKeys keys, SortKeys::make(*all_, key_));
    std::vector<uint32_t> sorted = keys.sorted();
    for (size_t i = 0; i < sorted.size(); ++i) {
      bool is_last = i + 1 == sorted.size() || keys.compare(sorted[i], keys, sorted[i + 1]) != 0;
      if (is_last) order_.push_back(sorted[i]);
    }
    return ok();
  }

 private:
  Result<std::shared_ptr<arrow::RecordBatch>> next_rows() {
    if (!is_in_memory_) return rows_->next();
    if (taken_ == order_.size()) return nullptr;
    size_t count = std::min(order_.size() - taken_, static_cast<size_t>(kKeyBatchRows));
    taken_ += count;
    return take_rows(all_, std::span(order_).subspan(taken_ - count, count));
  }

  std::string path_;
  std::unique_ptr<FileRows> rows_;
  KeyRunOptions options_;
  std::vector<std::string> key_;

  bool is_in_memory_ = false;
  std::shared_ptr<arrow::RecordBatch> all_;
  std::vector<uint32_t> order_;  // rows of all_
  size_t taken_ = 0;
};

}  // namespace

Result<std::unique_ptr<KeyRun>> open_key_run(ObjectStore& objects,
                                             const DataFile& file,
                                             KeyRunOptions options) {
  options.rows.batch_rows = kKeyBatchRows;
  ASSIGN_OR_RETURN(std::unique_ptr<FileRows> rows, FileRows::open(objects, file, options.rows));
  bool is_sorted = rows->is_sorted_by(ids_of(options.key));
  auto run = std::make_unique<FileRun>(file.path, std::move(rows), std::move(options));
  if (!is_sorted) RETURN_IF_ERROR(run->sort());
  return run;
}

Result<std::unique_ptr<BucketMerge>> BucketMerge::open(ObjectStore& objects,
                                                       const BucketFiles& files,
                                                       const std::vector<NestedField>& fields,
                                                       const std::vector<NestedField>& key) {
  ASSIGN_OR_RETURN(std::vector<LiveFile> deletes, equality_deletes(files, ids_of(key)));
  ASSIGN_OR_RETURN(DeletedRows deleted, deleted_rows(objects, files));
  auto merge = std::make_unique<BucketMerge>(BucketMerge(std::move(deleted)));
  uint64_t whole_bytes = whole_bytes_of_each(files.data.size() + deletes.size());
  std::vector<std::unique_ptr<KeyRun>> runs;
  auto add = [&](const LiveFile& file, KeyRunOptions options) -> Status {
    options.key = key;
    options.rows.whole_bytes = whole_bytes;
    ASSIGN_OR_RETURN(std::unique_ptr<KeyRun> run,
                     open_key_run(objects, *file.file, std::move(options)));
    runs.push_back(std::move(run));
    return ok();
  };
  for (const LiveFile& file : files.data) {
    const RowSet* deleted_of_file = merge->deleted_.of(file.file->path);
    RETURN_IF_ERROR(add(
        file,
        {.rows = {.fields = fields, .deleted = deleted_of_file}, .sequence = row_sequence(file)}));
  }
  for (const LiveFile& file : deletes) {
    RETURN_IF_ERROR(add(
        file, {.rows = {.fields = key}, .sequence = delete_sequence(file), .takes_away = true}));
  }
  ASSIGN_OR_RETURN(merge->merge_, KeyMerge::open(std::move(runs)));
  return merge;
}

}  // namespace lakestream::iceberg
