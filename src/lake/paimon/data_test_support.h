#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "format/arrow_schema.h"
#include "io/clock.h"
#include "io/random.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "lake/lake.h"
#include "lake/paimon/append_writer.h"
#include "lake/paimon/key_writer.h"
#include "lake/paimon/lake_files.h"
#include "lake/paimon/reader.h"

// A bucket of a Paimon table in an object store of its own, for the tests of this folder.
//
// Thread rule: one thread.
//
//   TestBucket bucket(schema, {{"target-file-size", "1 mb"}});
//   WrittenFiles files = bucket.write({rows});
//   std::shared_ptr<arrow::RecordBatch> back = bucket.read(files.added);
namespace lakestream::paimon {

class FixedClock final : public Clock {
 public:
  TimestampMs now() override { return TimestampMs(1'796'025'600'000); }
  Duration monotonic() override { return Duration(0); }
  Timer start_timer(Shard&, Duration, UniqueFunction<void()>) override {
    check_failed("start_timer", "no timer is needed here", __FILE__, __LINE__);
  }
  void pause(Duration) override {}
};

inline PaimonSchema paimon_schema_of(const Schema& schema, Properties options, LakeLayout layout) {
  PaimonSchema made{.id = 3,
                    .fields = {},
                    .partition_keys = {},
                    .primary_keys = schema.primary_key(),
                    .options = std::move(options)};
  auto add = [&](std::string name, DataType type) {
    made.fields.push_back({++made.highest_field_id, std::move(name), std::move(type)});
  };
  for (const Column& column : schema.columns()) add(column.name, column.type);
  if (layout == LakeLayout::kSystemColumns) {
    add(std::string(kLakeBucketColumn), DataType::integer());
    add(std::string(kLakeOffsetColumn), DataType::bigint());
    add(std::string(kLakeTimestampColumn), DataType::timestamp_ltz(3));
  }
  return made;
}

class TestBucket {
 public:
  TestBucket(Schema schema, Properties options, LakeLayout layout = LakeLayout::kSystemColumns)
      : schema_(std::move(schema)),
        lake_(
            std::make_shared<PaimonSchema>(paimon_schema_of(schema_, std::move(options), layout))) {
  }

  SimObjectStore& objects() { return objects_; }
  const Schema& schema() const { return schema_; }
  std::shared_ptr<PaimonSchema> lake_schema() { return lake_; }
  WritePlace place() {
    return {.objects = objects_,
            .clock = clock_,
            .schema = lake_,
            .table = "/lake/db.db/t",
            .place = {.partition = std::string(12, '\0'),
                      .folder = "bucket-2",
                      .bucket = 2,
                      .total_buckets = 4},
            .uuid = std::to_string(++writers_)};
  }
  std::unique_ptr<LakeWriter> writer() {
    Result<std::unique_ptr<LakeWriter>> made =
        schema_.has_primary_key()
            ? make_key_writer({place(), schema_, BucketId(2), next_sequence_})
            : make_append_writer({place(), schema_, BucketId(2), next_sequence_});
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }
  // By one writer.
  WrittenFiles write(const std::vector<LakeRows>& parts) {
    std::unique_ptr<LakeWriter> to = writer();
    for (const LakeRows& rows : parts) {
      Status written = to->write(rows);
      EXPECT_TRUE(written) << written.error().message();
      next_sequence_ += rows.rows->num_rows();
    }
    LakeFiles files = to->finish().value();
    const WrittenFiles* written = written_files(files);
    return written == nullptr ? WrittenFiles() : *written;
  }

  std::vector<LakeDataFile> lake_files(const std::vector<DataFile>& files) {
    std::vector<LakeDataFile> made;
    for (const DataFile& file : files) {
      made.push_back({"/lake/db.db/t/bucket-2/" + file.name,
                      static_cast<uint64_t>(file.size),
                      static_cast<uint64_t>(file.rows)});
    }
    return made;
  }
  // All columns of the lake table in the types of ours.
  std::vector<ReaderColumn> all_columns() {
    std::vector<ReaderColumn> columns;
    for (const PaimonField& field : lake_->fields) columns.push_back({field.name, field.type});
    return columns;
  }
  Result<std::shared_ptr<arrow::RecordBatch>> try_read(const std::vector<DataFile>& files,
                                                       std::vector<ReaderColumn> columns,
                                                       bool needs_merge) {
    ASSIGN_OR_RETURN(std::unique_ptr<LakeReader> reader,
                     make_reader({objects_, lake_, columns, lake_files(files), needs_merge}));
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    while (true) {
      ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, reader->next());
      if (batch == nullptr) break;
      EXPECT_TRUE(batch->ValidateFull().ok());
      EXPECT_GT(batch->num_rows(), 0);
      batches.push_back(std::move(batch));
    }
    if (!batches.empty()) return *arrow::ConcatenateRecordBatches(batches);
    SchemaBuilder none;
    for (const ReaderColumn& column : columns) none.column(column.name, column.type);
    return *arrow::RecordBatch::MakeEmpty(arrow_schema_of(*none.build()));
  }
  std::shared_ptr<arrow::RecordBatch> read(const std::vector<DataFile>& files) {
    auto rows = try_read(files, all_columns(), schema_.has_primary_key());
    EXPECT_TRUE(rows) << rows.error().message();
    return *rows;
  }

 private:
  Schema schema_;
  std::shared_ptr<PaimonSchema> lake_;
  FixedClock clock_;
  SimDisk disk_{Random(1)};
  SimObjectStore objects_{disk_};
  int writers_ = 0;
  int64_t next_sequence_ = 0;
};

}  // namespace lakestream::paimon
