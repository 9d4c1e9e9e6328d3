#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lake/avro/avro_encode.h"
#include "lake/avro/avro_file.h"

namespace lakestream::avro {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSchema = R"({"type":"record","name":"row","namespace":"a.b","fields":[
  {"name":"id","type":"long","field-id":7},
  {"name":"small","type":["null","int"],"default":null},
  {"name":"flag","type":"boolean"},
  {"name":"ratio","type":"double"},
  {"name":"rough","type":"float"},
  {"name":"name","type":["null","string"],"default":null},
  {"name":"raw","type":"bytes"},
  {"name":"four","type":{"type":"fixed","name":"four","size":4}},
  {"name":"color","type":{"type":"enum","name":"color","symbols":["red","green"]}},
  {"name":"counts","type":{"type":"array","items":["null","long"]}},
  {"name":"tags","type":{"type":"map","values":"string"}},
  {"name":"next","type":["null","row"],"default":null}]})";

std::string read_testdata(const std::string& name) {
  std::ifstream file(std::string(LAKESTREAM_SOURCE_DIR "/src/lake/testdata/") + name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

AvroSchema schema_of(std::string_view text) {
  Result<AvroSchema> schema = AvroSchema::parse(text);
  EXPECT_TRUE(schema) << schema.error().message();
  return *schema;
}

// One row as text, with all of its fields.
std::string text_of(const AvroValue& value) {
  using Kind = AvroValue::Kind;
  auto list = [&](char open, char close) {
    std::string text(1, open);
    for (const AvroValue& item : value.items()) {
      if (text.size() > 1) text += ' ';
      text += text_of(item);
    }
    return text + close;
  };
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return value.as_boolean() ? "true" : "false";
    case Kind::kInteger:
      return std::to_string(value.as_integer());
    case Kind::kNumber:
      return fmt::format("{}", value.as_number());
    case Kind::kBytes:
      return std::string(value.as_bytes());
    case Kind::kArray:
      return list('[', ']');
    case Kind::kMap:
      return list('<', '>');
    case Kind::kRecord:
      return list('{', '}');
  }
  return "";
}

Result<std::vector<std::string>> rows_of(std::string_view file) {
  ASSIGN_OR_RETURN(AvroReader reader, AvroReader::open(file));
  std::vector<std::string> rows;
  RETURN_IF_ERROR(reader.each([&](const AvroValue& row) -> Status {
    rows.push_back(text_of(row));
    return ok();
  }));
  return rows;
}

AvroValue row(int64_t id, std::string_view name, AvroValue next) {
  return AvroValue::record({
      AvroValue::integer(id),
      id % 2 == 0 ? AvroValue::null() : AvroValue::integer(-id),
      AvroValue::boolean(id % 3 == 0),
      AvroValue::number(0.5),
      AvroValue::number(-2.25),
      name.empty() ? AvroValue::null() : AvroValue::bytes(name),
      AvroValue::bytes("raw"),
      AvroValue::bytes("four"),
      AvroValue::bytes("green"),
      AvroValue::array({AvroValue::null(), AvroValue::integer(INT64_MIN)}),
      AvroValue::map({AvroValue::bytes("k"), AvroValue::bytes("v")}),
      std::move(next),
  });
}

constexpr std::string_view kInner =
    "{1 -1 false 0.5 -2.25 inner raw four green [null -9223372036854775808] <k v> null}";

TEST(Avro, FilesOfAnotherLibraryAreRead) {
  // Proves for each codec that a file of fastavro gives its rows: several blocks, every type.
  for (std::string codec : {"null", "deflate", "zstandard"}) {
    std::string file = read_testdata("avro/all_types." + codec + ".avro");
    ASSERT_FALSE(file.empty()) << codec;
    Result<AvroReader> reader = AvroReader::open(file);
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_EQ(reader->metadata().find("made-by")->second, "fastavro");
    Result<std::vector<std::string>> rows = rows_of(file);
    ASSERT_TRUE(rows) << rows.error().message();
    ASSERT_EQ(rows->size(), 40u);
    EXPECT_EQ((*rows)[0],
              "{0 null true 0.5 -2.25 null raw four red [null -9223372036854775808] <k v> null}");
    EXPECT_EQ(
        (*rows)[39],
        "{39 -39 true 0.5 -2.25 name-39 raw four green [null -9223372036854775808] <k v> "
        "{1 -1 false 0.5 -2.25 inner raw four green [null -9223372036854775808] <k v> null}}");
  }
}

TEST(Avro, WhatIsWrittenIsReadAgain) {
  // Proves the round trip over codecs and blocks, header metadata included.
  for (AvroCodec codec : {AvroCodec::kNull, AvroCodec::kDeflate, AvroCodec::kZstandard}) {
    AvroWriter writer(schema_of(kSchema),
                      {.codec = codec,
                       .metadata = {{"format-version", "2"}},
                       .sync = {1, 2, 3},
                       .block_bytes = 100});
    for (int64_t id = 0; id < 50; ++id) {
      AvroValue next = id == 49 ? row(1, "inner", AvroValue::null()) : AvroValue::null();
      ASSERT_TRUE(writer.append(row(id, "", std::move(next))));
    }
    Result<Bytes> file = std::move(writer).finish();
    ASSERT_TRUE(file) << file.error().message();
    Result<AvroReader> reader = AvroReader::open(file->view());
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_EQ(reader->metadata().find("format-version")->second, "2");
    EXPECT_EQ(reader->schema().text(), kSchema);  // attributes stay
    Result<std::vector<std::string>> rows = rows_of(file->view());
    ASSERT_TRUE(rows) << rows.error().message();
    ASSERT_EQ(rows->size(), 50u);
    EXPECT_THAT(rows->back(), HasSubstr(std::string(kInner)));
  }
}

TEST(Avro, FieldsAreAskedForByName) {
  // Proves that order and further fields of the writer do not matter, and what a misfit says.
  AvroSchema schema = schema_of(
      R"({"type":"record","name":"r","fields":[{"name":"more","type":"string"},
      {"name":"big","type":"long"},{"name":"none","type":["null","long"]}]})");
  ByteWriter out;
  ASSERT_TRUE(
      encode(schema.root(),
             AvroValue::record(
                 {AvroValue::bytes("x"), AvroValue::integer(int64_t{1} << 40), AvroValue::null()}),
             &out));
  Result<AvroValue> record = AvroInput(out.view()).value(schema.root());
  ASSERT_TRUE(record);
  EXPECT_EQ(*record->integer_at("big"), int64_t{1} << 40);
  EXPECT_EQ(record->int32_at("big").error().message(),
            "field big: 1099511627776 does not fit 32 bits");
  EXPECT_EQ(record->integer_at("none").error().message(), "field none is missing");
  EXPECT_EQ(record->integer_at("other").error().message(), "field other is missing");
  EXPECT_EQ(record->integer_at("more").error().message(), "field more has another type");
  EXPECT_EQ(*record->optional_integer_at("none"), std::nullopt);
  EXPECT_EQ(*record->optional_bytes_at("more"), "x");
}

