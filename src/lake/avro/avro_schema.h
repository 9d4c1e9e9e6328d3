#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// The schema of an Avro file (Apache Avro 1.11 specification): its JSON text, kept as it is with
// all attributes (logical types, field ids), and the types in it as a tree that coders walk.
//
// Thread rule: immutable, any thread; an AvroType lives as long as a copy of its schema.
//
//   ASSIGN_OR_RETURN(AvroSchema schema, AvroSchema::parse(R"({"type":"record","name":"r",
//       "fields":[{"name":"size","type":["null","long"],"default":null}]})"));
//   schema.root().fields[0].name;  // "size"
namespace lakestream::avro {

enum class AvroKind : uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kRecord,
};

struct AvroType;

struct AvroField {
  std::string name;
  const AvroType* type = nullptr;
};

struct AvroType {
  AvroKind kind = AvroKind::kNull;
  std::string name = {};               // full name of a record, an enum or a fixed
  std::vector<AvroField> fields = {};  // of a record
  // Element of an array, value of a map, branches of a union.
  std::vector<const AvroType*> parts = {};
  std::vector<std::string> symbols = {};  // of an enum
  uint32_t size = 0;                      // of a fixed
};

// Levels of types inside each other, in a schema and in a value.
inline constexpr int kMaxAvroDepth = 64;
inline constexpr uint32_t kMaxAvroFixedBytes = 1 << 20;

class AvroSchema {
 public:
  // kUnknownServerError when the text is no schema.
  static Result<AvroSchema> parse(std::string_view json);

  const AvroType& root() const { return *root_; }
  const std::string& text() const { return *text_; }

 private:
  AvroSchema() = default;
  friend class SchemaParser;

  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const std::vector<std::unique_ptr<AvroType>>> types_;
  const AvroType* root_ = nullptr;
};

}  // namespace lakestream::avro
