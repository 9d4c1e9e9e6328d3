#include "lake/paimon/binary_row.h"

#include "base/check.h"
#include "base/endian.h"
#include "format/byte_writer.h"
#include "format/rows.h"

namespace lakestream::paimon {
namespace {

constexpr size_t kArityBytes = 4;

// The layout behind the number of fields is the one that rows of statistics have.
RowCodec codec_of(std::span<const DataType> types) {
  std::vector<Field> fields;
  fields.reserve(types.size());
  for (const DataType& type : types) fields.push_back({"", type, {}, kUnknownFieldId});
  return RowCodec(RowFormat::kAligned, std::move(fields));
}

}  // namespace

std::string binary_row(std::span<const DataType> types, std::span<const Value> values) {
  CHECK(types.size() == values.size(), "a value a type");
  ByteWriter out;
  store_be<int32_t>(out.extend(kArityBytes), static_cast<int32_t>(types.size()));
  Status encoded = codec_of(types).encode(values, &out);
  CHECK(encoded.has_value(), encoded ? "" : encoded.error().message());
  return std::string(out.view());
}

Result<std::span<const Value>> read_binary_row(std::span<const DataType> types,
                                               std::string_view bytes,
                                               Arena* arena) {
  if (bytes.empty() && types.empty()) return std::span<const Value>();
  if (bytes.size() < kArityBytes) {
    return make_error(
        ErrorCode::kUnknownServerError, "BinaryRow of {} bytes: it is cut off", bytes.size());
  }
  auto arity = load_be<int32_t>(bytes.data());
  if (arity < 0 || static_cast<size_t>(arity) != types.size()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "BinaryRow of {} fields: {} are expected",
                      arity,
                      types.size());
  }
  std::string_view row = bytes.substr(kArityBytes);
  return codec_of(types).decode({reinterpret_cast<const uint8_t*>(row.data()), row.size()}, arena);
}

}  // namespace lakestream::paimon
