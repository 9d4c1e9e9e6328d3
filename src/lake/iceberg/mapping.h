#pragma once

#include "base/result.h"
#include "lake/iceberg/iceberg_catalog.h"
#include "lake/iceberg/table_metadata.h"
#include "lake/iceberg/table_update.h"
#include "table/descriptor.h"

// What a table of ours is in Iceberg: columns, partitions, sort order and properties, as the Fluss
// protocol has it, so that its connectors find what they expect.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(NewTable wanted, iceberg_table_of(descriptor));
//   RETURN_IF_ERROR(check_same_table(metadata, descriptor));
namespace lakestream::iceberg {

// kInvalidTableException for a column's name or type, keys or an option that can not be.
Result<NewTable> iceberg_table_of(const TableDescriptor& table);

// Whether a table that is there can be taken for ours. Else kLakeTableAlreadyExist with what
// differs.
Status check_same_table(const TableMetadata& there, const TableDescriptor& table);

// The change to the state that follows; without updates when nothing is to be done.
// kInvalidAlterTableException when the change can not be followed, or when `there` has the columns
// of neither state.
Result<TableChange> alteration(const TableMetadata& there,
                               const TableDescriptor& before,
                               const TableDescriptor& after);

}  // namespace lakestream::iceberg
