#include "format/row_records.h"

#include <algorithm>

namespace lakestream {

RowReader::RowReader(const BatchView& batch)
    : left_(batch.bytes().span().subspan(batch.records_position())),
      count_(std::max(batch.record_count(), 0)),
      left_count_(count_),
      change_type_max_(batch.append_only() ? 0 : kChangeTypeMax) {}

Result<RowRecord> RowReader::next() {
  int32_t index = count_ - left_count_;
  int64_t size = left_.size() < 4 ? -1 : int64_t{load_le<int32_t>(left_.data())};
  if (size < 1 || size > static_cast<int64_t>(left_.size()) - 4) {
    return make_error(ErrorCode::kUnknownServerError,
                      "record {} of {} does not fit into the {} bytes left",
                      index,
                      count_,
                      left_.size());
  }
  uint8_t change = left_[4];
  if (change > change_type_max_) {
    return make_error(ErrorCode::kUnknownServerError,
                      "record {} of {}: change type {} is above {}",
                      index,
                      count_,
                      change,
                      change_type_max_);
  }
  RowRecord record{static_cast<ChangeType>(change),
                   left_.subspan(5, static_cast<size_t>(size - 1))};
  left_ = left_.subspan(4 + static_cast<size_t>(size));
  --left_count_;
  if (left_count_ == 0 && !left_.empty()) {
    return make_error(
        ErrorCode::kUnknownServerError, "{} bytes follow the last record", left_.size());
  }
  return record;
}

}  // namespace lakestream
