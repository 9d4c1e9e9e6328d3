#include <algorithm>

#include "tablet/api/at_homes.h"
#include "tablet/api/key_version.h"
#include "tablet/api/tablet_apis.h"

namespace lakestream {
namespace {

constexpr int32_t kAcksAll = -1;
constexpr int32_t kModeOverwrite = 1;
// Before this version a server under pressure answers what such clients retry.
constexpr int16_t kBackpressureVersion = 2;

struct Answer {
  Result<Offset> end = Offset(0);
  double pressure = 0;
};

struct PendingPut {
  std::shared_ptr<Replica> replica;
  std::shared_ptr<KvReplica::Put> put;
};

Result<PendingPut> start_one(ShardTablets& tablets,
                             const wire::PutKvRequest& request,
                             const wire::PbPutKvReqForBucket& bucket) {
  RETURN_IF_ERROR(check_not_historical(bucket.original_partition_name));
  TableId table_id(request.table_id);
  TableBucket id{table_id, partition_of(bucket.partition_id), BucketId(bucket.bucket_id)};
  PendingPut pending;
  ASSIGN_OR_RETURN(pending.replica, tablets.leader(id));
  KvPutRequest put;
  ASSIGN_OR_RETURN(put.table, tablets.table(table_id));
  RETURN_IF_ERROR(put.table->kv());
  put.records = bucket.records;
  put.target_columns = request.target_columns;
  put.overwrite = request.agg_mode == kModeOverwrite;
  put.epoch = pending.replica->leader_epoch();
  pending.put = pending.replica->kv()->start_put(std::move(put));
  return pending;
}

Task<Answer> finish_one(
    Result<PendingPut> pending, int32_t acks, int32_t bucket, Duration deadline, Clock* clock) {
  Answer answer;
  if (!pending) {
    answer.end = fail(std::move(pending).error());
    co_return answer;
  }
  Result<Appended> appended = co_await pending->put->appended.get();
  if (!appended) {
    answer.end = fail(std::move(appended).error().with_context(fmt::format("bucket {}", bucket)));
    co_return answer;
  }
  answer.end = appended->end_offset;
  if (acks != 0) {
    Duration left = std::max(deadline - clock->monotonic(), Duration(0));
    Status committed = co_await pending->replica->committed(*appended, left);
    if (!committed) answer.end = fail(std::move(committed).error());
  }
  answer.pressure = pending->replica->kv()->pressure();
  co_return answer;
}

// All puts are on their way before the first is waited for.
Task<std::vector<Answer>> put_all(ShardTablets* tablets,
                                  const wire::PutKvRequest* request,
                                  std::vector<size_t> positions,
                                  Clock* clock) {
  std::vector<Answer> answers;
  Status writable = tablets->check_writable();
  if (!writable) {
    for (size_t i = 0; i < positions.size(); ++i) answers.push_back({fail(writable.error()), 0});
    co_return answers;
  }
  std::vector<Result<PendingPut>> pending;
  pending.reserve(positions.size());
  for (size_t position : positions) {
    pending.push_back(start_one(*tablets, *request, request->buckets_req[position]));
  }
  Duration deadline = clock->monotonic() + std::chrono::milliseconds(request->timeout_ms);
  for (size_t i = 0; i < pending.size(); ++i) {
    int32_t bucket = request->buckets_req[positions[i]].bucket_id;
    answers.push_back(
        co_await finish_one(std::move(pending[i]), request->acks, bucket, deadline, clock));
  }
  co_return answers;
}

Status check_request(const wire::PutKvRequest& request) {
  if (request.acks < kAcksAll || request.acks > 1) {
    return make_error(
        ErrorCode::kInvalidRequiredAcks, "acks is {}; it must be -1 (all), 0 or 1", request.acks);
  }
  int32_t mode = request.agg_mode.value_or(0);
  if (mode != 0 && mode != kModeOverwrite) {
    return make_error(ErrorCode::kUnknownServerError,
                      "aggregation mode is {}; it must be 0 (as the table says) or 1 (overwrite)",
                      mode);
  }
  return ok();
}

wire::PbPutKvRespForBucket to_wire(const wire::PbPutKvReqForBucket& bucket,
                                   const Answer& answer,
                                   int16_t api_version) {
  wire::PbPutKvRespForBucket message;
  message.partition_id = bucket.partition_id;
  message.bucket_id = bucket.bucket_id;
  message.original_partition_name = bucket.original_partition_name;
  if (answer.pressure > 0) message.pressure = static_cast<float>(answer.pressure);
  if (answer.end) {
    message.log_end_offset = answer.end->value();
    return message;
  }
  set_error(message, answer.end.error());
  if (answer.end.error().code() == ErrorCode::kStorageBackpressureException &&
      api_version < kBackpressureVersion) {
    message.error_code = static_cast<int32_t>(ErrorCode::kKvStorageException);
  }
  return message;
}

}  // namespace

Task<Result<wire::PutKvResponse>> put_kv(TabletApiContext* tablets,
                                         wire::PutKvRequest request,
                                         rpc::RequestContext context) {
  CO_RETURN_IF_ERROR(check_request(request));
  TableId table(request.table_id);
  CO_RETURN_IF_ERROR(
      check_key_version(tablets->replicas.catalog(), *context.shard, table, context.api_version));
  std::vector<TableBucket> buckets = buckets_of(request.table_id, request.buckets_req);
  Clock* clock = &tablets->replicas.env().clock;
  const wire::PutKvRequest* shared = &request;
  HomeJob<Answer> job = [shared, clock](ShardTablets& on, std::vector<size_t> positions) {
    return put_all(&on, shared, std::move(positions), clock);
  };
  auto answers = co_await at_homes<Answer>(
      *context.shard, tablets->replicas, std::move(buckets), std::move(job));
  wire::PutKvResponse response;
  response.buckets_resp.reserve(answers.size());
  for (size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i];
    // The lock holds for the whole server, so it is the answer to the whole request.
    if (!answer.end && answer.end.error().code() == ErrorCode::kDiskWriteLocked) {
      co_return fail(answer.end.error());
    }
    response.buckets_resp.push_back(to_wire(request.buckets_req[i], answer, context.api_version));
  }
  co_return response;
}

}  // namespace lakestream
