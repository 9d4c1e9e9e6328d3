#include "table/descriptor.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace lakestream {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status check_partition_keys(const TableDescriptor& table) {
  std::set<std::string_view> seen;
  for (const std::string& key : table.partition_keys) {
    if (table.schema.find(key) == nullptr) {
      return make_error(ErrorCode::kInvalidTableException,
                        "partition key '{}' is not a column of the table",
                        key);
    }
    if (!seen.insert(key).second) {
      return make_error(
          ErrorCode::kInvalidTableException, "partition key '{}' is there twice", key);
    }
    if (table.has_primary_key() && !contains(table.schema.primary_key(), key)) {
      return make_error(ErrorCode::kInvalidTableException,
                        "partition key '{}' is not part of the primary key ({}), it must be",
                        key,
                        fmt::join(table.schema.primary_key(), ", "));
    }
  }
  return ok();
}

Status check_bucket_keys(const TableDescriptor& table, const std::vector<std::string>& keys) {
  std::set<std::string_view> seen;
  for (const std::string& key : keys) {
    if (table.schema.find(key) == nullptr) {
      return make_error(
          ErrorCode::kInvalidTableException, "bucket key '{}' is not a column of the table", key);
    }
    if (!seen.insert(key).second) {
      return make_error(ErrorCode::kInvalidTableException, "bucket key '{}' is there twice", key);
    }
    if (contains(table.partition_keys, key)) {
      return make_error(ErrorCode::kInvalidTableException,
                        "bucket key '{}' is a partition key, choose other columns",
                        key);
    }
    if (table.has_primary_key() && !contains(table.schema.primary_key(), key)) {
      return make_error(ErrorCode::kInvalidTableException,
                        "bucket key '{}' is not part of the primary key ({}), it must be",
                        key,
                        fmt::join(table.schema.primary_key(), ", "));
    }
  }
  return ok();
}

}  // namespace

std::vector<std::string> TableDescriptor::bucket_keys() const {
  return distribution ? distribution->bucket_keys : std::vector<std::string>();
}

std::optional<int32_t> TableDescriptor::bucket_count() const {
  return distribution ? distribution->bucket_count : std::nullopt;
}

std::vector<std::string> default_bucket_keys(const Schema& schema,
                                             const std::vector<std::string>& partition_keys) {
  std::vector<std::string> keys;
  for (const std::string& name : schema.primary_key()) {
    if (!contains(partition_keys, name)) keys.push_back(name);
  }
  return keys;
}

Result<TableDescriptor> normalize(TableDescriptor descriptor) {
  RETURN_IF_ERROR(check_partition_keys(descriptor));
  if (descriptor.distribution) {
    RETURN_IF_ERROR(check_bucket_keys(descriptor, descriptor.distribution->bucket_keys));
  }
  if (!descriptor.has_primary_key() || !descriptor.bucket_keys().empty()) return descriptor;

  std::vector<std::string> keys = default_bucket_keys(descriptor.schema, descriptor.partition_keys);
  if (keys.empty()) {
    return make_error(ErrorCode::kInvalidTableException,
                      "primary key ({}) has only partition keys, add a column that is none",
                      fmt::join(descriptor.schema.primary_key(), ", "));
  }
  if (!descriptor.distribution) descriptor.distribution.emplace();
  descriptor.distribution->bucket_keys = std::move(keys);
  return descriptor;
}

}  // namespace lakestream
