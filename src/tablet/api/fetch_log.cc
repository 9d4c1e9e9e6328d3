#include <algorithm>

#include "tablet/api/at_homes.h"
#include "tablet/api/fetch_plan.h"
#include "tablet/api/fetch_wait.h"
#include "tablet/api/tablet_apis.h"

namespace lakestream {
namespace {

// A reader whose rows are all left out hears of it after this time: soon, as it may wait for the
// end, but not with every append.
constexpr Duration kPassedWait = std::chrono::milliseconds(50);
// While many answers wait for slow readers.
constexpr size_t kBytesUnderPressure = 1 << 20;

// One pass over all homes, one after the other so that the byte budget of the request holds.
Task<std::vector<BucketRead>> read_all(Shard* here,
                                       ReplicaManager* replicas,
                                       const FetchPlan* plan) {
  std::vector<BucketRead> reads(plan->buckets.size());
  FetchBudget budget{plan->bytes_max, true};
  for (const HomeGroup& group : plan->groups) {
    ShardTablets* on = &replicas->on(*group.home);
    const std::vector<size_t>* positions = &group.positions;
    auto job = [on, plan, positions, budget] { return read_buckets(on, plan, positions, budget); };
    HomeRead part = co_await call_on(*here, *group.home, std::move(job));
    budget = part.budget;
    for (size_t i = 0; i < positions->size(); ++i) {
      reads[(*positions)[i]] = std::move(part.reads[i]);
    }
  }
  co_return reads;
}

size_t bytes_of(const std::vector<BucketRead>& reads) {
  size_t bytes = 0;
  for (const BucketRead& read : reads) bytes += read.records.size();
  return bytes;
}

// A bucket that is not led here does not end a wait that begins, so that a client with one stale
// leader does not spin; one that stopped meanwhile is reported at once.
bool is_enough(const std::vector<BucketRead>& reads, const FetchPlan& plan, bool has_waited) {
  for (const BucketRead& read : reads) {
    if (read.has_more || read.remote) return true;
    if (!read.error) continue;
    ErrorCode code = read.error->code();
    bool is_stale = code == ErrorCode::kNotLeaderOrFollower ||
                    code == ErrorCode::kUnknownTableOrBucketException;
    if (!is_stale || has_waited) return true;
  }
  return bytes_of(reads) >= plan.bytes_min;
}

// Notes what the reads have passed over, so that the next ones begin behind it. True when there was
// any.
bool note_passed(const std::vector<BucketRead>& reads, FetchPlan* plan) {
  bool any = false;
  for (size_t i = 0; i < reads.size(); ++i) {
    const BucketRead& read = reads[i];
    if (read.error || !read.records.empty() || read.end_offset <= read.records_end) continue;
    plan->buckets[i].passed = read.end_offset;
    any = true;
  }
  return any;
}

void refuse_tables(FetchPlan* plan,
                   const TabletApiContext& tablets,
                   const rpc::RequestContext& context) {
  if (!tablets.authorizer.is_enabled()) return;
  for (BucketFetch& fetch : plan->buckets) {
    Status may = check_readable(tablets, context, fetch.bucket.table);
    if (!may) fetch.refused = std::move(may).error();
  }
}

wire::PbRemoteLogFetchInfo info_of(RemoteFetch fetch) {
  wire::PbRemoteLogFetchInfo info;
  info.remote_log_tablet_dir = std::move(fetch.folder);
  if (fetch.partition) info.partition_name = std::move(*fetch.partition);
  for (RemoteLogSegment& segment : fetch.segments) {
    wire::PbRemoteLogSegment& told = info.remote_log_segments.emplace_back();
    told.remote_log_segment_id = std::move(segment.id);
    told.remote_log_start_offset = segment.start_offset.value();
    told.remote_log_end_offset = segment.end_offset.value();
    told.segment_size_in_bytes = static_cast<int32_t>(segment.size_bytes);
    told.max_timestamp = segment.max_timestamp.value();
  }
  info.first_start_pos = static_cast<int32_t>(fetch.first_position);
  return info;
}

wire::FetchLogResponse answer_of(const wire::FetchLogRequest& request,
                                 const FetchPlan& plan,
                                 std::vector<BucketRead> reads) {
  wire::FetchLogResponse response;
  response.tables_resp.reserve(request.tables_req.size());
  size_t next = 0;
  for (const auto& table : request.tables_req) {
    wire::PbFetchLogRespForTable& table_answer = response.tables_resp.emplace_back();
    table_answer.table_id = table.table_id;
    table_answer.buckets_resp.reserve(table.buckets_req.size());
    for (const auto& bucket : table.buckets_req) {
      Offset passed = plan.buckets[next].passed;
      BucketRead& read = reads[next++];
      wire::PbFetchLogRespForBucket& answer = table_answer.buckets_resp.emplace_back();
      answer.partition_id = bucket.partition_id;
      answer.bucket_id = bucket.bucket_id;
      if (read.error) {
        set_error(answer, *read.error);
        continue;
      }
      answer.high_watermark = read.high_watermark.value();
      answer.log_start_offset = read.start_offset.value();
      if (read.remote) {
        answer.remote_log_fetch_info = info_of(std::move(*read.remote));
        continue;
      }
      answer.records = std::move(read.records);
      bool is_behind = answer.records->empty() && passed > Offset(0);
      if (table.filter_predicate && (read.end_offset > read.records_end || is_behind)) {
        answer.filtered_end_offset = read.end_offset.value();
      }
    }
  }
  return response;
}

}  // namespace

Task<Result<wire::FetchLogResponse>> fetch_log(TabletApiContext* tablets,
                                               wire::FetchLogRequest request,
                                               rpc::RequestContext context) {
  ReplicaManager& replicas = tablets->replicas;
  Clock& clock = replicas.env().clock;
  CO_ASSIGN_OR_RETURN(FetchPlan plan, FetchPlan::make(request, replicas, tablets->fetch_bytes_max));
  refuse_tables(&plan, *tablets, context);
  Duration deadline = clock.monotonic() + plan.wait_max;
  rpc::HeldShare share(context.held);
  const size_t wanted = plan.bytes_max;
  for (bool has_waited = false;; has_waited = true) {
    plan.bytes_max = share.grant(wanted, kBytesUnderPressure);
    std::vector<BucketRead> reads = co_await read_all(context.shard, &replicas, &plan);
    size_t bytes = bytes_of(reads);
    share.settle(bytes);
    bool is_cut = bytes > 0 && plan.bytes_max < wanted;  // bytes_min may be beyond it
    Duration left = deadline - clock.monotonic();
    bool gone = context.cancellation != nullptr && context.cancellation->is_cancelled();
    if (left <= Duration(0) || gone || is_cut || is_enough(reads, plan, has_waited)) {
      co_return answer_of(request, plan, std::move(reads));
    }
    bool has_passed = note_passed(reads, &plan);
    if (has_passed && !has_waited) {
      left = std::min(left, kPassedWait);
      deadline = clock.monotonic() + left;
    }
    co_await wait_for_records(&context, &replicas, &plan, &reads, left);
  }
}

}  // namespace lakestream
