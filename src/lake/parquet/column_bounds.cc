#include "lake/parquet/column_bounds.h"

#include <memory>

#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <parquet/arrow/reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include "base/endian.h"
#include "format/arrow_error.h"

namespace lakestream {
namespace {

template <typename Type>
void merge_as(const parquet::Statistics& from, parquet::Statistics* into) {
  static_cast<parquet::TypedStatistics<Type>*>(into)->Merge(
      static_cast<const parquet::TypedStatistics<Type>&>(from));
}

void merge(const parquet::Statistics& from, parquet::Statistics* into) {
  switch (from.physical_type()) {
    case parquet::Type::BOOLEAN:
      return merge_as<parquet::BooleanType>(from, into);
    case parquet::Type::INT32:
      return merge_as<parquet::Int32Type>(from, into);
    case parquet::Type::INT64:
      return merge_as<parquet::Int64Type>(from, into);
    case parquet::Type::FLOAT:
      return merge_as<parquet::FloatType>(from, into);
    case parquet::Type::DOUBLE:
      return merge_as<parquet::DoubleType>(from, into);
    case parquet::Type::BYTE_ARRAY:
      return merge_as<parquet::ByteArrayType>(from, into);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return merge_as<parquet::FLBAType>(from, into);
    default:
      return;
  }
}

// Over all row groups.
struct LeafSum {
  std::optional<int64_t> null_count = 0;
  std::shared_ptr<parquet::Statistics> bounds = nullptr;  // null: there are none
};

LeafSum sum_of(const parquet::FileMetaData& file, int leaf) {
  LeafSum sum;
  bool has_bounds = file.schema()->Column(leaf)->physical_type() != parquet::Type::INT96;
  for (int group = 0; group < file.num_row_groups(); ++group) {
    std::unique_ptr<parquet::RowGroupMetaData> rows = file.RowGroup(group);
    if (rows->num_rows() == 0) continue;
    std::unique_ptr<parquet::ColumnChunkMetaData> chunk = rows->ColumnChunk(leaf);
    std::shared_ptr<parquet::Statistics> part = chunk->statistics();
    if (part == nullptr || !part->HasNullCount()) return {.null_count = std::nullopt};
    *sum.null_count += part->null_count();
    if (part->null_count() == rows->num_rows()) continue;
    has_bounds = has_bounds && part->HasMinMax();
    if (!has_bounds) continue;
    if (sum.bounds == nullptr) {
      sum.bounds = std::move(part);
    } else {
      merge(*part, sum.bounds.get());
    }
  }
  if (!has_bounds) sum.bounds.reset();
  return sum;
}

ParquetColumn column_of(const parquet::FileMetaData& file, int leaf) {
  ParquetColumn column{.name = file.schema()->Column(leaf)->name()};
  column.field_id = file.schema()->Column(leaf)->schema_node()->field_id();
  for (int group = 0; group < file.num_row_groups(); ++group) {
    column.bytes += file.RowGroup(group)->ColumnChunk(leaf)->total_compressed_size();
  }
  LeafSum sum = sum_of(file, leaf);
  column.null_count = sum.null_count;
  if (sum.bounds != nullptr) {
    column.bounds = ColumnBounds{.min = sum.bounds->EncodeMin(), .max = sum.bounds->EncodeMax()};
  }
  return column;
}

// Several writers compared the bytes of decimals without their sign, or each byte with one, and
// files do not say so: these are known not to.
bool orders_decimals(const parquet::ApplicationVersion& writer) {
  const auto& version = writer.version;
  if (writer.application_ == "parquet-cpp-arrow") return version.major >= 4;
  if (writer.application_ != "parquet-mr") return false;
  return version.major > 1 || (version.major == 1 && version.minor >= 10);
}

// Whether the least value is the same for all who write such a column.
bool has_known_order(const parquet::FileMetaData& file, const parquet::ColumnDescriptor& column) {
  switch (column.physical_type()) {
    case parquet::Type::BOOLEAN:
    case parquet::Type::INT32:
    case parquet::Type::INT64:
      return true;
    case parquet::Type::BYTE_ARRAY:
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      if (column.column_order().get_order() != parquet::ColumnOrder::TYPE_DEFINED_ORDER) {
        return false;
      }
      return !column.logical_type()->is_decimal() || orders_decimals(file.writer_version());
    default:
      return false;
  }
}

// Two's complement, big endian.
std::optional<Int128> read_big_endian(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > sizeof(Int128)) return std::nullopt;
  Int128 value = static_cast<int8_t>(bytes[0]);
  for (char byte : bytes.substr(1)) value = value * 256 + static_cast<uint8_t>(byte);
  return value;
}

// Of what Parquet stores as INT32 or INT64.
std::optional<int64_t> read_integer(std::string_view plain) {
  if (plain.size() == sizeof(int32_t)) return load_le<int32_t>(plain.data());
  if (plain.size() == sizeof(int64_t)) return load_le<int64_t>(plain.data());
  return std::nullopt;
}

std::optional<Value> decimal_bound(const DataType& type, std::string_view plain) {
  if (type.precision() <= 18) {
    std::optional<int64_t> integer = read_integer(plain);
    return integer ? std::optional(Value::decimal(*integer)) : std::nullopt;
  }
  std::optional<Int128> integer = read_big_endian(plain);
  return integer ? std::optional(Value::decimal(*integer)) : std::nullopt;
}

std::optional<Value> timestamp_bound(const DataType& type, std::string_view plain) {
  std::optional<int64_t> integer = read_integer(plain);
  if (!integer || type.precision() > 6) return std::nullopt;
  if (type.precision() <= 3) return Value::timestamp(*integer, 0);
  int64_t micros = *integer % 1000;
  int64_t ms = *integer / 1000;
  if (micros < 0) {
    micros += 1000;
    ms -= 1;
  }
  return Value::timestamp(ms, static_cast<int32_t>(micros * 1000));
}

}  // namespace

