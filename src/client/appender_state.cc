#include "client/appender_state.h"

#include <algorithm>

#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>

#include "client/metadata.h"
#include "client/row_check.h"
#include "format/batch.h"

namespace lakestream::client::internal {

AppenderState::AppenderState(std::shared_ptr<Session> session,
                             std::shared_ptr<const TableMetadata> metadata,
                             std::shared_ptr<const WritePlan> plan,
                             const AppenderOptions& options,
                             WriterId writer)
    : BatchSender(
          std::move(session), std::move(metadata), options, {writer, with_writer}, "appender"),
      plan_(std::move(plan)),
      assigner_(options.no_key_assigner) {}

std::unique_ptr<Gather> AppenderState::make_gather() const {
  return std::make_unique<RowGather>(plan_);
}

// ---- buckets

size_t& AppenderState::current_of(size_t index) {
  while (current_.size() <= index) {
    const Place& one = place(current_.size());
    current_.push_back(one.first + session().random().below(one.bucket_count()));
  }
  return current_[index];
}

// The next bucket in turn, among those with a leader.
size_t AppenderState::next_in_turn(size_t index) {
  const Place& among = place(index);
  size_t& current = current_of(index);
  for (size_t i = 0; i < among.bucket_count(); ++i) {
    current = among.first + (current - among.first + 1) % among.bucket_count();
    if (has_leader(current)) break;
  }
  return current;
}

// Another bucket with a leader, if there is one.
void AppenderState::change_sticky_bucket(size_t index) {
  const Place& among = place(index);
  size_t& current = current_of(index);
  std::vector<size_t> others;
  for (size_t i = among.first; i < among.first + among.bucket_count(); ++i) {
    if (i != current && has_leader(i)) others.push_back(i);
  }
  if (!others.empty()) current = others[session().random().below(others.size())];
}

void AppenderState::gather_ended(size_t bucket) {
  size_t index = place_of_bucket(bucket);
  if (is_sticky() && bucket == current_of(index)) change_sticky_bucket(index);
}

Result<size_t> AppenderState::choose_bucket(size_t index, std::span<const Value> row) {
  if (plan_->has_bucket_key()) {
    const Place& among = place(index);
    ASSIGN_OR_RETURN(BucketId bucket, plan_->bucket_of(row, among.bucket_count(), &key_));
    return among.first + static_cast<size_t>(bucket.value());
  }
  return is_sticky() ? current_of(index) : next_in_turn(index);
}

// ---- taking rows

Status AppenderState::take_row(std::span<const Value> row, Delivery* delivery) {
  ASSIGN_OR_RETURN(size_t bytes, check_row(plan_->types(), row));
  ASSIGN_OR_RETURN(size_t index, place_of(plan_->partitions(), row));
  ASSIGN_OR_RETURN(size_t bucket, choose_bucket(index, row));
  RowGather& gather = row_gather_of(bucket);
  size_t before = gather.bytes();
  RETURN_IF_ERROR(gather.append_row(row, bytes));
  took(bucket, before, 1, delivery);
  return ok();
}

Result<Delivery> AppenderState::append_row(std::span<const Value> row) {
  RETURN_IF_ERROR(check_room());
  Delivery delivery;
  RETURN_IF_ERROR(take_row(row, &delivery));
  call_ended();
  return delivery;
}

// Whole columns of a table without a bucket key and without partitions.
Task<Status> AppenderState::append_columns(std::shared_ptr<AppenderState> self,
                                           std::shared_ptr<arrow::RecordBatch> rows,
                                           Delivery* delivery) {
  auto referenced = arrow::util::ReferencedBufferSize(*rows);
  int64_t total = referenced.ok() ? *referenced : arrow::util::TotalBufferSize(*rows);
  int64_t row_bytes = std::max<int64_t>(total / rows->num_rows(), 1);
  CO_ASSIGN_OR_RETURN(size_t bucket, self->choose_bucket(0, {}));
  for (int64_t from = 0; from < rows->num_rows();) {
    CO_RETURN_IF_ERROR(co_await room(self));
    if (self->is_sticky()) bucket = self->current_of(0);
    RowGather& gather = self->row_gather_of(bucket);
    size_t before = gather.bytes();
    size_t space = self->options().batch_bytes - std::min(before, self->options().batch_bytes);
    int64_t count =
        std::clamp<int64_t>(static_cast<int64_t>(space) / row_bytes, 1, rows->num_rows() - from);
    CO_RETURN_IF_ERROR(
        gather.append_columns(rows->Slice(from, count), static_cast<size_t>(count * row_bytes)));
    from += count;
    self->took(bucket, before, static_cast<int32_t>(count), delivery);
  }
  co_return ok();
}

// Row by row: to its partition, the bucket of its key, or into a row format.
Task<Status> AppenderState::append_rows(std::shared_ptr<AppenderState> self,
                                        std::shared_ptr<arrow::RecordBatch> rows,
                                        Delivery* delivery) {
  CO_ASSIGN_OR_RETURN(ArrowRows reader, ArrowRows::make(rows, self->plan_->schema()));
  Arena arena;
  for (int64_t i = 0; i < reader.size(); ++i) {
    if (i % kRowsAtATime == kRowsAtATime - 1) co_await let_others_run(&self->session().shard());
    CO_RETURN_IF_ERROR(co_await room(self));
    arena.clear();
    CO_ASSIGN_OR_RETURN(std::span<const Value> row, reader.row(i, &arena));
    Status taken = self->take_row(row, delivery);
    while (is_room_wanted(taken)) {
      CO_RETURN_IF_ERROR(co_await room(self));
      taken = self->take_row(row, delivery);
    }
    if (!taken) co_return taken;
  }
  co_return ok();
}

Task<Result<Delivery>> AppenderState::append(std::shared_ptr<AppenderState> self,
                                             std::shared_ptr<arrow::RecordBatch> rows) {
  CO_RETURN_IF_ERROR(self->check_open());
  CO_ASSIGN_OR_RETURN(rows, self->plan_->check(std::move(rows)));
  Delivery delivery;
  if (rows->num_rows() == 0) co_return delivery;
  bool whole = self->plan_->is_arrow() && !self->plan_->has_bucket_key() &&
               !self->plan_->partitions().is_partitioned();
  Status taken = ok();
  if (whole) {
    taken = co_await append_columns(self, std::move(rows), &delivery);
  } else {
    taken = co_await append_rows(self, std::move(rows), &delivery);
  }
  if (!taken) co_return fail(std::move(taken).error());
  self->call_ended();
  co_return delivery;
}

Task<Result<Delivery>> AppenderState::append_encoded(std::shared_ptr<AppenderState> self,
                                                     BucketId bucket,
                                                     Bytes encoded) {
  CO_ASSIGN_OR_RETURN(BatchView view, BatchView::parse(encoded));
  if (self->plan_->partitions().is_partitioned()) {
    co_return make_error(ErrorCode::kInvalidTableException,
                         "encoded batch for table {}: a batch does not tell its partition; append "
                         "rows",
                         self->table().path);
  }
  auto index = static_cast<size_t>(bucket.value());
  size_t count = self->place(0).bucket_count();
  if (bucket.value() < 0 || index >= count || view.record_count() < 0) {
    co_return make_error(ErrorCode::kUnknownServerError,
                         "encoded batch of {} records for bucket {}: the table has {} buckets",
                         view.record_count(),
                         bucket,
                         count);
  }
  CO_RETURN_IF_ERROR(co_await room(self));
  Delivery delivery;
  self->push_foreign(index, std::move(encoded), view.record_count(), &delivery);
  co_return delivery;
}

// ---- sending

wire::ProduceLogRequest AppenderState::request_of(ServerId leader, const Items& items) {
  std::optional<Address> address = session().address_of(leader);
  bool local = address && session().transport().is_local(*address);
  wire::ProduceLogRequest request;
  fill_head(&request);
  for (const Item& item : items) {
    wire::PbProduceLogReqForBucket& bucket = request.buckets_req.emplace_back();
    bucket.bucket_id = item.batch->outcome->bucket.value();
    const std::optional<PartitionId>& partition = item.batch->outcome->partition;
    if (partition) bucket.partition_id = partition->value();
    // A local server has stamped the memory of the first attempt and may still serve it to readers.
    bool shared = local && item.batch->attempts > 1;
    bucket.records = shared ? Bytes::copy_of(item.batch->bytes.view()) : item.batch->bytes;
  }
  return request;
}

Task<Result<std::vector<BatchSender::Answer>>> AppenderState::send(ServerId leader, Items items) {
  wire::ProduceLogRequest request = request_of(leader, items);
  CO_ASSIGN_OR_RETURN(wire::ProduceLogResponse response,
                      co_await session().ask_server<wire::ApiKey::kProduceLog>(
                          leader, std::move(request), call_timeout()));
  std::vector<Answer> answers;
  for (const Item& item : items) {
    Answer& answer = answers.emplace_back();
    const auto* found = find_answer(response.buckets_resp, item);
    answer.error = found == nullptr ? lacks_bucket() : error_of(*found);
    if (found != nullptr && found->base_offset.value_or(-1) >= 0) {
      answer.base_offset = Offset(*found->base_offset);
    }
  }
  co_return answers;
}

}  // namespace lakestream::client::internal
