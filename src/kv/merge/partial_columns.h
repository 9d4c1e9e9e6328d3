#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "kv/merge/merger.h"
#include "table/schema.h"

// PartialColumns are the columns that a writer of partial rows sets: the primary key and its target
// columns. All others keep what the stored row has, null when there is none.
//
// Thread rule: immutable, any thread.
//
//   ASSIGN_OR_RETURN(auto partial, PartialColumns::make(schema, {{0, 2}}));
//   if (partial && !old) return Merged{MergeOutcome::kRow, partial->insert(update, arena)};
namespace lakestream {

class PartialColumns {
 public:
  // Empty when the writer sets all columns: none or every one is named. Errors:
  // kInvalidTargetColumn for a position that is no column, for a key column that is left out, and
  // for any other column that does not allow nulls.
  static Result<std::optional<PartialColumns>> make(const Schema& schema,
                                                    std::span<const int32_t> target_columns);

  bool sets(size_t column) const { return roles_[column] != Role::kOther; }
  // The key columns are all that the writer sets.
  bool only_key() const { return only_key_; }

  // What the first write of a key stores: nulls where the writer sets nothing.
  Row insert(Row update, Arena* arena) const;
  // A delete takes away what its writer set: the row goes when nothing else is in it.
  Merged remove(Row old, Arena* arena) const;

 private:
  enum class Role : uint8_t { kKey, kTarget, kOther };

  std::vector<Role> roles_;  // by column
  bool only_key_ = true;
};

}  // namespace lakestream
