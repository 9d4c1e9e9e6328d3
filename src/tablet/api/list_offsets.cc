#include "tablet/api/at_homes.h"
#include "tablet/api/tablet_apis.h"

namespace lakestream {
namespace {

enum class OffsetType : int32_t { kEarliest = 0, kLatest = 1, kTimestamp = 2 };

// The first one at or after the time, here or in remote storage.
Task<Result<std::optional<Offset>>> offset_at(std::shared_ptr<Replica> replica,
                                              TimestampMs timestamp) {
  std::optional<Offset> there;
  if (replica->remote() != nullptr) {
    CO_ASSIGN_OR_RETURN(there, co_await replica->remote()->offset_for_timestamp(timestamp));
  }
  if (there && *there < replica->log().start_offset()) co_return there;
  CO_ASSIGN_OR_RETURN(std::optional<Offset> here,
                      co_await replica->log().offset_for_timestamp(timestamp));
  co_return here;
}

Task<Result<Offset>> offset_of(std::shared_ptr<Replica> replica,
                               const wire::ListOffsetsRequest* request,
                               TimestampMs now) {
  switch (static_cast<OffsetType>(request->offset_type)) {
    case OffsetType::kEarliest:
      co_return co_await replica->start_offset();
    case OffsetType::kLatest:
      co_return replica->high_watermark();
    case OffsetType::kTimestamp:
      break;
    default:
      co_return make_error(ErrorCode::kUnknownServerError,
                           "offset type {} is unknown; 0 earliest, 1 latest and 2 timestamp are "
                           "served",
                           request->offset_type);
  }
  if (!request->start_timestamp) {
    co_return make_error(ErrorCode::kUnknownServerError,
                         "offset type 2 needs startTimestamp, which is missing");
  }
  TimestampMs timestamp(*request->start_timestamp);
  if (timestamp > now) {
    co_return make_error(ErrorCode::kInvalidTimestampException,
                         "timestamp {} is later than the server's time {}",
                         timestamp,
                         now);
  }
  CO_ASSIGN_OR_RETURN(std::optional<Offset> found, co_await offset_at(replica, timestamp));
  Offset latest = replica->high_watermark();
  co_return found.has_value() && *found < latest ? *found : latest;
}

Task<std::vector<Result<Offset>>> offsets_of(ShardTablets* tablets,
                                             const wire::ListOffsetsRequest* request,
                                             std::vector<size_t> positions,
                                             TimestampMs now) {
  std::vector<Result<Offset>> offsets;
  for (size_t position : positions) {
    TableBucket bucket{TableId(request->table_id),
                       partition_of(request->partition_id),
                       BucketId(request->bucket_id[position])};
    auto replica = tablets->find(bucket);
    if (replica) {
      offsets.push_back(co_await offset_of(*replica, request, now));
    } else {
      offsets.push_back(fail(std::move(replica).error()));
    }
  }
  co_return offsets;
}

}  // namespace

Task<Result<wire::ListOffsetsResponse>> list_offsets(TabletApiContext* tablets,
                                                     wire::ListOffsetsRequest request,
                                                     rpc::RequestContext context) {
  std::vector<TableBucket> buckets;
  for (int32_t bucket : request.bucket_id) {
    buckets.push_back(
        {TableId(request.table_id), partition_of(request.partition_id), BucketId(bucket)});
  }
  const wire::ListOffsetsRequest* shared = &request;
  TimestampMs now = tablets->replicas.env().clock.now();
  HomeJob<Result<Offset>> job = [shared, now](ShardTablets& on, std::vector<size_t> positions) {
    return offsets_of(&on, shared, std::move(positions), now);
  };
  auto offsets = co_await at_homes<Result<Offset>>(
      *context.shard, tablets->replicas, std::move(buckets), std::move(job));
  wire::ListOffsetsResponse response;
  for (size_t i = 0; i < offsets.size(); ++i) {
    wire::PbListOffsetsRespForBucket& answer = response.buckets_resp.emplace_back();
    answer.bucket_id = request.bucket_id[i];
    if (offsets[i]) {
      answer.offset = offsets[i]->value();
    } else {
      set_error(answer, offsets[i].error());
    }
  }
  co_return response;
}

}  // namespace lakestream
