#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/data_file.h"
#include "lake/iceberg/types.h"
#include "lake/sort_keys.h"

// Between which keys the rows of a file lie, by what its manifest says of the key's first column.
//
// Thread rule: immutable, any thread.
//
//   ASSIGN_OR_RETURN(KeyBounds bounds, KeyBounds::of(file, key[0]));
//   if (bounds.may_have(first_column, 0, 99)) …
namespace lakestream::iceberg {

class KeyBounds {
 public:
  static Result<KeyBounds> of(const DataFile& file, const NestedField& first_column);

  // Keys from `first` to `last` of some in rising order, of which only the first column is given.
  bool may_have(const SortKeys& first_columns, size_t first, size_t last) const {
    return (!lower_ || lower_->compare(0, first_columns, last) <= 0) &&
           (!upper_ || upper_->compare(0, first_columns, first) >= 0);
  }

  // Whether a key may be in both.
  bool may_share(const KeyBounds& other) const {
    return (!lower_ || !other.upper_ || lower_->compare(0, *other.upper_, 0) <= 0) &&
           (!upper_ || !other.lower_ || upper_->compare(0, *other.lower_, 0) >= 0);
  }

 private:
  std::optional<SortKeys> lower_;
  std::optional<SortKeys> upper_;
};

// Rows whose keys one of the files may have. `first_columns`: as of may_have().
std::vector<uint32_t> rows_within(std::span<const KeyBounds> files, const SortKeys& first_columns);

}  // namespace lakestream::iceberg
