#include "lake/paimon/reader.h"

#include <algorithm>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "lake/merge_reader.h"
#include "lake/paimon/file_columns.h"
#include "lake/paimon/key_runs.h"
#include "lake/paimon/table_settings.h"
#include "lake/parquet/parquet_reader.h"

namespace lakestream::paimon {
namespace {

constexpr int64_t kBatchRows = 1 << 16;

// One file after the other.
class ConcatReader final : public LakeReader {
 public:
  explicit ConcatReader(ReaderOptions options)
      : options_(std::move(options)), columns_(output_columns(options_.columns)) {}

  Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    while (true) {
      if (reader_ == nullptr) {
        if (file_ == options_.files.size()) return nullptr;
        const LakeDataFile& file = options_.files[file_++];
        ASSIGN_OR_RETURN(
            reader_,
            ParquetFileReader::open(options_.objects, file.path, file.bytes, kWholeParquetBytes));
        RETURN_IF_ERROR(reader_->select(columns_, kBatchRows));
      }
      ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, reader_->next());
      if (rows != nullptr) return rows;
      reader_.reset();
    }
  }

 private:
  ReaderOptions options_;
  std::shared_ptr<arrow::Schema> columns_;
  size_t file_ = 0;  // the next
  std::unique_ptr<ParquetFileReader> reader_;
};

Result<std::unique_ptr<LakeReader>> make_merge_reader(const ReaderOptions& options) {
  RETURN_IF_ERROR(table_settings(*options.schema));
  std::vector<std::string> key = options.schema->trimmed_primary_key();
  std::vector<std::string> names = key;
  for (std::string_view name : {kSequenceColumn, kKindColumn}) names.emplace_back(name);
  for (const ReaderColumn& column : options.columns) {
    if (std::find(names.begin(), names.end(), column.name) == names.end()) {
      names.push_back(column.name);
    }
  }
  std::shared_ptr<arrow::Schema> all = file_columns_of(*options.schema, false);
  arrow::FieldVector fields;
  for (const std::string& name : names) {
    std::shared_ptr<arrow::Field> field = all->GetFieldByName(name);
    if (field != nullptr) fields.push_back(std::move(field));
  }
  ASSIGN_OR_RETURN(
      std::unique_ptr<KeyMerge> merge,
      merge_files(options.objects, options.files, key, arrow::schema(std::move(fields))));
  return std::make_unique<MergeReader<KeyMerge>>(std::move(merge), output_columns(options.columns));
}

}  // namespace

Result<std::unique_ptr<LakeReader>> make_reader(ReaderOptions options) {
  // Of several files also without a need: what comes out is in the order of keys.
  bool is_sorted = options.schema->has_primary_key() && options.files.size() > 1;
  if (options.needs_merge || is_sorted) return make_merge_reader(options);
  return std::make_unique<ConcatReader>(std::move(options));
}

}  // namespace lakestream::paimon
