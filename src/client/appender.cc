#include "client/appender.h"

#include "client/appender_state.h"
#include "client/leader_calls.h"

namespace lakestream::client {
namespace {

constexpr size_t kServerRemembers = 5;  // batches of a writer, by which repetitions are recognised

Status check_options(const AppenderOptions& options) {
  auto refuse = [](std::string_view name, std::string_view rule) {
    return make_error(ErrorCode::kInvalidConfigException, "appender option {}: {}", name, rule);
  };
  if (options.batch_bytes == 0) return refuse("batch_bytes", "it has to be above 0");
  if (options.memory_bytes_max == 0) return refuse("memory_bytes_max", "it has to be above 0");
  if (options.in_flight_max < 1 || options.in_flight_max > kServerRemembers) {
    return refuse("in_flight_max", "it has to be 1 to 5");
  }
  return ok();
}

}  // namespace

bool Delivery::is_done() const {
  if (first_.batch != nullptr && !first_.batch->done) return false;
  for (const Part& part : more_) {
    if (!part.batch->done) return false;
  }
  return true;
}

void Delivery::add(Part part) {
  Part& last = more_.empty() ? first_ : more_.back();
  if (last.batch == part.batch && last.batch != nullptr &&
      last.first_row + last.row_count == part.first_row) {
    last.row_count += part.row_count;
  } else if (first_.batch == nullptr) {
    first_ = std::move(part);
  } else {
    more_.push_back(std::move(part));
  }
}

Task<Result<std::vector<Delivered>>> Delivery::wait() const {
  std::vector<Part> parts;
  if (first_.batch != nullptr) parts.push_back(first_);
  parts.insert(parts.end(), more_.begin(), more_.end());
  for (const Part& part : parts) {
    while (!part.batch->done) co_await part.batch->settled.wait();
  }
  std::vector<Delivered> places;
  for (const Part& part : parts) {
    if (part.batch->error) co_return fail(*part.batch->error);
    Delivered place{part.batch->bucket, std::nullopt, part.row_count};
    if (part.batch->base_offset) {
      place.offset = Offset(part.batch->base_offset->value() + part.first_row);
    }
    places.push_back(place);
  }
  co_return places;
}

Task<Result<std::unique_ptr<Appender>>> Appender::open(std::shared_ptr<Connection> connection,
                                                       TablePath path,
                                                       AppenderOptions options) {
  CO_RETURN_IF_ERROR(check_options(options));
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

const TableInfo& Appender::table() const { return state_->plan().table(); }

Task<Result<Delivery>> Appender::append(std::shared_ptr<arrow::RecordBatch> rows) {
  return internal::AppenderState::append(state_, std::move(rows));
}

Result<Delivery> Appender::append_row(std::span<const Value> row) {
  return state_->append_row(row);
}

Task<Status> Appender::room() { return internal::AppenderState::room(state_); }

Task<Result<Delivery>> Appender::append_encoded(BucketId bucket, Bytes batch) {
  return internal::AppenderState::append_encoded(state_, bucket, std::move(batch));
}

Task<Status> Appender::flush() { return internal::AppenderState::flush(state_); }

Task<Status> Appender::close() { return internal::AppenderState::close(state_); }

AppenderCounters Appender::counters() const { return state_->counters(); }

size_t Appender::memory_bytes() const { return state_->memory_bytes(); }

}  // namespace lakestream::client
