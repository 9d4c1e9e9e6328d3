#pragma once

#include <string_view>

#include "base/result.h"
#include "format/byte_writer.h"
#include "lake/avro/avro_schema.h"
#include "lake/avro/avro_value.h"

// The binary encoding of values, without a file around it.
//
// Thread rule: pure functions; an AvroInput belongs to one thread at a time.
//
//   RETURN_IF_ERROR(encode(schema.root(), value, &out));
//   AvroInput in(out.view());
//   ASSIGN_OR_RETURN(AvroValue value, in.value(schema.root()));
namespace lakestream::avro {

void put_long(int64_t value, ByteWriter* out);
void put_bytes(std::string_view bytes, ByteWriter* out);
// kUnknownServerError when the value does not fit the type; then `out` has a part of it.
Status encode(const AvroType& type, const AvroValue& value, ByteWriter* out);

class AvroInput {
 public:
  explicit AvroInput(std::string_view bytes)
      : rest_(bytes), budget_(kMaxValuesPerByte * (bytes.size() + 1)) {}

  std::string_view rest() const { return rest_; }
  // kUnknownServerError of each when the bytes do not hold it. Texts point into the bytes.
  Result<int64_t> long_value();
  Result<std::string_view> bytes_value();
  Result<std::string_view> fixed_value(size_t size);
  Result<AvroValue> value(const AvroType& type) { return value(type, 0); }

 private:
  Result<AvroValue> value(const AvroType& type, int depth);
  Result<AvroValue> scalar(const AvroType& type);
  Result<AvroValue> record(const AvroType& type, int depth);
  Result<AvroValue> items(const AvroType& type, int depth);
  Result<size_t> item_count();

  // Nulls and records of nothing but nulls have no bytes; a value of others has one at least, and
  // not more levels around it than this.
  static constexpr size_t kMaxValuesPerByte = kMaxAvroDepth + 1;

  std::string_view rest_;
  size_t budget_;  // of values still to come
};

}  // namespace lakestream::avro
