#include "tablet/api/at_homes.h"
#include "tablet/api/tablet_apis.h"

namespace lakestream {
namespace {

Task<Result<int64_t>> kv_row_count(ShardTablets* tablets, std::shared_ptr<Replica> replica) {
  CO_ASSIGN_OR_RETURN(std::shared_ptr<TableContext> table, tablets->table(replica->bucket().table));
  co_return co_await replica->kv()->row_count(std::move(table));
}

Task<Result<int64_t>> log_row_count(std::shared_ptr<Replica> replica) {
  CO_ASSIGN_OR_RETURN(Offset start, co_await replica->start_offset());
  co_return replica->high_watermark().value() - start.value();
}

Task<std::vector<Result<int64_t>>> row_counts(ShardTablets* tablets,
                                              const std::vector<TableBucket>* buckets,
                                              std::vector<size_t> positions) {
  std::vector<Result<int64_t>> counts;
  for (size_t position : positions) {
    auto replica = tablets->leader((*buckets)[position]);
    if (replica && (*replica)->kv() != nullptr) {
      counts.push_back(co_await kv_row_count(tablets, *replica));
    } else if (replica) {
      counts.push_back(co_await log_row_count(*replica));
    } else {
      counts.push_back(fail(std::move(replica).error()));
    }
  }
  co_return counts;
}

}  // namespace

Task<Result<wire::GetTableStatsResponse>> get_table_stats(TabletApiContext* tablets,
                                                          wire::GetTableStatsRequest request,
                                                          rpc::RequestContext context) {
  std::vector<TableBucket> buckets = buckets_of(request.table_id, request.buckets_req);
  const std::vector<TableBucket>* shared = &buckets;
  HomeJob<Result<int64_t>> job = [shared](ShardTablets& on, std::vector<size_t> positions) {
    return row_counts(&on, shared, std::move(positions));
  };
  auto counts = co_await at_homes<Result<int64_t>>(
      *context.shard, tablets->replicas, buckets, std::move(job));
  wire::GetTableStatsResponse response;
  for (size_t i = 0; i < counts.size(); ++i) {
    wire::PbTableStatsRespForBucket& answer = response.buckets_resp.emplace_back();
    answer.partition_id = request.buckets_req[i].partition_id;
    answer.bucket_id = request.buckets_req[i].bucket_id;
    if (counts[i]) {
      answer.row_count = *counts[i];
    } else {
      set_error(answer, counts[i].error());
    }
  }
  co_return response;
}

}  // namespace lakestream
