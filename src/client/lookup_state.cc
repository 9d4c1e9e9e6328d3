#include "client/lookup_state.h"

#include <algorithm>
#include <limits>

#include <arrow/record_batch.h>
#include <fmt/ranges.h>

#include "base/config.h"
#include "client/leader_calls.h"
#include "client/metadata.h"
#include "format/arrow_schema.h"

namespace lakestream::client::internal {
namespace {

Status check_options(const LookupOptions& options, LookupKind kind) {
  auto refuse = [](std::string_view name, std::string_view rule) {
    return make_error(ErrorCode::kInvalidConfigException, "lookup option {}: {}", name, rule);
  };
  if (options.request_keys_max == 0) return refuse("request_keys_max", "it has to be above 0");
  if (options.in_flight_max == 0) return refuse("in_flight_max", "it has to be above 0");
  if (options.insert_if_not_exists && kind == LookupKind::kPrefix) {
    return refuse("insert_if_not_exists", "only whole keys can be inserted");
  }
  return ok();
}

// The server answers within the time limit of the request; this is for the way.
constexpr Duration kGrace = std::chrono::seconds(5);
// The place of keys whose partition is not there: they have no rows.
constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

template <typename Message>
std::optional<PartitionId> partition_id_of(const Message& message) {
  if (!message.partition_id) return std::nullopt;
  return PartitionId(*message.partition_id);
}

}  // namespace

LookupState::LookupState(std::shared_ptr<Session> session,
                         std::shared_ptr<const TableMetadata> metadata,
                         std::shared_ptr<const KeyPlan> keys,
                         std::shared_ptr<RowReader> reader,
                         LookupKind kind,
                         LookupOptions options)
    : session_(std::move(session)),
      keys_(std::move(keys)),
      reader_(std::move(reader)),
      kind_(kind),
      options_(std::move(options)) {
  if (!keys_->partitions().is_partitioned()) add_place(std::move(metadata));
}

Task<Result<std::shared_ptr<LookupState>>> LookupState::open(std::shared_ptr<Session> session,
                                                             TablePath path,
                                                             LookupKind kind,
                                                             LookupOptions options) {
  CO_RETURN_IF_ERROR(check_options(options, kind));
  CO_ASSIGN_OR_RETURN(auto table, co_await session->refresh_table(path));
  CO_ASSIGN_OR_RETURN(auto keys, KeyPlan::make(*table));
  if (kind == LookupKind::kPrefix && keys->prefix_schema() == nullptr) {
    const TableDescriptor& descriptor = table->info.descriptor;
    co_return make_error(
        ErrorCode::kInvalidTableException,
        "table {} has the bucket key {} and the primary key {}; prefix lookups need a bucket key "
        "that is the beginning of the primary key and not all of it",
        path,
        fmt::join(descriptor.bucket_keys(), ", "),
        fmt::join(descriptor.schema.primary_key(), ", "));
  }
  CO_ASSIGN_OR_RETURN(auto reader, RowReader::make(session, table->info, options.columns));
  co_return std::make_shared<LookupState>(std::move(session),
                                          std::move(table),
                                          std::move(keys),
                                          std::move(reader),
                                          kind,
                                          std::move(options));
}

const Schema& LookupState::key_schema() const {
  return kind_ == LookupKind::kKey ? keys_->key_schema() : *keys_->prefix_schema();
}

void LookupState::stop() {
  if (fatal_) return;
  fail_waiting(Error(
      ErrorCode::kNetworkException,
      fmt::format("the lookuper of table {} was given up before the answer", keys_->table().path)));
}

// ---- asking

Result<std::optional<ResolvedPartitionSpec>> LookupState::add_key(Call* call,
                                                                  std::span<const Value> key,
                                                                  std::vector<size_t>* buckets) {
  ASSIGN_OR_RETURN(KeyPlace found,
                   kind_ == LookupKind::kKey ? keys_->place_of_key(key, &scratch_)
                                             : keys_->place_of_prefix(key, &scratch_));
  size_t index = 0;
  if (keys_->partitions().is_partitioned()) {
    ASSIGN_OR_RETURN(ResolvedPartitionSpec partition, keys_->partitions().of(found.row));
    std::string name = partition.name();
    auto known = partitions_.find(name);
    bool is_absent = known == partitions_.end() && call->absent.contains(name);
    if (known == partitions_.end() && !is_absent) return std::optional(std::move(partition));
    index = is_absent ? kNowhere : known->second;
  }
  call->slots.push_back({Bytes::copy_of(found.key.data(), found.key.size()), {}});
  if (index == kNowhere) {
    buckets->push_back(kNowhere);
    return std::optional<ResolvedPartitionSpec>();
  }
  const Place& place = places_[index];
  ASSIGN_OR_RETURN(BucketId bucket,
                   keys_->bucket_of(found.bucket_key, place.opened->buckets.size()));
  buckets->push_back(place.first + static_cast<size_t>(bucket.value()));
  return std::optional<ResolvedPartitionSpec>();
}

// The values of the key live as long as the caller waits.
Task<Status> LookupState::open_and_add_key(std::shared_ptr<LookupState> self,
                                           std::shared_ptr<Call> call,
                                           std::vector<Value> key,
                                           ResolvedPartitionSpec partition,
                                           std::vector<size_t>* buckets) {
  std::optional<ResolvedPartitionSpec> wanted = std::move(partition);
  while (wanted) {
    CO_RETURN_IF_ERROR(co_await open_place(self, call, *std::move(wanted)));
    CO_ASSIGN_OR_RETURN(wanted, self->add_key(call.get(), key, buckets));
  }
  co_return ok();
}

Task<Status> LookupState::ask(std::shared_ptr<LookupState> self,
                              std::shared_ptr<Call> call,
                              std::vector<size_t> buckets) {
  if (self->fatal_) co_return fail(*self->fatal_);
  call->created = self->session_->clock().monotonic();
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] == kNowhere) continue;
    ++call->left;
    self->buckets_[buckets[i]].queue.push_back({buckets[i], call, i});
    self->waiting_.insert(buckets[i]);
  }
  if (call->left == 0) co_return ok();
  self->schedule();
  co_await call->done.wait();
  if (call->error) co_return fail(*call->error);
  co_return ok();
}

