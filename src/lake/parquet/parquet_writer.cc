#include "lake/parquet/parquet_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <arrow/array/array_primitive.h>
#include <arrow/buffer_builder.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "format/arrow_error.h"
#include "io/object_store.h"
#include "lake/batches.h"
#include "lake/parquet/dictionaries.h"
#include "lake/parquet/guarded.h"

namespace lakestream {
namespace {

// Batches wait for each other until they have as much together; then a call of the encoder costs
// little beside its work.
constexpr int64_t kGatheredRows = 512;
constexpr int64_t kGatheredBytes = int64_t{128} << 10;
// Before the first call, which finds out which columns have a use for a dictionary.
constexpr int64_t kFirstGatheredBytes = int64_t{4} << 20;
// Of a file of which nothing is encoded yet: its share of the bytes in memory.
constexpr double kFirstRatio = 0.5;

struct CodecName {
  std::string_view name;
  ParquetCodec codec;
};
constexpr std::array<CodecName, 8> kCodecNames = {{{"none", ParquetCodec::kNone},
                                                   {"uncompressed", ParquetCodec::kNone},
                                                   {"snappy", ParquetCodec::kSnappy},
                                                   {"gzip", ParquetCodec::kGzip},
                                                   {"brotli", ParquetCodec::kBrotli},
                                                   {"lz4", ParquetCodec::kLz4},
                                                   {"lz4_raw", ParquetCodec::kLz4},
                                                   {"zstd", ParquetCodec::kZstd}}};

parquet::Compression::type compression_of(ParquetCodec codec) {
  switch (codec) {
    case ParquetCodec::kNone:
      return parquet::Compression::UNCOMPRESSED;
    case ParquetCodec::kSnappy:
      return parquet::Compression::SNAPPY;
    case ParquetCodec::kGzip:
      return parquet::Compression::GZIP;
    case ParquetCodec::kBrotli:
      return parquet::Compression::BROTLI;
    case ParquetCodec::kLz4:
      return parquet::Compression::LZ4;
    case ParquetCodec::kZstd:
      return parquet::Compression::ZSTD;
  }
  return parquet::Compression::UNCOMPRESSED;
}

bool takes_level(ParquetCodec codec) {
  return codec == ParquetCodec::kZstd || codec == ParquetCodec::kGzip ||
         codec == ParquetCodec::kBrotli;
}

std::shared_ptr<parquet::schema::ColumnPath> column_path(const std::string& name) {
  return std::make_shared<parquet::schema::ColumnPath>(std::vector<std::string>{name});
}

// `plain`: columns for which no dictionary is tried.
std::shared_ptr<parquet::WriterProperties> properties_of(const ParquetWriteOptions& options,
                                                         const std::vector<std::string>& plain,
                                                         arrow::MemoryPool* pool) {
  parquet::WriterProperties::Builder builder;
  builder.memory_pool(pool)
      ->compression(compression_of(options.codec))
      ->max_row_group_length(options.row_group_rows)
      ->enable_store_decimal_as_integer();
  if (options.level && takes_level(options.codec)) builder.compression_level(*options.level);
  for (const std::string& name : plain) builder.disable_dictionary(column_path(name));
  for (const std::string& name : options.delta_columns) {
    std::shared_ptr<parquet::schema::ColumnPath> column = column_path(name);
    builder.disable_dictionary(column)->encoding(column, parquet::Encoding::DELTA_BINARY_PACKED);
  }
  return builder.build();
}

parquet::schema::NodePtr with_int96(const parquet::schema::NodePtr& node) {
  std::shared_ptr<const parquet::LogicalType> logical = node->logical_type();
  if (logical != nullptr && logical->is_none()) logical = nullptr;
  if (node->is_group()) {
    const auto& group = static_cast<const parquet::schema::GroupNode&>(*node);
    parquet::schema::NodeVector fields;
    for (int i = 0; i < group.field_count(); ++i) fields.push_back(with_int96(group.field(i)));
    return parquet::schema::GroupNode::Make(
        node->name(), node->repetition(), fields, logical, node->field_id());
  }
  if (logical == nullptr || !logical->is_timestamp()) return node;
  const auto& time = static_cast<const parquet::TimestampLogicalType&>(*logical);
  if (time.time_unit() != parquet::LogicalType::TimeUnit::NANOS) return node;
  return parquet::schema::PrimitiveNode::Make(node->name(),
                                              node->repetition(),
                                              parquet::LogicalType::None(),
                                              parquet::Type::INT96,
                                              -1,
                                              node->field_id());
}

template <typename ArrowType>
int64_t nans_in(const arrow::Array& column) {
  const auto& values = static_cast<const arrow::NumericArray<ArrowType>&>(column);
  int64_t count = 0;
  for (int64_t i = 0; i < values.length(); ++i) {
    if (std::isnan(values.Value(i)) && values.IsValid(i)) ++count;
  }
  return count;
}

// Nothing of what is no float.
std::optional<int64_t> nan_count(const arrow::Array& column) {
  if (column.type_id() == arrow::Type::FLOAT) return nans_in<arrow::FloatType>(column);
  if (column.type_id() == arrow::Type::DOUBLE) return nans_in<arrow::DoubleType>(column);
  return std::nullopt;
}

// Memory that Arrow has allocated, with the pool that counts it.
class PooledBytes final : public BytesOwner {
 public:
  PooledBytes(std::shared_ptr<arrow::MemoryPool> pool, std::shared_ptr<arrow::Buffer> buffer)
      : pool_(std::move(pool)), buffer_(std::move(buffer)) {}

