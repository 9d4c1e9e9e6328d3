#include <optional>
#include <utility>

#include "kv/merge/engines.h"

namespace lakestream {
namespace {

class LastRow final : public RowMerger {
 public:
  Result<Merged> upsert(std::optional<Row> /*old*/, Row update, Arena* /*arena*/) const override {
    return Merged{MergeOutcome::kRow, update};
  }
  Result<Merged> remove(Row /*old*/, Arena* /*arena*/) const override {
    return Merged{MergeOutcome::kRemoved, {}};
  }
  bool replaces() const override { return true; }
};

class PartialLastRow final : public RowMerger {
 public:
  explicit PartialLastRow(PartialColumns partial) : partial_(std::move(partial)) {}

  Result<Merged> upsert(std::optional<Row> old, Row update, Arena* arena) const override {
    if (!old) return Merged{MergeOutcome::kRow, partial_.insert(update, arena)};
    if (partial_.only_key()) return Merged{MergeOutcome::kUnchanged, {}};
    std::span<Value> row = arena->values(update.size());
    for (size_t i = 0; i < row.size(); ++i) row[i] = partial_.sets(i) ? update[i] : (*old)[i];
    return Merged{MergeOutcome::kRow, row};
  }
  Result<Merged> remove(Row old, Arena* arena) const override {
    return partial_.remove(old, arena);
  }

 private:
  PartialColumns partial_;
};

}  // namespace

std::unique_ptr<const RowMerger> make_last_row(std::optional<PartialColumns> partial) {
  if (partial) return std::make_unique<PartialLastRow>(std::move(*partial));
  return std::make_unique<LastRow>();
}

}  // namespace lakestream
