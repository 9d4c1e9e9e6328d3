#include "lake/paimon/append_writer.h"

#include <algorithm>

#include "lake/paimon/file_columns.h"
#include "lake/paimon/lake_files.h"

namespace lakestream::paimon {
namespace {

class AppendWriter final : public LakeWriter {
 public:
  AppendWriter(WritePlace place, RowColumns columns, FileMaker maker)
      : place_(std::move(place)), columns_(std::move(columns)), maker_(std::move(maker)) {}

  Status write(const LakeRows& rows) override {
    auto is_other = [](ChangeType change) { return change != ChangeType::kAppend; };
    if (std::any_of(rows.changes.begin(), rows.changes.end(), is_other)) {
      return make_error(ErrorCode::kUnknownServerError,
                        "rows that change others for {}, which has no primary key",
                        place_.table);
    }
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, columns_.apply(rows));
    return maker_.write(batch);
  }

  std::vector<LakeWork> take_work() override { return maker_.take_work(); }
  uint64_t held_bytes() const override { return maker_.held_bytes(); }

  Result<LakeFiles> finish() override {
    WrittenFiles written;
    written.place = place_.place;
    ASSIGN_OR_RETURN(written.added, maker_.finish());
    return to_lake_files(std::move(written));
  }

 private:
  WritePlace place_;
  RowColumns columns_;
  FileMaker maker_;
};

}  // namespace

Result<std::unique_ptr<LakeWriter>> make_append_writer(AppendWriterOptions options) {
  ASSIGN_OR_RETURN(RowColumns columns,
                   row_columns_of(options.columns, *options.place.schema, options.bucket));
  ASSIGN_OR_RETURN(FileMaker maker,
                   FileMaker::make(options.place,
                                   {.next_sequence = options.next_sequence, .leaves_work = true}));
  return std::make_unique<AppendWriter>(
      std::move(options.place), std::move(columns), std::move(maker));
}

}  // namespace lakestream::paimon
