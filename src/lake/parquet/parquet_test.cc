#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compare.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include "format/arrow_schema.h"
#include "io/random.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "lake/parquet/cast.h"
#include "lake/parquet/parquet_reader.h"
#include "lake/parquet/parquet_test_support.h"
#include "lake/parquet/parquet_writer.h"

namespace lakestream {
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;
using Fault = SimObjectStore::Fault;

constexpr const char* kPath = "/lake/a.parquet";

std::shared_ptr<arrow::Schema> schema_of(arrow::FieldVector fields) {
  return arrow::schema(std::move(fields));
}

// Columns "id" from `first` on and "text" with what is made of it.
Batch id_rows(int64_t first, int64_t count) {
  arrow::Int64Builder ids;
  arrow::StringBuilder texts;
  for (int64_t i = first; i < first + count; ++i) {
    EXPECT_TRUE(ids.Append(i).ok());
    EXPECT_TRUE(texts.Append("text " + std::to_string(i)).ok());
  }
  return arrow::RecordBatch::Make(
      schema_of({arrow::field("id", arrow::int64()), arrow::field("text", arrow::utf8())}),
      count,
      {*ids.Finish(), *texts.Finish()});
}

class ParquetTest : public testing::Test {
 protected:
  ParquetTest() {
    objects_.fail([this](std::string_view operation, const std::string&) {
      ++calls_[std::string(operation)];
      return refused_ == operation ? Fault::kRefused : Fault::kNone;
    });
  }

  ParquetFileInfo write(const std::vector<Batch>& batches, const ParquetWriteOptions& options) {
    auto made = ParquetFileWriter::make(batches.front()->schema(), options);
    EXPECT_TRUE(made) << made.error().message();
    std::unique_ptr<ParquetFileWriter> writer = *std::move(made);
    for (const Batch& batch : batches) {
      Status written = writer->write(batch);
      EXPECT_TRUE(written) << written.error().message();
    }
    Result<ParquetFileInfo> info = writer->finish(objects_, kPath);
    EXPECT_TRUE(info) << info.error().message();
    return info.value_or(ParquetFileInfo());
  }
  Result<std::unique_ptr<ParquetFileReader>> open() {
    auto found = objects_.objects().find(kPath);
    return ParquetFileReader::open(objects_, kPath, found->second.size(), kWholeParquetBytes);
  }
  // All rows in the columns of `columns`, as one batch.
  Result<Batch> read(const std::shared_ptr<arrow::Schema>& columns, int64_t batch_rows = 1000) {
    ASSIGN_OR_RETURN(std::unique_ptr<ParquetFileReader> reader, open());
    RETURN_IF_ERROR(reader->select(columns, batch_rows));
    std::vector<Batch> batches;
    while (true) {
      ASSIGN_OR_RETURN(Batch batch, reader->next());
      if (batch == nullptr) break;
      EXPECT_LE(batch->num_rows(), batch_rows);
      batches.push_back(std::move(batch));
    }
    if (batches.empty()) return *arrow::RecordBatch::MakeEmpty(columns);
    return *arrow::ConcatenateRecordBatches(batches);
  }

