#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <arrow/record_batch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/arrow_schema.h"
#include "format/batch.h"
#include "format/batch_builder.h"
#include "format/batch_shape.h"
#include "format/decode.h"
#include "format/keys.h"
#include "format/kv_batch.h"
#include "format/kv_value.h"
#include "format/project.h"
#include "format/rows.h"
#include "format/statistics.h"
#include "golden_values.h"
#include "table/json.h"
#include "table/partition.h"

// Every byte and value here comes from the official client library; see docs/formats.
namespace lakestream::golden {
namespace {

std::string hex(const Bytes& bytes) { return to_hex(bytes.span()); }

template <typename T>
::testing::AssertionResult succeeded(const Result<T>& result) {
  if (result) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << result.error().to_string();
}

// ---- names of the vectors

RowFormat row_format_of(const std::string& name) {
  if (name == "indexed") return RowFormat::kIndexed;
  return name == "aligned" ? RowFormat::kAligned : RowFormat::kCompacted;
}

LogFormat log_format_of(const std::string& name) {
  if (name == "arrow") return LogFormat::kArrow;
  return name == "indexed" ? LogFormat::kIndexed : LogFormat::kCompacted;
}

ArrowCompression compression_of(const std::string& name) {
  if (name == "NONE") return ArrowCompression::kNone;
  return name == "ZSTD" ? ArrowCompression::kZstd : ArrowCompression::kLz4Frame;
}

ChangeType change_of(const std::string& name) {
  static const std::map<std::string, ChangeType> kChanges{{"+A", ChangeType::kAppend},
                                                          {"+I", ChangeType::kInsert},
                                                          {"-U", ChangeType::kUpdateBefore},
                                                          {"+U", ChangeType::kUpdateAfter},
                                                          {"-D", ChangeType::kDelete}};
  return kChanges.at(name);
}

// ---- expectations

TEST(Golden, EveryKindOfVectorIsKnown) {
  // A kind that no test reads would look like a pass.
  const std::set<std::string> kRead{"row",
                                    "key",
                                    "table_key",
                                    "log_batch",
                                    "log_stream",
                                    "projected_log_batch",
                                    "kv_batch",
                                    "kv_value",
                                    "value_batch",
                                    "partition_name",
                                    "auto_partition",
                                    "schema",
                                    "table_descriptor",
                                    "database_descriptor"};
  // Documents of other modules, read by their own tests.
  const std::set<std::string> kElsewhere{"remote_log_manifest", "table_bucket_offsets"};
  std::map<std::string, size_t> counts;
  for (const Json& vector : all_vectors()) {
    std::string kind = vector["kind"];
    ++counts[kind];
    EXPECT_TRUE(kRead.contains(kind) || kElsewhere.contains(kind)) << kind;
  }
  for (const std::string& kind : kRead) EXPECT_GT(counts[kind], 0U) << kind;
}

TEST(Golden, RowsInAllFormats) {
  for (const Json& vector : vectors_of("row")) {
    SCOPED_TRACE(vector["id"]);
    ASSERT_EQ(vector["compare"], "bytes");
    Schema schema = schema_of(vector);
    Arena arena;
    std::span<const Value> row = row_of(schema, vector["row"], &arena);
    RowCodec codec(row_format_of(vector["format"]), schema);
    ByteWriter out;
    ASSERT_TRUE(succeeded(codec.encode(row, &out)));
    EXPECT_EQ(to_hex(out.span()), vector["hex"].get<std::string>());
    Bytes bytes = bytes_of(vector, "hex");
    auto decoded = codec.decode(bytes.span(), &arena);
    ASSERT_TRUE(succeeded(decoded));
    if (vector.contains("decoded_row")) row = row_of(schema, vector["decoded_row"], &arena);
    EXPECT_TRUE(std::ranges::equal(*decoded, row));
  }
}

void expect_buckets(Bucketing bucketing, std::span<const uint8_t> key, const Json& buckets) {
  EXPECT_GT(buckets.size(), 0U);
  for (const auto& [count, bucket] : buckets.items()) {
    auto actual = bucket_of(bucketing, key, std::stoi(count));
    ASSERT_TRUE(succeeded(actual));
    EXPECT_EQ(actual->value(), bucket.get<int32_t>()) << count << " buckets";
  }
}

TEST(Golden, KeysAndTheirBuckets) {
  const std::map<std::string, KeyEncoding> kEncodings{{"compacted", KeyEncoding::kCompacted},
                                                      {"paimon", KeyEncoding::kPaimon},
                                                      {"iceberg", KeyEncoding::kIceberg},
                                                      {"hudi", KeyEncoding::kHudi}};
  const std::map<std::string, Bucketing> kBucketings{{"fluss", Bucketing::kFluss},
                                                     {"paimon", Bucketing::kPaimon},
                                                     {"iceberg", Bucketing::kIceberg},
                                                     {"hudi", Bucketing::kHudi}};
  for (const Json& vector : vectors_of("key")) {
    SCOPED_TRACE(vector["id"]);
    ASSERT_EQ(vector["compare"], "bytes");
    Schema schema = schema_of(vector);
    std::vector<size_t> columns;
    for (const Json& name : vector["key_columns"]) {
      columns.push_back(*schema.index_of(name.get<std::string>()));
    }
    auto encoder = KeyEncoder::make(kEncodings.at(vector["encoder"]), schema, columns);
    ASSERT_TRUE(succeeded(encoder));
    Arena arena;
    std::span<const Value> row = row_of(schema, vector["row"], &arena);
    ByteWriter out;
    ASSERT_TRUE(succeeded(encoder->encode(row, &out)));
    EXPECT_EQ(to_hex(out.span()), vector["hex"].get<std::string>());
    expect_buckets(kBucketings.at(vector["bucketing"]), out.span(), vector["buckets"]);
    if (encoder->encoding() > KeyEncoding::kPaimon) continue;
    auto decoded = encoder->decode(out.span(), &arena);
    ASSERT_TRUE(succeeded(decoded));
    for (size_t i = 0; i < columns.size(); ++i) EXPECT_EQ((*decoded)[i], row[columns[i]]);
  }
}

TEST(Golden, TheKeysOfATable) {
  for (const Json& vector : vectors_of("table_key")) {
    SCOPED_TRACE(vector["id"]);
    Schema schema = schema_of(vector);
    TableKeyOptions options;
    options.bucket_keys = vector["bucket_keys"].get<std::vector<std::string>>();
    const Json& properties = vector["properties"];
    for (LakeFormatKind kind : {LakeFormatKind::kPaimon,
                                LakeFormatKind::kLance,
                                LakeFormatKind::kIceberg,
                                LakeFormatKind::kHudi}) {
      if (properties.value("table.datalake.format", "") == name_of(kind)) {
        options.lake_format = kind;
      }
    }
    EXPECT_EQ(options.lake_format.has_value(), properties.contains("table.datalake.format"));
    options.kv_format_version = std::stoi(properties.value("table.kv.format-version", "1"));
    auto keys = TableKeys::of(schema, options);
    ASSERT_TRUE(succeeded(keys));
    Arena arena;
    std::span<const Value> row = row_of(schema, vector["row"], &arena);
    ByteWriter primary;
    ASSERT_TRUE(succeeded(keys->primary_key()->encode(row, &primary)));
    EXPECT_EQ(to_hex(primary.span()), vector["primary_key_hex"].get<std::string>());
    ByteWriter bucket;
    ASSERT_TRUE(succeeded(keys->bucket_key()->encode(row, &bucket)));
    EXPECT_EQ(to_hex(bucket.span()), vector["bucket_key_hex"].get<std::string>());
    EXPECT_EQ(keys->bucket_key_is_primary_key(), primary.view() == bucket.view());
    expect_buckets(keys->bucketing(), bucket.span(), vector["buckets"]);
    if (!keys->prefix_key()) continue;
    ByteWriter prefix;
    ASSERT_TRUE(succeeded(keys->prefix_key()->encode(row, &prefix)));
    EXPECT_TRUE(primary.view().starts_with(prefix.view()));
  }
}

// ---- log batches

void expect_header(const BatchView& batch, const Json& header) {
  EXPECT_EQ(batch.base_offset().value(), header["base_offset"].get<int64_t>());
  EXPECT_EQ(batch.last_offset().value(), header["last_offset"].get<int64_t>());
  EXPECT_EQ(batch.next_offset().value(), header["next_offset"].get<int64_t>());
  EXPECT_EQ(batch.magic(), header["magic"].get<int>());
  EXPECT_EQ(batch.commit_timestamp().value(), header["commit_timestamp"].get<int64_t>());
  EXPECT_EQ(batch.leader_epoch().value(), header["leader_epoch"].get<int32_t>());
  EXPECT_EQ(batch.crc(), header["crc"].get<uint32_t>());
  EXPECT_EQ(batch.schema_id().value(), header["schema_id"].get<int16_t>());
  EXPECT_EQ(batch.writer_id().value(), header["writer_id"].get<int64_t>());
  EXPECT_EQ(batch.batch_sequence(), header["batch_sequence"].get<int32_t>());
  EXPECT_EQ(batch.record_count(), header["record_count"].get<int32_t>());
  EXPECT_EQ(batch.size(), header["size_in_bytes"].get<size_t>());
}

void expect_statistics(const BatchView& batch, const Schema& schema, const Json& expected) {
  Arena arena;
  std::optional<BatchStatistics> statistics =
      StatisticsReader(schema).read(batch.statistics(), &arena);
  ASSERT_TRUE(statistics);
  EXPECT_EQ(batch.statistics_size(), expected["length"].get<int32_t>());
  const Json& columns = expected["columns"];
  ASSERT_EQ(statistics->columns.size(), columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    auto column = columns[i]["column"].get<int32_t>();
    EXPECT_EQ(statistics->columns[i], column);
    EXPECT_EQ(statistics->null_counts[i], columns[i]["null_count"].get<int32_t>());
    const DataType& type = schema.column(static_cast<size_t>(column)).type;
    EXPECT_EQ(statistics->minimum[i], value_of(type, columns[i]["min"], &arena));
    EXPECT_EQ(statistics->maximum[i], value_of(type, columns[i]["max"], &arena));
  }
}

// The rows of the batch are those of `records` from `first`; gives how many they are.
size_t expect_records(const BatchDecoder& decoder,
                      const BatchView& batch,
                      const Json& records,
                      size_t first) {
  auto decoded = decoder.decode(batch);
  EXPECT_TRUE(succeeded(decoded));
  if (!decoded) return 0;
  auto rows = ArrowRows::make(decoded->rows, decoder.schema());
  EXPECT_TRUE(succeeded(rows));
  auto count = static_cast<size_t>(rows->size());
  EXPECT_EQ(count, static_cast<size_t>(batch.record_count()));
  EXPECT_LE(first + count, records.size());
  for (size_t i = 0; i < count && first + i < records.size(); ++i) {
    const Json& record = records[first + i];
    Arena arena;
    auto row = rows->row(static_cast<int64_t>(i), &arena);
    EXPECT_TRUE(succeeded(row));
    EXPECT_TRUE(std::ranges::equal(*row, row_of(decoder.schema(), record["row"], &arena)))
        << record;
    ChangeType change = decoded->changes.empty() ? ChangeType::kAppend : decoded->changes[i];
    EXPECT_EQ(change, change_of(record["change"]));
    EXPECT_EQ(batch.base_offset().value() + static_cast<int64_t>(i),
              record["offset"].get<int64_t>());
  }
  return count;
}

BatchOptions options_of(const Json& vector, const Schema& schema) {
  const Json& header = vector["header"];
  BatchOptions options;
  options.format = log_format_of(vector["format"]);
  options.schema_id = SchemaId(header["schema_id"].get<int16_t>());
  options.append_only = vector["append_only"].get<bool>();
  options.compression = compression_of(vector["compression"]);
  options.zstd_level = vector.value("compression_level", 3);
  options.magic = header["magic"].get<int8_t>();
  if (header.contains("statistics")) {
    for (const Json& column : header["statistics"]["columns"]) {
      options.statistics_columns.push_back(column["column"].get<int32_t>());
    }
  }
  EXPECT_LE(options.statistics_columns.size(), schema.size());
  return options;
}

// Builds the batch of the vector from its values, stamped as it is.
Bytes build(const Json& vector, const Schema& schema) {
  BatchBuilder builder(schema, options_of(vector, schema));
  for (const Json& record : vector["records"]) {
    Arena arena;
    EXPECT_TRUE(succeeded(
        builder.append(change_of(record["change"]), row_of(schema, record["row"], &arena))));
  }
  const Json& header = vector["header"];
  auto built = builder.finish(
      {WriterId(header["writer_id"].get<int64_t>()), header["batch_sequence"].get<int32_t>()});
  EXPECT_TRUE(succeeded(built));
  MutableBytes stamped = MutableBytes::allocate(built->size());
  std::copy(built->begin(), built->end(), stamped.data());
  stamp_batch(stamped.data(),
              {Offset(header["base_offset"].get<int64_t>()),
               TimestampMs(header["commit_timestamp"].get<int64_t>()),
               LeaderEpoch(header["leader_epoch"].get<int32_t>())});
  return std::move(stamped).freeze();
}

TEST(Golden, LogBatchesAreRead) {
  for (const Json& vector : vectors_of("log_batch")) {
    SCOPED_TRACE(vector["id"]);
    Schema schema = schema_of(vector);
    LogFormat format = log_format_of(vector["format"]);
    auto batch = BatchView::parse(bytes_of(vector, "hex"));
    ASSERT_TRUE(succeeded(batch));
    EXPECT_TRUE(succeeded(BatchShape(format, schema).validate(*batch)));
    expect_header(*batch, vector["header"]);
    EXPECT_EQ(batch->append_only(), vector["append_only"].get<bool>());
    if (vector["header"].contains("statistics")) {
      expect_statistics(*batch, schema, vector["header"]["statistics"]);
    }
    EXPECT_EQ(expect_records(BatchDecoder(format, schema), *batch, vector["records"], 0),
              vector["records"].size());
  }
}

TEST(Golden, LogBatchesAreWritten) {
  for (const Json& vector : vectors_of("log_batch")) {
    SCOPED_TRACE(vector["id"]);
    Schema schema = schema_of(vector);
    Bytes built = build(vector, schema);
    if (vector["compare"] == "bytes") {
      EXPECT_EQ(hex(built), vector["hex"].get<std::string>());
      continue;
    }
    ASSERT_EQ(vector["compare"], "decode");
    LogFormat format = log_format_of(vector["format"]);
    auto batch = BatchView::parse(built);
    ASSERT_TRUE(succeeded(batch));
    EXPECT_TRUE(succeeded(BatchShape(format, schema).validate(*batch)));
    EXPECT_EQ(expect_records(BatchDecoder(format, schema), *batch, vector["records"], 0),
              vector["records"].size());
    // Header and statistics are ours to the byte, but for the length and the checksum.
    auto source = BatchView::parse(bytes_of(vector, "hex"));
    EXPECT_EQ(to_hex(batch->statistics()), to_hex(source->statistics()));
    MutableBytes header = MutableBytes::allocate(batch->header_size());
    std::copy_n(built.begin(), header.size(), header.data());
    std::copy_n(source->bytes().begin() + 8, 4, header.data() + 8);
    size_t crc = batch_crc_position(batch->magic());
    std::copy_n(source->bytes().begin() + crc, 4, header.data() + crc);
    EXPECT_EQ(to_hex(header.span()), to_hex(source->bytes().span().first(header.size())));
  }
}

TEST(Golden, AStreamOfBatchesOfSeveralMagics) {
  for (const Json& vector : vectors_of("log_stream")) {
    SCOPED_TRACE(vector["id"]);
    BatchDecoder decoder(log_format_of(vector["format"]), schema_of(vector));
    BatchReader reader(bytes_of(vector, "hex"));
    size_t read = 0;
    for (;;) {
      auto batch = reader.next();
      ASSERT_TRUE(succeeded(batch));
      if (!*batch) break;
      EXPECT_TRUE(succeeded((*batch)->validate()));
      read += expect_records(decoder, **batch, vector["records"], read);
    }
    EXPECT_TRUE(reader.exhausted());
    EXPECT_EQ(read, vector["records"].size());
  }
}

TEST(Golden, ProjectedBatches) {
  for (const Json& vector : vectors_of("projected_log_batch")) {
    SCOPED_TRACE(vector["id"]);
    Schema schema = schema_of(vector);
    auto columns = vector["projection"].get<std::vector<int32_t>>();
    Schema projected = sub_schema(schema, columns);
    BatchDecoder decoder(LogFormat::kArrow, projected);
    // The reference's result and ours decode to the same rows; only ours has a right checksum.
    auto theirs = BatchView::parse(bytes_of(vector, "hex"));
    ASSERT_TRUE(succeeded(theirs));
    expect_records(decoder, *theirs, vector["records"], 0);
    EXPECT_EQ(theirs->validate_crc().has_value(), vector["crc_valid_after_projection"].get<bool>());

    auto projection = Projection::make(schema, columns);
    ASSERT_TRUE(succeeded(projection));
    auto source = BatchView::parse(bytes_of(vector, "source_hex"));
    ASSERT_TRUE(succeeded(source));
    auto chain = projection->apply(*source);
    ASSERT_TRUE(succeeded(chain));
    auto ours = BatchView::parse(chain->flatten());
    ASSERT_TRUE(succeeded(ours));
    EXPECT_TRUE(succeeded(BatchShape(LogFormat::kArrow, projected).validate(*ours)));
    EXPECT_EQ(expect_records(decoder, *ours, vector["records"], 0), vector["records"].size());
  }
}

// ---- key-value batches and values

TEST(Golden, KvBatches) {
  for (const Json& vector : vectors_of("kv_batch")) {
    SCOPED_TRACE(vector["id"]);
    ASSERT_EQ(vector["compare"], "bytes");
    Schema schema = schema_of(vector);
    RowCodec codec(row_format_of(vector["format"]), schema);
    const Json& header = vector["header"];
    auto batch = KvBatchView::parse(bytes_of(vector, "hex"));
    ASSERT_TRUE(succeeded(batch));
    EXPECT_TRUE(succeeded(batch->validate()));
    EXPECT_EQ(batch->crc(), header["crc"].get<uint32_t>());
    EXPECT_EQ(batch->schema_id().value(), header["schema_id"].get<int16_t>());
    EXPECT_EQ(batch->writer_id().value(), header["writer_id"].get<int64_t>());
    EXPECT_EQ(batch->batch_sequence(), header["batch_sequence"].get<int32_t>());
    EXPECT_EQ(batch->record_count(), header["record_count"].get<int32_t>());
    ASSERT_EQ(static_cast<size_t>(batch->record_count()), vector["records"].size());

    KvReader reader(*batch);
    KvBatchBuilder builder(batch->schema_id());
    for (const Json& record : vector["records"]) {
      auto read = reader.next();
      ASSERT_TRUE(succeeded(read));
      EXPECT_EQ(to_hex(read->key), record["key_hex"].get<std::string>());
      ASSERT_EQ(read->row.has_value(), !record["row"].is_null());
      if (!read->row) {
        builder.remove(read->key);
        continue;
      }
      Arena arena;
      std::span<const Value> row = row_of(schema, record["row"], &arena);
      auto decoded = codec.decode(*read->row, &arena);
      ASSERT_TRUE(succeeded(decoded));
      EXPECT_TRUE(std::ranges::equal(*decoded, row));
      ByteWriter encoded;
      ASSERT_TRUE(succeeded(codec.encode(row, &encoded)));
      builder.upsert(read->key, encoded.span());
    }
    EXPECT_TRUE(reader.at_end());
    Bytes built = builder.finish({batch->writer_id(), batch->batch_sequence()});
    EXPECT_EQ(hex(built), vector["hex"].get<std::string>());
  }
}

TEST(Golden, StoredValues) {
  for (const Json& vector : vectors_of("kv_value")) {
    SCOPED_TRACE(vector["id"]);
    ASSERT_EQ(vector["compare"], "bytes");
    Schema schema = schema_of(vector);
    auto layout = static_cast<ValueLayout>(vector["layout_version"].get<int>());
    RowCodec codec(row_format_of(vector["format"]), schema);
    Bytes bytes = bytes_of(vector, "hex");
    auto value = parse_value(layout, bytes.span());
    ASSERT_TRUE(succeeded(value));
    EXPECT_EQ(value->schema_id.value(), vector["schema_id"].get<int16_t>());
    if (layout == ValueLayout::kTagged) {
      EXPECT_EQ(value->tag, vector["value_tag"].get<int64_t>());
    }
    Arena arena;
    std::span<const Value> row = row_of(schema, vector["row"], &arena);
    auto decoded = codec.decode(value->row, &arena);
    ASSERT_TRUE(succeeded(decoded));
    EXPECT_TRUE(std::ranges::equal(*decoded, row));
    ByteWriter encoded;
    ASSERT_TRUE(succeeded(codec.encode(row, &encoded)));
    ByteWriter out;
    put_value(layout, {value->tag, value->schema_id, encoded.span()}, &out);
    EXPECT_EQ(to_hex(out.span()), vector["hex"].get<std::string>());
    // What a lookup answers is the value without its tag.
    ByteWriter plain;
    put_value(ValueLayout::kPlain, *value, &plain);
    EXPECT_EQ(plain_value(layout, bytes)->view(), plain.view());
  }
}

TEST(Golden, ValueBatches) {
  for (const Json& vector : vectors_of("value_batch")) {
    SCOPED_TRACE(vector["id"]);
    ASSERT_EQ(vector["compare"], "bytes");
    Schema schema = schema_of(vector);
    RowCodec codec(row_format_of(vector["format"]), schema);
    Bytes bytes = bytes_of(vector, "hex");
    auto reader = ValueBatchReader::parse(bytes.span());
    ASSERT_TRUE(succeeded(reader));
    ASSERT_EQ(static_cast<size_t>(reader->record_count()), vector["records"].size());
    ValueBatchBuilder builder;
    for (const Json& record : vector["records"]) {
      auto value = reader->next();
      ASSERT_TRUE(succeeded(value));
      EXPECT_EQ(value->schema_id.value(), record["schema_id"].get<int16_t>());
      Arena arena;
      std::span<const Value> row = row_of(schema, record["row"], &arena);
      auto decoded = codec.decode(value->row, &arena);
      ASSERT_TRUE(succeeded(decoded));
      EXPECT_TRUE(std::ranges::equal(*decoded, row));
      ByteWriter encoded;
      ASSERT_TRUE(succeeded(codec.encode(row, &encoded)));
      ByteWriter plain;
      put_value(ValueLayout::kPlain, {0, value->schema_id, encoded.span()}, &plain);
      builder.append(plain.span());
    }
    EXPECT_TRUE(reader->at_end());
    EXPECT_EQ(hex(builder.finish()), vector["hex"].get<std::string>());
  }
}

// ---- partitions and documents

TEST(Golden, PartitionNamesOfRows) {
  for (const Json& vector : vectors_of("partition_name")) {
    SCOPED_TRACE(vector["id"]);
    ASSERT_EQ(vector["compare"], "text");
    Schema schema = schema_of(vector);
    Arena arena;
    std::span<const Value> row = row_of(schema, vector["row"], &arena);
    ResolvedPartitionSpec partition;
    for (const Json& key : vector["partition_keys"]) {
      partition.keys.push_back(key);
      size_t index = *schema.index_of(partition.keys.back());
      auto text = partition_text(schema.column(index).type, row[index]);
      ASSERT_TRUE(succeeded(text));
      partition.values.push_back(*text);
    }
    EXPECT_EQ(partition.values, vector["values"].get<std::vector<std::string>>());
    EXPECT_EQ(partition.name(), vector["name"].get<std::string>());
    EXPECT_EQ(partition.qualified_name(), vector["qualified_name"].get<std::string>());
    EXPECT_TRUE(succeeded(check_partition_values(partition.values)));
  }
}

TEST(Golden, PartitionsOfTheTime) {
  const std::map<std::string, AutoPartitionUnit> kUnits{{"YEAR", AutoPartitionUnit::kYear},
                                                        {"QUARTER", AutoPartitionUnit::kQuarter},
                                                        {"MONTH", AutoPartitionUnit::kMonth},
                                                        {"DAY", AutoPartitionUnit::kDay},
                                                        {"HOUR", AutoPartitionUnit::kHour}};
  for (const Json& vector : vectors_of("auto_partition")) {
    SCOPED_TRACE(vector["id"]);
    ASSERT_EQ(vector["now"], "2026-11-29T07:05Z[UTC]");
    constexpr int64_t kNowSeconds = 1'795'935'900;
    for (const Json& c : vector["cases"]) {
      auto format = PartitionTimeFormat::of_unit(kUnits.at(c["unit"]));
      EXPECT_EQ(format.value(kNowSeconds, c["offset"].get<int64_t>()),
                c["value"].get<std::string>());
    }
  }
}

template <typename Parse>
void expect_documents(std::string_view kind, Parse parse) {
  for (const Json& vector : vectors_of(kind)) {
    SCOPED_TRACE(vector["id"]);
    ASSERT_EQ(vector["compare"], "json");
    std::string text = vector["json_text"];
    auto parsed = parse(text);
    ASSERT_TRUE(succeeded(parsed));
    EXPECT_EQ(nlohmann::json::parse(to_json(*parsed)), nlohmann::json::parse(text));
  }
}

TEST(Golden, Documents) {
  expect_documents("schema", schema_from_json);
  expect_documents("table_descriptor", table_from_json);
  expect_documents("database_descriptor", database_from_json);
}

}  // namespace
}  // namespace lakestream::golden
