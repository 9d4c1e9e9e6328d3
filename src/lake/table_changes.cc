#include "lake/table_changes.h"

namespace lakestream {

tl::unexpected<Error> not_followed(std::string_view what) {
  return make_error(
      ErrorCode::kInvalidAlterTableException, "the lake table can not follow: {}", what);
}

bool same_type(const DataType& a, const DataType& b) {
  if (!a.is_nested() || !b.is_nested()) return a == b;
  if (a.root() != b.root() || a.nullable() != b.nullable()) return false;
  if (a.fields().size() != b.fields().size()) return false;
  for (size_t i = 0; i < a.fields().size(); ++i) {
    if (a.fields()[i].name != b.fields()[i].name) return false;
    if (!same_type(a.fields()[i].type, b.fields()[i].type)) return false;
  }
  return true;
}

Result<std::vector<Column>> added_columns(const Schema& before, const Schema& after) {
  for (size_t i = 0; i < before.size(); ++i) {
    const Column& old = before.column(i);
    if (i >= after.size() || after.index_of_id(old.id) != i) {
      return not_followed(fmt::format("column {} can not be dropped there", old.name));
    }
    const Column& now = after.column(i);
    if (now.name != old.name) {
      return not_followed(fmt::format("column {} can not be renamed there", old.name));
    }
    if (!same_type(now.type, old.type)) {
      return not_followed(fmt::format("the type of column {} can not change there", old.name));
    }
  }
  std::vector<Column> added;
  for (size_t i = before.size(); i < after.size(); ++i) {
    const Column& column = after.column(i);
    if (!column.type.nullable()) {
      return not_followed(fmt::format("the new column {} is NOT NULL", column.name));
    }
    added.push_back(column);
  }
  return added;
}

OptionChanges changed_options(const Properties& before, const Properties& after) {
  OptionChanges changes;
  for (const auto& [key, value] : after) {
    auto old = before.find(key);
    if (old == before.end() || old->second != value) changes.set[key] = value;
  }
  for (const auto& [key, value] : before) {
    if (!after.contains(key)) changes.removed.push_back(key);
  }
  return changes;
}

}  // namespace lakestream
