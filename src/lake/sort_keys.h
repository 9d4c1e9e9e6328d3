#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"

// Keys of rows in a form whose order is that of bytes: numbers by value, texts and bytes by their
// unsigned bytes, false before true, NaN last, column by column. It is the order of keys in Paimon,
// and of the rows that we write to Iceberg.
//
// Thread rule: immutable, any thread.
//
//   ASSIGN_OR_RETURN(SortKeys keys, SortKeys::make(*rows, {"id"}));
//   std::vector<uint32_t> order = keys.sorted();
//   if (keys.compare(0, others, 7) < 0) …
namespace lakestream {

class SortKeys {
 public:
  // `columns`: names, in the order of the key. Errors: kUnknownServerError for a column that is
  // missing, a null, and a type that can be no key.
  static Result<SortKeys> make(const arrow::RecordBatch& rows,
                               std::span<const std::string> columns);

  size_t size() const { return prefixes_.size(); }
  // Negative, zero or positive.
  int compare(size_t row, const SortKeys& other, size_t other_row) const {
    if (prefixes_[row] != other.prefixes_[other_row]) {
      return prefixes_[row] < other.prefixes_[other_row] ? -1 : 1;
    }
    return prefix_is_all_ && other.prefix_is_all_ ? 0 : key(row).compare(other.key(other_row));
  }
  std::string_view key(size_t row) const {
    return std::string_view(bytes_).substr(ends_[row], ends_[row + 1] - ends_[row]);
  }
  // Each key is greater than the one before.
  bool is_rising() const;
  // The first row from `row` on whose key is not below the other one. Requires: is_rising().
  size_t first_not_below(size_t row, const SortKeys& other, size_t other_row) const;
  // The rows by key; those of one key stay in their order. Requires: fewer than 2^32.
  std::vector<uint32_t> sorted() const;

 private:
  std::string bytes_;
  std::vector<size_t> ends_;  // of the keys in bytes_, from 0 on
  std::vector<uint64_t>
      prefixes_;  // the first eight bytes, so that most comparisons are of numbers
  bool prefix_is_all_ = false;
};

}  // namespace lakestream
