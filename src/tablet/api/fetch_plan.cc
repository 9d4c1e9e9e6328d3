#include "tablet/api/fetch_plan.h"

#include <algorithm>

#include "format/batch.h"

namespace lakestream {
namespace {

constexpr int32_t kWaitMsDefault = 100;
constexpr int32_t kWaitMsMax = 60'000;
// How much of the log a projected read looks at in one step.
constexpr size_t kProjectedChunkBytes = 1 << 20;

size_t bytes_of(int32_t value) { return static_cast<size_t>(std::max(value, 0)); }

Task<Result<LogRead>> read_log(std::shared_ptr<Replica> replica, ReadRequest request) {
  std::optional<Result<LogRead>> cached = replica->log().try_read(request);
  if (cached) co_return std::move(*cached);
  co_return co_await replica->log().read(request);
}

// Appends the projected batches of `read` until `bytes_max` is reached; true when there is room
// left.
Result<bool> project_into(BytesChain& out,
                          const LogRead& read,
                          TableContext& table,
                          const std::vector<int32_t>& columns,
                          size_t bytes_max,
                          bool at_least_one) {
  for (const Bytes& part : read.records.parts()) {
    BatchReader reader(part);
    for (;;) {
      ASSIGN_OR_RETURN(std::optional<BatchView> batch, reader.next());
      if (!batch) break;
      ASSIGN_OR_RETURN(const Projection* projection, table.projection(batch->schema_id(), columns));
      ASSIGN_OR_RETURN(BytesChain projected, projection->apply(*batch));
      bool fits = out.size() + projected.size() <= bytes_max || (out.empty() && at_least_one);
      if (!fits) return false;
      out.append(std::move(projected));
    }
  }
  return out.size() < bytes_max;
}

// The same for batches of which only the wanted parts are read; gives the offset to go on at.
// `room` becomes false when a batch did not fit.
Result<Offset> project_parts_into(BytesChain& out,
                                  LogTablet& log,
                                  TableContext& table,
                                  const std::vector<int32_t>& columns,
                                  const ReadRequest& request,
                                  bool* room) {
  auto project = [&](StoredBatch& batch) -> Result<bool> {
    ASSIGN_OR_RETURN(BatchHeaderView header, BatchHeaderView::parse(batch.front()));
    ASSIGN_OR_RETURN(const Projection* projection, table.projection(header.schema_id(), columns));
    ASSIGN_OR_RETURN(ProjectedBatch begun, projection->begin(batch.front(), batch.size()));
    if (begun.front_needed > 0) {
      ASSIGN_OR_RETURN(bool extended, batch.extend_front(begun.front_needed));
      if (!extended) return false;
      ASSIGN_OR_RETURN(begun, projection->begin(batch.front(), batch.size()));
      if (begun.front_needed > 0) return false;
    }
    bool fits =
        out.size() + begun.size <= request.bytes_max || (out.empty() && request.at_least_one);
    if (!fits) {
      *room = false;
      return false;
    }
    std::vector<Bytes> parts;
    ASSIGN_OR_RETURN(bool read, batch.read(begun.ranges, &parts));
    if (!read) return false;
    out.append(Projection::finish(std::move(begun), std::move(parts)));
    return true;
  };
  return log.try_visit(request.from, request.limit, project);
}

Task<Result<BytesChain>> read_projected(std::shared_ptr<Replica> replica,
                                        std::shared_ptr<TableContext> table,
                                        const std::vector<int32_t>* columns,
                                        ReadRequest request) {
  // Checked first, so that a wrong projection is refused on an empty log, too.
  auto checked = table->projection(table->table().latest_schema().id, *columns);
  if (!checked) co_return fail(std::move(checked).error());
  BytesChain out;
  bool room = request.bytes_max > 0 || request.at_least_one;
  while (room && request.from < request.limit) {
    CO_ASSIGN_OR_RETURN(request.from,
                        project_parts_into(out, replica->log(), *table, *columns, request, &room));
    if (!room || out.size() >= request.bytes_max || request.from >= request.limit) break;
    ReadRequest chunk = request;
    chunk.bytes_max = kProjectedChunkBytes;
    chunk.at_least_one = true;
    CO_ASSIGN_OR_RETURN(LogRead read, co_await read_log(replica, chunk));
    if (read.end_offset <= request.from) break;
    CO_ASSIGN_OR_RETURN(
        room, project_into(out, read, *table, *columns, request.bytes_max, request.at_least_one));
    request.from = read.end_offset;
  }
  co_return out;
}

Task<Status> read_records(ShardTablets* tablets,
                          const BucketFetch* fetch,
                          FetchBudget budget,
                          BucketRead* result) {
  CO_ASSIGN_OR_RETURN(std::shared_ptr<Replica> replica, tablets->leader(fetch->bucket));
  CO_ASSIGN_OR_RETURN(std::shared_ptr<TableContext> table, tablets->table(fetch->bucket.table));
  LogTablet& log = replica->log();
  result->high_watermark = replica->high_watermark();
  result->start_offset = log.start_offset();
  Offset from(fetch->offset == kEarliestOffset ? log.start_offset().value() : fetch->offset);
  if (from < log.start_offset() || from > log.end_offset()) {
    co_return make_error(ErrorCode::kLogOffsetOutOfRangeException,
                         "bucket {} of {}: offset {} is outside of the log, which holds [{}, {}); "
                         "start at the earliest (-2) or the latest offset",
                         fetch->bucket.bucket,
                         table->table().path,
                         from,
                         log.start_offset(),
                         result->high_watermark);
  }
  ReadRequest request;
  request.from = from;
  request.limit = result->high_watermark;
  request.bytes_max = std::min(fetch->bytes_max, budget.bytes_left);
  request.at_least_one = budget.at_least_one;
  if (fetch->table->projection_pushdown_enabled) {
    CO_ASSIGN_OR_RETURN(
        result->records,
        co_await read_projected(replica, table, &fetch->table->projected_fields, request));
    co_return ok();
  }
  if (from >= request.limit || (request.bytes_max == 0 && !request.at_least_one)) co_return ok();
  CO_ASSIGN_OR_RETURN(LogRead read, co_await read_log(replica, request));
  result->records = std::move(read.records);
  co_return ok();
}

}  // namespace

Result<FetchPlan> FetchPlan::make(const wire::FetchLogRequest& request,
                                  const ReplicaManager& replicas,
                                  size_t bytes_limit) {
  FetchPlan plan;
  plan.bytes_max = std::min(bytes_of(request.max_bytes), bytes_limit);
  if (request.min_bytes) {
    plan.bytes_min = bytes_of(*request.min_bytes);
    int32_t wait = std::clamp(request.max_wait_ms.value_or(kWaitMsDefault), 0, kWaitMsMax);
    plan.wait_max = std::chrono::milliseconds(wait);
  }
  std::vector<TableBucket> ids;
  for (const auto& table : request.tables_req) {
    // Whole batches may be filtered by their statistics; returning all of them is right, too.
    if (table.filter_predicate.has_value() != table.filter_schema_id.has_value()) {
      return make_error(
          ErrorCode::kUnknownServerError,
          "table {}: filter_predicate and filter_schema_id come together or not at all",
          table.table_id);
    }
    for (const auto& bucket : table.buckets_req) {
      ids.push_back(
          {TableId(table.table_id), partition_of(bucket.partition_id), BucketId(bucket.bucket_id)});
      plan.buckets.push_back(
          {ids.back(), bucket.fetch_offset, bytes_of(bucket.max_fetch_bytes), &table});
    }
  }
  plan.groups = group_by_home(replicas, ids);
  return plan;
}

Task<HomeRead> read_buckets(ShardTablets* tablets,
                            const FetchPlan* plan,
                            const std::vector<size_t>* positions,
                            FetchBudget budget) {
  HomeRead home;
  home.reads.resize(positions->size());
  for (size_t i = 0; i < positions->size(); ++i) {
    BucketRead& read = home.reads[i];
    Status status = co_await read_records(tablets, &plan->buckets[(*positions)[i]], budget, &read);
    if (!status) {
      read = {};
      read.error = std::move(status).error();
    }
    size_t size = read.records.size();
    budget.bytes_left -= std::min(budget.bytes_left, size);
    if (size > 0) budget.at_least_one = false;
  }
  home.budget = budget;
  co_return home;
}

}  // namespace lakestream
