#pragma once

#include <string>

#include "base/result.h"
#include "lake/lake.h"
#include "lake/paimon/schema.h"
#include "table/descriptor.h"

// What a table of ours is in Paimon: columns, keys and options, as the Fluss protocol has it, so
// that its connectors find what they expect.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(PaimonSchema wanted, paimon_schema_of(descriptor, layout));
//   RETURN_IF_ERROR(check_same_table(there, wanted));
namespace lakestream::paimon {

// Schema 0 of a new table, but for its time. kInvalidTableException for a column's name or an
// option that can not be.
Result<PaimonSchema> paimon_schema_of(const TableDescriptor& table, LakeLayout layout);

// Whether a table that is there can be taken for ours; its layout may be either. Else
// kLakeTableAlreadyExist with what differs.
Status check_same_table(const PaimonSchema& there, const TableDescriptor& table);

// The schema that follows `there`, or `there` itself when nothing is to be done.
// kInvalidAlterTableException when the change can not be followed, or when `there` has the columns
// of neither state.
Result<PaimonSchema> altered_schema(const PaimonSchema& there,
                                    const TableDescriptor& before,
                                    const TableDescriptor& after);

}  // namespace lakestream::paimon
