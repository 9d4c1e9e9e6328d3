#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "format/arrow_schema.h"
#include "io/random.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "lake/iceberg/data/columns.h"
#include "lake/iceberg/data/data.h"
#include "lake/lake.h"
#include "lake/parquet/parquet_reader.h"

// A bucket of an Iceberg table in an object store of its own, for the tests of this folder: commits
// give what was written its sequence numbers.
//
// Thread rule: one thread.
//
//   TestBucket bucket(schema, {{"write.target-file-size-bytes", "1000000"}});
//   bucket.commit(bucket.write({rows}));
//   std::shared_ptr<arrow::RecordBatch> back = bucket.read();
namespace lakestream::iceberg {

inline IcebergSchema iceberg_schema_of(const Schema& schema) {
  IcebergSchema made;
  int32_t highest = 0;
  auto add = [&](std::string name, const DataType& type) {
    int32_t id = ++highest;
    made.fields.push_back({id, std::move(name), !type.nullable(), {}});
    return id;
  };
  for (const Column& column : schema.columns()) {
    int32_t id = add(column.name, column.type);
    const std::vector<std::string>& key = schema.primary_key();
    if (std::find(key.begin(), key.end(), column.name) == key.end()) continue;
    made.identifier_ids.push_back(id);
    made.fields.back().required = true;
  }
  const std::pair<std::string_view, DataType> system[] = {
      {kLakeBucketColumn, DataType::integer().not_null()},
      {kLakeOffsetColumn, DataType::bigint().not_null()},
      {kLakeTimestampColumn, DataType::timestamp_ltz(6).not_null()}};
  for (const auto& [name, type] : system) add(std::string(name), type);
  for (size_t i = 0; i < made.fields.size(); ++i) {
    const DataType& type =
        i < schema.size() ? schema.column(i).type : system[i - schema.size()].second;
    made.fields[i].type = iceberg_type_of(type, &highest);
  }
  return made;
}

class TestBucket {
 public:
  TestBucket(Schema schema, Properties properties)
      : schema_(std::move(schema)),
        lake_(std::make_shared<IcebergSchema>(iceberg_schema_of(schema_))),
        properties_(std::move(properties)) {}

  SimObjectStore& objects() { return objects_; }
  const Schema& schema() const { return schema_; }
  // Of files that are written from now on, and of what is read.
  void set_schema(Schema schema, IcebergSchema lake) {
    schema_ = std::move(schema);
    lake_ = std::make_shared<IcebergSchema>(std::move(lake));
  }
  const IcebergSchema& lake_schema() const { return *lake_; }
  Properties& properties() { return properties_; }
  const BucketFiles& live() const { return live_; }
  int64_t sequence() const { return sequence_; }
  void set_run_bytes(uint64_t bytes) { run_bytes_ = bytes; }

  WritePlace place() {
    return {.objects = objects_,
            .schema = lake_,
            .spec = {},
            .sort_order_id = 1,
            .properties = properties_,
            .partition = {.values = {"eu"}, .bucket = 2},
            .folder = "file:///lake/db/t/data/region=eu/id_bucket=2",
            .uuid = "u" + std::to_string(++writers_)};
  }
  Result<std::unique_ptr<LakeWriter>> open_writer() {
    WriterOptions options{place(), schema_, BucketId(2), run_bytes_};
    return schema_.has_primary_key() ? open_key_writer(std::move(options), live_)
                                     : open_append_writer(std::move(options));
  }
  // By one writer.
  WrittenFiles write(const std::vector<LakeRows>& parts) {
    auto writer = open_writer();
    EXPECT_TRUE(writer) << writer.error().message();
    for (const LakeRows& rows : parts) {
      Status written = (*writer)->write(rows);
      EXPECT_TRUE(written) << written.error().message();
    }
    auto files = (*writer)->finish();
    EXPECT_TRUE(files) << files.error().message();
    return *written_files(*files);
  }

  // What a commit has to do.
  void commit(const WrittenFiles& written) {
    ++sequence_;
    for (const std::string& path : written.removed) {
      EXPECT_TRUE(remove(&live_.data, path) || remove(&live_.deletes, path)) << path;
    }
    for (const std::string& path : written.referenced) {
      EXPECT_TRUE(std::any_of(live_.data.begin(), live_.data.end(), [&](const LiveFile& file) {
        return file.file->path == path;
      })) << path;
    }
    int64_t sequence = written.data_sequence.value_or(sequence_);
    for (const DataFile& file : written.data) live_.data.push_back(live_of(file, sequence));
    for (const DataFile& file : written.deletes) live_.deletes.push_back(live_of(file, sequence));
  }
  // Whether there was something to do.
  bool compact() {
    Result<WrittenFiles> written = compact_bucket(place(), live_, sequence_);
    EXPECT_TRUE(written) << written.error().message();
    if (written->removed.empty()) {
      EXPECT_TRUE(written->data.empty());
      return false;
    }
    commit(*written);
    return true;
  }

  std::vector<ReaderColumn> all_columns() const {
    std::vector<ReaderColumn> columns;
    for (const NestedField& field : lake_->fields) {
      const Column* own = schema_.find(field.name);
      DataType type = own != nullptr ? own->type : *data_type_of(field.type, !field.required);
      columns.push_back({field.id, field.name, type});
    }
    return columns;
  }
  LakeSplit split() const {
    LakeSplit split;
    split.needs_merge = needs_merge(live_);
    for (const LiveFile& file : live_.data) {
      split.files.push_back({file.file->path,
                             static_cast<uint64_t>(file.file->bytes),
                             static_cast<uint64_t>(file.file->rows)});
    }
    if (!live_.deletes.empty()) split.content = to_split_content(live_);
    return split;
  }
  Result<std::shared_ptr<arrow::RecordBatch>> try_read(std::vector<ReaderColumn> columns) {
    ASSIGN_OR_RETURN(std::unique_ptr<LakeReader> reader,
                     open_split_reader({objects_, lake_, columns, split()}));
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
  std::shared_ptr<arrow::RecordBatch> read() {
    auto rows = try_read(all_columns());
    EXPECT_TRUE(rows) << rows.error().message();
    return *rows;
  }
  // A file as it lies there.
  std::shared_ptr<arrow::RecordBatch> raw(const DataFile& file) {
    auto reader = ParquetFileReader::open(
                      objects_, file.path, static_cast<uint64_t>(file.bytes), kWholeParquetBytes)
                      .value();
    EXPECT_TRUE(reader->select(reader->schema(), 1 << 20));
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    while (auto rows = reader->next().value()) batches.push_back(std::move(rows));
    return *arrow::ConcatenateRecordBatches(batches);
  }

 private:
  static bool remove(std::vector<LiveFile>* files, const std::string& path) {
    return std::erase_if(*files, [&](const LiveFile& file) { return file.file->path == path; }) > 0;
  }
  LiveFile live_of(const DataFile& file, int64_t sequence) const {
    return {.file = std::make_shared<const DataFile>(file),
            .snapshot_id = sequence_,
            .sequence = sequence,
            .file_sequence = sequence_};
  }

  Schema schema_;
  std::shared_ptr<IcebergSchema> lake_;
  Properties properties_;
  SimDisk disk_{Random(1)};
  SimObjectStore objects_{disk_};
  BucketFiles live_;
  int writers_ = 0;
  int64_t sequence_ = 0;
  uint64_t run_bytes_ = uint64_t{64} << 20;
};

}  // namespace lakestream::iceberg
