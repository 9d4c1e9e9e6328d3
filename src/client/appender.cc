#include "client/appender.h"

#include "client/appender_state.h"
#include "client/leader_calls.h"

namespace lakestream::client {
Task<Result<std::unique_ptr<Appender>>> Appender::open(std::shared_ptr<Connection> connection,
                                                       TablePath path,
                                                       AppenderOptions options) {
  CO_RETURN_IF_ERROR(internal::check_options(options, "appender"));
  std::shared_ptr<Session> session = connection->session();
  CO_ASSIGN_OR_RETURN(auto table, co_await session->refresh_table(path));
  CO_ASSIGN_OR_RETURN(auto plan, WritePlan::make(*table));
  WriterId writer = kNoWriter;
  if (options.idempotence) {
    CO_ASSIGN_OR_RETURN(writer, co_await init_writer(session, path));
  }
  auto state = std::make_shared<internal::AppenderState>(
      std::move(session), std::move(table), std::move(plan), options, writer);
  state->start();
  co_return std::make_unique<Appender>(std::move(state));
}

Appender::Appender(std::shared_ptr<internal::AppenderState> state) : state_(std::move(state)) {}

Appender::~Appender() { state_->abandon(); }

const TableInfo& Appender::table() const { return state_->table(); }

Task<Result<Delivery>> Appender::append(std::shared_ptr<arrow::RecordBatch> rows) {
  return internal::AppenderState::append(state_, std::move(rows));
}

Result<Delivery> Appender::append_row(std::span<const Value> row) {
  return state_->append_row(row);
}

Task<Status> Appender::room() { return internal::BatchSender::room(state_); }

Task<Result<Delivery>> Appender::append_encoded(BucketId bucket, Bytes batch) {
  return internal::AppenderState::append_encoded(state_, bucket, std::move(batch));
}

Task<Status> Appender::flush() { return internal::BatchSender::flush(state_); }

Task<Status> Appender::close() { return internal::BatchSender::close(state_); }

WriteCounters Appender::counters() const { return state_->counters(); }

size_t Appender::memory_bytes() const { return state_->memory_bytes(); }

}  // namespace lakestream::client