TEST(Avro, ValuesThatDoNotFitAreRefused) {
  // Proves that a writer names what is wrong with a value.
  auto refused = [](std::string_view type, AvroValue value) {
    ByteWriter out;
    Status encoded = encode(schema_of(type).root(), value, &out);
    return encoded ? "taken" : encoded.error().message();
  };
  EXPECT_EQ(refused(R"("long")", AvroValue::bytes("x")),
            "avro value: it is of another type than its schema says");
  EXPECT_EQ(refused(R"("int")", AvroValue::integer(int64_t{1} << 31)),
            "avro value: an int has 32 bits");
  EXPECT_EQ(refused(R"(["null","long"])", AvroValue::bytes("x")),
            "avro value: no branch of the union takes it");
  EXPECT_EQ(refused(R"({"type":"enum","name":"e","symbols":["a"]})", AvroValue::bytes("b")),
            "avro value: the enum has no such symbol");
  EXPECT_EQ(refused(R"({"type":"fixed","name":"f","size":2})", AvroValue::bytes("abc")),
            "avro value: a fixed of another size");
  EXPECT_EQ(refused(R"({"type":"record","name":"r","fields":[{"name":"a","type":"int"}]})",
                    AvroValue::record({AvroValue::null()})),
            "a: avro value: it is of another type than its schema says");
}