 private:
  std::shared_ptr<arrow::MemoryPool> pool_;
  std::shared_ptr<arrow::Buffer> buffer_;
};

// What the encoder gives out: the buffers of whole columns as they are, what is short between them
// copied together.
class PartSink final : public arrow::io::OutputStream {
 public:
  explicit PartSink(std::shared_ptr<arrow::MemoryPool> pool)
      : pool_(std::move(pool)), gathered_(pool_.get()) {}
  ~PartSink() override = default;

  arrow::Status Write(const void* data, int64_t size) override {
    position_ += size;
    return gathered_.Append(data, size);
  }
  arrow::Status Write(const std::shared_ptr<arrow::Buffer>& buffer) override {
    if (buffer->size() < kGatheredPartBytes) return Write(buffer->data(), buffer->size());
    ARROW_RETURN_NOT_OK(end_gathered());
    position_ += buffer->size();
    add_part(buffer);
    return arrow::Status::OK();
  }
  arrow::Status Close() override {
    closed_ = true;
    return end_gathered();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }

  int64_t position() const { return position_; }
  // Of whole parts.
  uint64_t ready_bytes() const { return ready_bytes_; }
  std::vector<Bytes> take_parts() {
    ready_bytes_ = 0;
    return std::exchange(parts_, {});
  }

 private:
  static constexpr int64_t kGatheredPartBytes = 4096;

  arrow::Status end_gathered() {
    if (gathered_.length() == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, gathered_.Finish());
    add_part(std::move(buffer));
    return arrow::Status::OK();
  }
  void add_part(std::shared_ptr<arrow::Buffer> buffer) {
    const uint8_t* data = buffer->data();
    auto size = static_cast<size_t>(buffer->size());
    auto owner = std::make_unique<PooledBytes>(pool_, std::move(buffer));
    parts_.emplace_back(data, size, owner.release());
    ready_bytes_ += size;
  }

  std::shared_ptr<arrow::MemoryPool> pool_;
  arrow::BufferBuilder gathered_;
  std::vector<Bytes> parts_;
  uint64_t ready_bytes_ = 0;
  int64_t position_ = 0;
  bool closed_ = false;
};

}  // namespace

std::optional<ParquetCodec> parquet_codec_of(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const CodecName& known : kCodecNames) {
    if (known.name == lower) return known.codec;
  }
  return std::nullopt;
}

