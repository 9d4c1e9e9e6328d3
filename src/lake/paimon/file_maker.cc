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
#include "lake/parquet/rolling_file.h"

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
      : place(std::move(write_place)), options(maker_options) {}

  WritePlace place;
  FileMakerOptions options;
  TableSettings settings;
  std::vector<DataFile> files;
  std::string min_key;                       // of the file in hand
  std::shared_ptr<arrow::RecordBatch> last;  // rows; the last of them has the greatest key
  int64_t delete_rows = 0;
  std::optional<RollingFile> rolling;  // the last to come: it knows the others

  bool has_keys() const { return place.schema->has_primary_key(); }
  std::string next_name() const {
    const std::string& prefix =
        options.use == FileUse::kData ? settings.data_prefix : settings.changelog_prefix;
    return fmt::format("{}{}-{}.parquet", prefix, place.uuid, files.size());
  }

  RollingFileOptions rolling_options() {
    std::shared_ptr<arrow::Schema> columns =
        file_columns_of(*place.schema, settings.has_key_columns);
    ParquetWriteOptions parquet{.codec = settings.codec,
                                .level = settings.codec_level,
                                .row_group_bytes = settings.row_group_bytes,
                                .nanos_as_int96 = true};
    parquet.delta_columns = rising_columns(*place.schema, *columns);
    auto note = [this](const std::string& /*path*/, const ParquetFileInfo& info) {
      files.push_back(file_of(info));
    };
    return {.columns = std::move(columns),
            .parquet = std::move(parquet),
            .target_bytes = static_cast<uint64_t>(settings.target_file_bytes),
            .leaves_work = options.leaves_work,
            .what = place.table,
            .next_path = [this] { return file_path(place, {.name = next_name()}); },
            .note = std::move(note)};
  }

  // What keys and kinds of rows that come next add to what is said of their file.
  void count(const std::shared_ptr<arrow::RecordBatch>& rows) {
    if (!rolling->is_open()) {
      min_key = key_row_of(*place.schema, *rows, 0);
      delete_rows = 0;
    }
    last = rows;
    const auto& kinds =
        static_cast<const arrow::Int8Array&>(*rows->GetColumnByName(std::string(kKindColumn)));
    for (int64_t i = 0; i < kinds.length(); ++i) {
      delete_rows += is_retraction(static_cast<RowKind>(kinds.Value(i))) ? 1 : 0;
    }
  }

  DataFile file_of(const ParquetFileInfo& info) {
    DataFile file{.name = next_name(),
                  .size = static_cast<int64_t>(info.bytes),
                  .rows = info.rows,
                  .schema_id = place.schema->id,
                  .level = options.level,
                  .created_ms = place.clock.now().value(),
                  .delete_rows = delete_rows,
                  .compacted = options.compacted};
    if (has_keys()) {
      file.min_key = min_key;
      file.max_key = key_row_of(*place.schema, *last, last->num_rows() - 1);
      last.reset();
      set_key_stats(*place.schema, info.columns, &file);
      for (const ParquetColumn& column : info.columns) {
        if (column.name != kSequenceColumn || !column.bounds) continue;
        file.min_sequence = load_le<int64_t>(column.bounds->min.data());
        file.max_sequence = load_le<int64_t>(column.bounds->max.data());
      }
    } else {
      file.min_sequence = options.next_sequence;
      file.max_sequence = options.next_sequence + file.rows - 1;
      options.next_sequence += file.rows;
    }
    set_value_stats(*place.schema, settings, info.columns, &file);
    return file;
  }
};

FileMaker::FileMaker(std::unique_ptr<State> state) : state_(std::move(state)) {}
FileMaker::FileMaker(FileMaker&&) noexcept = default;
FileMaker& FileMaker::operator=(FileMaker&&) noexcept = default;
FileMaker::~FileMaker() = default;

Result<FileMaker> FileMaker::make(const WritePlace& place, FileMakerOptions options) {
  auto state = std::make_unique<State>(place, options);
  ASSIGN_OR_RETURN(state->settings, table_settings(*place.schema));
  state->rolling.emplace(place.objects, state->rolling_options());
  return FileMaker(std::move(state));
}

const std::shared_ptr<arrow::Schema>& FileMaker::columns() const {
  return state_->rolling->columns();
}

Status FileMaker::write(const std::shared_ptr<arrow::RecordBatch>& rows) {
  if (rows->num_rows() > 0 && state_->has_keys()) state_->count(rows);
  return state_->rolling->write(rows);
}

Status FileMaker::end_file() { return state_->rolling->end_file(); }

uint64_t FileMaker::held_bytes() const { return state_->rolling->held_bytes(); }

std::vector<LakeWork> FileMaker::take_work() { return state_->rolling->take_work(); }

Result<std::vector<DataFile>> FileMaker::finish() {
  RETURN_IF_ERROR(state_->rolling->finish());
  state_->rolling->release();
  return std::exchange(state_->files, {});
}

void remove_files(const WritePlace& place, const std::vector<DataFile>& files) {
  std::vector<std::string> paths;
  for (const DataFile& file : files) paths.push_back(file_path(place, file));
  remove_objects(place.objects, paths);
}

std::string file_path(const WritePlace& place, const DataFile& file) {
  return object_path(object_path(place.table, place.place.folder), file.name);
}

}  // namespace lakestream::paimon
