#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kv/merge/aggregate/aggregate.h"
#include "kv/merge/engines.h"

namespace lakestream {
namespace {

class Aggregation final : public RowMerger {
 public:
  Aggregation(const Schema& schema,
              std::vector<Aggregate> aggregates,
              std::optional<PartialColumns> partial)
      : aggregates_(std::move(aggregates)), partial_(std::move(partial)) {
    for (const Column& column : schema.columns()) names_.push_back(column.name);
  }

  Result<Merged> upsert(std::optional<Row> old, Row update, Arena* arena) const override {
    if (!old)
      return Merged{MergeOutcome::kRow, partial_ ? partial_->insert(update, arena) : update};
    DCHECK(old->size() == aggregates_.size() && update.size() == aggregates_.size());
    std::span<Value> row = arena->values(aggregates_.size());
    for (size_t i = 0; i < row.size(); ++i) {
      const Aggregate& aggregate = aggregates_[i];
      const Value& before = (*old)[i];
      const Value& input = update[i];
      if (aggregate.combine == nullptr) {
        row[i] = before;
      } else if (!aggregate.takes_nulls && (before.is_null() || input.is_null())) {
        row[i] = before.is_null() ? input : before;
      } else {
        Result<Value> combined = aggregate.combine(aggregate, before, input, arena);
        if (!combined) return fail(in_column(i, std::move(combined).error()));
        row[i] = *combined;
      }
    }
    return Merged{MergeOutcome::kRow, row};
  }

  Result<Merged> remove(Row old, Arena* arena) const override {
    if (partial_) return partial_->remove(old, arena);
    return Merged{MergeOutcome::kRemoved, {}};
  }

 private:
  Error in_column(size_t column, Error error) const {
    return std::move(error).with_context(fmt::format("column '{}'", names_[column]));
  }

  std::vector<Aggregate> aggregates_;  // by column; one without combine() keeps the old value
  std::optional<PartialColumns> partial_;
  std::vector<std::string> names_;  // for messages
};

}  // namespace

Result<std::unique_ptr<const RowMerger>> make_aggregation(const Schema& schema,
                                                          std::optional<PartialColumns> partial) {
  std::vector<Aggregate> aggregates(schema.size());
  for (size_t i = 0; i < schema.size(); ++i) {
    const Column& column = schema.column(i);
    if (partial && !partial->sets(i)) continue;
    auto made = make_aggregate(column.agg.value_or(AggFunction{}), column.type);
    if (!made) {
      return fail(std::move(made).error().with_context(fmt::format("column '{}'", column.name)));
    }
    aggregates[i] = std::move(*made);
  }
  return std::make_unique<Aggregation>(schema, std::move(aggregates), std::move(partial));
}

}  // namespace lakestream
