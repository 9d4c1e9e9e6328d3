#include "support/twenty_columns.h"

#include <utility>

#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "format/arrow_error.h"
#include "format/arrow_schema.h"
#include "io/random.h"

namespace lakestream::bench {

Result<Schema> twenty_columns(bool has_key) {
  SchemaBuilder builder;
  builder.column("id", DataType::bigint()).column("event_time", DataType::timestamp_ltz(3));
  for (int i = 0; i < 6; ++i) builder.column(fmt::format("count{}", i), DataType::bigint());
  for (int i = 0; i < 4; ++i) builder.column(fmt::format("size{}", i), DataType::integer());
  for (int i = 0; i < 3; ++i) builder.column(fmt::format("share{}", i), DataType::double_());
  for (int i = 0; i < 3; ++i) builder.column(fmt::format("name{}", i), DataType::string());
  builder.column("price", DataType::decimal(12, 2)).column("is_new", DataType::boolean());
  if (has_key) builder.primary_key({"id"});
  return builder.build();
}

Result<RecordBatches> twenty_column_batches(const Schema& schema,
                                            int64_t rows,
                                            int64_t batch_rows) {
  Random random(1);
  RecordBatches batches;
  Arena arena;
  for (int64_t first = 0; first < rows; first += batch_rows) {
    arena.clear();
    ArrowAppender appender(schema);
    for (int64_t i = first; i < first + batch_rows; ++i) {
      std::vector<Value> row = {
          Value::integer(static_cast<int64_t>(random.below(uint64_t{1} << 40))),
          Value::timestamp(1'796'000'000'000 + i, 0)};
      for (int k = 0; k < 6; ++k) {
        row.push_back(Value::integer(static_cast<int64_t>(random.below(uint64_t{1} << (8 * k)))));
      }
      for (int k = 0; k < 4; ++k) {
        row.push_back(Value::integer(static_cast<int64_t>(random.below(uint64_t{1} << (6 * k)))));
      }
      for (int k = 0; k < 3; ++k) {
        row.push_back(Value::double_(static_cast<double>(random.below(1'000'000)) / 8));
      }
      row.push_back(Value::bytes(arena.copy(fmt::format("country {}", random.below(200)))));
      row.push_back(Value::bytes(arena.copy(fmt::format("user-{:08}", random.below(5'000'000)))));
      row.push_back(Value::bytes(arena.copy(fmt::format("/a/path/of/a/page/{}", random.next()))));
      row.push_back(random.chance(1, 10) ? Value::null()
                                         : Value::decimal(Int128(random.below(10'000'000))));
      row.push_back(Value::boolean(random.chance(1, 3)));
      RETURN_IF_ERROR(appender.append(row));
    }
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, appender.finish());
    batches.push_back(std::move(batch));
  }
  return batches;
}

Result<uint64_t> write_parquet(const RecordBatches& batches) {
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::ZSTD)->compression_level(1);
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::io::BufferOutputStream> sink,
                   from_arrow(arrow::io::BufferOutputStream::Create()));
  ASSIGN_OR_RETURN(
      std::unique_ptr<parquet::arrow::FileWriter> writer,
      from_arrow(parquet::arrow::FileWriter::Open(
          *batches.front()->schema(), arrow::default_memory_pool(), sink, builder.build())));
  for (const auto& batch : batches) {
    RETURN_IF_ERROR(from_arrow(writer->WriteRecordBatch(*batch)));
  }
  RETURN_IF_ERROR(from_arrow(writer->Close()));
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::Buffer> file, from_arrow(sink->Finish()));
  return static_cast<uint64_t>(file->size());
}

}  // namespace lakestream::bench
