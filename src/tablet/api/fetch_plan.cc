#include "tablet/api/fetch_plan.h"

#include <algorithm>
#include <limits>

#include "tablet/api/filter.h"
#include "tablet/api/selective_read.h"

namespace lakestream {
namespace {

constexpr int32_t kWaitMsDefault = 100;
constexpr int32_t kWaitMsMax = 60'000;
// Batches that a request with conditions looks at, in all buckets together and at least in each, so
// that it does not hold up its shards.
constexpr size_t kFilteredBatchesMax = 2048;
constexpr size_t kFilteredBatchesMin = 64;

size_t bytes_of(int32_t value) { return static_cast<size_t>(std::max(value, 0)); }

// What the request wants of the table's batches. A condition is left out when it can not be judged.
ReadChoice choice_of(const BucketFetch& fetch, const TableContext& table, size_t bucket_count) {
  const wire::PbFetchLogReqForTable& wanted = *fetch.table;
  ReadChoice choice;
  if (wanted.projection_pushdown_enabled) choice.columns = &wanted.projected_fields;
  choice.batches_max = std::max(kFilteredBatchesMax / bucket_count, kFilteredBatchesMin);
  bool has_statistics = table.options().log_format == LogFormat::kArrow;
  if (!wanted.filter_predicate || !wanted.filter_schema_id || !has_statistics) return choice;
  int32_t id = *wanted.filter_schema_id;
  if (id < 0 || id > std::numeric_limits<int16_t>::max()) return choice;
  const SchemaEntry* schema = table.table().find_schema(SchemaId(static_cast<int16_t>(id)));
  if (schema != nullptr) choice.predicate = predicate_of(*wanted.filter_predicate, schema->schema);
  return choice;
}

Task<Status> read_selected_records(std::shared_ptr<Replica> replica,
                                   std::shared_ptr<TableContext> table,
                                   ReadChoice choice,
                                   ReadRequest request,
                                   BucketRead* result) {
  CO_ASSIGN_OR_RETURN(SelectedRead read, co_await read_selected(replica, table, choice, request));
  result->records = std::move(read.records);
  result->records_end = read.records_end;
  result->end_offset = read.end_offset;
  result->has_more = read.has_more;
  co_return ok();
}

// Where the fetch begins; sets what the answer says of the log.
Task<Result<Offset>> begin_of(std::shared_ptr<Replica> replica,
                              std::shared_ptr<TableContext> table,
                              const BucketFetch* fetch,
                              BucketRead* result) {
  LogTablet& log = replica->log();
  result->high_watermark = replica->high_watermark();
  result->start_offset = log.start_offset();
  Offset from(fetch->offset);
  if (fetch->passed > Offset(0)) from = fetch->passed;
  if (from < log.start_offset()) {
    CO_ASSIGN_OR_RETURN(result->start_offset, co_await replica->start_offset());
    if (from == Offset(kEarliestOffset)) from = result->start_offset;
  }
  if (from >= result->start_offset && from <= log.end_offset()) co_return from;
  co_return make_error(ErrorCode::kLogOffsetOutOfRangeException,
                       "bucket {} of {}: offset {} is outside of the log, which holds [{}, {}); "
                       "start at the earliest (-2) or the latest offset",
                       fetch->bucket.bucket,
                       table->table().path,
                       from,
                       result->start_offset,
                       result->high_watermark);
}

bool is_sent_away(const BucketFetch& fetch, ReadPreference preference, bool is_local) {
  // Who was sent away would not learn what was passed over.
  if (fetch.passed > Offset(0)) return false;
  return is_local ? preference == ReadPreference::kRemoteFirst
                  : preference != ReadPreference::kServer;
}

Task<Status> read_records(ShardTablets* tablets,
                          const FetchPlan* plan,
                          const BucketFetch* fetch,
                          FetchBudget budget,
                          BucketRead* result) {
  if (fetch->refused) co_return fail(*fetch->refused);
  CO_ASSIGN_OR_RETURN(std::shared_ptr<Replica> replica, tablets->leader(fetch->bucket));
  CO_ASSIGN_OR_RETURN(std::shared_ptr<TableContext> table, tablets->table(fetch->bucket.table));
  CO_ASSIGN_OR_RETURN(Offset from, co_await begin_of(replica, table, fetch, result));
  result->records_end = result->end_offset = from;
  bool is_local = from >= replica->log().start_offset();
  if (replica->remote() != nullptr && is_sent_away(*fetch, plan->preference, is_local)) {
    CO_ASSIGN_OR_RETURN(result->remote, co_await replica->remote()->find(from));
    if (result->remote) co_return ok();
  }
  ReadRequest request;
  request.from = from;
  request.limit = result->high_watermark;
  request.bytes_max = std::min(fetch->bytes_max, budget.bytes_left);
  request.at_least_one = budget.at_least_one;
  ReadChoice choice = choice_of(*fetch, *table, plan->buckets.size());
  if (!choice.is_everything()) {
    co_return co_await read_selected_records(replica, table, std::move(choice), request, result);
  }
  if (from >= request.limit || (request.bytes_max == 0 && !request.at_least_one)) co_return ok();
  CO_ASSIGN_OR_RETURN(LogRead read, co_await read_log(replica, request));
  result->records_end = result->end_offset = read.end_offset;
  ReadCounters& counters = table->reads();
  counters.rows_sent += static_cast<uint64_t>(read.end_offset.value() - from.value());
  counters.bytes_read += read.records.size();
  counters.bytes_sent += read.records.size();
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
  plan.preference = static_cast<ReadPreference>(request.read_preference.value_or(0));
  if (plan.preference == ReadPreference::kLocalFirst && replicas.serves_remote_reads()) {
    plan.preference = ReadPreference::kServer;
  }
  std::vector<TableBucket> ids;
  for (const auto& table : request.tables_req) {
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
    const BucketFetch* fetch = &plan->buckets[(*positions)[i]];
    Status status = co_await read_records(tablets, plan, fetch, budget, &read);
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
