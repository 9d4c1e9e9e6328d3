#include <algorithm>
#include <deque>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "client/change_rows.h"
#include "client/scanner.h"
#include "client/table_scanner.h"
#include "io/real_env.h"
#include "query/conform.h"
#include "query/feed.h"

namespace lakestream::query {
namespace {

using client::ChangeKind;
using client::ChangeRows;
using client::ChangeView;
using client::LogScanner;
using client::ScanBatch;
using client::TableScanner;
using Rows = std::shared_ptr<arrow::RecordBatch>;

// How soon a cancelled statement is noticed.
constexpr Duration kPollTimeout = std::chrono::milliseconds(100);
// Bytes of one answer of a server: large enough to be worth a call, small enough to be on the way
// while the engine works on the one before.
constexpr int32_t kFetchBytes = 8 << 20;

// What a feed and its tasks share, on the shard.
struct State {
  FeedSource source;
  std::shared_ptr<TablePlan> plan;
  std::unique_ptr<LogScanner> log;
  std::unique_ptr<TableScanner> table;
  std::vector<std::string> names;         // of the columns that the server gives
  std::vector<PartitionSpec> partitions;  // to be scanned behind that
  std::unique_ptr<ChangeRows> changes;    // of views of a log
  std::vector<int> positions;             // of the wanted columns in what comes
  std::vector<size_t> columns;            // in the plan
  std::shared_ptr<const std::atomic<bool>> cancelled;

  std::deque<Rows> ready;
  bool is_fetching = false;
  bool is_finished = false;
  std::optional<Error> error;
  std::vector<Waiter*> waiting;

  std::atomic<uint64_t> rows_taken = 0;
  uint64_t rows_total = 0;

