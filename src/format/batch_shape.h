#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "format/batch.h"
#include "table/schema.h"
#include "table/table_choices.h"

// BatchShape knows what the records of a batch look like under one schema and log format, and
// refuses a batch that does not look so. Prepared once a schema; a check is one pass of the
// checksum and O(columns) for ARROW, O(records) for the row formats. It guards the log against
// batches that no reader could read; values are not looked at.
//
// Thread rule: immutable, any thread.
//
//   BatchShape shape(LogFormat::kArrow, schema);
//   RETURN_IF_ERROR(shape.validate(batch));
namespace lakestream {

class ArrowLayout;

class BatchShape {
 public:
  BatchShape(LogFormat format, const Schema& schema);

  LogFormat format() const { return format_; }
  // BatchView::validate() and then the records. Errors: kCorruptRecordException for the checksum,
  // kUnknownServerError for the rest. The schema id is the caller's business.
  Status validate(const BatchView& batch) const;

 private:
  Status validate_arrow(const BatchView& batch) const;
  Status validate_rows(const BatchView& batch) const;

  LogFormat format_;
  size_t row_bytes_min_;
  std::shared_ptr<const ArrowLayout> layout_;  // of ARROW
};

}  // namespace lakestream
