#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Rows of one file, by their places in it.
//
// Thread rule: one thread at a time may change it.
//
//   RowSet deleted(file.rows);
//   deleted.insert(7);
//   if (deleted.has_any(0, 100)) …
namespace lakestream::iceberg {

class RowSet {
 public:
  explicit RowSet(int64_t rows) : rows_(rows), words_(static_cast<size_t>(rows + 63) / 64) {}

  // Rows that the file does not have are left out.
  void insert(int64_t row) {
    if (row < 0 || row >= rows_) return;
    words_[static_cast<size_t>(row) / 64] |= uint64_t{1} << (row % 64);
  }
  // In their order.
  std::vector<int64_t> rows() const {
    std::vector<int64_t> all;
    for (int64_t row = 0; row < rows_; ++row) {
      if (contains(row)) all.push_back(row);
    }
    return all;
  }
  bool contains(int64_t row) const {
    return row >= 0 && row < rows_ &&
           (words_[static_cast<size_t>(row) / 64] >> (row % 64) & 1) != 0;
  }
  bool has_any(int64_t begin, int64_t end) const {
    for (int64_t row = begin; row < end;) {
      if (row % 64 == 0 && row + 64 <= end && row + 64 <= rows_) {
        if (words_[static_cast<size_t>(row) / 64] != 0) return true;
        row += 64;
      } else if (contains(row++)) {
        return true;
      }
    }
    return false;
  }

 private:
  int64_t rows_;
  std::vector<uint64_t> words_;
};

}  // namespace lakestream::iceberg