Task<Result<LookedUp>> LookupState::lookup(std::shared_ptr<LookupState> self,
                                           std::shared_ptr<arrow::RecordBatch> keys) {
  CO_ASSIGN_OR_RETURN(ArrowRows reader, ArrowRows::make(keys, self->key_schema()));
  auto call = std::make_shared<Call>();
  std::vector<size_t> buckets;
  Arena arena;
  for (int64_t i = 0; i < reader.size(); ++i) {
    arena.clear();
    CO_ASSIGN_OR_RETURN(std::span<const Value> key, reader.row(i, &arena));
    CO_ASSIGN_OR_RETURN(auto partition, self->add_key(call.get(), key, &buckets));
    if (!partition) continue;
    std::vector<Value> values(key.begin(), key.end());
    CO_RETURN_IF_ERROR(
        co_await open_and_add_key(self, call, std::move(values), *std::move(partition), &buckets));
  }
  CO_RETURN_IF_ERROR(co_await ask(self, call, std::move(buckets)));
  LookedUp found;
  std::vector<StoredValue> values;
  for (const Call::Slot& slot : call->slots) {
    found.counts.push_back(static_cast<int64_t>(slot.values.size()));
    for (const Bytes& bytes : slot.values) {
      CO_ASSIGN_OR_RETURN(StoredValue value, parse_value(ValueLayout::kPlain, bytes.span()));
      values.push_back(value);
    }
  }
  CO_ASSIGN_OR_RETURN(found.rows, co_await RowReader::rows_of(self->reader_, std::move(values)));
  co_return found;
}

Task<Result<std::optional<StoredRow>>> LookupState::lookup_row(std::shared_ptr<LookupState> self,
                                                               std::vector<Value> key) {
  auto call = std::make_shared<Call>();
  std::vector<size_t> buckets;
  CO_ASSIGN_OR_RETURN(auto partition, self->add_key(call.get(), key, &buckets));
  if (partition) {
    CO_RETURN_IF_ERROR(
        co_await open_and_add_key(self, call, std::move(key), *std::move(partition), &buckets));
  }
  CO_RETURN_IF_ERROR(co_await ask(self, call, std::move(buckets)));
  std::vector<Bytes>& values = call->slots[0].values;
  if (values.empty()) co_return std::optional<StoredRow>();
  Bytes value = std::move(values[0]);
  CO_ASSIGN_OR_RETURN(StoredValue stored, parse_value(ValueLayout::kPlain, value.span()));
  if (!self->reader_->has(stored.schema_id)) {
    CO_RETURN_IF_ERROR(co_await RowReader::load(self->reader_, stored.schema_id));
  }
  auto arena = std::make_unique<Arena>();
  CO_ASSIGN_OR_RETURN(std::span<const Value> row, self->reader_->decode_value(stored, arena.get()));
  co_return StoredRow(std::move(value), std::move(arena), row);
}

// ---- sending

// Sends at the end of this turn, so that what is asked in it goes together.
void LookupState::schedule() {
  if (scheduled_) return;
  scheduled_ = true;
  session_->shard().post([self = shared_from_this()] {
    self->scheduled_ = false;
    self->send_ready();
  });
}

