#include "lake/parquet/parquet_reader.h"

#include <algorithm>

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "format/arrow_error.h"
#include "lake/parquet/cast.h"
#include "lake/parquet/guarded.h"
#include "lake/parquet/object_file.h"

namespace lakestream {
namespace {

// The end of a file that is not fetched whole, which has the footer of most.
constexpr uint64_t kFooterBytes = uint64_t{64} << 10;
// Ranges that are so close are fetched together, up to a length.
constexpr int64_t kHoleBytes = int64_t{256} << 10;
constexpr int64_t kRangeBytes = int64_t{32} << 20;

// Of one batch, by what the file says of its columns.
constexpr int64_t kBatchBytes = int64_t{16} << 20;

void add_leaves(const parquet::arrow::SchemaField& field, std::vector<int>* leaves) {
  if (field.is_leaf()) leaves->push_back(field.column_index);
  for (const parquet::arrow::SchemaField& child : field.children) add_leaves(child, leaves);
}

}  // namespace

struct ParquetFileReader::State {
  std::string path;
  std::shared_ptr<ObjectFile> file;
  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::shared_ptr<parquet::FileMetaData> metadata;
  std::shared_ptr<arrow::Schema> schema;  // of the file
  bool is_whole = false;                  // all of it is fetched

  std::shared_ptr<arrow::Schema> wanted;
  std::vector<int> leaves;
  int64_t batch_rows = 0;

  int row_group = 0;  // the next
  std::unique_ptr<arrow::RecordBatchReader> batches;
  int64_t bare_rows = 0;  // of the row group, when no column of it is wanted

  // How many rows of the wanted columns have so many bytes; at least one.
  int64_t rows_of(int64_t bytes) const {
    double sum = 0;
    for (int group = 0; group < metadata->num_row_groups(); ++group) {
      std::unique_ptr<parquet::RowGroupMetaData> rows = metadata->RowGroup(group);
      for (int leaf : leaves) {
        sum += static_cast<double>(rows->ColumnChunk(leaf)->total_uncompressed_size());
      }
    }
    double per_row = sum / static_cast<double>(std::max<int64_t>(1, metadata->num_rows()));
    return static_cast<int64_t>(static_cast<double>(bytes) / std::max(1.0, per_row)) + 1;
  }

  // The store's own error where there is one, with the name of the file.
  template <typename T>
  Result<T> named(Result<T> result) const {
    if (result) return result;
    if (file->error()) return fail(*file->error());
    if (result.error().code() == ErrorCode::kStorageException) return result;
    return fail(std::move(result).error().with_context(path));
  }
};

ParquetFileReader::ParquetFileReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParquetFileReader::~ParquetFileReader() = default;

Result<std::unique_ptr<ParquetFileReader>> ParquetFileReader::open(ObjectStore& objects,
                                                                   const std::string& path,
                                                                   uint64_t size,
                                                                   uint64_t whole_bytes,
                                                                   Int96As int96) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file = std::make_shared<ObjectFile>(objects, path, size);
  uint64_t fetched = size <= whole_bytes ? size : std::min(size, kFooterBytes);
  state->is_whole = fetched == size;
  RETURN_IF_ERROR(
      state->file->fetch({{static_cast<int64_t>(size - fetched), static_cast<int64_t>(fetched)}}));
  Status opened = guarded([&]() -> Status {
    parquet::arrow::FileReaderBuilder builder;
    RETURN_IF_ERROR(from_arrow(builder.Open(state->file, parquet::default_reader_properties())));
    parquet::ArrowReaderProperties properties(/*use_threads=*/false);
    properties.set_pre_buffer(false);
    if (int96 == Int96As::kMicros) {
      properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
    }
    builder.properties(properties);
    ASSIGN_OR_RETURN(state->reader, from_arrow(builder.Build()));
    state->metadata = state->reader->parquet_reader()->metadata();
    return from_arrow(state->reader->GetSchema(&state->schema));
  });
  RETURN_IF_ERROR(state->named(std::move(opened)));
  return std::make_unique<ParquetFileReader>(std::move(state));
}

const std::shared_ptr<arrow::Schema>& ParquetFileReader::schema() const { return state_->schema; }
int64_t ParquetFileReader::rows() const { return state_->metadata->num_rows(); }
std::vector<int64_t> ParquetFileReader::row_groups() const {
  std::vector<int64_t> rows;
  for (int i = 0; i < state_->metadata->num_row_groups(); ++i) {
    rows.push_back(state_->metadata->RowGroup(i)->num_rows());
  }
  return rows;
}

