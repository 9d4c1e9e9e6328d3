#include "client/partition_namer.h"

namespace lakestream::client {
namespace {

std::string text_of(const DataType& type, const Value& value) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return partition_text_of_boolean(value.as_boolean());
    case TypeRoot::kDate:
      return partition_text_of_date(static_cast<int32_t>(value.as_integer()));
    case TypeRoot::kTime:
      return partition_text_of_time(static_cast<int32_t>(value.as_integer()));
    case TypeRoot::kFloat:
      return partition_text_of_float(value.as_float());
    case TypeRoot::kDouble:
      return partition_text_of_double(value.as_double());
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return partition_text_of_timestamp(value.timestamp_ms(), value.timestamp_ns());
    case TypeRoot::kBinary:
    case TypeRoot::kBytes: {
      std::string_view bytes = value.as_bytes();
      return partition_text_of_bytes(
          {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    }
    case TypeRoot::kChar:
    case TypeRoot::kString:
      return std::string(value.as_bytes());
    default:
      return partition_text_of_integer(value.as_integer());
  }
}

}  // namespace

PartitionNamer::PartitionNamer(const TableDescriptor& table) : keys_(table.partition_keys) {
  for (const std::string& key : keys_) {
    std::optional<size_t> index = table.schema.index_of(key);
    CHECK(index.has_value(), "partition keys of a normalized table");
    columns_.push_back(*index);
    types_.push_back(table.schema.column(*index).type);
  }
}

Result<ResolvedPartitionSpec> PartitionNamer::of(std::span<const Value> row) const {
  ResolvedPartitionSpec partition;
  for (size_t i = 0; i < keys_.size(); ++i) {
    const Value& value = row[columns_[i]];
    if (value.is_null()) {
      return make_error(ErrorCode::kPartitionSpecInvalidException,
                        "the partition key '{}' is null; each row needs a value",
                        keys_[i]);
    }
    partition.values.push_back(text_of(types_[i], value));
  }
  RETURN_IF_ERROR(check_partition_values(partition.values));
  partition.keys = keys_;
  return partition;
}

}  // namespace lakestream::client