TEST(Avro, SchemasThatAreNoneAreRefused) {
  // Proves that a wrong schema gives an error that names the place.
  auto refused = [](std::string_view text) {
    Result<AvroSchema> schema = AvroSchema::parse(text);
    return schema ? "taken" : schema.error().message();
  };
  EXPECT_THAT(refused("{"), HasSubstr("avro schema: text is no JSON"));
  EXPECT_THAT(refused("7"), HasSubstr("is no object"));
  EXPECT_THAT(refused(R"("nothing")"), HasSubstr("'nothing' is no type"));
  EXPECT_THAT(refused(R"({"type":"array"})"), HasSubstr("items: is missing"));
  EXPECT_THAT(refused(R"(["null",["int"]])"), HasSubstr("a union holds no union"));
  EXPECT_THAT(refused(R"({"type":"fixed","name":"f","size":-1})"),
              HasSubstr("a fixed of -1 bytes"));
  EXPECT_THAT(refused(R"({"type":"record","name":"r","fields":[{"name":"a","type":{"type":"record",
              "name":"r","fields":[]}}]})"),
              HasSubstr("the name 'r' is given twice"));
  std::string deep(2000, '[');
  EXPECT_THAT(refused(deep + "\"int\"" + std::string(2000, ']')), HasSubstr("too deep"));
  std::string nested;
  for (int i = 0; i < 100; ++i) nested += R"({"type":"array","items":)";
  EXPECT_THAT(refused(nested + "\"int\"" + std::string(100, '}')), HasSubstr("too deep"));
}

TEST(Avro, DamagedFilesAreRefused) {
  // Proves for each codec that cutting a file off, or changing a byte of it, ends in an error or in
  // rows, never in a crash.
  for (std::string codec : {"null", "deflate", "zstandard"}) {
    std::string file = read_testdata("avro/all_types." + codec + ".avro");
    size_t shorter = 0;
    for (size_t size = 0; size < file.size(); size += 3) {
      Result<std::vector<std::string>> rows = rows_of(std::string_view(file).substr(0, size));
      if (!rows) continue;
      EXPECT_LT(rows->size(), 40u);  // the end of a block
      ++shorter;
    }
    EXPECT_LT(shorter, 10u);
    for (size_t at = 0; at < file.size(); at += 2) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << at / 2 % 8));
      (void)rows_of(damaged);
    }
  }
}

TEST(Avro, CountsThatPromiseTooMuchAreRefused) {
  // Proves that lengths and counts are held against the bytes that are there before memory is
  // taken.
  auto refused = [](std::string_view type, const std::function<void(ByteWriter*)>& fill) {
    ByteWriter out;
    fill(&out);
    AvroSchema schema = schema_of(type);
    Result<AvroValue> value = AvroInput(out.view()).value(schema.root());
    return value ? "taken" : value.error().message();
  };
  EXPECT_EQ(refused(R"("bytes")", [](ByteWriter* out) { put_long(INT64_MAX, out); }),
            "avro data: it ends within a value");
  EXPECT_EQ(refused(R"("bytes")", [](ByteWriter* out) { put_long(-1, out); }),
            "avro data: a length is negative");
  auto nulls = [](ByteWriter* out) {
    put_long(INT64_MAX, out);
    put_long(0, out);
  };
  EXPECT_EQ(refused(R"({"type":"array","items":"null"})", nulls),
            "avro data: it ends within an array");
  auto most_nulls = [](ByteWriter* out) {
    for (int i = 0; i < 100; ++i) put_long(60, out);
    put_long(0, out);
  };
  EXPECT_EQ(refused(R"({"type":"array","items":{"type":"record","name":"r","fields":[
                    {"name":"a","type":"null"},{"name":"b","type":"null"}]}})",
                    most_nulls),
            "b: avro data: it has too many values without bytes");
  // A record within itself that never ends.
  EXPECT_EQ(refused(R"({"type":"record","name":"r","fields":[{"name":"a","type":"r"}]})",
                    [](ByteWriter* out) { out->put_zeros(1000); })
                .substr(0, 2),
            "a:");
  EXPECT_EQ(refused(R"("long")",
                    [](ByteWriter* out) {
                      for (int i = 0; i < 10; ++i) out->put<uint8_t>(0xff);
                    }),
            "avro data: a number has more than 64 bits");
}

}  // namespace
}  // namespace lakestream::avro
