#include <algorithm>

#include "tablet/api/at_homes.h"
#include "tablet/api/tablet_apis.h"

namespace lakestream {
namespace {

constexpr int32_t kAcksAll = -1;

struct PendingAppend {
  Result<Offset> base = Offset(0);
  std::shared_ptr<Replica> replica;
  Appended appended;
};

PendingAppend append_one(ShardTablets& tablets,
                         TableId table_id,
                         const wire::PbProduceLogReqForBucket& bucket) {
  PendingAppend pending;
  TableBucket id{table_id, partition_of(bucket.partition_id), BucketId(bucket.bucket_id)};
  auto append = [&]() -> Result<Appended> {
    RETURN_IF_ERROR(check_not_historical(bucket.original_partition_name));
    ASSIGN_OR_RETURN(pending.replica, tablets.leader(id));
    ASSIGN_OR_RETURN(std::shared_ptr<TableContext> table, tablets.table(table_id));
    if (table->has_primary_key()) {
      return make_error(ErrorCode::kInvalidTableException,
                        "table {} has a primary key, its log is made by the server; write rows "
                        "with upserts and deletes",
                        table->table().path);
    }
    auto appended = pending.replica->append(bucket.records, *table);
    if (!appended) {
      return fail(std::move(appended).error().with_context(
          fmt::format("bucket {} of {}", bucket.bucket_id, table->table().path)));
    }
    return appended;
  };
  Result<Appended> appended = append();
  if (appended) {
    pending.base = appended->base_offset;
    pending.appended = *appended;
  } else {
    pending.base = fail(std::move(appended).error());
  }
  return pending;
}

// All appends are on their way to the disk before the first is waited for.
Task<std::vector<Result<Offset>>> append_all(ShardTablets* tablets,
                                             const wire::ProduceLogRequest* request,
                                             std::vector<size_t> positions,
                                             Clock* clock) {
  std::vector<Result<Offset>> bases;
  Status writable = tablets->check_writable();
  if (!writable) {
    for (size_t i = 0; i < positions.size(); ++i) bases.push_back(fail(writable.error()));
    co_return bases;
  }
  std::vector<PendingAppend> pending;
  pending.reserve(positions.size());
  for (size_t position : positions) {
    pending.push_back(
        append_one(*tablets, TableId(request->table_id), request->buckets_req[position]));
  }
  Duration deadline = clock->monotonic() + std::chrono::milliseconds(request->timeout_ms);
  for (PendingAppend& append : pending) {
    if (append.base && request->acks != 0) {
      Duration left = std::max(deadline - clock->monotonic(), Duration(0));
      Status committed = co_await append.replica->committed(append.appended, left);
      if (!committed) append.base = fail(std::move(committed).error());
    }
    bases.push_back(std::move(append.base));
  }
  co_return bases;
}

}  // namespace

Task<Result<wire::ProduceLogResponse>> produce_log(TabletApiContext* tablets,
                                                   wire::ProduceLogRequest request,
                                                   rpc::RequestContext context) {
  if (request.acks < kAcksAll || request.acks > 1) {
    co_return make_error(
        ErrorCode::kInvalidRequiredAcks, "acks is {}; it must be -1 (all), 0 or 1", request.acks);
  }
  std::vector<TableBucket> buckets = buckets_of(request.table_id, request.buckets_req);
  Clock* clock = &tablets->replicas.env().clock;
  const wire::ProduceLogRequest* shared = &request;
  HomeJob<Result<Offset>> job = [shared, clock](ShardTablets& on, std::vector<size_t> positions) {
    return append_all(&on, shared, std::move(positions), clock);
  };
  auto bases = co_await at_homes<Result<Offset>>(
      *context.shard, tablets->replicas, std::move(buckets), std::move(job));
  wire::ProduceLogResponse response;
  response.buckets_resp.reserve(bases.size());
  for (size_t i = 0; i < bases.size(); ++i) {
    // The lock holds for the whole server, so it is the answer to the whole request.
    if (!bases[i] && bases[i].error().code() == ErrorCode::kDiskWriteLocked) {
      co_return fail(std::move(bases[i]).error());
    }
    wire::PbProduceLogRespForBucket& answer = response.buckets_resp.emplace_back();
    answer.partition_id = request.buckets_req[i].partition_id;
    answer.bucket_id = request.buckets_req[i].bucket_id;
    answer.original_partition_name = request.buckets_req[i].original_partition_name;
    if (bases[i]) {
      answer.base_offset = bases[i]->value();
    } else {
      set_error(answer, bases[i].error());
    }
  }
  co_return response;
}

}  // namespace lakestream
