#include "format/rows.h"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace lakestream {
namespace {

constexpr RowFormat kFormats[] = {RowFormat::kCompacted, RowFormat::kIndexed, RowFormat::kAligned};

DataType pair_type() {
  return DataType::row({{"x", DataType::decimal(25, 3), {}, 1}, {"y", DataType::string(), {}, 2}});
}

std::vector<Field> fields_of_types(std::vector<DataType> types) {
  std::vector<Field> fields;
  for (DataType& type : types) fields.push_back({"c", std::move(type), {}, 0});
  return fields;
}

// Random values of a type; a plain model to compare what comes back with.
class Source {
 public:
  explicit Source(uint32_t seed) : random_(seed) {}

  Value value(const DataType& type, Arena* arena, int depth) {
    if (random_() % 5 == 0) return Value::null();
    switch (value_kind_of(type)) {
      case Value::Kind::kBoolean:
        return Value::boolean(random_() % 2 == 0);
      case Value::Kind::kInteger:
        if (type.is(TypeRoot::kBigint)) return Value::integer(wide());
        if (type.is(TypeRoot::kTinyint)) return Value::integer(static_cast<int8_t>(random_()));
        if (type.is(TypeRoot::kSmallint)) return Value::integer(static_cast<int16_t>(random_()));
        return Value::integer(static_cast<int32_t>(random_()));
      case Value::Kind::kFloat:
        return Value::float_(static_cast<float>(wide()));
      case Value::Kind::kDouble:
        return Value::double_(static_cast<double>(wide()));
      case Value::Kind::kBytes: {
        size_t limit = type.is(TypeRoot::kChar) || type.is(TypeRoot::kBinary)
                           ? static_cast<size_t>(type.length())
                           : 20;
        std::string text(random_() % (limit + 1), 'x');
        return Value::bytes(arena->copy(text));
      }
      case Value::Kind::kDecimal:
        return Value::decimal((Int128{wide()} * wide()) % power_of_ten(type.precision()));
      case Value::Kind::kTimestamp:
        return Value::timestamp(
            wide(), type.precision() <= 3 ? 0 : static_cast<int32_t>(random_() % 1'000'000));
      default:
        return items(type, arena, depth);
    }
  }

 private:
  int64_t wide() {
    return static_cast<int64_t>(uint64_t{random_()} << 32 | random_()) >> random_() % 60;
  }

  Value items(const DataType& type, Arena* arena, int depth) {
    if (type.is(TypeRoot::kRow)) {
      std::span<Value> values = arena->values(type.fields().size());
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = value(type.fields()[i].type, arena, depth + 1);
      }
      return Value::row(values);
    }
    size_t count = random_() % (depth == 0 ? 40 : 5);
    bool is_map = type.is(TypeRoot::kMap);
    std::span<Value> values = arena->values(is_map ? 2 * count : count);
    for (size_t i = 0; i < values.size(); ++i) {
      const DataType& item = !is_map      ? type.element_type()
                             : i % 2 == 0 ? type.key_type()
                                          : type.value_type();
      do {
        values[i] = value(item, arena, depth + 1);
      } while (is_map && i % 2 == 0 && values[i].is_null());
    }
    return is_map ? Value::map(values) : Value::array(values);
  }

  std::mt19937 random_;
};

std::vector<DataType> every_type() {
  return {DataType::boolean(),
          DataType::tinyint(),
          DataType::smallint(),
          DataType::integer(),
          DataType::bigint(),
          DataType::float_(),
          DataType::double_(),
          DataType::char_(9),
          DataType::string(),
          DataType::binary(3),
          DataType::bytes(),
          DataType::decimal(9, 2),
          DataType::decimal(38, 10),
          DataType::date(),
          DataType::time(3),
          DataType::timestamp(3),
          DataType::timestamp(6),
          DataType::timestamp_ltz(9),
          DataType::array(DataType::integer()),
          DataType::array(DataType::array(DataType::string())),
          DataType::map(DataType::string().not_null(), pair_type()),
          DataType::array(pair_type()),
          DataType::row(
              {{"a", DataType::array(DataType::boolean()), {}, 3},
               {"m", DataType::map(DataType::integer().not_null(), DataType::double_()), {}, 4}})};
}

TEST(RowCodec, RandomRowsComeBack) {
  // Every type and nesting in every format, against the values themselves.
  Source source(7);
  std::vector<Field> fields = fields_of_types(every_type());
  for (RowFormat format : kFormats) {
    RowCodec codec(format, fields);
    for (int round = 0; round < 200; ++round) {
      Arena arena;
      std::vector<Value> row;
      for (const Field& field : fields) row.push_back(source.value(field.type, &arena, 0));
      ByteWriter out;
      ASSERT_TRUE(codec.encode(row, &out));
      auto decoded = codec.decode(out.span(), &arena);
      ASSERT_TRUE(decoded) << decoded.error().message();
      ASSERT_TRUE(std::ranges::equal(*decoded, row)) << row_format_name(format);
    }
  }
}

