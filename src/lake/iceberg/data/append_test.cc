#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "base/endian.h"
#include "lake/iceberg/data/data_test_support.h"
#include "lake/iceberg/data/metrics.h"
#include "lake/iceberg/data/settings.h"
#include "lake/keyed_rows_test_support.h"
#include "lake/parquet/parquet_test_support.h"

namespace lakestream::iceberg {
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Schema two_columns() {
  return *SchemaBuilder()
              .column("id", DataType::bigint().not_null())
              .column("name", DataType::string())
              .build();
}

// Ids from `first` on.
LakeRows rows_from(int64_t first, int64_t count) {
  ArrowAppender appender(two_columns());
  for (int64_t i = first; i < first + count; ++i) {
    std::string name = fmt::format("a name that is not short {}", i);
    Value row[] = {Value::integer(i), i % 5 == 0 ? Value::null() : Value::bytes(name)};
    EXPECT_TRUE(appender.append(row));
  }
  return {*appender.finish(), {}, {}, Offset(first), TimestampMs(1'796'025'600'123)};
}

std::vector<int64_t> ids_in(const Batch& rows) {
  const auto& ids = static_cast<const arrow::Int64Array&>(*rows->GetColumnByName("id"));
  return {ids.raw_values(), ids.raw_values() + ids.length()};
}

const FieldMetrics& metrics(const DataFile& file, int32_t id) {
  for (const FieldMetrics& known : file.metrics) {
    if (known.id == id) return known;
  }
  ADD_FAILURE() << "no metrics of " << id;
  return file.metrics.front();
}

std::string le64(int64_t value) {
  std::string bytes(sizeof(value), '\0');
  store_le(bytes.data(), value);
  return bytes;
}

TEST(IcebergAppend, WhatManifestsSayOfAFile) {
  // Path, counts, and the metrics of each column.
  TestBucket bucket(two_columns(), {});
  WrittenFiles written = bucket.write({rows_from(100, 10), rows_from(110, 3)});
  EXPECT_THAT(written.deletes, IsEmpty());
  ASSERT_THAT(written.data, SizeIs(1));
  const DataFile& file = written.data[0];
  EXPECT_EQ(file.path, "file:///lake/db/t/data/region=eu/id_bucket=2/00000-0-u1-00001.parquet");
  EXPECT_EQ(file.content, FileContent::kData);
  EXPECT_EQ(file.rows, 13);
  EXPECT_EQ(file.bytes, static_cast<int64_t>(bucket.objects().get(file.path).value()->size()));
  EXPECT_EQ(file.sort_order_id, 1);
  EXPECT_EQ(file.split_offsets, std::vector<int64_t>{4});
  ASSERT_THAT(file.metrics, SizeIs(5));
  const FieldMetrics& name = metrics(file, 2);
  EXPECT_EQ(name.values, 13);
  EXPECT_EQ(name.nulls, 3);
  EXPECT_EQ(name.lower, "a name that is n");
  EXPECT_EQ(name.upper, "a name that is o");
  EXPECT_GT(name.bytes, 0);
  EXPECT_EQ(metrics(file, 1).lower, le64(100));
  EXPECT_EQ(metrics(file, 1).upper, le64(112));
  EXPECT_EQ(metrics(file, 3).lower, std::string("\2\0\0\0", 4));
  EXPECT_EQ(metrics(file, 4).lower, le64(100));
  EXPECT_EQ(metrics(file, 4).upper, le64(112));
  EXPECT_EQ(metrics(file, 5).upper, le64(1'796'025'600'123'000));
}

TEST(IcebergAppend, NoColumnIsOfDifferences) {
  // Spark reads columns at once, and with Iceberg before 1.10 it refuses files that have some.
  TestBucket bucket(two_columns(), {});
  TestBucket keyed(keyed_rows::keyed_schema(), {});
  auto encodings = [](TestBucket& files, const DataFile& file) {
    Bytes content = *files.objects().get(file.path).value();
    auto buffer =
        std::make_shared<arrow::Buffer>(content.data(), static_cast<int64_t>(content.size()));
    auto metadata = parquet::ReadMetaData(std::make_shared<arrow::io::BufferReader>(buffer));
    std::map<std::string, std::set<parquet::Encoding::type>> found;
    for (int group = 0; group < metadata->num_row_groups(); ++group) {
      for (int i = 0; i < metadata->num_columns(); ++i) {
        auto column = metadata->RowGroup(group)->ColumnChunk(i);
        found[metadata->schema()->Column(i)->name()].insert(column->encodings().begin(),
                                                            column->encodings().end());
      }
    }
    return found;
  };
  std::vector<keyed_rows::Change> changes;
  for (int64_t i = 0; i < 5000; ++i) {
    changes.push_back({ChangeType::kInsert, {"n", i, "value " + std::to_string(i), i}});
  }
  WrittenFiles plain = bucket.write({rows_from(0, 5000)});
  WrittenFiles sorted = keyed.write({keyed_rows::lake_rows(changes)});
  for (const auto& found :
       {encodings(bucket, plain.data.at(0)), encodings(keyed, sorted.data.at(0))}) {
    EXPECT_TRUE(found.contains("__offset"));
    for (const auto& [name, kinds] : found) {
      EXPECT_TRUE(kinds.contains(parquet::Encoding::PLAIN)) << name;
      for (auto kind : {parquet::Encoding::DELTA_BINARY_PACKED,
                        parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY,
                        parquet::Encoding::DELTA_BYTE_ARRAY}) {
        EXPECT_FALSE(kinds.contains(kind)) << name << " is " << parquet::EncodingToString(kind);
      }
    }
  }
}

TEST(IcebergAppend, MetricsAsTheTableWantsThem) {
  // By column; the columns that say where a row comes from have theirs in any case.
  TestBucket bucket(
      two_columns(),
      {{"write.metadata.metrics.default", "none"}, {"write.metadata.metrics.column.name", "full"}});
  DataFile file = bucket.write({rows_from(1, 1)}).data.at(0);
  EXPECT_EQ(metrics(file, 1).values, std::nullopt);
  EXPECT_EQ(metrics(file, 1).lower, std::nullopt);
  EXPECT_EQ(metrics(file, 2).lower, "a name that is not short 1");
  EXPECT_EQ(metrics(file, 4).lower, le64(1));
  bucket.properties() = {{"write.metadata.metrics.default", "counts"}};
  file = bucket.write({rows_from(1, 1)}).data.at(0);
  EXPECT_EQ(metrics(file, 1).values, 1);
  EXPECT_EQ(metrics(file, 1).lower, std::nullopt);
}

TEST(IcebergAppend, NaNsAreCounted) {
  // They are in no bounds: who is not told of them takes all rows to lie within.
  Schema schema = *SchemaBuilder()
                       .column("f", DataType::float_())
                       .column("d", DataType::double_())
                       .column("n", DataType::bigint())
                       .build();
  ArrowAppender appender(schema);
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  for (double number : {1.0, kNan, 2.0, kNan}) {
    Value second = number == 2.0 ? Value::double_(-2) : Value::null();
    Value row[] = {Value::float_(static_cast<float>(number)), second, Value::integer(1)};
    ASSERT_TRUE(appender.append(row));
  }
  LakeRows rows{*appender.finish(), {}, {}, Offset(0), TimestampMs(1)};
  TestBucket bucket(schema, {});
  WrittenFiles written = bucket.write({rows});
  const DataFile& file = written.data.at(0);
  EXPECT_EQ(metrics(file, 1).nans, 2);
  EXPECT_EQ(metrics(file, 1).nulls, 0);
  EXPECT_EQ(metrics(file, 1).lower, std::string("\0\0\x80\x3F", 4));
  EXPECT_EQ(metrics(file, 2).nans, 0);
  EXPECT_EQ(metrics(file, 2).nulls, 3);
  EXPECT_EQ(metrics(file, 3).nans, std::nullopt);
}

TEST(IcebergAppend, EveryTypeComesBack) {
  // Columns of every type, of nested ones too, with nulls.
  Schema schema = every_type();
  TestBucket bucket(schema, {});
  Batch rows = rows_of_every_type(schema, 40);
  bucket.commit(bucket.write({LakeRows{rows, {}, {}, Offset(0), TimestampMs(0)}}));
  Batch back = bucket.read();
  ASSERT_EQ(back->num_columns(), rows->num_columns() + 3);
  for (int c = 0; c < rows->num_columns(); ++c) {
    std::string name = rows->column_name(c);
    // Microseconds are all that Iceberg has.
    if (name == "timestamp9" || name == "ltz9") continue;
    EXPECT_TRUE(back->column(c)->Equals(rows->column(c))) << name;
  }
}

TEST(IcebergAppend, FieldsHaveTheirIdsAtEveryLevel) {
  // As readers look for them: in the file, also of elements, keys and values.
  Schema schema =
      *SchemaBuilder()
           .column("m",
                   DataType::map(DataType::string().not_null(),
                                 DataType::array(DataType::row({{"x", DataType::integer(), {}}}))))
           .build();
  TestBucket bucket(schema, {});
  Batch rows = rows_of_every_type(schema, 5);
  DataFile file = bucket.write({LakeRows{rows, {}, {}, Offset(0), TimestampMs(0)}}).data.at(0);
  std::shared_ptr<arrow::Schema> columns = bucket.raw(file)->schema();
  EXPECT_FALSE(columns->field(2)->nullable());
  auto id_of = [](const arrow::Field& field) {
    auto id = field.HasMetadata() ? field.metadata()->Get("PARQUET:field_id")
                                  : arrow::Result<std::string>("none");
    return id.ValueOr("none");
  };
  const NestedField& field = bucket.lake_schema().fields[0];
  const auto& map = static_cast<const arrow::MapType&>(*columns->field(0)->type());
  EXPECT_EQ(id_of(*columns->field(0)), std::to_string(field.id));
  EXPECT_EQ(id_of(*map.key_field()), std::to_string(field.type.fields[0].id));
  const NestedField& value = field.type.fields[1];
  EXPECT_EQ(id_of(*map.item_field()), std::to_string(value.id));
  const NestedField& element = value.type.fields[0];
  const arrow::Field& in_file = *map.item_type()->field(0);
  EXPECT_EQ(id_of(in_file), std::to_string(element.id));
  EXPECT_EQ(id_of(*in_file.type()->field(0)), std::to_string(element.type.fields[0].id));
}

TEST(IcebergAppend, FilesOfTheTargetSize) {
  // A file begins when the one before is large enough; rows stay in their order.
  TestBucket bucket(two_columns(),
                    {{"write.target-file-size-bytes", "60000"},
                     {"write.parquet.row-group-size-bytes", "8000"},
                     {"write.parquet.compression-codec", "uncompressed"}});
  std::vector<LakeRows> parts;
  for (int64_t i = 0; i < 20; ++i) parts.push_back(rows_from(i * 300, 300));
  WrittenFiles written = bucket.write(parts);
  ASSERT_GT(written.data.size(), 3u);
  EXPECT_EQ(written.data[1].path.substr(written.data[1].path.rfind('/')),
            "/00000-0-u1-00002.parquet");
  EXPECT_GT(written.data[0].split_offsets.size(), 1u);
  bucket.commit(written);
  std::vector<int64_t> ids = ids_in(bucket.read());
  ASSERT_THAT(ids, SizeIs(6000));
  for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], static_cast<int64_t>(i));
}

TEST(IcebergAppend, FilesOfAnOlderSchema) {
  // By the ids of fields: a new name, a wider type, a column that the file has not, one that the
  // table has no more; the same of fields of a row.
  DataType row = DataType::row({{"a", DataType::integer(), {}}, {"b", DataType::string(), {}}});
  Schema old_schema = *SchemaBuilder()
                           .column("gone", DataType::string())
                           .column("small", DataType::integer())
                           .column("rough", DataType::float_())
                           .column("price", DataType::decimal(9, 2))
                           .column("row", row)
                           .build();
  TestBucket bucket(old_schema, {});
  Batch rows = rows_of_every_type(old_schema, 4);
  bucket.commit(bucket.write({LakeRows{rows, {}, {}, Offset(0), TimestampMs(0)}}));

  DataType new_row = DataType::row({{"b", DataType::string(), {}},
                                    {"c", DataType::bigint(), {}},
                                    {"aa", DataType::bigint(), {}}});
  Schema schema = *SchemaBuilder()
                       .column("new", DataType::string())
                       .column("wide", DataType::bigint())
                       .column("rough", DataType::double_())
                       .column("gone", DataType::decimal(20, 2))
                       .column("row", new_row)
                       .build();
  IcebergSchema lake = bucket.lake_schema();
  std::vector<NestedField> columns = lake.fields;
  columns[0].id = 50;
  columns[0].name = "new";
  columns[1].name = "wide";
  columns[1].type.kind = TypeKind::kLong;
  columns[2].type.kind = TypeKind::kDouble;
  columns[3].name = "gone";
  columns[3].type.precision = 20;
  NestedField a = columns[4].type.fields[0];
  NestedField c = a;
  a.name = "aa";
  a.type.kind = TypeKind::kLong;
  c.id = 51;
  c.name = "c";
  c.type.kind = TypeKind::kLong;
  columns[4].type.fields = {columns[4].type.fields[1], c, a};
  lake.fields = columns;
  bucket.set_schema(schema, lake);
  Batch back = bucket.read();
  ASSERT_EQ(back->num_rows(), 4);
  EXPECT_EQ(back->column(0)->null_count(), 4);
  EXPECT_EQ(static_cast<const arrow::Int64Array&>(*back->column(1)).Value(1), INT32_MAX);
  EXPECT_EQ(static_cast<const arrow::DoubleArray&>(*back->column(2)).Value(2), 1.5);
  EXPECT_EQ(static_cast<const arrow::Decimal128Array&>(*back->column(3)).FormatValue(1),
            "9999999.99");
  const auto& back_rows = static_cast<const arrow::StructArray&>(*back->column(4));
  const auto& old_rows = static_cast<const arrow::StructArray&>(*rows->column(4));
  EXPECT_TRUE((*back_rows.GetFlattenedField(0))->Equals(*old_rows.GetFlattenedField(1)));
  EXPECT_EQ(back_rows.field(1)->null_count(), 4);
  EXPECT_EQ(static_cast<const arrow::Int64Array&>(*back_rows.field(2)).Value(0), INT32_MAX);
}

TEST(IcebergAppend, RowsThatOthersDeletedByPosition) {
  // A delete of the same commit or a later one counts, an older one does not.
  TestBucket bucket(two_columns(), {});
  bucket.commit(bucket.write({rows_from(0, 10)}));
  std::string path = bucket.live().data.at(0).file->path;
  // Deletes of a table with a key, of the file of the same name.
  TestBucket keyed(*SchemaBuilder()
                        .column("id", DataType::bigint())
                        .column("name", DataType::string())
                        .primary_key({"id"})
                        .build(),
                   {{std::string(kDeletesProperty), "position"}});
  keyed.commit(keyed.write({rows_from(0, 10)}));
  ASSERT_EQ(keyed.live().data.at(0).file->path, path);
  LakeRows gone = rows_from(2, 3);
  gone.changes = {ChangeType::kDelete, ChangeType::kDelete, ChangeType::kDelete};
  WrittenFiles deletes = keyed.write({gone});
  Bytes content = *keyed.objects().get(deletes.deletes.at(0).path).value();
  ASSERT_TRUE(bucket.objects().put(deletes.deletes[0].path, content));
  bucket.commit(deletes);
  EXPECT_TRUE(bucket.split().needs_merge);
  EXPECT_THAT(ids_in(bucket.read()), ElementsAre(0, 1, 5, 6, 7, 8, 9));
  for (int64_t first : {10, 11}) bucket.commit(bucket.write({rows_from(first, 1)}));
  EXPECT_TRUE(bucket.compact());
  EXPECT_THAT(bucket.live().deletes, IsEmpty());
  EXPECT_THAT(ids_in(bucket.read()), ElementsAre(0, 1, 5, 6, 7, 8, 9, 10, 11));
}

TEST(IcebergAppend, SmallFilesBecomeOneInTheOrderOfOffsets) {
  // From three of them on; a large file stays.
  TestBucket bucket(two_columns(), {{"write.parquet.compression-codec", "uncompressed"}});
  bucket.commit(bucket.write({rows_from(300, 5)}));
  bucket.commit(bucket.write({rows_from(100, 5)}));
  EXPECT_FALSE(bucket.compact());
  bucket.commit(bucket.write({rows_from(200, 5)}));
  bucket.commit(bucket.write({rows_from(400, 2000)}));
  std::string large = bucket.live().data.back().file->path;
  bucket.properties()["write.target-file-size-bytes"] = "50000";
  EXPECT_TRUE(bucket.compact());
  ASSERT_THAT(bucket.live().data, SizeIs(2));
  EXPECT_EQ(bucket.live().data[0].file->path, large);
  const DataFile& made = *bucket.live().data[1].file;
  EXPECT_EQ(made.sort_order_id, 1);
  EXPECT_EQ(metrics(made, 4).lower, le64(100));
  EXPECT_THAT(
      ids_in(bucket.raw(made)),
      ElementsAre(100, 101, 102, 103, 104, 200, 201, 202, 203, 204, 300, 301, 302, 303, 304));
  EXPECT_FALSE(bucket.compact());
}

TEST(IcebergAppend, NothingIsLeftOfAWriterThatIsNotFinished) {
  // Nor of one whose commit will not be.
  TestBucket bucket(two_columns(), {{"write.target-file-size-bytes", "2000"}});
  {
    auto writer = bucket.open_writer().value();
    for (int64_t i = 0; i < 10; ++i) ASSERT_TRUE(writer->write(rows_from(i * 1000, 1000)));
    for (LakeWork& piece : writer->take_work()) ASSERT_TRUE(piece());
    EXPECT_THAT(*bucket.objects().list("file:///lake"), testing::Not(IsEmpty()));
  }
  EXPECT_THAT(*bucket.objects().list("file:///lake"), IsEmpty());
  WrittenFiles written = bucket.write({rows_from(0, 10)});
  remove_written(bucket.objects(), written);
  EXPECT_THAT(*bucket.objects().list("file:///lake"), IsEmpty());
}

TEST(IcebergAppend, WhatIsRefused) {
  // Changes of keys, properties that are no values.
  TestBucket bucket(two_columns(), {});
  LakeRows rows = rows_from(0, 1);
  rows.changes = {ChangeType::kDelete};
  EXPECT_THAT(bucket.open_writer().value()->write(rows).error().message(),
              HasSubstr("which has no primary key"));
  const std::pair<const char*, const char*> wrong[] = {
      {"write.target-file-size-bytes", "128 mb"},
      {"write.parquet.compression-codec", "lzo"},
      {"write.parquet.compression-level", "-1"},
      {"write.format.default", "orc"},
      {"write.metadata.metrics.default", "truncate(0)"},
      {"fluss.table.lakestream.iceberg.deletes", "vectors"}};
  for (const auto& [key, value] : wrong) {
    auto settings = data_settings({{key, value}});
    ASSERT_FALSE(settings) << key;
    EXPECT_EQ(settings.error().code(), ErrorCode::kInvalidTableException);
    EXPECT_THAT(settings.error().message(), HasSubstr(key));
  }
}

TEST(IcebergMetrics, SingleValuesAreSerialized) {
  // Decimals are the shortest two's complement that is big endian; numbers are as Parquet has them.
  IcebergType decimal9{.kind = TypeKind::kDecimal, .precision = 9, .scale = 2, .fields = {}};
  IcebergType decimal38{.kind = TypeKind::kDecimal, .precision = 38, .scale = 2, .fields = {}};
  EXPECT_EQ(single_value(decimal9, std::string("\x01\x02\0\0", 4)), "\x02\x01");
  EXPECT_EQ(single_value(decimal9, std::string("\0\0\0\0", 4)), std::string(1, '\0'));
  EXPECT_EQ(single_value(decimal9, std::string("\x80\0\0\0", 4)), std::string("\0\x80", 2));
  EXPECT_EQ(single_value(decimal9, "\x80\xFF\xFF\xFF"), "\x80");
  EXPECT_EQ(single_value(decimal9, "\xFF\xFF\xFF\xFF"), "\xFF");
  EXPECT_EQ(single_value(decimal38, std::string("\0\0\0\x7F", 4)), "\x7F");
  IcebergType integer{.kind = TypeKind::kInt, .fields = {}};
  EXPECT_EQ(single_value(integer, "abcd"), "abcd");
  EXPECT_EQ(single_value(integer, "abcde"), std::nullopt);
}

}  // namespace
}  // namespace lakestream::iceberg
