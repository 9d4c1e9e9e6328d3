#pragma once

#include <memory>

#include "base/result.h"
#include "client/scanner.h"
#include "table/schema.h"

// The batches of a LogScanner as people look at them: the rows with columns in front, the changelog
// or the binlog. Their columns are those of the virtual tables t$changelog and t$binlog.
//
// Thread rule: belongs to one thread.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<ChangeRows> shown, make_change_rows(kind, scanner->schema()));
//   use(shown->schema());
//   ASSIGN_OR_RETURN(auto rows, shown->rows_of(batch));
namespace lakestream::client {

enum class ChangeView : uint8_t { kRows, kChangelog, kBinlog };

struct ChangeKind {
  ChangeView view = ChangeView::kRows;
  bool has_primary_key = false;
  bool with_position = false;
};

class ChangeRows {
 public:
  explicit ChangeRows(Schema schema) : schema_(std::move(schema)) {}
  virtual ~ChangeRows() = default;

  const Schema& schema() const { return schema_; }
  // The rows to show of a batch, maybe none. Batches of a bucket come in their order.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> rows_of(const ScanBatch& batch) = 0;

 private:
  Schema schema_;
};

// `columns` are those of the batches. Errors: a name that the columns in front have, too.
Result<std::unique_ptr<ChangeRows>> make_change_rows(const ChangeKind& kind, const Schema& columns);

}  // namespace lakestream::client
