#include "log/log_state.h"

// The public face of LogState.
namespace lakestream {

using log_internal::AppendRole;
using log_internal::LogState;
using log_internal::Truncation;

LogTablet::LogTablet(std::shared_ptr<LogState> state) : state_(std::move(state)) {}
LogTablet::~LogTablet() { state_->abandon(); }

Result<Appended> LogTablet::append(Bytes records, const AppendRules& rules) {
  return state_->append(std::move(records), rules, AppendRole::kLeader);
}
Result<Appended> LogTablet::append_replicated(Bytes records, const AppendRules& rules) {
  return state_->append(std::move(records), rules, AppendRole::kFollower);
}

std::optional<Result<LogRead>> LogTablet::try_read(const ReadRequest& request) {
  return state_->try_read(request);
}
Task<Result<LogRead>> LogTablet::read(ReadRequest request) {
  return LogState::read(state_, request);
}
Result<Offset> LogTablet::try_visit(Offset from,
                                    Offset limit,
                                    const VisitRules& rules,
                                    BatchVisitor visitor) {
  return state_->try_visit(from, limit, rules, std::move(visitor));
}
Task<Result<bool>> LogTablet::prepare_visit(Offset from, VisitRules rules) {
  return LogState::prepare_visit(state_, from, rules);
}
Task<Result<std::optional<Offset>>> LogTablet::offset_for_timestamp(TimestampMs timestamp) {
  return LogState::offset_for_timestamp(state_, timestamp);
}

Offset LogTablet::start_offset() const { return state_->start_offset(); }
Offset LogTablet::end_offset() const { return state_->end_offset(); }
Offset LogTablet::durable_end_offset() const { return state_->durable_end_offset(); }
TimestampMs LogTablet::last_timestamp() const { return state_->last_timestamp(); }
uint64_t LogTablet::size_bytes() const { return state_->size_bytes(); }
std::vector<LogSegment> LogTablet::segments() const { return state_->segments(); }
LogCounters LogTablet::counters() const { return state_->counters(); }
const Error* LogTablet::failure() const { return state_->failure(); }

void LogTablet::set_progress_listener(UniqueFunction<void(const LogProgress&)> listener) {
  state_->set_progress_listener(std::move(listener));
}
void LogTablet::set_table_options(const TableLogOptions& options) {
  state_->set_table_options(options);
}

Status LogTablet::roll() { return state_->roll(); }
Task<Result<size_t>> LogTablet::delete_expired(TimestampMs now, Offset limit) {
  return LogState::delete_expired(state_, now, limit);
}
Task<Result<size_t>> LogTablet::delete_before(Offset limit) {
  return LogState::delete_before(state_, limit);
}

Task<Status> LogTablet::truncate_to(Offset offset) {
  return LogState::truncate(state_, Truncation{.offset = offset, .whole = false});
}
Task<Status> LogTablet::truncate_fully_and_start_at(Offset offset) {
  return LogState::truncate(state_, Truncation{.offset = offset, .whole = true});
}

Status LogTablet::assign_epoch(LeaderEpoch epoch) { return state_->assign_epoch(epoch); }
LeaderEpoch LogTablet::latest_epoch() const { return state_->epochs().latest(); }
EpochEnd LogTablet::end_offset_for_epoch(LeaderEpoch epoch) const {
  return state_->epochs().end_of(epoch, state_->end_offset());
}

void LogTablet::expire_writers(TimestampMs now) { state_->expire_writers(now); }
size_t LogTablet::writer_count() const { return state_->writers().size(); }
std::optional<Appended> LogTablet::find_duplicate(WriterId writer, int32_t sequence) const {
  auto batch = state_->writers().find(writer, sequence);
  if (!batch) return std::nullopt;
  return Appended{.base_offset = batch->base_offset(),
                  .end_offset = Offset(batch->last_offset.value() + 1),
                  .timestamp = batch->timestamp,
                  .duplicate = true,
                  .losses = state_->counters().groups_failed};
}

Task<Status> LogTablet::flush() { return LogState::flush(state_); }
Task<Status> LogTablet::close() { return LogState::close(state_); }

}  // namespace lakestream
