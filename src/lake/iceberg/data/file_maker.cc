#include "lake/iceberg/data/file_maker.h"

#include <optional>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/object_store.h"
#include "lake/iceberg/data/metrics.h"
#include "lake/iceberg/data/settings.h"
#include "lake/iceberg/schema.h"
#include "lake/parquet/parquet_upload.h"

namespace lakestream::iceberg {

struct FileMaker::State {
  State(const WritePlace& write_place, FileMakerOptions maker_options)
      : place(write_place), options(std::move(maker_options)), work(options.leaves_work) {}
  ~State() { remove_files(place.objects, files); }

  WritePlace place;
  FileMakerOptions options;
  StoreWork work;
  DataSettings settings;
  std::shared_ptr<arrow::Schema> columns;
  std::vector<DataFile> files;
  int next_number = 1;
  std::unique_ptr<ParquetFileWriter> writer;  // of the file in hand
  std::string path;
  std::optional<ParquetUpload> upload;  // its way into the store
  bool is_broken = false;               // rows were lost

  Status intact() const {
    if (!is_broken && !work.has_failed()) return ok();
    return make_error(ErrorCode::kUnknownServerError,
                      "{}: a write before this one was in vain; begin anew",
                      place.folder);
  }
  bool is_data() const { return options.content == FileContent::kData; }

  ParquetWriteOptions write_options() const {
    ParquetWriteOptions made{.codec = settings.codec,
                             .level = settings.codec_level,
                             .row_group_bytes = settings.row_group_bytes};
    for (const NestedField& field : options.fields) {
      bool is_rising = field.name == kLakeOffsetColumn ||
                       (options.content == FileContent::kPositionDeletes && field.name == "pos");
      if (is_rising) made.delta_columns.push_back(field.name);
    }
    if (!options.key.empty()) {
      made.metadata.emplace_back(kSortKeyMetadata, sort_key_text(options.key));
    }
    return made;
  }
  DataFile file_of(const ParquetFileInfo& info) const {
    DataFile file{.content = options.content,
                  .path = path,
                  .partition = place.partition,
                  .rows = info.rows,
                  .bytes = static_cast<int64_t>(info.bytes)};
    file.metrics = metrics_of(options.fields, settings, info);
    if (options.content == FileContent::kEqualityDeletes) file.equality_ids = options.key;
    // Rows that are in the order of a key are in no order that the table knows.
    if (is_data() && options.key.empty()) file.sort_order_id = place.sort_order_id;
    file.split_offsets = info.row_group_offsets;
    return file;
  }
};

FileMaker::FileMaker(std::unique_ptr<State> state) : state_(std::move(state)) {}
FileMaker::FileMaker(FileMaker&&) noexcept = default;
FileMaker& FileMaker::operator=(FileMaker&&) noexcept = default;
FileMaker::~FileMaker() = default;

Result<FileMaker> FileMaker::make(const WritePlace& place, FileMakerOptions options) {
  auto state = std::make_unique<State>(place, std::move(options));
  ASSIGN_OR_RETURN(state->settings, data_settings(place.properties));
  // Whether all rows of a delete file are of one data file is told by its bounds.
  if (state->options.content == FileContent::kPositionDeletes) {
    state->settings.metrics = MetricsMode{.chars = 0};
    state->settings.column_metrics.clear();
  }
  state->next_number = state->options.first_number;
  arrow::FieldVector fields;
  for (const NestedField& field : state->options.fields) fields.push_back(arrow_field_of(field));
  state->columns = arrow::schema(std::move(fields));
  return FileMaker(std::move(state));
}

const std::shared_ptr<arrow::Schema>& FileMaker::columns() const { return state_->columns; }

Status FileMaker::write(const std::shared_ptr<arrow::RecordBatch>& rows) {
  if (rows->num_rows() == 0) return ok();
  State& state = *state_;
  RETURN_IF_ERROR(state.intact());
  state.is_broken = true;
  if (state.writer == nullptr) {
    ASSIGN_OR_RETURN(state.writer, ParquetFileWriter::make(state.columns, state.write_options()));
    state.path = state.place.path_of(state.next_number++, state.options.suffix);
    state.upload.emplace(state.place.objects, state.path);
  }
  RETURN_IF_ERROR(state.writer->write(rows));
  RETURN_IF_ERROR(state.upload->store_some(*state.writer, &state.work));
  state.is_broken = false;
  auto target = static_cast<uint64_t>(state.settings.target_file_bytes);
  return state.writer->file_bytes() >= target ? end_file() : ok();
}

Status FileMaker::end_file() {
  State& state = *state_;
  RETURN_IF_ERROR(state.intact());
  if (state.writer == nullptr) return ok();
  state.is_broken = true;
  ASSIGN_OR_RETURN(ParquetFileInfo info, state.writer->close());
  std::unique_ptr<ParquetFileWriter> writer = std::move(state.writer);
  // Whether it is there or not when that fails, it will be removed.
  state.files.push_back(state.file_of(info));
  RETURN_IF_ERROR(state.upload->store_rest(*writer, &state.work));
  state.is_broken = false;
  return ok();
}

std::vector<LakeWork> FileMaker::take_work() { return state_->work.take(); }

Status FileMaker::finish() {
  RETURN_IF_ERROR(end_file());
  return state_->work.finish();
}

uint64_t FileMaker::held_bytes() const {
  return state_->writer == nullptr ? 0 : state_->writer->held_bytes();
}

const std::vector<DataFile>& FileMaker::files() const { return state_->files; }

std::vector<DataFile> FileMaker::take() { return std::exchange(state_->files, {}); }

void remove_files(ObjectStore& objects, const std::vector<DataFile>& files) {
  for (const DataFile& file : files) {
    // What can not be removed is no part of the table and lies in nobody's way.
    static_cast<void>(objects.remove(file.path));
  }
}

std::string sort_key_text(const std::vector<int32_t>& ids) {
  return fmt::format("{}", fmt::join(ids, ","));
}

}  // namespace lakestream::iceberg
