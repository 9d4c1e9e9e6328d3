#include "format/batch.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "format/batch_shape.h"
#include "format/project.h"
#include "table/json.h"

namespace lakestream {
namespace {

// A batch of the official client: (INT, STRING, DECIMAL(10, 2), TIMESTAMP_LTZ(3)), 3 rows, ARROW,
// append-only, magic 0, no compression.
constexpr std::string_view kArrowBatch =
    "0000000000000000ec010000000000000000000000cd53c91801000102000000ffffffffffffffffffffffff"
    "03000000ffffffff2801000014000000000000000c0016000e001500100004000c0000009800000000000000"
    "000004001000000000030a0018000c00080004000a00000014000000a8000000030000000000000000000000"
    "090000000000000000000000010000000000000008000000000000000c000000000000001800000000000000"
    "01000000000000002000000000000000100000000000000030000000000000000a0000000000000040000000"
    "0000000001000000000000004800000000000000300000000000000078000000000000000100000000000000"
    "8000000000000000180000000000000000000000040000000300000000000000000000000000000003000000"
    "0000000001000000000000000300000000000000010000000000000003000000000000000000000000000000"
    "0700000000000000010000000200000003000000000000000500000000000000000000000500000005000000"
    "0a000000616c6963656361726f6c00000000000005000000000000001a040000000000000000000000000000"
    "00000000000000000000000000000000bbfeffffffffffffffffffffffffffff07000000000000000068e5cf"
    "8b0100000168e5cf8b0100000268e5cf8b010000";
// The same columns, COMPACTED changelog.
constexpr std::string_view kCompactedBatch =
    "f4010000000000006600000000096be5cf8b01000099c1258e010000030000000b0000000000000003000000"
    "040000000c00000001000105616c6963659a08010c00000002000105616c6963659a08010d00000003000106"
    "616c69636532fe08020d00000004000106616c69636532fe0802";

MutableBytes from_hex(std::string_view hex) {
  MutableBytes bytes = MutableBytes::allocate(hex.size() / 2);
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes.data()[i] = static_cast<uint8_t>(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  }
  return bytes;
}

Bytes sealed(MutableBytes bytes) {
  seal_batch(bytes.span());
  return std::move(bytes).freeze();
}

Schema schema() {
  return *SchemaBuilder()
              .column("id", DataType::integer())
              .column("name", DataType::string())
              .column("amount", DataType::decimal(10, 2))
              .column("ts", DataType::timestamp_ltz(3))
              .build();
}

ErrorCode validate(LogFormat format, Bytes bytes) {
  auto batch = BatchView::parse(std::move(bytes));
  if (!batch) return batch.error().code();
  Status status = BatchShape(format, schema()).validate(*batch);
  return status ? ErrorCode::kNone : status.error().code();
}

TEST(BatchView, RefusesWhatIsShorterOrLongerThanItsHeaderSays) {
  // A produce request with cut or padded records has to fail for good, not to be retried.
  Bytes whole = from_hex(kArrowBatch).freeze();
  for (size_t size = 0; size < whole.size(); ++size) {
    auto batch = BatchView::parse(whole.slice(0, size));
    ASSERT_FALSE(batch);
    EXPECT_EQ(batch.error().code(), ErrorCode::kUnknownServerError);
    EXPECT_FALSE(parse_batches(whole.slice(0, size)));
  }
  MutableBytes longer = MutableBytes::allocate(whole.size() + 1);
  std::copy(whole.begin(), whole.end(), longer.data());
  EXPECT_FALSE(BatchView::parse(std::move(longer).freeze()));
}

TEST(BatchView, DamageIsRetriableAndAWrongBatchIsNot) {
  // Any flipped bit behind the checksum is code 14; the same byte under a right checksum is -1.
  Bytes whole = from_hex(kArrowBatch).freeze();
  EXPECT_EQ(validate(LogFormat::kArrow, whole), ErrorCode::kNone);
  for (size_t i = 25; i < whole.size(); ++i) {
    MutableBytes flipped = from_hex(kArrowBatch);
    flipped.data()[i] ^= 0x40;
    EXPECT_EQ(validate(LogFormat::kArrow, std::move(flipped).freeze()),
              ErrorCode::kCorruptRecordException);
  }
  struct Case {
    size_t position;
    uint8_t value;
    std::string_view rule;
  };
  for (Case c : {Case{26, 0x80, "schema id"},
                 Case{27, 0x03, "attributes"},
                 Case{28, 3, "last offset delta"},
                 Case{39, 0x80, "below -1"},
                 Case{47, 0x80, "record count"},
                 Case{44, 2, "last offset delta"},
                 Case{48, 0, "continuation"},
                 Case{52, 0xff, "metadata"}}) {
    MutableBytes wrong = from_hex(kArrowBatch);
    wrong.data()[c.position] = c.value;
    auto batch = BatchView::parse(sealed(std::move(wrong)));
    ASSERT_TRUE(batch);
    Status status = BatchShape(LogFormat::kArrow, schema()).validate(*batch);
    ASSERT_FALSE(status) << c.rule;
    EXPECT_EQ(status.error().code(), ErrorCode::kUnknownServerError);
    EXPECT_NE(status.error().message().find(c.rule), std::string::npos) << status.error().message();
  }
}

TEST(BatchView, MagicAboveTwoIsRefused) {
  MutableBytes wrong = from_hex(kArrowBatch);
  wrong.data()[12] = 3;
  auto batch = BatchView::parse(std::move(wrong).freeze());
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().code(), ErrorCode::kUnknownServerError);
}

TEST(BatchView, StampLeavesTheChecksumRight) {
  MutableBytes bytes = from_hex(kArrowBatch);
  stamp_batch(bytes.data(), {Offset(1000), TimestampMs(77), LeaderEpoch(5)});
  auto batch = BatchView::parse(std::move(bytes).freeze());
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->validate());
  EXPECT_EQ(batch->base_offset(), Offset(1000));
  EXPECT_EQ(batch->last_offset(), Offset(1002));
  EXPECT_EQ(batch->next_offset(), Offset(1003));
  EXPECT_EQ(batch->commit_timestamp(), TimestampMs(77));
  EXPECT_EQ(batch->leader_epoch(), kNoLeaderEpoch);
}

