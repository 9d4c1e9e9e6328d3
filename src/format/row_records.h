#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "format/batch.h"

// The records of an INDEXED or COMPACTED batch: a size, a change type and an encoded row each.
// RowReader walks them and checks that they tile the batch exactly.
//
// Thread rule: a view; it may not outlive the batch.
//
//   RowReader reader(batch);
//   while (!reader.at_end()) {
//     ASSIGN_OR_RETURN(RowRecord record, reader.next());
//   }
namespace lakestream {

struct RowRecord {
  ChangeType change;
  std::span<const uint8_t> row;
};

class RowReader {
 public:
  explicit RowReader(const BatchView& batch);

  bool at_end() const { return left_count_ == 0; }
  // Requires: not at_end(). Errors: kUnknownServerError when the record does not fit, its change
  // type is none, or bytes follow the last one.
  Result<RowRecord> next();

 private:
  std::span<const uint8_t> left_;
  int32_t count_;
  int32_t left_count_;
  uint8_t change_type_max_;
};

}  // namespace lakestream