void LookupState::fail_waiting(const Error& error) {
  if (!fatal_) fatal_ = error;
  for (size_t index : std::exchange(waiting_, {})) {
    for (const Item& item : std::exchange(buckets_[index].queue, {})) {
      if (!item.call->error) item.call->error = error;
      settle(*item.call);
    }
  }
}

void LookupState::send_ready() {
  if (session_->is_closed() && !fatal_) {
    fatal_ = Error(ErrorCode::kNetworkException, "the client is closed");
  }
  if (fatal_) return fail_waiting(*fatal_);
  Duration now = session_->clock().monotonic();
  std::optional<Duration> next;
  std::map<ServerId, std::vector<Items>> rounds;
  std::vector<size_t> waiting(waiting_.begin(), waiting_.end());
  for (size_t index : waiting) {
    if (buckets_[index].not_before <= now) collect(index, &rounds);
    Duration not_before = buckets_[index].not_before;
    if (not_before > now && waiting_.contains(index))
      next = std::min(next.value_or(not_before), not_before);
  }
  for (auto& [leader, requests] : rounds) {
    for (Items& items : requests) {
      session_->shard().spawn(exchange(shared_from_this(), leader, std::move(items)));
    }
  }
  if (next) wake_at(*next);
}

void LookupState::wake_at(Duration time) {
  Duration left = std::max(time - session_->clock().monotonic(), Duration(1));
  timer_ = session_->clock().start_timer(session_->shard(), left, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->schedule();
  });
}

// Moves what the bucket may send into requests to its leader.
void LookupState::collect(size_t index, std::map<ServerId, std::vector<Items>>* rounds) {
  Bucket& bucket = buckets_[index];
  const std::optional<ServerId>& leader = leader_of(index);
  if (!leader) {
    Items items(bucket.queue.begin(), bucket.queue.end());
    bucket.queue.clear();
    waiting_.erase(index);
    refuse(items, Error(ErrorCode::kLeaderNotAvailableException, "it has no leader at the moment"));
    return;
  }
  std::vector<Items>& requests = (*rounds)[*leader];
  while (!bucket.queue.empty()) {
    if (requests.empty() || requests.back().size() >= options_.request_keys_max) {
      // The answer of one that is on its way sends what is left.
      if (in_flight_ >= options_.in_flight_max) return;
      ++in_flight_;
      requests.emplace_back();
    }
    requests.back().push_back(std::move(bucket.queue.front()));
    bucket.queue.pop_front();
  }
  waiting_.erase(index);
}

// A request has the keys of a bucket together, in the order of their items.
template <typename BucketRequest>
void LookupState::add_keys(const Items& items, std::vector<BucketRequest>* requests) const {
  std::optional<size_t> last;
  for (const Item& item : items) {
    if (last != item.bucket) {
      TableBucket id = id_of(item.bucket);
      const Place& place = places_[buckets_[item.bucket].place];
      BucketRequest& request = requests->emplace_back();
      request.bucket_id = id.bucket.value();
      if (id.partition) request.partition_id = id.partition->value();
      request.routing_bucket_count = static_cast<int32_t>(place.opened->buckets.size());
      last = item.bucket;
    }
    requests->back().keys.push_back(item.call->slots[item.slot].key);
  }
}

wire::LookupRequest LookupState::lookup_request(const Items& items) const {
  wire::LookupRequest request;
  request.table_id = keys_->table().id.value();
  add_keys(items, &request.buckets_req);
  if (options_.insert_if_not_exists) {
    auto timeout =
        std::chrono::duration_cast<std::chrono::milliseconds>(session_->options().request_timeout);
    request.insert_if_not_exists = true;
    request.acks = static_cast<int32_t>(options_.acks);
    request.timeout_ms = static_cast<int32_t>(timeout.count());
  }
  return request;
}

wire::PrefixLookupRequest LookupState::prefix_request(const Items& items) const {
  wire::PrefixLookupRequest request;
  request.table_id = keys_->table().id.value();
  add_keys(items, &request.buckets_req);
  return request;
}

