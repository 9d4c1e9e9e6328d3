#include "format/keys.h"

#include <gtest/gtest.h>

#include "format/key_text.h"

namespace lakestream {
namespace {

Schema schema_of(std::vector<DataType> types) {
  SchemaBuilder builder;
  for (size_t i = 0; i < types.size(); ++i) builder.column("c" + std::to_string(i), types[i]);
  return *builder.build();
}

Result<KeyEncoder> encoder(KeyEncoding encoding, std::vector<DataType> types) {
  std::vector<size_t> columns;
  for (size_t i = 0; i < types.size(); ++i) columns.push_back(i);
  return KeyEncoder::make(encoding, schema_of(std::move(types)), columns);
}

TEST(KeyEncoder, RefusesTypesThatALakeCanNotHash) {
  EXPECT_FALSE(encoder(KeyEncoding::kIceberg, {DataType::boolean()}));
  EXPECT_FALSE(encoder(KeyEncoding::kIceberg, {DataType::smallint()}));
  EXPECT_FALSE(encoder(KeyEncoding::kIceberg, {DataType::timestamp_ltz(3)}));
  EXPECT_FALSE(encoder(KeyEncoding::kIceberg, {DataType::integer(), DataType::integer()}));
  EXPECT_FALSE(encoder(KeyEncoding::kHudi, {DataType::bytes()}));
  EXPECT_FALSE(encoder(KeyEncoding::kPaimon, {DataType::array(DataType::integer())}));
  EXPECT_FALSE(encoder(KeyEncoding::kCompacted, {}));
  EXPECT_EQ(encoder(KeyEncoding::kHudi, {DataType::bytes()}).error().code(),
            ErrorCode::kInvalidTableException);
}

TEST(KeyEncoder, RefusesValuesThatAreNoKeys) {
  ByteWriter out;
  Value null[] = {Value::null()};
  EXPECT_FALSE(encoder(KeyEncoding::kCompacted, {DataType::integer()})->encode(null, &out));
  EXPECT_FALSE(encoder(KeyEncoding::kIceberg, {DataType::integer()})->encode(null, &out));
  auto hudi = encoder(KeyEncoding::kHudi, {DataType::string(), DataType::string()});
  for (std::string_view text : {"a,b", "__null__", "__empty__"}) {
    Value row[] = {Value::bytes("x"), Value::bytes(text)};
    EXPECT_FALSE(hudi->encode(row, &out)) << text;
  }
  Value wrong_kind[] = {Value::bytes("x")};
  EXPECT_FALSE(encoder(KeyEncoding::kHudi, {DataType::integer()})->encode(wrong_kind, &out));
  EXPECT_TRUE(out.empty());
}

TEST(KeyText, IsJavasText) {
  // The values and texts are those of java.lang and java.time.
  EXPECT_EQ(key_text(DataType::double_(), Value::double_(-0.0)), "-0.0");
  EXPECT_EQ(key_text(DataType::double_(), Value::double_(1e10)), "1.0E10");
  EXPECT_EQ(key_text(DataType::float_(), Value::float_(-INFINITY)), "-Infinity");
  EXPECT_EQ(key_text(DataType::decimal(10, 3), Value::decimal(-5)), "-0.005");
  EXPECT_EQ(key_text(DataType::decimal(10, 0), Value::decimal(0)), "0");
  EXPECT_EQ(key_text(DataType::timestamp(3), Value::timestamp(0, 0)), "1970-01-01T00:00");
  EXPECT_EQ(key_text(DataType::timestamp(9), Value::timestamp(-1, 999'999)),
            "1969-12-31T23:59:59.999999999");
  EXPECT_EQ(key_text(DataType::timestamp_ltz(3), Value::timestamp(0, 0)), "1970-01-01T00:00:00Z");
}

TEST(KeyText, HashIsOverUtf16) {
  // "😀".hashCode() in Java, a surrogate pair.
  EXPECT_EQ(java_hash("\xf0\x9f\x98\x80"), 1772899U);
  EXPECT_EQ(java_hash("abc"), 96354U);
  EXPECT_EQ(java_hash(""), 0U);
}

TEST(Buckets, RefuseKeysWithoutBytes) {
  EXPECT_FALSE(bucket_of(Bucketing::kFluss, {}, 3));
  EXPECT_FALSE(bucket_of(Bucketing::kIceberg, {}, 3));
  EXPECT_FALSE(bucket_of(Bucketing::kHudi, {}, 3));
}

TEST(TableKeys, PrefixLookupNeedsAPrefixAndACompactedKey) {
  Schema schema = *SchemaBuilder()
                       .column("a", DataType::integer())
                       .column("b", DataType::string())
                       .column("v", DataType::integer())
                       .primary_key({"a", "b"})
                       .build();
  EXPECT_FALSE(TableKeys::of(schema, {})->prefix_key());
  EXPECT_TRUE(TableKeys::of(schema, {})->bucket_key_is_primary_key());
  EXPECT_TRUE(TableKeys::of(schema, {.bucket_keys = {"a"}})->prefix_key());
  EXPECT_FALSE(TableKeys::of(schema, {.bucket_keys = {"b"}})->prefix_key());
  TableKeyOptions paimon{.bucket_keys = {"a"}, .lake_format = LakeFormatKind::kPaimon};
  EXPECT_FALSE(TableKeys::of(schema, paimon)->prefix_key());
  paimon.kv_format_version = 2;
  EXPECT_TRUE(TableKeys::of(schema, paimon)->prefix_key());
  paimon.kv_format_version = 3;
  EXPECT_FALSE(TableKeys::of(schema, paimon));
  EXPECT_FALSE(TableKeys::of(schema, {.bucket_keys = {"missing"}}));
}

}  // namespace
}  // namespace lakestream
