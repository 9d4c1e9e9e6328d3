#include <map>
#include <utility>

#include "coordinator/api/table_rights.h"
#include "coordinator/api/write_apis.h"
#include "coordinator/lifetimes.h"

namespace lakestream::coordinator {
namespace {

enum class RegisterResult : int32_t { kCreated = 0, kAlreadyExists = 1 };

std::map<TableBucket, Offset> to_offsets(const std::vector<wire::PbProducerTableOffsets>& tables) {
  std::map<TableBucket, Offset> offsets;
  for (const wire::PbProducerTableOffsets& table : tables) {
    for (const wire::PbBucketOffset& end : table.bucket_offsets) {
      TableBucket bucket{TableId(table.table_id), std::nullopt, BucketId(end.bucket_id)};
      if (end.partition_id) bucket.partition = PartitionId(*end.partition_id);
      // An offset that is missing is refused as one below zero.
      offsets[bucket] = Offset(end.log_end_offset.value_or(-1));
    }
  }
  return offsets;
}

std::vector<wire::PbProducerTableOffsets> by_table(const std::map<TableBucket, Offset>& offsets) {
  std::vector<wire::PbProducerTableOffsets> tables;
  for (const auto& [bucket, offset] : offsets) {
    if (tables.empty() || tables.back().table_id != bucket.table.value()) {
      tables.emplace_back().table_id = bucket.table.value();
    }
    wire::PbBucketOffset& end = tables.back().bucket_offsets.emplace_back();
    if (bucket.partition) end.partition_id = bucket.partition->value();
    end.bucket_id = bucket.bucket.value();
    end.log_end_offset = offset.value();
  }
  return tables;
}

// Who forgets offsets may write to each table that they are of.
Task<Status> check_writable(std::string producer,
                            rpc::RequestContext call,
                            Coordinator* coordinator) {
  auto get = [coordinator, producer = std::move(producer)]() mutable {
    return coordinator->producer_offsets(std::move(producer));
  };
  CO_ASSIGN_OR_RETURN(std::optional<ProducerOffsets> known,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(get)));
  std::vector<TableId> tables;
  if (!known) co_return ok();
  for (const auto& [bucket, offset] : known->offsets) tables.push_back(bucket.table);
  co_return check_tables(*coordinator, call, security::Operation::kWrite, tables);
}

}  // namespace

Task<Result<wire::RegisterProducerOffsetsResponse>> register_producer_offsets_api(
    wire::RegisterProducerOffsetsRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator) {
  std::optional<Duration> ttl;
  if (request.ttl_ms) ttl = lifetime_of(*request.ttl_ms);
  auto add = [coordinator,
              producer = std::move(request.producer_id),
              offsets = to_offsets(request.table_offsets),
              ttl]() mutable {
    return coordinator->register_producer(std::move(producer), std::move(offsets), ttl);
  };
  CO_ASSIGN_OR_RETURN(bool is_new,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(add)));
  wire::RegisterProducerOffsetsResponse response;
  response.result =
      static_cast<int32_t>(is_new ? RegisterResult::kCreated : RegisterResult::kAlreadyExists);
  co_return response;
}

Task<Result<wire::GetProducerOffsetsResponse>> get_producer_offsets_api(
    wire::GetProducerOffsetsRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  auto get = [coordinator, producer = request.producer_id]() mutable {
    return coordinator->producer_offsets(std::move(producer));
  };
  CO_ASSIGN_OR_RETURN(std::optional<ProducerOffsets> known,
                      co_await call_on(*call.shard, coordinator->shard(), std::move(get)));
  wire::GetProducerOffsetsResponse response;
  if (!known) co_return response;
  std::erase_if(known->offsets, [&](const auto& entry) {
    return !may_table(*coordinator, call, security::Operation::kRead, entry.first.table);
  });
  response.producer_id = std::move(request.producer_id);
  response.expiration_time = known->expiration_time.value();
  response.table_offsets = by_table(known->offsets);
  co_return response;
}

Task<Result<wire::DeleteProducerOffsetsResponse>> delete_producer_offsets_api(
    wire::DeleteProducerOffsetsRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator) {
  if (checks_rights(*coordinator)) {
    CO_RETURN_IF_ERROR(co_await check_writable(request.producer_id, call, coordinator));
  }
  auto forget = [coordinator, producer = std::move(request.producer_id)]() mutable {
    return coordinator->forget_producer(std::move(producer));
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(forget)));
  co_return wire::DeleteProducerOffsetsResponse{};
}

}  // namespace lakestream::coordinator
