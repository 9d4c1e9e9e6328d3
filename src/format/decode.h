#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "format/batch.h"
#include "table/schema.h"
#include "table/table_choices.h"

// BatchDecoder turns log batches of any format into Arrow columns, so that readers handle one
// thing. It trusts nothing: after a decode without an error the columns are fully valid. Buffers of
// an uncompressed batch are shared when their address allows it, else copied.
//
// Thread rule: immutable, any thread.
//
//   BatchDecoder decoder(LogFormat::kArrow, schema);
//   ASSIGN_OR_RETURN(DecodedBatch decoded, decoder.decode(batch));
//   use(decoded.rows, decoded.changes);
namespace lakestream {

class ArrowLayout;
class RowCodec;

struct DecodedBatch {
  std::shared_ptr<arrow::RecordBatch> rows;
  std::vector<ChangeType> changes;  // one a row; empty when all are kAppend
};

class BatchDecoder {
 public:
  // The schema is the one of the batches' schema id, or its projection.
  BatchDecoder(LogFormat format, const Schema& schema);

  const Schema& schema() const { return schema_; }
  // Errors: kUnknownServerError. The checksum is not looked at.
  Result<DecodedBatch> decode(const BatchView& batch) const;

 private:
  Result<DecodedBatch> decode_arrow(const BatchView& batch) const;
  Result<DecodedBatch> decode_rows(const BatchView& batch) const;

  Schema schema_;
  std::shared_ptr<arrow::Schema> arrow_schema_;
  std::shared_ptr<const ArrowLayout> layout_;  // of ARROW
  std::shared_ptr<const RowCodec> codec_;      // of the row formats
};

}  // namespace lakestream