std::vector<ParquetColumn> columns_of(const parquet::FileMetaData& file) {
  std::vector<ParquetColumn> columns;
  for (int i = 0; i < file.num_columns(); ++i) {
    if (file.schema()->GetColumnRoot(i)->is_primitive()) columns.push_back(column_of(file, i));
  }
  return columns;
}

Result<std::shared_ptr<arrow::Array>> least_of(const parquet::FileMetaData& file,
                                               const std::string& name) {
  for (int leaf = 0; leaf < file.num_columns(); ++leaf) {
    const parquet::ColumnDescriptor& column = *file.schema()->Column(leaf);
    if (column.name() != name || !file.schema()->GetColumnRoot(leaf)->is_primitive()) continue;
    if (!has_known_order(file, column)) return nullptr;
    std::shared_ptr<parquet::Statistics> bounds = sum_of(file, leaf).bounds;
    if (bounds == nullptr) return nullptr;
    std::shared_ptr<arrow::Scalar> min;
    std::shared_ptr<arrow::Scalar> max;
    if (!parquet::arrow::StatisticsAsScalars(*bounds, &min, &max).ok()) return nullptr;
    return from_arrow(arrow::MakeArrayFromScalar(*min, 1));
  }
  return nullptr;
}

std::optional<Value> bound_value(const DataType& type, std::string_view plain) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      if (plain.size() != 1) return std::nullopt;
      return Value::boolean(plain[0] != 0);
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kBigint:
    case TypeRoot::kDate:
    case TypeRoot::kTime: {
      std::optional<int64_t> integer = read_integer(plain);
      return integer ? std::optional(Value::integer(*integer)) : std::nullopt;
    }
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return Value::bytes(plain);
    case TypeRoot::kDecimal:
      return decimal_bound(type, plain);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return timestamp_bound(type, plain);
    default:
      return std::nullopt;
  }
}

}  // namespace lakestream
