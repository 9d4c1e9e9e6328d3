#include "client/scanner.h"

#include "client/partitions.h"
#include "client/scanner_state.h"

namespace lakestream::client {

Task<Result<std::unique_ptr<LogScanner>>> LogScanner::open(std::shared_ptr<Connection> connection,
                                                           TablePath path,
                                                           ScannerOptions options) {
  bool limits = options.fetch_bytes_max > 0 && options.bucket_bytes_max > 0 &&
                options.fetch_bytes_min >= 0 && options.fetch_wait >= Duration(0) &&
                options.poll_bytes_max > 0;
  if (!limits) {
    co_return make_error(ErrorCode::kInvalidConfigException,
                         "scanner options: sizes have to be above 0 and waits 0 or above");
  }
  std::shared_ptr<Session> session = connection->session();
  CO_ASSIGN_OR_RETURN(auto table, co_await session->refresh_table(path));
  if (!options.partitions.empty()) {
    CO_RETURN_IF_ERROR(check_partition_filter(table->info, options.partitions));
  }
  CO_ASSIGN_OR_RETURN(auto reader,
                      RowReader::make(session, table->info, options.columns, options.condition));
  auto state = std::make_shared<internal::ScannerState>(
      std::move(session), std::move(table), std::move(reader), std::move(options));
  state->start();
  co_return std::make_unique<LogScanner>(std::move(state));
}

LogScanner::LogScanner(std::shared_ptr<internal::ScannerState> state) : state_(std::move(state)) {}

LogScanner::~LogScanner() { state_->stop(); }

const TableInfo& LogScanner::table() const { return state_->reader().table(); }

const Schema& LogScanner::schema() const { return state_->reader().schema(); }

int32_t LogScanner::bucket_count() const { return state_->bucket_count(); }

Task<Status> LogScanner::subscribe(BucketId bucket, OffsetSpec from) {
  return internal::ScannerState::subscribe_places(state_, bucket, from, false);
}

Task<Status> LogScanner::subscribe_all(OffsetSpec from) {
  return internal::ScannerState::subscribe_places(state_, std::nullopt, from, false);
}

Task<Status> LogScanner::subscribe_ranges(std::vector<LogRange> ranges) {
  return internal::ScannerState::subscribe_ranges(state_, std::move(ranges));
}

Task<Status> LogScanner::follow_partitions(std::optional<BucketId> bucket) {
  return internal::ScannerState::subscribe_places(state_, bucket, OffsetSpec::earliest(), true);
}

void LogScanner::unsubscribe(BucketId bucket) { state_->unsubscribe(state_->of_table(bucket)); }

void LogScanner::stop_at(BucketId bucket, Offset end) {
  state_->stop_at(state_->of_table(bucket), end);
}

Task<Status> LogScanner::stop_at_latest() { return internal::ScannerState::stop_at_latest(state_); }

bool LogScanner::is_finished() const { return state_->is_finished(); }

std::optional<Offset> LogScanner::position(const TableBucket& bucket) const {
  return state_->position(bucket);
}

std::optional<Offset> LogScanner::position(BucketId bucket) const {
  return state_->position(state_->of_table(bucket));
}

std::optional<Offset> LogScanner::high_watermark(BucketId bucket) const {
  return state_->high_watermark(state_->of_table(bucket));
}

Task<Result<std::vector<ScanBatch>>> LogScanner::poll(Duration timeout) {
  return internal::ScannerState::poll(state_, timeout);
}

Task<Result<std::vector<RawBatches>>> LogScanner::poll_raw(Duration timeout) {
  return internal::ScannerState::poll_raw(state_, timeout);
}

void LogScanner::wakeup() { state_->wakeup(); }

Task<Status> LogScanner::close() { return internal::ScannerState::close(state_); }

ScannerCounters LogScanner::counters() const { return state_->counters(); }

}  // namespace lakestream::client
