#include "query/feed.h"

#include <algorithm>

#include <arrow/type.h>

#include "query/conform.h"

namespace lakestream::query {
namespace {

int width_of(const Column& column) {
  constexpr int kVariable = 100;
  switch (column.type.root()) {
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyint:
      return 1;
    case TypeRoot::kSmallint:
      return 2;
    case TypeRoot::kInteger:
    case TypeRoot::kFloat:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return 4;
    case TypeRoot::kBigint:
    case TypeRoot::kDouble:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return 8;
    case TypeRoot::kDecimal:
      return 16;
    default:
      return kVariable;
  }
}

}  // namespace

const std::string& narrowest_column(const Schema& schema) {
  return std::ranges::min_element(schema.columns(), {}, width_of)->name;
}

Result<std::unique_ptr<Feed>> Feed::open(FeedSource source,
                                         std::shared_ptr<TablePlan> plan,
                                         std::vector<size_t> columns) {
  arrow::FieldVector fields;
  for (size_t index : columns) {
    const Column& column = plan->schema.column(index);
    fields.push_back(arrow::field(column.name, engine_type_of(column.type)));
  }
  auto open_part = plan->reads_lake()               ? open_lake_feed
                   : plan->key_access().has_value() ? open_key_feed
                                                    : open_hot_feed;
  return open_part(
      std::move(source), std::move(plan), std::move(columns), arrow::schema(std::move(fields)));
}

}  // namespace lakestream::query