struct ParquetFileWriter::State {
  // Columns of the schema as Parquet has them.
  Status make_columns() {
    std::shared_ptr<parquet::SchemaDescriptor> descriptor;
    RETURN_IF_ERROR(
        from_arrow(parquet::arrow::ToParquetSchema(schema.get(),
                                                   *properties_of(options, {}, pool.get()),
                                                   *parquet::default_arrow_writer_properties(),
                                                   &descriptor)));
    parquet::schema::NodePtr root = descriptor->schema_root();
    if (options.nanos_as_int96) root = with_int96(root);
    columns = std::static_pointer_cast<parquet::schema::GroupNode>(root);
    return ok();
  }

  // `first`: rows that come first, if there are any.
  Status open(const arrow::RecordBatch* first) {
    std::vector<std::string> plain;
    if (first != nullptr) {
      ASSIGN_OR_RETURN(
          plain, columns_without_dictionary(*first, parquet::DEFAULT_DICTIONARY_PAGE_SIZE_LIMIT));
    }
    std::shared_ptr<arrow::KeyValueMetadata> metadata;
    for (const auto& [key, value] : options.metadata) {
      if (metadata == nullptr) metadata = std::make_shared<arrow::KeyValueMetadata>();
      metadata->Append(key, value);
    }
    std::unique_ptr<parquet::ParquetFileWriter> file = parquet::ParquetFileWriter::Open(
        sink, columns, properties_of(options, plain, pool.get()), std::move(metadata));
    return from_arrow(parquet::arrow::FileWriter::Make(
        pool.get(), std::move(file), schema, parquet::default_arrow_writer_properties(), &writer));
  }

  void count_nans(const arrow::RecordBatch& batch) {
    for (int i = 0; i < batch.num_columns(); ++i) {
      if (auto count = nan_count(*batch.column(i))) nans[batch.column_name(i)] += *count;
    }
  }

  // Pending rows, for the encoder.
  bool has_enough() const {
    if (writer != nullptr) return pending_rows >= kGatheredRows || pending_bytes >= kGatheredBytes;
    return pending_rows >= kDictionarySampleRows ||
           pending_bytes >= std::min(kFirstGatheredBytes, options.row_group_bytes);
  }

  ParquetWriteOptions options;
  std::shared_ptr<arrow::Schema> schema;
  std::shared_ptr<parquet::schema::GroupNode> columns;
  // All memory of the writer comes from it; it counts.
  std::shared_ptr<arrow::MemoryPool> pool;
  std::shared_ptr<PartSink> sink;
  std::unique_ptr<parquet::arrow::FileWriter> writer;  // since there are rows for it

  std::vector<std::shared_ptr<arrow::RecordBatch>> pending;
  int64_t pending_rows = 0;
  int64_t pending_bytes = 0;

  int64_t rows = 0;
  std::map<std::string, int64_t> nans;  // by column
  int64_t group_rows = 0;               // of the row group that is being written
  int64_t group_bytes = 0;              // in memory
  int64_t closed_bytes = 0;             // in memory, of the row groups that are in the sink
};

ParquetFileWriter::ParquetFileWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParquetFileWriter::~ParquetFileWriter() = default;

Result<std::unique_ptr<ParquetFileWriter>> ParquetFileWriter::make(
    std::shared_ptr<arrow::Schema> schema, const ParquetWriteOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<ParquetFileWriter>> {
    auto state = std::make_unique<State>();
    state->options = options;
    state->schema = std::move(schema);
    // That of the process and not of Arrow: jobs come on many threads, and what one gives back has
    // to serve the others without the kernel clearing new pages.
    state->pool = std::make_shared<arrow::ProxyMemoryPool>(arrow::system_memory_pool());
    state->sink = std::make_shared<PartSink>(state->pool);
    RETURN_IF_ERROR(state->make_columns());
    return std::make_unique<ParquetFileWriter>(std::move(state));
  });
}

int64_t ParquetFileWriter::rows() const { return state_->rows + state_->pending_rows; }

uint64_t ParquetFileWriter::file_bytes() const {
  auto in_sink = static_cast<double>(state_->sink->position());
  double ratio = kFirstRatio;
  if (state_->closed_bytes > 0) ratio = in_sink / static_cast<double>(state_->closed_bytes);
  auto open = static_cast<double>(state_->group_bytes + state_->pending_bytes);
  return static_cast<uint64_t>(in_sink + ratio * open);
}

