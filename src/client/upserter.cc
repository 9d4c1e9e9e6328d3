#include "client/upserter.h"

#include "client/leader_calls.h"
#include "client/upserter_state.h"

namespace lakestream::client {

using internal::BatchSender;
using internal::UpserterState;
using Change = internal::UpserterState::Change;

Task<Result<std::unique_ptr<Upserter>>> Upserter::open(std::shared_ptr<Connection> connection,
                                                       TablePath path,
                                                       UpserterOptions options) {
  CO_RETURN_IF_ERROR(internal::check_options(options, "upserter"));
  std::shared_ptr<Session> session = connection->session();
  CO_ASSIGN_OR_RETURN(auto table, co_await session->refresh_table(path));
  CO_ASSIGN_OR_RETURN(auto plan, UpsertPlan::make(*table, options.columns));
  WriterId writer = kNoWriter;
  if (options.idempotence) {
    CO_ASSIGN_OR_RETURN(writer, co_await init_writer(session, path));
  }
  auto state = std::make_shared<UpserterState>(
      std::move(session), std::move(table), std::move(plan), options, writer);
  state->start();
  co_return std::make_unique<Upserter>(std::move(state));
}

Upserter::Upserter(std::shared_ptr<UpserterState> state) : state_(std::move(state)) {}

Upserter::~Upserter() { state_->abandon(); }

const TableInfo& Upserter::table() const { return state_->table(); }

const Schema& Upserter::schema() const { return state_->plan().schema(); }

const Schema& Upserter::key_schema() const { return state_->plan().keys().key_schema(); }

Task<Result<Delivery>> Upserter::upsert(std::shared_ptr<arrow::RecordBatch> rows) {
  return UpserterState::take_all(state_, std::move(rows), Change::kUpsert);
}

Task<Result<Delivery>> Upserter::remove(std::shared_ptr<arrow::RecordBatch> keys) {
  return UpserterState::take_all(state_, std::move(keys), Change::kRemove);
}

Result<Delivery> Upserter::upsert_row(std::span<const Value> row) {
  return state_->take_one(row, Change::kUpsert);
}

Result<Delivery> Upserter::remove_row(std::span<const Value> key) {
  return state_->take_one(key, Change::kRemove);
}

Task<Status> Upserter::room() { return BatchSender::room(state_); }

Task<Status> Upserter::flush() { return BatchSender::flush(state_); }

Task<Status> Upserter::close() { return BatchSender::close(state_); }

WriteCounters Upserter::counters() const { return state_->counters(); }

size_t Upserter::memory_bytes() const { return state_->memory_bytes(); }

}  // namespace lakestream::client