  SimDisk disk_{Random(1)};
  SimObjectStore objects_{disk_};
  std::map<std::string, int> calls_;
  std::string refused_;
};

TEST_F(ParquetTest, EveryTypeComesBack) {
  // Extremes, nulls and nested values of every type in several batches, for each codec.
  Schema schema = every_type();
  std::shared_ptr<arrow::Schema> columns = arrow_schema_of(schema);
  Batch rows = rows_of_every_type(schema, 400);
  for (const char* codec : {"none", "snappy", "gzip", "lz4", "zstd", "brotli"}) {
    for (bool int96 : {false, true}) {
      write({rows->Slice(0, 100), rows->Slice(100, 150), rows->Slice(250)},
            {.codec = *parquet_codec_of(codec), .nanos_as_int96 = int96});
      Result<Batch> back = read(columns, 33);
      ASSERT_TRUE(back) << back.error().message();
      EXPECT_TRUE((*back)->Equals(*rows)) << codec << (*back)->ToString() << rows->ToString();
    }
  }
  EXPECT_EQ(parquet_codec_of("snapy"), std::nullopt);
}

TEST_F(ParquetTest, NothingIsAFileToo) {
  // Without rows there is a file, which has the columns and no rows.
  auto writer = ParquetFileWriter::make(id_rows(0, 1)->schema(), {}).value();
  ParquetFileInfo info = writer->finish(objects_, kPath).value();
  EXPECT_EQ(info.rows, 0);
  EXPECT_EQ(info.bytes, objects_.objects().at(kPath).size());
  auto reader = open().value();
  EXPECT_EQ(reader->rows(), 0);
  EXPECT_EQ(reader->schema()->field_names(), (std::vector<std::string>{"id", "text"}));
  EXPECT_EQ(read(reader->schema()).value()->num_rows(), 0);
}

TEST_F(ParquetTest, SmallBatchesShareARowGroup) {
  // 3,000 batches of 10 rows give row groups of the wanted size, and none that is empty.
  std::vector<Batch> batches;
  Batch rows = id_rows(0, 30'000);
  for (int64_t i = 0; i < 3000; ++i) batches.push_back(rows->Slice(10 * i, 10));
  ParquetFileInfo info = write(batches, {.row_group_rows = 12'000, .delta_columns = {"id"}});
  EXPECT_EQ(info.rows, 30'000);
  EXPECT_EQ(open().value()->row_groups(), (std::vector<int64_t>{12'000, 12'000, 6'000}));
  EXPECT_TRUE(read(rows->schema()).value()->Equals(*rows));

  write(batches, {.row_group_bytes = 100'000});
  std::vector<int64_t> by_bytes = open().value()->row_groups();
  EXPECT_GT(by_bytes.size(), 2u);
  EXPECT_TRUE(std::all_of(by_bytes.begin(), by_bytes.end(), [](int64_t n) { return n > 0; }));
  EXPECT_TRUE(read(rows->schema()).value()->Equals(*rows));
}

TEST_F(ParquetTest, BoundsAreOfTheWholeFile) {
  // Over row groups, of which one has only nulls; nested columns have none.
  arrow::Int32Builder numbers;
  arrow::StringBuilder texts;
  for (int i = 0; i < 30; ++i) {
    bool null = i >= 10 && i < 20;
    ASSERT_TRUE((null ? numbers.AppendNull() : numbers.Append(i == 25 ? -7 : i)).ok());
    ASSERT_TRUE((i == 3 ? texts.Append("\xC3\xA9") : texts.Append("m")).ok());
  }
  std::shared_ptr<arrow::Array> number = *numbers.Finish();
  auto nested = *arrow::StructArray::Make({number}, {arrow::field("n", arrow::int32())});
  Batch rows = arrow::RecordBatch::Make(schema_of({arrow::field("number", arrow::int32()),
                                                   arrow::field("nested", nested->type()),
                                                   arrow::field("text", arrow::utf8(), false)}),
                                        30,
                                        {number, nested, *texts.Finish()});
  ParquetFileInfo info = write({rows}, {.row_group_rows = 10});
  ASSERT_EQ(info.columns.size(), 2u);
  EXPECT_EQ(info.columns[0].name, "number");
  EXPECT_EQ(info.columns[0].null_count, 10);
  EXPECT_EQ(bound_value(DataType::integer(), info.columns[0].bounds->min), Value::integer(-7));
  EXPECT_EQ(bound_value(DataType::integer(), info.columns[0].bounds->max), Value::integer(29));
  EXPECT_EQ(info.columns[1].name, "text");
  EXPECT_EQ(info.columns[1].null_count, 0);
  EXPECT_EQ(*info.columns[1].bounds, (ColumnBounds{"m", "\xC3\xA9"}));
  EXPECT_EQ(open().value()->columns().value(), info.columns);
}

TEST_F(ParquetTest, BoundsOfEveryType) {
  // The least and the greatest value come back as values, where the type has an order that counts.
  Schema schema = every_type();
  Batch rows = rows_of_every_type(schema, 40);
  Result<ArrowRows> values = ArrowRows::make(rows, schema);
  ParquetFileInfo info = write({rows}, {.nanos_as_int96 = true});
  for (const ParquetColumn& column : info.columns) {
    size_t index = *schema.index_of(column.name);
    const DataType& type = schema.column(index).type;
    bool is_int96 = column.name == "timestamp9" || column.name == "ltz9";
    EXPECT_EQ(column.null_count, is_int96 ? std::nullopt : std::optional<int64_t>(10));
    bool unordered = type.is(TypeRoot::kFloat) || type.is(TypeRoot::kDouble) ||
                     type.is(TypeRoot::kBinary) || type.is(TypeRoot::kBytes) || is_int96;
    std::optional<Value> min;
    std::optional<Value> max;
    if (column.bounds) {
      min = bound_value(type, column.bounds->min);
      max = bound_value(type, column.bounds->max);
    }
    if (unordered) {
      EXPECT_EQ(min, std::nullopt) << column.name;
      continue;
    }
    // Units of time differ between Arrow's form here and the file's.
    if (type.is(TypeRoot::kTime) || column.name == "timestamp0") continue;
    Arena arena;
    ASSERT_TRUE(min && max) << column.name;
    EXPECT_EQ(*min, values->cell(index, 0, &arena).value()) << column.name;
    if (!type.is(TypeRoot::kString)) {
      EXPECT_EQ(*max, values->cell(index, 1, &arena).value()) << column.name;
    }
  }
}

TEST_F(ParquetTest, NaNsAreCounted) {
  // Those of values, over row groups, and of floats alone.
  arrow::DoubleBuilder doubles;
  arrow::FloatBuilder floats;
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE((i % 3 == 0 ? doubles.AppendNull() : doubles.Append(i < 15 ? kNan : 1)).ok());
    ASSERT_TRUE(floats.Append(1).ok());
  }
  Batch rows = arrow::RecordBatch::Make(
      schema_of({arrow::field("d", arrow::float64()), arrow::field("f", arrow::float32())}),
      30,
      {*doubles.Finish(), *floats.Finish()});
  Batch ids = id_rows(0, 1);
  ParquetFileInfo info = write({rows, rows}, {.row_group_rows = 10});
  EXPECT_EQ(info.columns[0].nan_count, 20);
  EXPECT_EQ(info.columns[1].nan_count, 0);
  EXPECT_EQ(write({ids}, {}).columns[0].nan_count, std::nullopt);
}

TEST_F(ParquetTest, TimestampsWithoutAUnitReachAllYears) {
  // As Spark writes them unless it is told otherwise; nanoseconds of 64 bits end in 2262.
  arrow::TimestampBuilder times(arrow::timestamp(arrow::TimeUnit::MICRO),
                                arrow::default_memory_pool());
  const int64_t kEnd = 253'402'300'799'999'999;  // of the year 9999
  ASSERT_TRUE(times.Append(kEnd).ok());
  std::shared_ptr<arrow::Table> table =
      arrow::Table::Make(schema_of({arrow::field("t", times.type())}), {*times.Finish()});
  std::shared_ptr<arrow::io::BufferOutputStream> out = *arrow::io::BufferOutputStream::Create();
  parquet::ArrowWriterProperties::Builder int96;
  int96.enable_deprecated_int96_timestamps();
  ASSERT_TRUE(parquet::arrow::WriteTable(*table,
                                         arrow::default_memory_pool(),
                                         out,
                                         10,
                                         parquet::default_writer_properties(),
                                         int96.build())
                  .ok());
  std::shared_ptr<arrow::Buffer> file = *out->Finish();
  ASSERT_TRUE(objects_.put(kPath, Bytes::copy_of(file->data(), static_cast<size_t>(file->size()))));
  auto reader = ParquetFileReader::open(
      objects_, kPath, static_cast<uint64_t>(file->size()), kWholeParquetBytes, Int96As::kMicros);
  ASSERT_TRUE(reader);
  ASSERT_TRUE((*reader)->select(table->schema(), 10));
  Batch rows = (*reader)->next().value();
  EXPECT_EQ(static_cast<const arrow::TimestampArray&>(*rows->column(0)).Value(0), kEnd);
}

TEST_F(ParquetTest, ColumnsGoByName) {
  // Another order, fewer columns, one that the file lacks, one of a wider type.
  write({id_rows(5, 100)}, {});
  std::shared_ptr<arrow::Schema> columns =
      schema_of({arrow::field("text", arrow::binary()),
                 arrow::field("new", arrow::float64()),
                 arrow::field("id", arrow::decimal128(20, 0))});
  Batch rows = read(columns).value();
  EXPECT_TRUE(rows->schema()->Equals(*columns));
  EXPECT_EQ(rows->column(1)->null_count(), 100);
  EXPECT_EQ((*rows->column(2)->GetScalar(99))->ToString(), "104");
  EXPECT_EQ((*rows->column(0)->GetScalar(0))->ToString(), "text 5");
  // None that is there: the count of rows stays.
  EXPECT_EQ(read(schema_of({arrow::field("new", arrow::utf8())}), 7).value()->num_rows(), 100);

  Result<Batch> missing = read(schema_of({arrow::field("new", arrow::utf8(), false)}));
  EXPECT_THAT(missing.error().message(), testing::HasSubstr("no column new"));
  Result<Batch> narrow = read(schema_of({arrow::field("text", arrow::int32())}));
  EXPECT_THAT(narrow.error().message(), testing::HasSubstr("column text"));
  Result<Batch> nested = read(schema_of({arrow::field("id", arrow::list(arrow::int64()))}));
  EXPECT_THAT(nested.error().message(), testing::HasSubstr("can not be read as"));
}

TEST_F(ParquetTest, FieldIds) {
  // What the metadata of a field says is in the file.
  auto metadata = arrow::key_value_metadata({"PARQUET:field_id"}, {"17"});
  Batch rows = id_rows(0, 3);
  auto columns = schema_of({arrow::field("id", arrow::int64())->WithMetadata(metadata),
                            arrow::field("text", arrow::utf8())});
  write({*rows->ReplaceSchema(columns)}, {});
  auto reader = open().value();
  EXPECT_EQ(*reader->schema()->field(0)->metadata()->Get("PARQUET:field_id"), "17");
}

TEST_F(ParquetTest, NullsWhereNoneMayBe) {
  // They are refused; a file never says what it does not hold.
  arrow::Int32Builder numbers;
  ASSERT_TRUE(numbers.AppendNull().ok());
  Batch rows = arrow::RecordBatch::Make(
      schema_of({arrow::field("n", arrow::int32(), false)}), 1, {*numbers.Finish()});
  auto writer = ParquetFileWriter::make(rows->schema(), {}).value();
  Status written = writer->write(rows);
  Result<ParquetFileInfo> finished = writer->finish(objects_, kPath);
  EXPECT_FALSE(written && finished);
  EXPECT_TRUE(objects_.objects().empty());
}

TEST_F(ParquetTest, FewCallsOfTheStore) {
  // A small file is fetched with one; of a large one the end, and what is wanted of a row group.
  write({id_rows(0, 1000)}, {});
  calls_.clear();
  read(id_rows(0, 1)->schema()).value();
  EXPECT_EQ(calls_["get"], 1);

  std::vector<Batch> batches;
  for (int64_t i = 0; i < 40; ++i) batches.push_back(id_rows(i * 10'000, 10'000));
  ParquetFileInfo info = write(
      batches, {.codec = ParquetCodec::kNone, .row_group_rows = 200'000, .delta_columns = {}});
  ASSERT_GT(info.bytes, 4u << 20);
  calls_.clear();
  EXPECT_EQ(read(schema_of({arrow::field("id", arrow::int64())})).value()->num_rows(), 400'000);
  EXPECT_EQ(calls_["get"], 3);
  EXPECT_EQ(calls_["put"], 0);
}

TEST_F(ParquetTest, HeldBytesAreTold) {
  // They grow with what is written, also with batches that wait, and the estimate of the file is
  // near what it then has.
  auto writer = ParquetFileWriter::make(id_rows(0, 1)->schema(), {.row_group_bytes = 1 << 20});
  uint64_t empty = (*writer)->held_bytes();
  ASSERT_TRUE((*writer)->write(id_rows(0, 100)));
  EXPECT_GT((*writer)->held_bytes(), empty + 100 * 16);
  for (int64_t i = 1; i < 40; ++i) ASSERT_TRUE((*writer)->write(id_rows(i * 10'000, 10'000)));
  EXPECT_EQ((*writer)->rows(), 390'100);
  auto estimate = static_cast<double>((*writer)->file_bytes());
  EXPECT_GT((*writer)->held_bytes(), (*writer)->file_bytes() / 2);
  auto bytes = static_cast<double>((*writer)->finish(objects_, kPath)->bytes);
  EXPECT_NEAR(estimate / bytes, 1, 0.2);
}

TEST_F(ParquetTest, ErrorsOfTheStoreKeepTheirCode) {
  // Whether it fails at the write, at the footer or inside the file.
  auto writer = ParquetFileWriter::make(id_rows(0, 1)->schema(), {}).value();
  ASSERT_TRUE(writer->write(id_rows(0, 10)));
  refused_ = "put";
  EXPECT_EQ(writer->finish(objects_, kPath).error().code(), ErrorCode::kStorageException);

  refused_.clear();
  std::vector<Batch> batches;
  for (int64_t i = 0; i < 40; ++i) batches.push_back(id_rows(i * 10'000, 10'000));
  uint64_t size = write(batches, {.codec = ParquetCodec::kNone}).bytes;
  auto reader = open().value();
  ASSERT_TRUE(reader->select(reader->schema(), 1000));
  refused_ = "get";
  EXPECT_EQ(reader->next().error().code(), ErrorCode::kStorageException);
  EXPECT_EQ(open().error().code(), ErrorCode::kStorageException);
  refused_.clear();
  auto gone = ParquetFileReader::open(objects_, "/lake/other.parquet", size, kWholeParquetBytes);
  EXPECT_EQ(gone.error().code(), ErrorCode::kStorageException);
  EXPECT_THAT(gone.error().message(), testing::HasSubstr("/lake/other.parquet"));
}

TEST_F(ParquetTest, DamageIsAnError) {
  // A file that is cut off at any place can not be read; one with a changed byte gives an error or
  // rows, and never more.
  Schema schema = every_type();
  std::shared_ptr<arrow::Schema> columns = arrow_schema_of(schema);
  write({rows_of_every_type(schema, 16)}, {});
  Bytes whole = objects_.objects().at(kPath);
  Random random(7);
  for (size_t size = 0; size < whole.size(); size += 1 + random.below(500)) {
    ASSERT_TRUE(objects_.put(kPath, whole.slice(0, size)));
    Result<Batch> rows = read(columns);
    ASSERT_FALSE(rows) << size;
    EXPECT_THAT(rows.error().message(), testing::HasSubstr(kPath));
  }
  for (int round = 0; round < 300; ++round) {
    MutableBytes changed = MutableBytes::allocate(whole.size());
    std::copy(whole.begin(), whole.end(), changed.data());
    size_t end = round % 2 == 0 ? whole.size() : std::min<size_t>(whole.size(), 4000);
    changed.data()[whole.size() - 1 - random.below(end)] ^=
        static_cast<uint8_t>(1 + random.below(255));
    ASSERT_TRUE(objects_.put(kPath, std::move(changed).freeze()));
    Result<Batch> rows = read(columns);
    EXPECT_TRUE(!rows || (*rows)->num_rows() <= 16);
  }
}

TEST(CastArray, SharesWhatIsTheSame) {
  // A time zone costs nothing, nor do binaries of a fixed length, slices included; structs go by
  // the names of their fields.
  Schema schema = every_type();
  Batch rows = rows_of_every_type(schema, 12)->Slice(3, 7);
  auto column = [&](const char* name) { return rows->GetColumnByName(name); };
  auto utc = cast_array(column("ltz3"), arrow::timestamp(arrow::TimeUnit::MILLI, "UTC")).value();
  EXPECT_EQ(utc->data()->buffers[1], column("ltz3")->data()->buffers[1]);
  auto binary = cast_array(column("binary"), arrow::binary()).value();
  EXPECT_EQ(binary->data()->buffers[2], column("binary")->data()->buffers[1]);
  ASSERT_TRUE(binary->ValidateFull().ok());
  EXPECT_TRUE(cast_array(binary, arrow::fixed_size_binary(4)).value()->Equals(column("binary")));
  EXPECT_FALSE(cast_array(binary, arrow::fixed_size_binary(5)));
  auto wider =
      arrow::struct_({arrow::field("c", arrow::utf8()), arrow::field("a", arrow::int64())});
  auto made = cast_array(column("row"), wider).value();
  ASSERT_TRUE(made->ValidateFull().ok());
  EXPECT_EQ(made->null_count(), column("row")->null_count());
  const auto& parts = static_cast<const arrow::StructArray&>(*made);
  EXPECT_EQ(parts.field(0)->null_count(), 7);
  EXPECT_TRUE(cast_array(parts.field(1), arrow::int32())
                  .value()
                  ->Equals(static_cast<const arrow::StructArray&>(*column("row")).field(0)));
}

}  // namespace
}  // namespace lakestream
