#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/predicate.h"
#include "table/descriptor.h"

// Which partitions of a table can have rows that a condition asks for, by the values in their
// names: so nothing of the others is read.
//
// Thread rule: immutable, any thread.
//
//   ASSIGN_OR_RETURN(PartitionFilter filter, PartitionFilter::make(descriptor, condition));
//   ASSIGN_OR_RETURN(bool wanted, filter.may_match({"2026-11-30", "eu"}));
namespace lakestream::query {

class PartitionFilter {
 public:
  // All match where the condition says nothing of partition keys, or of none that can be read from
  // a name.
  static Result<PartitionFilter> make(const TableDescriptor& table, const Predicate& condition);

  bool says_something() const { return rows_.has_value(); }
  // The values in the order of the keys.
  Result<bool> may_match(const std::vector<std::string>& values) const;

 private:
  struct Key {
    size_t place;  // among the partition keys
    DataType type;
  };

  std::vector<Key> keys_;
  Schema schema_;  // of them
  std::optional<RowFilter> rows_;
};

}  // namespace lakestream::query
