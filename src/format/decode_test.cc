#include "format/decode.h"

#include <algorithm>
#include <random>
#include <string>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "format/arrow_schema.h"
#include "format/batch_builder.h"
#include "format/batch_shape.h"
#include "format/project.h"
#include "format/statistics.h"

namespace lakestream {
namespace {

constexpr ArrowCompression kCompressions[] = {
    ArrowCompression::kNone, ArrowCompression::kLz4Frame, ArrowCompression::kZstd};

Schema two_columns() {
  return *SchemaBuilder()
              .column("id", DataType::integer())
              .column("values", DataType::array(DataType::integer()))
              .build();
}

TEST(BatchDecoder, ArraysOfMoreElementsThanRows) {
  // 200 rows of 10 elements each, in every log format and compression: elements outgrow the rows.
  Schema schema = two_columns();
  for (LogFormat format : {LogFormat::kArrow, LogFormat::kIndexed, LogFormat::kCompacted}) {
    for (ArrowCompression compression : kCompressions) {
      BatchBuilder builder(
          schema, {.format = format, .schema_id = SchemaId(1), .compression = compression});
      Value elements[10];
      for (int64_t i = 0; i < 200; ++i) {
        for (int64_t k = 0; k < 10; ++k) elements[k] = Value::integer(10 * i + k);
        Value row[] = {Value::integer(i), Value::array(elements)};
        ASSERT_TRUE(builder.append(ChangeType::kInsert, row));
      }
      auto batch = BatchView::parse(*builder.finish({}));
      ASSERT_TRUE(BatchShape(format, schema).validate(*batch));
      auto decoded = BatchDecoder(format, schema).decode(*batch);
      ASSERT_TRUE(decoded) << decoded.error().message();
      EXPECT_EQ(decoded->changes, std::vector<ChangeType>(200, ChangeType::kInsert));
      ArrowRows rows = *ArrowRows::make(decoded->rows, schema);
      ASSERT_EQ(rows.size(), 200);
      for (int64_t i = 0; i < 200; ++i) {
        Arena arena;
        auto row = rows.row(i, &arena);
        for (int64_t k = 0; k < 10; ++k) {
          ASSERT_EQ((*row)[1].items()[static_cast<size_t>(k)], Value::integer(10 * i + k));
        }
      }
    }
  }
}

TEST(BatchDecoder, BytesThatDoNotCompress) {
  // 2 MiB of noise in one column comes back under every compression and the strongest level.
  Schema schema = *SchemaBuilder().column("noise", DataType::bytes()).build();
  std::mt19937_64 random(3);
  std::string noise(2 << 20, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  for (ArrowCompression compression : kCompressions) {
    BatchBuilder builder(schema,
                         {.schema_id = SchemaId(1),
                          .append_only = true,
                          .compression = compression,
                          .zstd_level = 22});
    Value row[] = {Value::bytes(noise)};
    ASSERT_TRUE(builder.append(ChangeType::kAppend, row));
    auto batch = BatchView::parse(*builder.finish({}));
    EXPECT_LT(batch->size(), noise.size() + 1024);
    ASSERT_TRUE(BatchShape(LogFormat::kArrow, schema).validate(*batch));
    auto decoded = BatchDecoder(LogFormat::kArrow, schema).decode(*batch);
    ASSERT_TRUE(decoded) << decoded.error().message();
    Arena arena;
    EXPECT_EQ(ArrowRows::make(decoded->rows, schema)->cell(0, 0, &arena)->as_bytes(), noise);
  }
}

TEST(BatchDecoder, ProjectionOfAChangelogKeepsItsChanges) {
  Schema schema = *SchemaBuilder()
                       .column("a", DataType::integer())
                       .column("b", DataType::string())
                       .column("c", DataType::array(DataType::string()))
                       .column("d", DataType::bigint())
                       .column("e", DataType::string())
                       .build();
  for (ArrowCompression compression : kCompressions) {
    BatchBuilder builder(schema, {.schema_id = SchemaId(3), .compression = compression});
    const ChangeType changes[] = {ChangeType::kInsert,
                                  ChangeType::kUpdateBefore,
                                  ChangeType::kUpdateAfter,
                                  ChangeType::kDelete};
    for (int64_t i = 0; i < 4; ++i) {
      Value row[] = {Value::integer(i),
                     Value::bytes("b"),
                     Value::array({}),
                     Value::integer(-i),
                     i == 2 ? Value::null() : Value::bytes("e")};
      ASSERT_TRUE(builder.append(changes[i], row));
    }
    auto batch = BatchView::parse(*builder.finish({WriterId(4), 9}));
    const int32_t columns[] = {0, 4};
    auto chain = Projection::make(schema, columns)->apply(*batch);
    ASSERT_TRUE(chain);
    auto projected = BatchView::parse(chain->flatten());
    EXPECT_TRUE(projected->validate());
    EXPECT_EQ(projected->writer_id(), WriterId(4));
    Schema narrow = *SchemaBuilder()
                         .column_with_ids(schema.column(0))
                         .column_with_ids(schema.column(4))
                         .build();
    auto decoded = BatchDecoder(LogFormat::kArrow, narrow).decode(*projected);
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_TRUE(std::ranges::equal(decoded->changes, changes));
    Arena arena;
    ArrowRows rows = *ArrowRows::make(decoded->rows, narrow);
    EXPECT_EQ((*rows.row(3, &arena))[0], Value::integer(3));
    EXPECT_TRUE((*rows.row(2, &arena))[1].is_null());
  }
}

TEST(BatchDecoder, ProjectionOfAnOlderSchemaHasNulls) {
  // Whatever the schema of a batch, its projection has the projected columns, types of all kinds.
  Schema old =
      *SchemaBuilder().column("a", DataType::integer()).column("b", DataType::string()).build();
  Schema schema =
      *SchemaBuilder(old)
           .column("c", DataType::string())
           .column("d", DataType::array(DataType::string()))
           .column("e", DataType::map(DataType::string(), DataType::bigint()))
           .column("f",
                   DataType::row({{"x", DataType::integer(), {}}, {"y", DataType::boolean(), {}}}))
           .column("g", DataType::decimal(20, 3))
           .column("h", DataType::boolean())
           .column("i", DataType::binary(3))
           .build();
  const std::vector<int32_t> sets[] = {{0, 2, 7}, {1, 3, 4, 5, 6, 8}, {2}, {3, 5}};
  for (ArrowCompression compression : kCompressions) {
    for (int64_t row_count : {1, 7, 1000}) {
      BatchBuilder builder(old, {.schema_id = SchemaId(1), .compression = compression});
      for (int64_t i = 0; i < row_count; ++i) {
        Value row[] = {Value::integer(i), Value::bytes("text")};
        ASSERT_TRUE(builder.append(ChangeType::kInsert, row));
      }
      auto batch = BatchView::parse(*builder.finish({WriterId(4), 9}));
      for (const std::vector<int32_t>& columns : sets) {
        SchemaBuilder narrow_builder;
        for (int32_t column : columns) {
          narrow_builder.column_with_ids(schema.column(static_cast<size_t>(column)));
        }
        Schema narrow = *narrow_builder.build();
        auto chain = Projection::make(schema, old, columns)->apply(*batch);
        ASSERT_TRUE(chain) << chain.error().message();
        auto projected = BatchView::parse(chain->flatten());
        ASSERT_TRUE(projected);
        Status valid = BatchShape(LogFormat::kArrow, narrow).validate(*projected);
        ASSERT_TRUE(valid) << valid.error().message();
        EXPECT_EQ(projected->schema_id(), SchemaId(1));
        auto decoded = BatchDecoder(LogFormat::kArrow, narrow).decode(*projected);
        ASSERT_TRUE(decoded) << decoded.error().message();
        EXPECT_EQ(decoded->changes.size(), static_cast<size_t>(row_count));
        ASSERT_EQ(decoded->rows->num_rows(), row_count);
        for (size_t i = 0; i < columns.size(); ++i) {
          auto array = decoded->rows->column(static_cast<int>(i));
          EXPECT_EQ(array->null_count(), columns[i] < 2 ? 0 : row_count);
        }
      }
    }
  }
}

TEST(BatchDecoder, NotNullColumnsHaveNoNulls) {
  // A batch with a null where the schema has NOT NULL could not be read by clients.
  Schema nullable = *SchemaBuilder().column("a", DataType::integer()).build();
  Schema strict = *SchemaBuilder().column("a", DataType::integer().not_null()).build();
  BatchBuilder builder(nullable, {.schema_id = SchemaId(1), .append_only = true});
  Value row[] = {Value::null()};
  ASSERT_TRUE(builder.append(ChangeType::kAppend, row));
  auto batch = BatchView::parse(*builder.finish({}));
  EXPECT_TRUE(BatchShape(LogFormat::kArrow, nullable).validate(*batch));
  Status status = BatchShape(LogFormat::kArrow, strict).validate(*batch);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kUnknownServerError);
  BatchBuilder refused(strict, {.schema_id = SchemaId(1), .append_only = true});
  ASSERT_TRUE(refused.append(ChangeType::kAppend, row));
  EXPECT_FALSE(refused.finish({}));
}

TEST(BatchDecoder, ABatchOfAnotherSchemaIsRefused) {
  BatchBuilder builder(two_columns(), {.schema_id = SchemaId(1), .append_only = true});
  Value row[] = {Value::integer(1), Value::null()};
  ASSERT_TRUE(builder.append(ChangeType::kAppend, row));
  auto batch = BatchView::parse(*builder.finish({}));
  Schema other = *SchemaBuilder().column("id", DataType::integer()).build();
  EXPECT_FALSE(BatchShape(LogFormat::kArrow, other).validate(*batch));
  EXPECT_FALSE(BatchDecoder(LogFormat::kArrow, other).decode(*batch));
  EXPECT_FALSE(BatchDecoder(LogFormat::kCompacted, two_columns()).decode(*batch));
  const int32_t columns[] = {0};
  EXPECT_FALSE(Projection::make(other, columns)->apply(*batch));
}

TEST(SchemaAlignment, MatchesByIdAndNotByName) {
  // Column 0 was renamed, column 1 dropped, a column with a new id took the old name.
  Schema old_schema =
      *SchemaBuilder().column("a", DataType::integer()).column("b", DataType::string()).build();
  Column renamed = old_schema.column(0);
  renamed.name = "a2";
  Schema new_schema = *SchemaBuilder()
                           .raise_highest_field_id(1)
                           .column("b", DataType::string())
                           .column_with_ids(renamed)
                           .build();
  ArrowAppender appender(old_schema);
  Value row[] = {Value::integer(7), Value::bytes("old")};
  ASSERT_TRUE(appender.append(row));
  auto batch = appender.finish();
  auto alignment = SchemaAlignment::make(old_schema, new_schema);
  ASSERT_TRUE(alignment);
  EXPECT_FALSE(alignment->is_identity());
  auto aligned = alignment->apply(*batch);
  ASSERT_TRUE(aligned);
  Arena arena;
  auto values = ArrowRows::make(*aligned, new_schema)->row(0, &arena);
  EXPECT_TRUE((*values)[0].is_null());
  EXPECT_EQ((*values)[1], Value::integer(7));
  EXPECT_TRUE(SchemaAlignment::make(old_schema, old_schema)->is_identity());
  Column retyped = old_schema.column(0);
  retyped.type = DataType::bigint();
  EXPECT_FALSE(
      SchemaAlignment::make(old_schema, *SchemaBuilder().column_with_ids(retyped).build()));
}

TEST(ArrowAppender, RefusesWhatArrowCanNotHold) {
  struct Case {
    DataType type;
    Value value;
  };
  const Case cases[] = {
      {DataType::timestamp(9), Value::timestamp(INT64_MAX / 1000, 0)},
      {DataType::timestamp(6), Value::timestamp(INT64_MAX / 100, 0)},
      {DataType::string(), Value::bytes("\xff")},
      {DataType::binary(2), Value::bytes("abc")},
      {DataType::integer(), Value::integer(int64_t{1} << 40)},
      {DataType::integer(), Value::bytes("1")},
  };
  for (const Case& c : cases) {
    ArrowAppender appender(*SchemaBuilder().column("c", c.type).build());
    Value row[] = {c.value};
    EXPECT_FALSE(appender.append(row)) << c.type.to_string();
  }
}

TEST(Statistics, FollowJavasOrderOfFloats) {
  // -0.0 is below 0.0, NaN above infinity.
  DataType type = DataType::double_();
  const double ordered[] = {-INFINITY, -1, -0.0, 0.0, 1, INFINITY, NAN};
  for (size_t i = 0; i < std::size(ordered); ++i) {
    for (size_t k = 0; k < std::size(ordered); ++k) {
      EXPECT_EQ(statistics_less(type, Value::double_(ordered[i]), Value::double_(ordered[k])),
                i < k);
    }
  }
}

TEST(Statistics, WhatCanNotBeReadIsNoHint) {
  Schema schema = *SchemaBuilder().column("a", DataType::string()).build();
  BatchBuilder builder(
      schema,
      {.schema_id = SchemaId(1), .append_only = true, .magic = 1, .statistics_columns = {0}});
  Value row[] = {Value::bytes("a text of more than seven bytes")};
  ASSERT_TRUE(builder.append(ChangeType::kAppend, row));
  auto batch = BatchView::parse(*builder.finish({}));
  Arena arena;
  StatisticsReader reader(schema);
  std::span<const uint8_t> block = batch->statistics();
  EXPECT_EQ(reader.read(block, &arena)->maximum[0], row[0]);
  for (size_t size = 0; size < block.size(); ++size) {
    EXPECT_FALSE(reader.read(block.first(size), &arena));
  }
}

}  // namespace
}  // namespace lakestream
