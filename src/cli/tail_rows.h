#pragma once

#include <memory>

#include "base/result.h"
#include "client/scanner.h"
#include "table/schema.h"

// What `lakestream tail` shows of the batches that it reads: the rows with columns in front, the
// changelog or the binlog. Their columns are those of the virtual tables t$changelog and t$binlog.
//
// Thread rule: belongs to one thread.
//
//   std::unique_ptr<TailRows> shown = make_tail_rows(kind, scanner->schema());
//   auto writer = make_row_writer(format, shown->schema());
//   ASSIGN_OR_RETURN(auto rows, shown->rows_of(batch));
namespace lakestream::cli {

enum class TailView : uint8_t { kRows, kChangelog, kBinlog };

struct TailKind {
  TailView view = TailView::kRows;
  bool has_primary_key = false;
  bool with_position = false;
};

class TailRows {
 public:
  explicit TailRows(Schema schema) : schema_(std::move(schema)) {}
  virtual ~TailRows() = default;

  const Schema& schema() const { return schema_; }
  // The rows to show of a batch, maybe none. Batches of a bucket come in their order.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> rows_of(const client::ScanBatch& batch) = 0;

 private:
  Schema schema_;
};

// `columns` are those of the batches. Errors: a name that the columns in front have, too.
Result<std::unique_ptr<TailRows>> make_tail_rows(const TailKind& kind, const Schema& columns);

}  // namespace lakestream::cli