std::optional<std::string> ParquetFileReader::metadata(const std::string& key) const {
  const auto& pairs = state_->metadata->key_value_metadata();
  if (pairs == nullptr || !pairs->Contains(key)) return std::nullopt;
  return pairs->value(pairs->FindKey(key));
}

uint64_t ParquetFileReader::held_bytes() const { return state_->file->held_bytes(); }

Result<std::vector<ParquetColumn>> ParquetFileReader::columns() const {
  return state_->named(guarded(
      [&]() -> Result<std::vector<ParquetColumn>> { return columns_of(*state_->metadata); }));
}

Result<std::shared_ptr<arrow::Array>> ParquetFileReader::least(const std::string& column) const {
  return state_->named(guarded([&] { return least_of(*state_->metadata, column); }));
}

Status ParquetFileReader::select(std::shared_ptr<arrow::Schema> columns, int64_t batch_rows) {
  State& state = *state_;
  state.leaves.clear();
  const parquet::arrow::SchemaManifest& manifest = state.reader->manifest();
  for (const std::shared_ptr<arrow::Field>& field : columns->fields()) {
    std::vector<int> found = state.schema->GetAllFieldIndices(field->name());
    if (found.size() > 1) {
      return make_error(ErrorCode::kUnknownServerError,
                        "{}: column {} is there {} times",
                        state.path,
                        field->name(),
                        found.size());
    }
    if (found.empty() && !field->nullable()) {
      return make_error(ErrorCode::kUnknownServerError,
                        "{}: there is no column {}, which is not nullable",
                        state.path,
                        field->name());
    }
    for (int index : found) {
      add_leaves(manifest.schema_fields[static_cast<size_t>(index)], &state.leaves);
    }
  }
  std::sort(state.leaves.begin(), state.leaves.end());
  state.wanted = std::move(columns);
  return guarded([&]() -> Status {
    state.batch_rows = std::min(batch_rows, state.rows_of(kBatchBytes));
    state.reader->set_batch_size(state.batch_rows);
    return ok();
  });
}

Status ParquetFileReader::open_row_group() {
  State& state = *state_;
  int group = state.row_group++;
  if (state.leaves.empty()) {
    state.bare_rows = state.metadata->RowGroup(group)->num_rows();
    return ok();
  }
  if (!state.is_whole) {
    ASSIGN_OR_RETURN(std::vector<arrow::io::ReadRange> ranges,
                     from_arrow(state.reader->parquet_reader()->GetReadRanges(
                         {group}, state.leaves, kHoleBytes, kRangeBytes)));
    RETURN_IF_ERROR(state.file->fetch(ranges));
  }
  ASSIGN_OR_RETURN(state.batches,
                   from_arrow(state.reader->GetRecordBatchReader({group}, state.leaves)));
  return ok();
}

// Columns as they are in the file.
Result<std::shared_ptr<arrow::RecordBatch>> ParquetFileReader::next_in_file() {
  State& state = *state_;
  while (true) {
    if (state.batches != nullptr) {
      std::shared_ptr<arrow::RecordBatch> batch;
      RETURN_IF_ERROR(from_arrow(state.batches->ReadNext(&batch)));
      if (batch != nullptr && batch->num_rows() == 0) continue;
      if (batch != nullptr) return batch;
      state.batches.reset();
    }
    if (state.bare_rows > 0) {
      int64_t count = std::min(state.bare_rows, state.batch_rows);
      state.bare_rows -= count;
      return arrow::RecordBatch::Make(arrow::schema({}), count, arrow::ArrayVector());
    }
    if (state.row_group == state.metadata->num_row_groups()) return nullptr;
    RETURN_IF_ERROR(open_row_group());
  }
}

Result<std::shared_ptr<arrow::RecordBatch>> ParquetFileReader::next() {
  Result<std::shared_ptr<arrow::RecordBatch>> batch =
      guarded([&]() -> Result<std::shared_ptr<arrow::RecordBatch>> {
        ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, next_in_file());
        if (rows == nullptr) return rows;
        return cast_columns(rows, state_->wanted);
      });
  return state_->named(std::move(batch));
}

}  // namespace lakestream