  void wake_all() {
    for (Waiter* waiter : std::exchange(waiting, {})) waiter->wake();
  }
};

using StatePtr = std::shared_ptr<State>;

// The columns of the table that have to be fetched.
std::vector<std::string> fetched_columns(const TablePlan& plan,
                                         const std::vector<size_t>& columns) {
  Schema visible = plan.table.descriptor.schema.visible();
  if (plan.view == TableView::kBinlog) return visible.visible_names();
  std::vector<std::string> names;
  size_t leading = plan.schema.size() - visible.size();
  for (size_t column : columns) {
    if (column >= leading) names.push_back(plan.schema.column(column).name);
  }
  if (names.empty()) names.push_back(narrowest_column(visible));
  return names;
}

Task<Status> open_scanner(FeedSource source, StatePtr state, PartitionSpec partitions) {
  client::TableScanOptions options;
  options.columns = state->names;
  options.partitions = std::move(partitions);
  CO_ASSIGN_OR_RETURN(
      state->table,
      co_await TableScanner::open(source.connection, state->plan->table.path, std::move(options)));
  co_return ok();
}

// All partitions that have the values which are asked for, at once; or those that other conditions
// leave of them, one after the other.
Task<Status> open_table(FeedSource source, StatePtr state) {
  const TablePlan& plan = *state->plan;
  PartitionSpec first = plan.partitions;
  if (plan.table.descriptor.is_partitioned()) {
    CO_ASSIGN_OR_RETURN(auto wanted, co_await wanted_partitions(source.connection, state->plan));
    if (plan.counters.pruned_partitions > 0) {
      for (client::PartitionInfo& partition : wanted) {
        state->partitions.push_back(std::move(partition.spec));
      }
      state->is_finished = state->partitions.empty();
      if (state->is_finished) co_return ok();
      first = std::move(state->partitions.back());
      state->partitions.pop_back();
    }
  }
  co_return co_await open_scanner(std::move(source), state, std::move(first));
}

Task<Status> open_log(FeedSource source, StatePtr state) {
  const TablePlan& plan = *state->plan;
  client::ScannerOptions options;
  options.columns = state->names;
  options.condition = plan.condition;
  options.fetch_bytes_max = kFetchBytes;
  options.bucket_bytes_max = kFetchBytes;
  options.retry_timeout = source.retry_timeout;
  options.partitions = plan.partitions;
  CO_ASSIGN_OR_RETURN(PlacedRanges placed, co_await ranges_of(source.ends, state->plan));
  state->rows_total = row_count_of(placed);
  std::vector<client::LogRange> ranges;
  for (const PlacedRange& part : placed) ranges.push_back(part.range);
  CO_ASSIGN_OR_RETURN(
      state->log,
      co_await LogScanner::open(source.connection, plan.table.path, std::move(options)));
  if (plan.view != TableView::kRows) {
    ChangeKind kind{plan.view == TableView::kBinlog ? ChangeView::kBinlog : ChangeView::kChangelog,
                    plan.table.descriptor.has_primary_key(),
                    false};
    CO_ASSIGN_OR_RETURN(state->changes, client::make_change_rows(kind, state->log->schema()));
  }
  co_return co_await state->log->subscribe_ranges(std::move(ranges));
}

Task<Status> open_state(FeedSource source, StatePtr state) {
  state->source = source;
  state->names = fetched_columns(*state->plan, state->columns);
  if (state->plan->reads_log()) {
    CO_RETURN_IF_ERROR(co_await open_log(source, state));
  } else {
    CO_RETURN_IF_ERROR(co_await open_table(source, state));
  }
  if (state->is_finished) co_return ok();
  const Schema& shown = state->changes != nullptr ? state->changes->schema()
                        : state->log != nullptr   ? state->log->schema()
                                                  : state->table->schema();
  for (size_t column : state->columns) {
    const std::string& name = state->plan->schema.column(column).name;
    std::optional<size_t> index = shown.index_of(name);
    if (!index) {
      co_return make_error(ErrorCode::kInvalidColumnProjection,
                           "table {}: column {} is not there any more; repeat the statement",
                           state->plan->table.path,
                           name);
    }
    state->positions.push_back(static_cast<int>(*index));
  }
  co_return ok();
}

Status add_batch(State& state, const ScanBatch& batch) {
  Rows rows = batch.rows;
  if (state.changes != nullptr) {
    ASSIGN_OR_RETURN(rows, state.changes->rows_of(batch));
  }
  if (rows->num_rows() == 0) return ok();
  arrow::ArrayVector columns;
  for (int position : state.positions) columns.push_back(rows->column(position));
  arrow::FieldVector fields;
  for (const auto& column : columns) fields.push_back(arrow::field("", column->type()));
  state.ready.push_back(
      arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows->num_rows(), columns));
  return ok();
}

Task<Status> fetch_log(StatePtr state) {
  if (state->log->is_finished()) {
    state->is_finished = true;
    co_return ok();
  }
  CO_ASSIGN_OR_RETURN(auto batches, co_await state->log->poll(kPollTimeout));
  for (const ScanBatch& batch : batches) CO_RETURN_IF_ERROR(add_batch(*state, batch));
  state->plan->counters.bytes = state->log->counters().bytes;
  state->is_finished = state->log->is_finished();
  co_return ok();
}

Task<Status> fetch_table(StatePtr state) {
  CO_ASSIGN_OR_RETURN(auto batch, co_await state->table->next());
  if (batch) co_return add_batch(*state, *batch);
  state->is_finished = state->partitions.empty();
  if (state->is_finished) co_return ok();
  (void)co_await state->table->close();
  PartitionSpec next = std::move(state->partitions.back());
  state->partitions.pop_back();
  co_return co_await open_scanner(state->source, state, std::move(next));
}

Task<Status> fetch(StatePtr state) {
  return state->log != nullptr ? fetch_log(std::move(state)) : fetch_table(std::move(state));
}

// One thread fetches at a time, the others wait for what it brings.
Task<Result<Rows>> take_rows(StatePtr state) {
  while (state->ready.empty() && !state->is_finished && !state->error) {
    if (state->cancelled->load()) {
      co_return make_error(ErrorCode::kUnknownServerError, "the statement was cancelled");
    }
    if (state->is_fetching) {
      Waiter waiter;
      state->waiting.push_back(&waiter);
      co_await waiter.wait();
      continue;
    }
    state->is_fetching = true;
    Status fetched = co_await fetch(state);
    state->is_fetching = false;
    if (!fetched) state->error = std::move(fetched).error();
    state->wake_all();
  }
  if (state->error) co_return fail(*state->error);
  if (state->ready.empty()) co_return Rows();
  Rows rows = std::move(state->ready.front());
  state->ready.pop_front();
  auto count = static_cast<uint64_t>(rows->num_rows());
  state->rows_taken += count;
  state->plan->counters.rows += count;
  co_return rows;
}

Task<bool> close_state(StatePtr state) {
  if (state->table != nullptr) (void)co_await state->table->close();
  state->table.reset();
  state->log.reset();
  co_return true;
}

class HotFeed final : public Feed {
 public:
  HotFeed(FeedSource source, StatePtr state, std::shared_ptr<arrow::Schema> schema)
      : Feed(std::move(schema)), source_(std::move(source)), state_(std::move(state)) {}
  ~HotFeed() override { run_blocking(*source_.shard, close_state(std::move(state_))); }

  Result<Rows> take(FeedCursor&) override {
    ASSIGN_OR_RETURN(Rows rows, run_blocking(*source_.shard, take_rows(state_)));
    if (rows == nullptr) return rows;
    return conform(rows, schema());
  }

  double progress() const override {
    if (state_->rows_total == 0) return 0;
    return std::min(
        1.0,
        static_cast<double>(state_->rows_taken.load()) / static_cast<double>(state_->rows_total));
  }

 private:
  FeedSource source_;
  StatePtr state_;
};

}  // namespace

Result<std::unique_ptr<Feed>> open_hot_feed(FeedSource source,
                                            std::shared_ptr<TablePlan> plan,
                                            std::vector<size_t> columns,
                                            std::shared_ptr<arrow::Schema> schema) {
  auto state = std::make_shared<State>();
  state->plan = std::move(plan);
  state->columns = std::move(columns);
  state->cancelled = source.cancelled;
  Shard& shard = *source.shard;
  auto feed = std::make_unique<HotFeed>(source, state, std::move(schema));
  RETURN_IF_ERROR(run_blocking(shard, open_state(std::move(source), state)));
  return feed;
}

}  // namespace lakestream::query