uint64_t ParquetFileWriter::held_bytes() const {
  return static_cast<uint64_t>(state_->pool->bytes_allocated() + state_->pending_bytes);
}

Status ParquetFileWriter::write(std::shared_ptr<arrow::RecordBatch> batch) {
  if (batch->num_rows() == 0) return ok();
  State& state = *state_;
  state.pending_rows += batch->num_rows();
  state.pending_bytes += batch_bytes(*batch);
  state.pending.push_back(std::move(batch));
  return state.has_enough() ? write_pending() : ok();
}

Status ParquetFileWriter::write_pending() {
  State& state = *state_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches = std::move(state.pending);
  state.pending.clear();
  if (batches.empty()) return ok();
  std::shared_ptr<arrow::RecordBatch> whole = batches.front();
  if (batches.size() > 1) {
    ASSIGN_OR_RETURN(whole, from_arrow(arrow::ConcatenateRecordBatches(batches, state.pool.get())));
  }
  int64_t bytes = state.pending_bytes;
  state.pending_rows = 0;
  state.pending_bytes = 0;
  RETURN_IF_ERROR(guarded([&] { return encode(*whole); }));
  state.group_bytes += bytes;
  return ok();
}

Status ParquetFileWriter::encode(const arrow::RecordBatch& batch) {
  State& state = *state_;
  if (state.writer == nullptr) RETURN_IF_ERROR(state.open(&batch));
  state.count_nans(batch);
  int64_t at = 0;
  while (at < batch.num_rows()) {
    if (state.group_rows >= state.options.row_group_rows ||
        state.group_bytes >= state.options.row_group_bytes) {
      RETURN_IF_ERROR(from_arrow(state.writer->NewBufferedRowGroup()));
      state.closed_bytes += state.group_bytes;
      state.group_rows = 0;
      state.group_bytes = 0;
    }
    int64_t count =
        std::min(batch.num_rows() - at, state.options.row_group_rows - state.group_rows);
    bool whole = count == batch.num_rows();
    RETURN_IF_ERROR(from_arrow(whole ? state.writer->WriteRecordBatch(batch)
                                     : state.writer->WriteRecordBatch(*batch.Slice(at, count))));
    state.group_rows += count;
    state.rows += count;
    at += count;
  }
  return ok();
}

uint64_t ParquetFileWriter::ready_bytes() const { return state_->sink->ready_bytes(); }

std::vector<Bytes> ParquetFileWriter::take_parts() { return state_->sink->take_parts(); }

Result<ParquetFileInfo> ParquetFileWriter::close() {
  RETURN_IF_ERROR(write_pending());
  State& state = *state_;
  ParquetFileInfo info;
  info.rows = state.rows;
  Status closed = guarded([&]() -> Status {
    if (state.writer == nullptr) RETURN_IF_ERROR(state.open(nullptr));
    RETURN_IF_ERROR(from_arrow(state.writer->Close()));
    const parquet::FileMetaData& file = *state.writer->metadata();
    info.columns = columns_of(file);
    for (ParquetColumn& column : info.columns) {
      auto nans = state.nans.find(column.name);
      if (nans != state.nans.end()) column.nan_count = nans->second;
    }
    for (int i = 0; i < file.num_row_groups(); ++i) {
      info.row_group_offsets.push_back(file.RowGroup(i)->file_offset());
    }
    return ok();
  });
  RETURN_IF_ERROR(closed);
  state.writer.reset();
  RETURN_IF_ERROR(from_arrow(state.sink->Close()));
  info.bytes = static_cast<uint64_t>(state.sink->position());
  return info;
}

Result<ParquetFileInfo> ParquetFileWriter::finish(ObjectStore& objects, const std::string& path) {
  ASSIGN_OR_RETURN(ParquetFileInfo info, close());
  ASSIGN_OR_RETURN(std::unique_ptr<ObjectUpload> upload, objects.open_upload(path));
  RETURN_IF_ERROR(upload->append(take_parts()));
  RETURN_IF_ERROR(upload->finish());
  return info;
}

}  // namespace lakestream
