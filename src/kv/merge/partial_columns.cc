#include "kv/merge/partial_columns.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace lakestream {

Result<std::optional<PartialColumns>> PartialColumns::make(
    const Schema& schema, std::span<const int32_t> target_columns) {
  if (target_columns.empty()) return std::nullopt;
  PartialColumns made;
  made.roles_.assign(schema.size(), Role::kOther);
  for (int32_t column : target_columns) {
    if (column < 0 || static_cast<size_t>(column) >= schema.size()) {
      return make_error(ErrorCode::kInvalidTargetColumn,
                        "target column {} is not a position of the {} columns of the table",
                        column,
                        schema.size());
    }
    made.roles_[static_cast<size_t>(column)] = Role::kTarget;
  }
  if (std::ranges::count(made.roles_, Role::kOther) == 0) return std::nullopt;
  for (size_t column : schema.primary_key_indexes()) {
    if (made.roles_[column] == Role::kOther) {
      return make_error(
          ErrorCode::kInvalidTargetColumn,
          "target columns leave out '{}' of the primary key, they must have all of it",
          schema.column(column).name);
    }
    made.roles_[column] = Role::kKey;
  }
  for (size_t column = 0; column < schema.size(); ++column) {
    if (made.roles_[column] == Role::kKey) continue;
    if (!schema.column(column).type.nullable()) {
      return make_error(
          ErrorCode::kInvalidTargetColumn,
          "column '{}' is NOT NULL, partial updates need a table whose columns outside "
          "the primary key allow nulls",
          schema.column(column).name);
    }
    if (made.roles_[column] == Role::kTarget) made.only_key_ = false;
  }
  return made;
}

Row PartialColumns::insert(Row update, Arena* arena) const {
  DCHECK(update.size() == roles_.size(), "columns of a row");
  std::span<Value> row = arena->values(update.size());
  for (size_t i = 0; i < row.size(); ++i) {
    if (sets(i)) row[i] = update[i];
  }
  return row;
}

Merged PartialColumns::remove(Row old, Arena* arena) const {
  DCHECK(old.size() == roles_.size(), "columns of a row");
  bool others = false;
  std::span<Value> row = arena->values(old.size());
  for (size_t i = 0; i < row.size(); ++i) {
    if (roles_[i] == Role::kTarget) continue;
    row[i] = old[i];
    others = others || (roles_[i] == Role::kOther && !old[i].is_null());
  }
  if (!others) return {MergeOutcome::kRemoved, {}};
  return {MergeOutcome::kRow, row};
}

}  // namespace lakestream
