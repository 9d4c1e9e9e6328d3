#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "lake/lake.h"
#include "query/conform.h"
#include "query/feed.h"

namespace lakestream::query {
namespace {

using Rows = std::shared_ptr<arrow::RecordBatch>;

// Each thread reads one split after the other.
class LakeFeed final : public Feed {
 public:
  LakeFeed(FeedSource source,
           std::shared_ptr<TablePlan> plan,
           std::vector<size_t> columns,
           std::shared_ptr<arrow::Schema> schema)
      : Feed(std::move(schema)),
        source_(std::move(source)),
        plan_(std::move(plan)),
        has_columns_(!columns.empty()) {
    for (size_t column : columns) request_.columns.push_back(plan_->schema.column(column).name);
    if (!has_columns_) request_.columns.push_back(narrowest_column(plan_->schema));
    for (const LakeSplit& split : plan_->splits) {
      if (is_wanted(split)) splits_.push_back(&split);
    }
  }

  Result<Rows> take(FeedCursor& cursor) override {
    for (;;) {
      if (source_.cancelled->load()) {
        return make_error(ErrorCode::kUnknownServerError, "the statement was cancelled");
      }
      if (cursor.lake == nullptr) {
        size_t next = next_.fetch_add(1);
        if (next >= splits_.size()) return nullptr;
        ASSIGN_OR_RETURN(cursor.lake, plan_->lake->table->open_reader(*splits_[next], request_));
      }
      ASSIGN_OR_RETURN(Rows rows, cursor.lake->next());
      if (rows == nullptr) {
        cursor.lake.reset();
        continue;
      }
      if (rows->num_rows() == 0) continue;
      plan_->counters.rows += static_cast<uint64_t>(rows->num_rows());
      if (has_columns_) return conform(rows, schema());
      return arrow::RecordBatch::Make(schema(), rows->num_rows(), arrow::ArrayVector{});
    }
  }

  double progress() const override {
    if (splits_.empty()) return 0;
    return std::min(1.0, static_cast<double>(next_.load()) / static_cast<double>(splits_.size()));
  }

 private:
  // Whether it can have rows of the wanted partitions.
  bool is_wanted(const LakeSplit& split) const {
    const std::vector<std::string>& keys = plan_->table.descriptor.partition_keys;
    return std::ranges::all_of(plan_->partitions, [&](const auto& wanted) {
      auto key = std::ranges::find(keys, wanted.first);
      auto index = static_cast<size_t>(key - keys.begin());
      return index >= split.partition.size() || split.partition[index] == wanted.second;
    });
  }

  FeedSource source_;
  std::shared_ptr<TablePlan> plan_;
  bool has_columns_;
  LakeScanRequest request_;
  std::vector<const LakeSplit*> splits_;
  std::atomic<size_t> next_ = 0;
};

}  // namespace

Result<std::unique_ptr<Feed>> open_lake_feed(FeedSource source,
                                             std::shared_ptr<TablePlan> plan,
                                             std::vector<size_t> columns,
                                             std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<LakeFeed>(
      std::move(source), std::move(plan), std::move(columns), std::move(schema));
}

}  // namespace lakestream::query
