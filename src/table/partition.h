#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "table/table_choices.h"
#include "table/types.h"

// Names of partitions. A partition is given by one text value for each partition key; its name is
// the values joined by '$' in key order. Here are the rules of names, the text of each type of
// value, and the values that automatic partitions get from the time.
//
// Thread rule: pure functions and values, any thread.
//
//   ASSIGN_OR_RETURN(ResolvedPartitionSpec partition,
//                    resolve_partition({"region", "day"}, {{"day", "2026-11-29"}, {"region",
//                    "eu"}}));
//   RETURN_IF_ERROR(check_new_partition_values(partition.values));
//   partition.name();            // "eu$2026-11-29"
//   partition.qualified_name();  // "region=eu/day=2026-11-29"
namespace lakestream {

// Keys with values, in any order, perhaps not all.
using PartitionSpec = std::vector<std::pair<std::string, std::string>>;

struct ResolvedPartitionSpec {
  std::vector<std::string> keys;  // all partition keys in order
  std::vector<std::string> values;

  std::string name() const;
  std::string qualified_name() const;
  // Whether this partition has the values of the spec. Requires: the spec names partition keys.
  bool matches(const PartitionSpec& spec) const;

  friend bool operator==(const ResolvedPartitionSpec&, const ResolvedPartitionSpec&) = default;
};

// The spec has to name each partition key once and nothing else; kPartitionSpecInvalidException.
Result<ResolvedPartitionSpec> resolve_partition(std::vector<std::string> keys,
                                                const PartitionSpec& spec);
// The way back from a name.
Result<ResolvedPartitionSpec> partition_of_name(std::vector<std::string> keys,
                                                std::string_view name);

// Of a new partition: it is the name of a folder, together with an id.
inline constexpr size_t kMaxPartitionNameLength = 230;
// Belongs to the system.
inline constexpr std::string_view kHistoricalPartition = "__historical__";

// Values are names (path.h); those of new partitions are not reserved. Else
// kPartitionSpecInvalidException.
Status check_partition_values(const std::vector<std::string>& values);
Status check_new_partition_values(const std::vector<std::string>& values);
// The rules of values, and that the name is not too long.
Status check_new_partition(const ResolvedPartitionSpec& partition);

bool can_be_partition_key(const DataType& type);

// The text of a partition value, by type. CHAR and STRING are taken as they are.
std::string partition_text_of_boolean(bool value);
std::string partition_text_of_integer(int64_t value);                 // TINYINT … BIGINT
std::string partition_text_of_bytes(std::span<const uint8_t> value);  // BINARY, BYTES
std::string partition_text_of_float(float value);                     // "1_5", "1_0E10", "Inf"
std::string partition_text_of_double(double value);
std::string partition_text_of_date(int32_t days);          // since 1970-01-01
std::string partition_text_of_time(int32_t milliseconds);  // of the day
// Since 1970-01-01; nanoseconds of the millisecond. Both timestamp types.
std::string partition_text_of_timestamp(int64_t milliseconds, int32_t nanoseconds);

// How automatic partitions turn a time into a value: a pattern of year, quarter, month, day and
// hour fields, largest first and down to the unit, each of fixed width, with literal text between.
class PartitionTimeFormat {
 public:
  // "yyyyMMdd" for days.
  static PartitionTimeFormat of_unit(AutoPartitionUnit unit);
  // A user's pattern such as "yyyy-MM-dd". kInvalidTableException when it does not fit the unit or
  // its values would be no partition values.
  static Result<PartitionTimeFormat> parse(std::string_view pattern, AutoPartitionUnit unit);

  // The value of the partition that is `offset` units after the one that holds the time, given in
  // seconds since 1970-01-01 00:00 of the table's time zone.
  std::string value(int64_t local_seconds, int64_t offset) const;
  // Whether the text could be such a value.
  bool matches(std::string_view text) const;

 private:
  enum class FieldKind : uint8_t { kLiteral, kYear, kQuarter, kMonth, kDay, kHour };
  struct Part {
    FieldKind kind;
    std::string literal;
  };
  explicit PartitionTimeFormat(AutoPartitionUnit unit) : unit_(unit) {}
  static FieldKind field_of(char letter);
  static size_t width_of(FieldKind kind);
  Status add_field(char letter, size_t width);
  void add_literal(char character);
  Status check_fields() const;

  AutoPartitionUnit unit_;
  std::vector<Part> parts_;
};

}  // namespace lakestream
