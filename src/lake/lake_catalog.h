#pragma once

#include <cstdint>

#include "base/result.h"
#include "table/descriptor.h"
#include "table/path.h"

// The tables of a lake, without their rows: for those who create and change tables of ours. The
// rows are in lake.h.
//
// Errors: also kStorageException. A call that failed can be made again.
//
// Thread rule: calls block; on the pool, any thread, many at a time for different tables.
//
//   RETURN_IF_ERROR(lake->create_table(path, descriptor, LakeTableUse::kNewTable));
//   RETURN_IF_ERROR(lake->alter_table(path, descriptor, changed));
namespace lakestream {

// Why a table is created: a table that is there already is taken when it fits,
enum class LakeTableUse : uint8_t {
  kNewTable,       // and has no snapshot
  kExistingTable,  // whatever it holds: the lake is switched on for a table of ours
};

class LakeCatalog {
 public:
  virtual ~LakeCatalog() = default;
  // Whether there is a table where this one of ours has its lake table.
  virtual Result<bool> table_exists(const TablePath& path, const TableDescriptor& descriptor) = 0;
  // Makes the table and its database, or takes the table that is there. Errors:
  // kLakeTableAlreadyExist when that one does not fit, saying what differs;
  // kInvalidTableException for types, names and options that can not be.
  virtual Status create_table(const TablePath& path,
                              const TableDescriptor& descriptor,
                              LakeTableUse use) = 0;
  // Brings the lake table from one state of ours to the next: columns at the end, options. Done
  // when it is there already. kInvalidAlterTableException when it is at neither, or can not follow;
  // kTableNotExist.
  virtual Status alter_table(const TablePath& path,
                             const TableDescriptor& before,
                             const TableDescriptor& after) = 0;
};

}  // namespace lakestream
