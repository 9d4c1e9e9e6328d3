#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/value.h"
#include "table/descriptor.h"
#include "table/partition.h"

// Which partition a row belongs to.
//
// Thread rule: immutable, any thread.
//
//   PartitionNamer partitions(table.descriptor);
//   if (partitions.is_partitioned()) ASSIGN_OR_RETURN(auto partition, partitions.of(row));
namespace lakestream::client {

class PartitionNamer {
 public:
  // Of a table without partitions.
  PartitionNamer() = default;
  explicit PartitionNamer(const TableDescriptor& table);

  bool is_partitioned() const { return !columns_.empty(); }
  const std::vector<std::string>& keys() const { return keys_; }
  // The positions of the partition keys in a row, in their order.
  const std::vector<size_t>& columns() const { return columns_; }

  // Of a row of all columns. Errors: kPartitionSpecInvalidException for a null, or a value that no
  // partition can have.
  Result<ResolvedPartitionSpec> of(std::span<const Value> row) const;

 private:
  std::vector<std::string> keys_;
  std::vector<size_t> columns_;
  std::vector<DataType> types_;
};

}  // namespace lakestream::client
