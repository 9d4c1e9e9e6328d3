#include "format/kv_batch.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/checksum.h"
#include "format/kv_value.h"

namespace lakestream {
namespace {

std::span<const uint8_t> span_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Bytes two_records() {
  KvBatchBuilder builder(SchemaId(1));
  builder.upsert(span_of("key"), span_of("row"));
  builder.remove(span_of("gone"));
  return builder.finish({WriterId(5), 2});
}

// The batch with one byte set; with `sealed` its checksum is right.
Bytes with_byte(size_t position, uint8_t value, bool sealed) {
  Bytes source = two_records();
  MutableBytes copy = MutableBytes::allocate(source.size());
  std::ranges::copy(source.span(), copy.data());
  copy.data()[position] = value;
  if (sealed) store_le<uint32_t>(copy.data() + 5, crc32c(copy.span().subspan(9)));
  return std::move(copy).freeze();
}

ErrorCode validate(Bytes bytes) {
  auto batch = KvBatchView::parse(std::move(bytes));
  if (!batch) return batch.error().code();
  Status status = batch->validate();
  return status ? ErrorCode::kNone : status.error().code();
}

TEST(KvBatch, RefusesWhatIsShorterOrLongerThanItsHeaderSays) {
  Bytes whole = two_records();
  EXPECT_EQ(validate(whole), ErrorCode::kNone);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(validate(whole.slice(0, size)), ErrorCode::kUnknownServerError);
  }
}

TEST(KvBatch, DamageIsRetriableAndAWrongBatchIsNot) {
  Bytes whole = two_records();
  for (size_t i = 9; i < whole.size(); ++i) {
    EXPECT_EQ(validate(with_byte(i, static_cast<uint8_t>(whole[i] ^ 1), false)),
              ErrorCode::kCorruptRecordException);
  }
  struct Case {
    size_t position;
    uint8_t value;
  };
  // magic, schema id, attributes, writer, count (three ways), record size, key size
  for (Case c : {Case{4, 1},
                 {10, 0x80},
                 {11, 1},
                 {19, 0x80},
                 {24, 1},
                 {24, 3},
                 {27, 0x80},
                 {28, 3},
                 {28, 0},
                 {31, 0x80},
                 {32, 8},
                 {32, 0xff}}) {
    EXPECT_EQ(validate(with_byte(c.position, c.value, true)), ErrorCode::kUnknownServerError)
        << c.position << " " << int{c.value};
  }
}

TEST(KvBatch, ABuilderStartsAnew) {
  KvBatchBuilder builder(SchemaId(1));
  EXPECT_EQ(validate(builder.finish({})), ErrorCode::kNone);
  builder.remove(span_of(""));
  Bytes batch = builder.finish({});
  EXPECT_EQ(KvBatchView::parse(batch)->record_count(), 1);
  EXPECT_EQ(validate(batch), ErrorCode::kNone);
  EXPECT_EQ(builder.record_count(), 0);
  EXPECT_EQ(builder.size(), kKvBatchHeaderSize);
}

TEST(KvValue, ShortValuesAreRefused) {
  Bytes nine = Bytes::copy_of("123456789");
  EXPECT_TRUE(parse_value(ValueLayout::kPlain, nine.span()));
  EXPECT_FALSE(parse_value(ValueLayout::kTagged, nine.span()));
  EXPECT_FALSE(plain_value(ValueLayout::kTagged, nine));
  EXPECT_FALSE(parse_value(ValueLayout::kPlain, nine.span().first(1)));
}

TEST(ValueBatch, RecordsTileIt) {
  ValueBatchBuilder builder;
  builder.append(span_of("\1\0row"));
  Bytes whole = builder.finish();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ValueBatchReader::parse(whole.span().first(size)));
  }
  MutableBytes wrong = MutableBytes::allocate(whole.size());
  std::ranges::copy(whole.span(), wrong.data());
  for (uint8_t size : {uint8_t{0}, uint8_t{1}, uint8_t{4}, uint8_t{6}, uint8_t{255}}) {
    wrong.data()[9] = size;
    auto reader = ValueBatchReader::parse(wrong.span());
    ASSERT_TRUE(reader);
    EXPECT_FALSE(reader->next()) << int{size};
  }
}

}  // namespace
}  // namespace lakestream
