#include "lake/iceberg/data/file_maker.h"

#include <optional>
#include <utility>

#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lake/iceberg/data/metrics.h"
#include "lake/iceberg/data/settings.h"
#include "lake/iceberg/schema.h"
#include "lake/parquet/rolling_file.h"

namespace lakestream::iceberg {

struct FileMaker::State {
  State(const WritePlace& write_place, FileMakerOptions maker_options)
      : place(write_place), options(std::move(maker_options)), next_number(options.first_number) {}

  WritePlace place;
  FileMakerOptions options;
  DataSettings settings;
  std::vector<DataFile> files;
  int next_number = 1;
  std::optional<RollingFile> rolling;  // the last to come: it knows the others

  bool is_data() const { return options.content == FileContent::kData; }

  ParquetWriteOptions write_options() const {
    ParquetWriteOptions made{.codec = settings.codec,
                             .level = settings.codec_level,
                             .row_group_bytes = settings.row_group_bytes};
    // Not in data files: the readers of columns that Spark has before Iceberg 1.10 refuse it.
    if (options.content == FileContent::kPositionDeletes) made.delta_columns = {"pos"};
    if (!options.key.empty()) {
      made.metadata.emplace_back(kSortKeyMetadata, sort_key_text(options.key));
    }
    return made;
  }

  RollingFileOptions rolling_options() {
    arrow::FieldVector fields;
    for (const NestedField& field : options.fields) fields.push_back(arrow_field_of(field));
    auto note = [this](const std::string& path, const ParquetFileInfo& info) {
      files.push_back(file_of(path, info));
    };
    return {.columns = arrow::schema(std::move(fields)),
            .parquet = write_options(),
            .target_bytes = static_cast<uint64_t>(settings.target_file_bytes),
            .leaves_work = options.leaves_work,
            .what = place.folder,
            .next_path = [this] { return place.path_of(next_number++, options.suffix); },
            .note = std::move(note)};
  }

  DataFile file_of(const std::string& path, const ParquetFileInfo& info) const {
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
  state->rolling.emplace(place.objects, state->rolling_options());
  return FileMaker(std::move(state));
}

const std::shared_ptr<arrow::Schema>& FileMaker::columns() const {
  return state_->rolling->columns();
}

Status FileMaker::write(const std::shared_ptr<arrow::RecordBatch>& rows) {
  return state_->rolling->write(rows);
}

Status FileMaker::end_file() { return state_->rolling->end_file(); }

std::vector<LakeWork> FileMaker::take_work() { return state_->rolling->take_work(); }

Status FileMaker::finish() { return state_->rolling->finish(); }

uint64_t FileMaker::held_bytes() const { return state_->rolling->held_bytes(); }

const std::vector<DataFile>& FileMaker::files() const { return state_->files; }

std::vector<DataFile> FileMaker::take() {
  state_->rolling->release();
  return std::exchange(state_->files, {});
}

void remove_files(ObjectStore& objects, const std::vector<DataFile>& files) {
  std::vector<std::string> paths;
  for (const DataFile& file : files) paths.push_back(file.path);
  remove_objects(objects, paths);
}

std::string sort_key_text(const std::vector<int32_t>& ids) {
  return fmt::format("{}", fmt::join(ids, ","));
}

}  // namespace lakestream::iceberg