Task<Result<std::vector<LookupState::Answer>>> LookupState::call_server(
    std::shared_ptr<LookupState> self, ServerId leader, Items items) {
  std::vector<Answer> answers;
  Session& session = *self->session_;
  Duration timeout = session.options().request_timeout + kGrace;
  if (self->kind_ == LookupKind::kKey) {
    wire::LookupRequest request = self->lookup_request(items);
    CO_ASSIGN_OR_RETURN(
        wire::LookupResponse response,
        co_await session.ask_server<wire::ApiKey::kLookup>(leader, std::move(request), timeout));
    for (wire::PbLookupRespForBucket& bucket : response.buckets_resp) {
      std::vector<std::vector<Bytes>> values;
      for (wire::PbValue& value : bucket.values) {
        values.emplace_back();
        if (value.values) values.back().push_back(*std::move(value.values));
      }
      answers.push_back({partition_id_of(bucket), BucketId(bucket.bucket_id), std::move(values)});
      if (auto error = error_of(bucket)) answers.back().values = fail(*std::move(error));
    }
    co_return answers;
  }
  wire::PrefixLookupRequest request = self->prefix_request(items);
  CO_ASSIGN_OR_RETURN(wire::PrefixLookupResponse response,
                      co_await session.ask_server<wire::ApiKey::kPrefixLookup>(
                          leader, std::move(request), timeout));
  for (wire::PbPrefixLookupRespForBucket& bucket : response.buckets_resp) {
    std::vector<std::vector<Bytes>> values;
    for (wire::PbValueList& list : bucket.value_lists) values.push_back(std::move(list.values));
    answers.push_back({partition_id_of(bucket), BucketId(bucket.bucket_id), std::move(values)});
    if (auto error = error_of(bucket)) answers.back().values = fail(*std::move(error));
  }
  co_return answers;
}

Task<void> LookupState::exchange(std::shared_ptr<LookupState> self, ServerId leader, Items items) {
  ++self->counters_.requests;
  self->counters_.keys += items.size();
  Result<std::vector<Answer>> answers = co_await call_server(self, leader, items);
  --self->in_flight_;
  self->take_answers(items, std::move(answers));
  if (!self->waiting_.empty()) self->schedule();
}

// ---- answers

void LookupState::take_answers(const Items& items, Result<std::vector<Answer>> answers) {
  for (size_t begin = 0; begin < items.size();) {
    size_t end = begin;
    while (end < items.size() && items[end].bucket == items[begin].bucket) ++end;
    Items part(items.begin() + static_cast<ptrdiff_t>(begin),
               items.begin() + static_cast<ptrdiff_t>(end));
    begin = end;
    if (!answers) {
      refuse(part, answers.error());
      continue;
    }
    TableBucket id = id_of(part.front().bucket);
    auto answer = std::find_if(answers->begin(), answers->end(), [&id](const Answer& a) {
      return a.bucket == id.bucket && a.partition == id.partition;
    });
    if (answer == answers->end()) {
      refuse(part, Error(ErrorCode::kUnknownServerError, "the server's answer lacks the bucket"));
    } else if (!answer->values) {
      refuse(part, answer->values.error());
    } else if (answer->values->size() != part.size()) {
      refuse(part,
             Error(ErrorCode::kUnknownServerError,
                   fmt::format("the server's answer has {} values for {} keys",
                               answer->values->size(),
                               part.size())));
    } else {
      take_values(part, *std::move(answer->values));
    }
  }
}

void LookupState::take_values(const Items& items, std::vector<std::vector<Bytes>> values) {
  buckets_[items.front().bucket].backoff.reset();
  for (size_t i = 0; i < items.size(); ++i) {
    items[i].call->slots[items[i].slot].values = std::move(values[i]);
    settle(*items[i].call);
  }
}

void LookupState::settle(Call& call) {
  if (--call.left == 0) call.done.wake();
}

// The keys are asked for again, or their calls fail. Requires: items of one bucket.
void LookupState::refuse(const Items& items, Error error) {
  size_t index = items.front().bucket;
  Bucket& bucket = buckets_[index];
  Duration now = session_->clock().monotonic();
  if (refreshes_metadata(error.code()) || error.code() == ErrorCode::kInvalidBucketRouting) {
    refresh_later(bucket.place);
  }
  const Place& place = places_[bucket.place];
  bool may_repeat =
      is_transient(error.code()) && !fatal_ && !place.is_gone && !session_->is_closed();
  Error described = Error(error).with_context(
      fmt::format("bucket {} of table {}", id_of(index).bucket, place.opened->path()));
  for (const Item& item : items) {
    bool late = options_.timeout > Duration(0) && now - item.call->created >= options_.timeout;
    if (may_repeat && !late && !item.call->error) {
      bucket.queue.push_back(item);
      ++counters_.keys_retried;
      continue;
    }
    if (!item.call->error) {
      item.call->error = described;
    }
    settle(*item.call);
  }
  if (bucket.queue.empty()) return;
  waiting_.insert(index);
  // Of several answers of one moment the first counts.
  if (bucket.not_before <= now) {
    bucket.not_before = now + bucket.backoff.next(session_->random());
  }
  schedule();
}

}  // namespace lakestream::client::internal
