#include "lake/paimon/key_runs.h"

#include <optional>
#include <utility>

#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "lake/paimon/file_columns.h"
#include "lake/parquet/parquet_reader.h"

namespace lakestream::paimon {
namespace {

class FileRun final : public KeyRun {
 public:
  FileRun(std::string path,
          std::unique_ptr<ParquetFileReader> reader,
          std::vector<std::string> key,
          std::shared_ptr<arrow::Schema> columns)
      : path_(std::move(path)),
        reader_(std::move(reader)),
        key_(std::move(key)),
        columns_(std::move(columns)) {}

  const std::string& name() const override { return path_; }

  Result<std::optional<SortKeys>> bound() override {
    return least_key_of(*reader_, key_[0], columns_->GetFieldByName(key_[0])->type());
  }

  Result<std::optional<KeyBatch>> next() override {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, reader_->next());
    if (rows == nullptr) return std::optional<KeyBatch>();
    ASSIGN_OR_RETURN(SortKeys keys, SortKeys::make(*rows, key_));
    KeyBatch batch{.rows = rows, .keys = std::move(keys)};
    auto sequences = rows->GetColumnByName(std::string(kSequenceColumn));
    batch.sequences = static_cast<const arrow::Int64Array&>(*sequences).raw_values();
    auto kinds = rows->GetColumnByName(std::string(kKindColumn));
    const int8_t* kind_values = static_cast<const arrow::Int8Array&>(*kinds).raw_values();
    batch.takes_away.resize(batch.keys.size());
    for (size_t i = 0; i < batch.takes_away.size(); ++i) {
      batch.takes_away[i] = is_retraction(static_cast<RowKind>(kind_values[i])) ? 1 : 0;
    }
    return std::optional(std::move(batch));
  }

 private:
  std::string path_;
  std::unique_ptr<ParquetFileReader> reader_;
  std::vector<std::string> key_;
  std::shared_ptr<arrow::Schema> columns_;
};

}  // namespace

Result<std::unique_ptr<KeyMerge>> merge_files(ObjectStore& objects,
                                              const std::vector<LakeDataFile>& files,
                                              const std::vector<std::string>& key,
                                              const std::shared_ptr<arrow::Schema>& columns) {
  std::vector<std::unique_ptr<KeyRun>> runs;
  for (const LakeDataFile& file : files) {
    ASSIGN_OR_RETURN(
        std::unique_ptr<ParquetFileReader> reader,
        ParquetFileReader::open(objects, file.path, file.bytes, whole_bytes_of_each(files.size())));
    RETURN_IF_ERROR(reader->select(columns, kKeyBatchRows));
    runs.push_back(std::make_unique<FileRun>(file.path, std::move(reader), key, columns));
  }
  return KeyMerge::open(std::move(runs));
}

}  // namespace lakestream::paimon
