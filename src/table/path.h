#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/ids.h"
#include "base/result.h"

// The names of things: a table by database and table name, a partition of it by partition name, a
// bucket by ids; and the rules that names obey. Ids stay the same when a thing is renamed, and a
// table that is dropped and created again has another id.
//
// Thread rule: values, any thread.
//
//   TablePath path{"fluss", "orders"};
//   RETURN_IF_ERROR(check_new_table_path(path));
//   TableBucket bucket{TableId(7), std::nullopt, BucketId(1)};
//   LOG("{} is {}", bucket, path);  // "table 7 bucket 1 is fluss.orders"
namespace lakestream {

struct TablePath {
  std::string database;
  std::string table;

  friend auto operator<=>(const TablePath&, const TablePath&) = default;
};

// A table, or one partition of a partitioned table.
struct PhysicalTablePath {
  TablePath table;
  std::optional<std::string> partition;

  friend auto operator<=>(const PhysicalTablePath&, const PhysicalTablePath&) = default;
};

struct TableBucket {
  TableId table;
  std::optional<PartitionId> partition;
  BucketId bucket;

  friend auto operator<=>(const TableBucket&, const TableBucket&) = default;
};

inline constexpr size_t kMaxNameLength = 200;
// Names that start so belong to the system.
inline constexpr std::string_view kReservedNamePrefix = "__";

// Why the text is no name (not empty, at most kMaxNameLength, only [A-Za-z0-9_-], not "." or ".."),
// or nothing when it is one.
std::optional<std::string> why_no_name(std::string_view text);

// The rules for names of things that are being created: also not reserved. The codes are
// kInvalidDatabaseException, kInvalidTableException and kInvalidProducerIdException.
Status check_new_database_name(std::string_view name);
Status check_new_table_name(std::string_view name);
Status check_new_table_path(const TablePath& path);
Status check_producer_id(std::string_view id);

}  // namespace lakestream

template <>
struct std::hash<lakestream::TablePath> {
  size_t operator()(const lakestream::TablePath& path) const noexcept;
};

template <>
struct std::hash<lakestream::PhysicalTablePath> {
  size_t operator()(const lakestream::PhysicalTablePath& path) const noexcept;
};

template <>
struct std::hash<lakestream::TableBucket> {
  size_t operator()(const lakestream::TableBucket& bucket) const noexcept;
};

// "db.t"
template <>
struct fmt::formatter<lakestream::TablePath> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const lakestream::TablePath& path, Context& context) const {
    return fmt::format_to(context.out(), "{}.{}", path.database, path.table);
  }
};

// "db.t" or "db.t(p=name)"
template <>
struct fmt::formatter<lakestream::PhysicalTablePath> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const lakestream::PhysicalTablePath& path, Context& context) const {
    if (!path.partition) return fmt::format_to(context.out(), "{}", path.table);
    return fmt::format_to(context.out(), "{}(p={})", path.table, *path.partition);
  }
};

// "table 7 bucket 1" or "table 7 partition 3 bucket 1"
template <>
struct fmt::formatter<lakestream::TableBucket> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const lakestream::TableBucket& bucket, Context& context) const {
    if (!bucket.partition) {
      return fmt::format_to(context.out(), "table {} bucket {}", bucket.table, bucket.bucket);
    }
    return fmt::format_to(context.out(),
                          "table {} partition {} bucket {}",
                          bucket.table,
                          *bucket.partition,
                          bucket.bucket);
  }
};