TEST(RowCodec, CutRowsAreRefused) {
  // Rows end where their columns end: each shorter prefix of a compacted or indexed row is none,
  // and so is a longer one.
  std::vector<Field> fields =
      fields_of_types({DataType::integer(), DataType::string(), pair_type()});
  Arena arena;
  Value pair[] = {Value::decimal(-1), Value::bytes("inner text")};
  Value row[] = {Value::integer(300), Value::bytes("text"), Value::row(pair)};
  for (RowFormat format : {RowFormat::kCompacted, RowFormat::kIndexed}) {
    RowCodec codec(format, fields);
    ByteWriter out;
    ASSERT_TRUE(codec.encode(row, &out));
    for (size_t size = 0; size < out.size(); ++size) {
      EXPECT_FALSE(codec.decode(out.span().first(size), &arena)) << size;
    }
    out.put<uint8_t>(0);
    EXPECT_FALSE(codec.decode(out.span(), &arena));
  }
}

TEST(RowCodec, OverlappingEntriesDoNotMultiply) {
  // Each of 64 elements refers to the whole array again; five levels would be a billion values.
  DataType type = DataType::bigint();
  for (int level = 0; level < 5; ++level) type = DataType::array(type);
  constexpr uint32_t kCount = 64;
  ByteWriter array;
  array.put<uint32_t>(kCount);
  array.put_zeros(kCount / 8);
  array.pad_to_8(0);
  size_t elements = 4 + kCount / 8;
  array.truncate(elements);
  uint32_t size = static_cast<uint32_t>(elements + 8 * kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    array.put<uint32_t>(size);
    array.put<uint32_t>(0);
  }
  ByteWriter row;
  row.put<uint8_t>(0);
  row.put_uvarint(array.size());
  row.put_bytes(array.span());
  Arena arena;
  EXPECT_FALSE(RowCodec(RowFormat::kCompacted, fields_of_types({type})).decode(row.span(), &arena));
}

TEST(RowCodec, ValuesThatDoNotFitLeaveTheOutputAsItWas) {
  struct Case {
    DataType type;
    Value value;
  };
  Value lonely_key[] = {Value::integer(1)};
  const Case cases[] = {
      {DataType::tinyint(), Value::integer(128)},
      {DataType::smallint(), Value::integer(-32769)},
      {DataType::integer(), Value::integer(int64_t{1} << 31)},
      {DataType::decimal(3, 0), Value::decimal(1000)},
      {DataType::timestamp(9), Value::timestamp(0, 1'000'000)},
      {DataType::string(), Value::integer(1)},
      {pair_type(), Value::row(lonely_key)},
      {DataType::map(DataType::integer().not_null(), DataType::integer()), Value::map(lonely_key)},
  };
  for (const Case& c : cases) {
    for (RowFormat format : kFormats) {
      ByteWriter out;
      out.put_bytes(std::string_view("kept"));
      Value row[] = {c.value};
      EXPECT_FALSE(RowCodec(format, fields_of_types({c.type})).encode(row, &out))
          << c.type.to_string();
      EXPECT_EQ(out.view(), "kept");
    }
  }
  ByteWriter out;
  Value row[] = {Value::bytes("äöü")};
  RowCodec indexed(RowFormat::kIndexed, fields_of_types({DataType::char_(5)}));
  Status status = indexed.encode(row, &out);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message().find("longer in bytes"), std::string::npos);
}

TEST(RowAlignment, MatchesByIdAndNotByName) {
  // A dropped column's name comes back under another id: the old value must not show.
  Schema old_schema =
      *SchemaBuilder().column("a", DataType::integer()).column("b", DataType::string()).build();
  Schema new_schema = *SchemaBuilder()
                           .raise_highest_field_id(1)
                           .column("b", DataType::string())
                           .column_with_ids(old_schema.column(0))
                           .build();
  Value row[] = {Value::integer(7), Value::bytes("old")};
  Arena arena;
  auto aligned = RowAlignment(old_schema, new_schema).apply(row, &arena);
  ASSERT_EQ(aligned.size(), 2U);
  EXPECT_TRUE(aligned[0].is_null());
  EXPECT_EQ(aligned[1], Value::integer(7));
  RowAlignment same(old_schema, old_schema);
  EXPECT_TRUE(same.is_identity());
  EXPECT_EQ(same.apply(row, &arena).data(), row);
}

TEST(RowCodec, DamagedRowsNeverLeaveTheirBytes) {
  // Every byte of a row set to every extreme: an answer or an error, and what is read can be
  // written.
  Source source(11);
  std::vector<Field> fields = fields_of_types(every_type());
  for (RowFormat format : kFormats) {
    RowCodec codec(format, fields);
    Arena arena;
    std::vector<Value> row;
    for (const Field& field : fields) row.push_back(source.value(field.type, &arena, 0));
    ByteWriter out;
    ASSERT_TRUE(codec.encode(row, &out));
    std::string bytes(out.view());
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (char value : {'\x00', '\x01', '\x7f', '\x80', '\xff'}) {
        std::string damaged = bytes;
        damaged[i] = value;
        Arena local;
        auto decoded = codec.decode(
            {reinterpret_cast<const uint8_t*>(damaged.data()), damaged.size()}, &local);
        if (!decoded) continue;
        ByteWriter again;
        EXPECT_TRUE(codec.encode(*decoded, &again));
      }
    }
  }
}

}  // namespace
}  // namespace lakestream