TEST(BatchView, EmptyBatchIsItsHeaderAndTakesOneOffset) {
  for (int8_t magic = 0; magic <= kBatchMagicMax; ++magic) {
    Bytes bytes = build_empty_batch({.magic = magic,
                                     .schema_id = SchemaId(4),
                                     .append_only = false,
                                     .writer_id = WriterId(9),
                                     .batch_sequence = 3});
    EXPECT_EQ(bytes.size(), batch_header_size(magic));
    auto batch = BatchView::parse(bytes);
    ASSERT_TRUE(batch);
    EXPECT_TRUE(batch->validate());
    EXPECT_EQ(batch->next_offset(), Offset(1));
    EXPECT_EQ(batch->schema_id(), SchemaId(4));
    EXPECT_EQ(batch->writer_id(), WriterId(9));
    EXPECT_EQ(batch->batch_sequence(), 3);
    EXPECT_EQ(validate(LogFormat::kArrow, bytes), ErrorCode::kNone);
    EXPECT_EQ(validate(LogFormat::kCompacted, bytes), ErrorCode::kNone);
  }
}

TEST(BatchReader, StopsAtATrailingPartialBatch) {
  Bytes one = from_hex(kArrowBatch).freeze();
  BytesChain two(one);
  two.append(one);
  Bytes both = two.flatten();
  for (size_t size = 0; size <= both.size(); ++size) {
    BatchReader reader(both.slice(0, size));
    size_t batches = 0;
    for (;;) {
      auto batch = reader.next();
      ASSERT_TRUE(batch);
      if (!*batch) break;
      ++batches;
    }
    EXPECT_EQ(batches, size / one.size());
    EXPECT_EQ(reader.position(), batches * one.size());
    EXPECT_EQ(reader.exhausted(), size % one.size() == 0);
  }
}

TEST(BatchReader, RefusesALengthBelowTheHeader) {
  MutableBytes wrong = from_hex(kArrowBatch);
  for (int32_t length : {-1, 0, 35}) {
    store_le<int32_t>(wrong.data() + 8, length);
    BatchReader reader(Bytes::copy_of(wrong.data(), wrong.size()));
    EXPECT_FALSE(reader.next());
  }
}

