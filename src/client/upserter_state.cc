#include "client/upserter_state.h"

#include <arrow/record_batch.h>

#include "client/metadata.h"
#include "format/arrow_error.h"
#include "format/arrow_schema.h"

namespace lakestream::client::internal {

UpserterState::UpserterState(std::shared_ptr<Session> session,
                             std::shared_ptr<const TableMetadata> metadata,
                             std::shared_ptr<const UpsertPlan> plan,
                             const UpserterOptions& options,
                             WriterId writer)
    : BatchSender(
          std::move(session), std::move(metadata), options, {writer, kv_with_writer}, "upserter"),
      plan_(std::move(plan)),
      mode_(options.mode) {}

std::unique_ptr<Gather> UpserterState::make_gather() const {
  return std::make_unique<KvGather>(plan_->schema_id());
}

Status UpserterState::take_row(std::span<const Value> row, Change change, Delivery* delivery) {
  Result<UpsertPlan::Record> record = change == Change::kUpsert ? plan_->record_of(row, &scratch_)
                                                                : plan_->removal_of(row, &scratch_);
  if (!record) return fail(std::move(record).error());
  const KeyPlan& keys = plan_->keys();
  ASSIGN_OR_RETURN(size_t index, place_of(keys.partitions(), record->place.row));
  const Place& among = place(index);
  ASSIGN_OR_RETURN(BucketId number, keys.bucket_of(record->place.bucket_key, among.bucket_count()));
  size_t bucket = among.first + static_cast<size_t>(number.value());
  auto& gather = static_cast<KvGather&>(gather_of(bucket));
  size_t before = gather.bytes();
  gather.append(*record);
  took(bucket, before, 1, delivery);
  return ok();
}

Result<Delivery> UpserterState::take_one(std::span<const Value> row, Change change) {
  RETURN_IF_ERROR(check_room());
  Delivery delivery;
  RETURN_IF_ERROR(take_row(row, change, &delivery));
  call_ended();
  return delivery;
}

Task<Result<Delivery>> UpserterState::take_all(std::shared_ptr<UpserterState> self,
                                               std::shared_ptr<arrow::RecordBatch> rows,
                                               Change change) {
  CO_RETURN_IF_ERROR(self->check_open());
  const Schema& schema =
      change == Change::kUpsert ? self->plan_->schema() : self->plan_->keys().key_schema();
  CO_ASSIGN_OR_RETURN(ArrowRows reader, ArrowRows::make(rows, schema));
  CO_RETURN_IF_ERROR(from_arrow(rows->ValidateFull()));
  Delivery delivery;
  Arena arena;
  for (int64_t i = 0; i < reader.size(); ++i) {
    if (i % kRowsAtATime == kRowsAtATime - 1) co_await let_others_run(&self->session().shard());
    CO_RETURN_IF_ERROR(co_await room(self));
    arena.clear();
    CO_ASSIGN_OR_RETURN(std::span<const Value> row, reader.row(i, &arena));
    Status taken = self->take_row(row, change, &delivery);
    while (is_room_wanted(taken)) {
      CO_RETURN_IF_ERROR(co_await room(self));
      taken = self->take_row(row, change, &delivery);
    }
    if (!taken) co_return fail(std::move(taken).error());
  }
  self->call_ended();
  co_return delivery;
}

Task<Result<std::vector<BatchSender::Answer>>> UpserterState::send(ServerId leader, Items items) {
  wire::PutKvRequest request;
  fill_head(&request);
  request.target_columns = plan_->target_columns();
  request.agg_mode = static_cast<int32_t>(mode_);
  for (const Item& item : items) {
    wire::PbPutKvReqForBucket& bucket = request.buckets_req.emplace_back();
    bucket.bucket_id = item.batch->outcome->bucket.value();
    const std::optional<PartitionId>& partition = item.batch->outcome->partition;
    if (partition) bucket.partition_id = partition->value();
    bucket.records = item.batch->bytes;
  }
  CO_ASSIGN_OR_RETURN(wire::PutKvResponse response,
                      co_await session().ask_server<wire::ApiKey::kPutKv>(
                          leader, std::move(request), call_timeout()));
  std::vector<Answer> answers;
  for (const Item& item : items) {
    Answer& answer = answers.emplace_back();
    const auto* found = find_answer(response.buckets_resp, item);
    answer.error = found == nullptr ? lacks_bucket() : error_of(*found);
    if (found == nullptr) continue;
    if (found->log_end_offset.value_or(-1) >= 0) answer.log_end = Offset(*found->log_end_offset);
    answer.pressure = found->pressure.value_or(0);
  }
  co_return answers;
}

}  // namespace lakestream::client::internal
