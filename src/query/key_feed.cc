#include <atomic>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "client/lookuper.h"
#include "io/real_env.h"
#include "query/conform.h"
#include "query/feed.h"
#include "query/key_condition.h"

namespace lakestream::query {
namespace {

using Rows = std::shared_ptr<arrow::RecordBatch>;

client::LookupOptions options_of(const FeedSource& source, std::vector<std::string> columns) {
  client::LookupOptions options;
  options.columns = std::move(columns);
  options.timeout = source.retry_timeout;
  return options;
}

Task<Result<Rows>> look_up(FeedSource source,
                           std::shared_ptr<TablePlan> plan,
                           std::vector<std::string> columns) {
  client::LookupOptions options = options_of(source, std::move(columns));
  auto opened =
      co_await client::Lookuper::open(source.connection, plan->table.path, std::move(options));
  CO_ASSIGN_OR_RETURN(auto lookuper, std::move(opened));
  CO_ASSIGN_OR_RETURN(Rows keys, named_keys(plan->asked, lookuper->key_schema()));
  CO_ASSIGN_OR_RETURN(client::LookedUp found, co_await lookuper->lookup(std::move(keys)));
  co_return std::move(found.rows);
}

Task<Result<Rows>> look_up_prefixes(FeedSource source,
                                    std::shared_ptr<TablePlan> plan,
                                    std::vector<std::string> columns) {
  client::LookupOptions options = options_of(source, std::move(columns));
  auto opened = co_await client::PrefixLookuper::open(
      source.connection, plan->table.path, std::move(options));
  CO_ASSIGN_OR_RETURN(auto lookuper, std::move(opened));
  CO_ASSIGN_OR_RETURN(Rows prefixes, named_keys(plan->asked, lookuper->prefix_schema()));
  CO_ASSIGN_OR_RETURN(client::LookedUp found, co_await lookuper->lookup(std::move(prefixes)));
  co_return std::move(found.rows);
}

// All rows at once, to the thread that comes first.
class KeyFeed final : public Feed {
 public:
  KeyFeed(Rows rows, std::shared_ptr<arrow::Schema> schema)
      : Feed(std::move(schema)), rows_(std::move(rows)) {}

  Result<Rows> take(FeedCursor&) override {
    if (is_taken_.exchange(true) || rows_->num_rows() == 0) return nullptr;
    if (schema()->num_fields() > 0) return conform(rows_, schema());
    return arrow::RecordBatch::Make(schema(), rows_->num_rows(), arrow::ArrayVector{});
  }

  double progress() const override { return is_taken_ ? 1 : 0; }

 private:
  Rows rows_;
  std::atomic<bool> is_taken_ = false;
};

}  // namespace

Result<std::unique_ptr<Feed>> open_key_feed(FeedSource source,
                                            std::shared_ptr<TablePlan> plan,
                                            std::vector<size_t> columns,
                                            std::shared_ptr<arrow::Schema> schema) {
  std::vector<std::string> names;
  for (size_t column : columns) names.push_back(plan->schema.column(column).name);
  if (names.empty()) names.push_back(narrowest_column(plan->schema));
  bool is_prefix = plan->key_access()->is_prefix;
  Shard& shard = *source.shard;
  ASSIGN_OR_RETURN(Rows rows,
                   run_blocking(shard,
                                is_prefix ? look_up_prefixes(std::move(source), plan, names)
                                          : look_up(std::move(source), plan, names)));
  plan->counters.rows += static_cast<uint64_t>(rows->num_rows());
  return std::make_unique<KeyFeed>(std::move(rows), std::move(schema));
}

}  // namespace lakestream::query
