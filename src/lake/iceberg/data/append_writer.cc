#include <algorithm>
#include <utility>

#include "lake/iceberg/data/columns.h"
#include "lake/iceberg/data/data.h"
#include "lake/iceberg/data/file_maker.h"
#include "lake/row_columns.h"

namespace lakestream::iceberg {
namespace {

class AppendWriter final : public LakeWriter {
 public:
  AppendWriter(std::string folder, RowColumns columns, FileMaker maker)
      : folder_(std::move(folder)), columns_(std::move(columns)), maker_(std::move(maker)) {}

  Status write(const LakeRows& rows) override {
    auto is_other = [](ChangeType change) { return change != ChangeType::kAppend; };
    if (std::any_of(rows.changes.begin(), rows.changes.end(), is_other)) {
      return make_error(ErrorCode::kUnknownServerError,
                        "rows that change others for {}, which has no primary key",
                        folder_);
    }
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, columns_.apply(rows));
    return maker_.write(batch);
  }

  std::vector<LakeWork> take_work() override { return maker_.take_work(); }
  uint64_t held_bytes() const override { return maker_.held_bytes(); }

  Result<LakeFiles> finish() override {
    RETURN_IF_ERROR(maker_.finish());
    WrittenFiles written;
    written.data = maker_.take();
    return to_lake_files(std::move(written));
  }

 private:
  std::string folder_;
  RowColumns columns_;
  FileMaker maker_;
};

}  // namespace

Result<std::unique_ptr<LakeWriter>> open_append_writer(WriterOptions options) {
  const WritePlace& place = options.place;
  ASSIGN_OR_RETURN(
      FileMaker maker,
      FileMaker::make(place, {.fields = known_fields(*place.schema), .leaves_work = true}));
  ASSIGN_OR_RETURN(
      RowColumns columns,
      RowColumns::make(
          options.columns, maker.columns(), place.schema->has_system_columns(), options.bucket));
  return std::make_unique<AppendWriter>(place.folder, std::move(columns), std::move(maker));
}

void remove_written(ObjectStore& objects, const WrittenFiles& written) {
  remove_files(objects, written.data);
  remove_files(objects, written.deletes);
}

}  // namespace lakestream::iceberg
