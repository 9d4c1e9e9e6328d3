#include "lake/parquet/dictionaries.h"

#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/random.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "lake/parquet/parquet_test_support.h"
#include "lake/parquet/parquet_writer.h"

namespace lakestream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kMax = int64_t{1} << 20;
constexpr uint64_t kNoEnd = uint64_t{1} << 40;

// One out of so many; every tenth is null.
std::shared_ptr<arrow::Array> numbers(int64_t rows, uint64_t different) {
  Random random(3);
  arrow::Int64Builder values;
  for (int64_t i = 0; i < rows; ++i) {
    bool is_null = random.chance(1, 10);
    auto value = static_cast<int64_t>(random.below(different));
    EXPECT_TRUE((is_null ? values.AppendNull() : values.Append(value)).ok());
  }
  return *values.Finish();
}

std::shared_ptr<arrow::Array> texts(int64_t rows, uint64_t different, size_t size) {
  Random random(4);
  arrow::StringBuilder values;
  for (int64_t i = 0; i < rows; ++i) {
    std::string text = std::to_string(random.below(different));
    text.resize(size, ' ');
    EXPECT_TRUE(values.Append(text).ok());
  }
  return *values.Finish();
}

std::shared_ptr<arrow::RecordBatch> batch_of(const arrow::ArrayVector& arrays) {
  arrow::FieldVector fields;
  for (size_t i = 0; i < arrays.size(); ++i) {
    fields.push_back(arrow::field(std::string(1, static_cast<char>('a' + i)), arrays[i]->type()));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), arrays[0]->length(), arrays);
}

TEST(Dictionaries, OnlyWhatWouldBeTooLargeIsLeftOut) {
  // Numbers of which 131,072 are a dictionary of the largest size, and texts of which 50,000 are.
  constexpr int64_t kRows = 20'000;
  EXPECT_THAT(columns_without_dictionary(*batch_of({numbers(kRows, 100),
                                                    numbers(kRows, 100'000),
                                                    numbers(kRows, 600'000),
                                                    numbers(kRows, kNoEnd),
                                                    texts(kRows, 40'000, 17),
                                                    texts(kRows, 200'000, 17),
                                                    texts(kRows, 1, 17)}),
                                         kMax)
                  .value(),
              ElementsAre("c", "d", "f"));
}

TEST(Dictionaries, OfLargeTextsTheSampleItselfTells) {
  // Fewer rows than are sampled, with more bytes than a dictionary may have.
  constexpr int64_t kRows = 400;
  constexpr size_t kSize = 20'000;
  EXPECT_THAT(
      columns_without_dictionary(
          *batch_of({texts(kRows, 1, kSize), texts(kRows, 20, kSize), texts(kRows, kNoEnd, kSize)}),
          kMax)
          .value(),
      ElementsAre("c"));
}

TEST(Dictionaries, OfFewRowsAndOtherTypesNothingIsSaid) {
  // Also of none, and of the types that have no dictionary or no values of their own.
  std::shared_ptr<arrow::RecordBatch> few = batch_of({numbers(100, kNoEnd), texts(100, kNoEnd, 9)});
  EXPECT_THAT(columns_without_dictionary(*few, kMax).value(), IsEmpty());
  EXPECT_THAT(columns_without_dictionary(*few->Slice(0, 0), kMax).value(), IsEmpty());
  std::shared_ptr<arrow::Array> nulls = *arrow::MakeArrayOfNull(arrow::utf8(), 10'000);
  EXPECT_THAT(columns_without_dictionary(*batch_of({nulls}), kMax).value(), IsEmpty());
  Schema schema = every_type();
  std::shared_ptr<arrow::RecordBatch> rows = rows_of_every_type(schema, 10'000);
  std::vector<std::string> names = columns_without_dictionary(*rows, 1).value();
  for (const std::string& name : names) {
    EXPECT_EQ(rows->GetColumnByName(name)->type()->num_fields(), 0) << name;
    EXPECT_NE(name, "boolean");
  }
}

TEST(Dictionaries, FilesAreTheSmallerForIt) {
  // Values that do not repeat take their own bytes and no more, those that do a part of them;
  // however small the batches are in which they come.
  SimDisk disk{Random(1)};
  SimObjectStore objects{disk};
  constexpr int64_t kRows = 100'000;
  auto bytes_of = [&](std::shared_ptr<arrow::Array> values, int64_t batch_rows) {
    std::shared_ptr<arrow::RecordBatch> rows = batch_of({std::move(values)});
    auto writer = ParquetFileWriter::make(rows->schema(), {.codec = ParquetCodec::kNone}).value();
    for (int64_t i = 0; i < kRows; i += batch_rows) {
      EXPECT_TRUE(writer->write(rows->Slice(i, batch_rows)));
    }
    return writer->finish(objects, "/a.parquet").value().bytes;
  };
  for (int64_t batch_rows : {int64_t{10}, int64_t{1000}, kRows}) {
    EXPECT_LT(bytes_of(numbers(kRows, kNoEnd), batch_rows), 740'000u);
    EXPECT_LT(bytes_of(texts(kRows, 200, 40), batch_rows), 120'000u);
  }
}

}  // namespace
}  // namespace lakestream