TEST(BatchShape, RowRecordsTileThePayload) {
  Bytes whole = from_hex(kCompactedBatch).freeze();
  EXPECT_EQ(validate(LogFormat::kCompacted, whole), ErrorCode::kNone);
  for (size_t position = 48; position <= 52; ++position) {
    MutableBytes wrong = from_hex(kCompactedBatch);
    wrong.data()[position] ^= 0x85;
    EXPECT_EQ(validate(LogFormat::kCompacted, sealed(std::move(wrong))),
              ErrorCode::kUnknownServerError);
  }
  MutableBytes longer = MutableBytes::allocate(whole.size() + 1);
  std::copy(whole.begin(), whole.end(), longer.data());
  EXPECT_EQ(validate(LogFormat::kCompacted, sealed(std::move(longer))),
            ErrorCode::kUnknownServerError);
}

TEST(Projection, RefusesColumnsThatAreNotAscendingPositions) {
  for (std::vector<int32_t> columns :
       std::vector<std::vector<int32_t>>{{}, {-1}, {4}, {1, 1}, {2, 1}, {0, 1, 2, 3, 4}}) {
    auto projection = Projection::make(schema(), columns);
    ASSERT_FALSE(projection);
    EXPECT_EQ(projection.error().code(), ErrorCode::kInvalidColumnProjection);
  }
}

TEST(Projection, GivesAValidBatchThatSharesTheSource) {
  // Every subset of the columns passes the rules of its own schema and keeps header and change
  // bytes.
  auto source = BatchView::parse(from_hex(kArrowBatch).freeze());
  ASSERT_TRUE(source);
  for (uint32_t set = 1; set < 16; ++set) {
    std::vector<int32_t> columns;
    SchemaBuilder builder;
    for (int32_t i = 0; i < 4; ++i) {
      if ((set >> i & 1) == 0) continue;
      columns.push_back(i);
      builder.column(schema().column(static_cast<size_t>(i)));
    }
    auto projection = Projection::make(schema(), columns);
    ASSERT_TRUE(projection);
    auto chain = projection->apply(*source);
    ASSERT_TRUE(chain);
    auto batch = BatchView::parse(chain->flatten());
    ASSERT_TRUE(batch);
    Status status = BatchShape(LogFormat::kArrow, *builder.build()).validate(*batch);
    EXPECT_TRUE(status) << status.error().message();
    EXPECT_EQ(batch->schema_id(), source->schema_id());
    EXPECT_EQ(batch->record_count(), 3);
    const Bytes& last = chain->parts().back();
    EXPECT_GE(last.data(), source->bytes().begin());
    EXPECT_LE(last.end(), source->bytes().end());
  }
}

TEST(Projection, NeedsTheFrontAndItsRangesAlone) {
  // From any front on, begin() says how much more it needs or gives what apply() gives.
  auto source = BatchView::parse(from_hex(kArrowBatch).freeze());
  ASSERT_TRUE(source);
  auto projection = Projection::make(schema(), std::array<int32_t, 2>{1, 3});
  ASSERT_TRUE(projection);
  auto whole = projection->apply(*source);
  ASSERT_TRUE(whole);
  std::span<const uint8_t> bytes = source->bytes().span();
  size_t complete = 0;
  for (size_t size = source->header_size(); size <= bytes.size(); ++size) {
    auto begun = projection->begin(bytes.first(size), bytes.size());
    ASSERT_TRUE(begun) << begun.error().message();
    if (begun->front_needed > 0) {
      EXPECT_GT(begun->front_needed, size);
      EXPECT_LT(begun->front_needed, bytes.size());
      continue;
    }
    ++complete;
    EXPECT_EQ(begun->size, whole->size());
    std::vector<Bytes> parts;
    for (BatchRange range : begun->ranges) {
      parts.push_back(source->bytes().slice(range.offset, range.size));
    }
    EXPECT_EQ(Projection::finish(*std::move(begun), std::move(parts)), *whole);
  }
  EXPECT_GT(complete, 0U);
  EXPECT_FALSE(projection->begin(bytes, bytes.size() + 1));
  EXPECT_FALSE(projection->begin(bytes.first(20), bytes.size()));
}

}  // namespace
}  // namespace lakestream
