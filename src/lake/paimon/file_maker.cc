#include "lake/paimon/file_maker.h"

#include <optional>
#include <utility>

#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "base/check.h"
#include "base/endian.h"
#include "io/clock.h"
#include "io/object_store.h"
#include "lake/paimon/file_columns.h"
#include "lake/paimon/file_stats.h"
#include "lake/parquet/parquet_upload.h"

namespace lakestream::paimon {
namespace {

// Those whose values go up from row to row, of integers. Of a key the first column does, and a
// dictionary of it would be as long as the column.
std::vector<std::string> rising_columns(const PaimonSchema& schema, const arrow::Schema& columns) {
  std::vector<std::string> names{std::string(kSequenceColumn), std::string(kLakeOffsetColumn)};
  std::vector<std::string> key = schema.trimmed_primary_key();
  if (!key.empty()) {
    names.push_back(std::string(kKeyPrefix) + key.front());
    names.push_back(key.front());
  }
  std::erase_if(names, [&](const std::string& name) {
    std::shared_ptr<arrow::Field> field = columns.GetFieldByName(name);
    return field == nullptr || !arrow::is_integer(field->type()->id());
  });
  return names;
}

}  // namespace

struct FileMaker::State {
  State(WritePlace write_place, FileMakerOptions maker_options)
      : place(std::move(write_place)), options(maker_options), work(options.leaves_work) {}
  ~State() { remove_files(place, files); }

  WritePlace place;
  FileMakerOptions options;
  StoreWork work;
  TableSettings settings;
  std::shared_ptr<arrow::Schema> columns;
  std::vector<DataFile> files;

  std::unique_ptr<ParquetFileWriter> writer;  // of the file in hand
  std::optional<ParquetUpload> upload;        // its way into the store
  std::string min_key;
  std::shared_ptr<arrow::RecordBatch> last;  // rows; the last of them has the greatest key
  int64_t delete_rows = 0;
  bool is_broken = false;  // rows were lost

  Status intact() const {
    if (!is_broken && !work.has_failed()) return ok();
    return make_error(ErrorCode::kUnknownServerError,
                      "{}: a write before this one was in vain; begin anew",
                      place.table);
  }
  bool has_keys() const { return place.schema->has_primary_key(); }
  std::string next_name() const {
    const std::string& prefix =
        options.use == FileUse::kData ? settings.data_prefix : settings.changelog_prefix;
    return fmt::format("{}{}-{}.parquet", prefix, place.uuid, files.size());
  }
};

FileMaker::FileMaker(std::unique_ptr<State> state) : state_(std::move(state)) {}
FileMaker::FileMaker(FileMaker&&) noexcept = default;
FileMaker& FileMaker::operator=(FileMaker&&) noexcept = default;
FileMaker::~FileMaker() = default;

Result<FileMaker> FileMaker::make(const WritePlace& place, FileMakerOptions options) {
  auto state = std::make_unique<State>(place, options);
  ASSIGN_OR_RETURN(state->settings, table_settings(*place.schema));
  state->columns = file_columns_of(*place.schema, state->settings.has_key_columns);
  return FileMaker(std::move(state));
}

const std::shared_ptr<arrow::Schema>& FileMaker::columns() const { return state_->columns; }

Status FileMaker::write(const std::shared_ptr<arrow::RecordBatch>& rows) {
  if (rows->num_rows() == 0) return ok();
  State& state = *state_;
  RETURN_IF_ERROR(state.intact());
  state.is_broken = true;
  if (state.writer == nullptr) {
    ParquetWriteOptions options{.codec = state.settings.codec,
                                .level = state.settings.codec_level,
                                .row_group_bytes = state.settings.row_group_bytes,
                                .nanos_as_int96 = true};
    options.delta_columns = rising_columns(*state.place.schema, *state.columns);
    ASSIGN_OR_RETURN(state.writer, ParquetFileWriter::make(state.columns, options));
    state.upload.emplace(state.place.objects, file_path(state.place, {.name = state.next_name()}));
    if (state.has_keys()) state.min_key = key_row_of(*state.place.schema, *rows, 0);
    state.delete_rows = 0;
  }
  if (state.has_keys()) {
    state.last = rows;
    const auto& kinds =
        static_cast<const arrow::Int8Array&>(*rows->GetColumnByName(std::string(kKindColumn)));
    for (int64_t i = 0; i < kinds.length(); ++i) {
      state.delete_rows += is_retraction(static_cast<RowKind>(kinds.Value(i))) ? 1 : 0;
    }
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
  DataFile file{.name = state.next_name(),
                .rows = state.writer->rows(),
                .schema_id = state.place.schema->id,
                .level = state.options.level,
                .created_ms = state.place.clock.now().value(),
                .delete_rows = state.delete_rows,
                .compacted = state.options.compacted};
  ASSIGN_OR_RETURN(ParquetFileInfo info, state.writer->close());
  std::unique_ptr<ParquetFileWriter> writer = std::move(state.writer);
  file.size = static_cast<int64_t>(info.bytes);
  if (state.has_keys()) {
    file.min_key = state.min_key;
    file.max_key = key_row_of(*state.place.schema, *state.last, state.last->num_rows() - 1);
    state.last.reset();
    set_key_stats(*state.place.schema, info.columns, &file);
    for (const ParquetColumn& column : info.columns) {
      if (column.name != kSequenceColumn || !column.bounds) continue;
      file.min_sequence = load_le<int64_t>(column.bounds->min.data());
      file.max_sequence = load_le<int64_t>(column.bounds->max.data());
    }
  } else {
    file.min_sequence = state.options.next_sequence;
    file.max_sequence = state.options.next_sequence + file.rows - 1;
    state.options.next_sequence += file.rows;
  }
  set_value_stats(*state.place.schema, state.settings, info.columns, &file);
  // Whether it is there or not when that fails, it will be removed.
  state.files.push_back(std::move(file));
  RETURN_IF_ERROR(state.upload->store_rest(*writer, &state.work));
  state.is_broken = false;
  return ok();
}

uint64_t FileMaker::held_bytes() const {
  return state_->writer == nullptr ? 0 : state_->writer->held_bytes();
}

std::vector<LakeWork> FileMaker::take_work() { return state_->work.take(); }

Result<std::vector<DataFile>> FileMaker::finish() {
  RETURN_IF_ERROR(end_file());
  RETURN_IF_ERROR(state_->work.finish());
  return std::exchange(state_->files, {});
}

void remove_files(const WritePlace& place, const std::vector<DataFile>& files) {
  for (const DataFile& file : files) {
    // What can not be removed is no part of the table and lies in nobody's way.
    static_cast<void>(place.objects.remove(file_path(place, file)));
  }
}

std::string file_path(const WritePlace& place, const DataFile& file) {
  return object_path(object_path(place.table, place.place.folder), file.name);
}

}  // namespace lakestream::paimon
