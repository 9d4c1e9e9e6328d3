#include "format/rows.h"

namespace lakestream {

RowAlignment::RowAlignment(const Schema& source, const Schema& target)
    : identity_(source.size() == target.size()) {
  for (size_t i = 0; i < target.size(); ++i) {
    source_of_.push_back(source.index_of_id(target.column(i).id));
    if (source_of_.back() != i) identity_ = false;
  }
}

std::span<const Value> RowAlignment::apply(std::span<const Value> row, Arena* arena) const {
  if (identity_) return row;
  std::span<Value> aligned = arena->values(source_of_.size());
  for (size_t i = 0; i < aligned.size(); ++i) {
    if (source_of_[i]) aligned[i] = row[*source_of_[i]];
  }
  return aligned;
}

}  // namespace lakestream
