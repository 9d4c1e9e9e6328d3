#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "base/checksum.h"
#include "format/arrow_schema.h"
#include "format/batch.h"
#include "format/batch_builder.h"
#include "format/batch_shape.h"
#include "format/decode.h"
#include "format/keys.h"
#include "format/kv_batch.h"
#include "format/kv_value.h"
#include "format/predicate.h"
#include "format/project.h"
#include "format/rows.h"
#include "format/statistics.h"

// The first byte chooses what the rest is read as (low nibble) and under which schema (high
// nibble). Length and checksum of batches are set right first, so that what lies behind them is
// reached. Nothing may crash; what is accepted has to be accepted again in its other forms.
namespace lakestream {
namespace {

SchemaBuilder scalars() {
  SchemaBuilder builder;
  builder.column("a", DataType::boolean())
      .column("b", DataType::tinyint())
      .column("c", DataType::smallint())
      .column("d", DataType::float_())
      .column("e", DataType::double_())
      .column("f", DataType::char_(6))
      .column("g", DataType::binary(4))
      .column("h", DataType::bytes())
      .column("i", DataType::decimal(38, 18))
      .column("j", DataType::date())
      .column("k", DataType::time(0))
      .column("l", DataType::time(9))
      .column("m", DataType::timestamp(0))
      .column("n", DataType::timestamp(6))
      .column("o", DataType::timestamp_ltz(9))
      .column("p", DataType::bigint().not_null());
  return builder;
}

SchemaBuilder nested() {
  DataType pair =
      DataType::row({{"x", DataType::integer(), {}, -1}, {"y", DataType::string(), {}, -1}});
  DataType rows = DataType::array(
      DataType::row({{"k", DataType::string(), {}, -1}, {"d", DataType::decimal(20, 4), {}, -1}}));
  SchemaBuilder builder;
  builder.column("id", DataType::integer())
      .column("a_int", DataType::array(DataType::integer()))
      .column("a_str", DataType::array(DataType::string()))
      .column("m", DataType::map(DataType::string().not_null(), DataType::bigint()))
      .column("r", pair)
      .column("aa", DataType::array(DataType::array(DataType::bigint())))
      .column("ar", rows);
  return builder;
}

const Schema& schema_of(size_t choice) {
  static const std::array<Schema, 3> kSchemas{*SchemaBuilder()
                                                   .column("id", DataType::integer())
                                                   .column("name", DataType::string())
                                                   .column("amount", DataType::decimal(10, 2))
                                                   .column("ts", DataType::timestamp_ltz(3))
                                                   .build(),
                                              *scalars().build(),
                                              *nested().build()};
  return kSchemas[choice % kSchemas.size()];
}

void check_projection(const BatchView& batch, const Schema& schema) {
  std::vector<int32_t> columns;
  SchemaBuilder builder;
  for (size_t i = 0; i < schema.size(); i += 2) {
    columns.push_back(static_cast<int32_t>(i));
    builder.column_with_ids(schema.column(i));
  }
  auto projection = Projection::make(schema, columns);
  CHECK(projection.has_value(), "ascending columns");
  auto chain = projection->apply(batch);
  CHECK(chain.has_value(), "a valid batch can be projected");
  auto projected = BatchView::parse(chain->flatten());
  CHECK(projected.has_value(), "a projected batch can be read");
  Schema sub_schema = *builder.build();
  CHECK(BatchShape(LogFormat::kArrow, sub_schema).validate(*projected).has_value(),
        "a projected batch is valid");
  (void)BatchDecoder(LogFormat::kArrow, sub_schema).decode(*projected);
}

ArrowRows rows_of(const DecodedBatch& decoded, const Schema& schema) {
  auto rows = ArrowRows::make(decoded.rows, schema);
  CHECK(rows.has_value(), "decoded columns are those of the schema");
  return *std::move(rows);
}

void check_rows(const DecodedBatch& decoded, const Schema& schema) {
  ArrowRows rows = rows_of(decoded, schema);
  for (int64_t i = 0; i < std::min<int64_t>(rows.size(), 1000); ++i) {
    Arena arena;
    (void)rows.row(i, &arena);
  }
}

void check_batch(LogFormat format, const Schema& schema, Bytes bytes) {
  MutableBytes sealed = MutableBytes::allocate(bytes.size());
  std::ranges::copy(bytes.span(), sealed.data());
  if (sealed.size() >= 56 && sealed.data()[12] <= kBatchMagicMax) seal_batch(sealed.span());
  auto batch = BatchView::parse(std::move(sealed).freeze());
  if (!batch) return;
  (void)Projection::make(schema, std::array<int32_t, 1>{0})->apply(*batch);
  bool valid = BatchShape(format, schema).validate(*batch).has_value();
  auto decoded = BatchDecoder(format, schema).decode(*batch);
  if (decoded) check_rows(*decoded, schema);
  if (valid && format == LogFormat::kArrow) check_projection(*batch, schema);
  if (!valid || !decoded) return;
  BatchOptions options{.format = LogFormat::kArrow,
                       .schema_id = SchemaId(1),
                       .append_only = decoded->changes.empty(),
                       .compression = ArrowCompression::kLz4Frame};
  auto built = build_arrow_batch(*decoded->rows, decoded->changes, schema, options, {});
  if (!built) return;  // nulls in a NOT NULL column of a row format
  auto again = BatchDecoder(LogFormat::kArrow, schema).decode(*BatchView::parse(*built));
  CHECK(again.has_value() && again->changes == decoded->changes, "what was built can be read");
  CHECK(rows_of(*again, schema).size() == rows_of(*decoded, schema).size(), "all rows are there");
}

void check_row(const Schema& schema, std::span<const uint8_t> bytes) {
  for (RowFormat format : {RowFormat::kCompacted, RowFormat::kIndexed, RowFormat::kAligned}) {
    Arena arena;
    RowCodec codec(format, schema);
    auto row = codec.decode(bytes, &arena);
    if (!row) continue;
    ByteWriter out;
    CHECK(codec.encode(*row, &out).has_value(), "a decoded row can be encoded");
    auto again = codec.decode(out.span(), &arena);
    CHECK(again.has_value() && std::ranges::equal(*again, *row), "rows settle");
  }
  std::vector<size_t> columns(schema.size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  Arena arena;
  (void)KeyEncoder::make(KeyEncoding::kCompacted, schema, columns)->decode(bytes, &arena);
}

void check_kv_batch(const Schema& schema, Bytes bytes) {
  MutableBytes sealed = MutableBytes::allocate(bytes.size());
  std::ranges::copy(bytes.span(), sealed.data());
  if (sealed.size() >= kKvBatchHeaderSize) {
    store_le<int32_t>(sealed.data(), static_cast<int32_t>(sealed.size() - 4));
    store_le<uint32_t>(sealed.data() + 5, crc32c(sealed.span().subspan(9)));
  }
  auto batch = KvBatchView::parse(std::move(sealed).freeze());
  if (!batch) return;
  bool valid = batch->validate().has_value();
  KvReader reader(*batch);
  KvBatchBuilder builder(batch->schema_id());
  RowCodec codec(RowFormat::kCompacted, schema);
  while (!reader.at_end()) {
    auto record = reader.next();
    CHECK(record.has_value() || !valid, "a valid batch can be read");
    if (!record) return;
    Arena arena;
    if (record->row) (void)codec.decode(*record->row, &arena);
    builder.upsert(record->key, record->row.value_or(std::span<const uint8_t>()));
  }
  if (!valid) return;
  auto built = KvBatchView::parse(builder.finish({}));
  CHECK(built->record_count() == batch->record_count(), "all records are there");
}

void check_values(std::span<const uint8_t> bytes) {
  (void)parse_value(ValueLayout::kTagged, bytes);
  auto reader = ValueBatchReader::parse(bytes);
  if (!reader) return;
  while (!reader->at_end()) {
    if (!reader->next()) return;
  }
}

void check_stream(Bytes bytes) {
  BatchReader reader(bytes);
  size_t count = 0;
  for (;;) {
    auto batch = reader.next();
    if (!batch || !*batch) break;
    (void)(*batch)->validate();
    ++count;
  }
  auto batches = parse_batches(std::move(bytes));
  CHECK(!batches || batches->size() == count, "both readers see the same batches");
}

void check_statistics(const Schema& schema, std::span<const uint8_t> bytes) {
  Arena arena;
  auto statistics = StatisticsReader(schema).read(bytes, &arena);
  for (const Column& column : schema.columns()) {
    for (LeafFunction function : {LeafFunction::kIsNull, LeafFunction::kIn, LeafFunction::kNotIn}) {
      BatchFilter filter(Predicate::leaf(function, column, {Value()}));
      bool may_match = filter.may_match(schema, SchemaId(1), 1, bytes);
      CHECK(may_match || statistics, "what can not be read is no hint");
    }
  }
  if (!statistics) return;
  CHECK(statistics->minimum.size() == statistics->columns.size(), "a minimum a column");
}

}  // namespace
}  // namespace lakestream

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lakestream;
  if (size == 0) return 0;
  const Schema& schema = schema_of(data[0] >> 4);
  Bytes bytes = Bytes::copy_of(data + 1, size - 1);
  switch (data[0] & 15) {
    case 0:
      check_batch(LogFormat::kArrow, schema, std::move(bytes));
      break;
    case 1:
      check_batch(LogFormat::kIndexed, schema, std::move(bytes));
      break;
    case 2:
      check_batch(LogFormat::kCompacted, schema, std::move(bytes));
      break;
    case 3:
      check_kv_batch(schema, std::move(bytes));
      break;
    case 4:
      check_row(schema, bytes.span());
      break;
    case 5:
      check_values(bytes.span());
      break;
    case 6:
      check_stream(std::move(bytes));
      break;
    case 7:
      check_statistics(schema, bytes.span());
      break;
    default:
      break;
  }
  return 0;
}
