#include <optional>

#include "kv/merge/engines.h"

namespace lakestream {
namespace {

class FirstRow final : public RowMerger {
 public:
  Result<Merged> upsert(std::optional<Row> old, Row update, Arena* /*arena*/) const override {
    if (old) return Merged{MergeOutcome::kUnchanged, {}};
    return Merged{MergeOutcome::kRow, update};
  }
  Result<Merged> remove(Row /*old*/, Arena* /*arena*/) const override {
    return make_error(ErrorCode::kUnknownServerError,
                      "merge engine FIRST_ROW takes no deletes, ignore or forbid them");
  }
};

}  // namespace

std::unique_ptr<const RowMerger> make_first_row() { return std::make_unique<FirstRow>(); }

}  // namespace lakestream
