#include <utility>

#include <fmt/format.h>

#include "client/batch_sender.h"
#include "client/leader_calls.h"
#include "client/partitions.h"

namespace lakestream::client::internal {

const std::optional<ServerId>& BatchSender::leader_of(size_t bucket) const {
  const Place& place = places_[buckets_[bucket].place];
  return place.metadata->buckets[bucket - place.first].leader;
}

const std::optional<Error>& BatchSender::error_of_bucket(const Bucket& bucket) const {
  return fatal_ ? fatal_ : places_[bucket.place].error;
}

bool BatchSender::is_opening() const {
  for (const auto& [name, error] : opening_) {
    if (!error) return true;
  }
  return false;
}

Result<size_t> BatchSender::place_of(const PartitionNamer& partitions, std::span<const Value> row) {
  if (!partitions.is_partitioned()) return size_t{0};
  ASSIGN_OR_RETURN(ResolvedPartitionSpec partition, partitions.of(row));
  std::string name = partition.name();
  auto known = partitions_.find(name);
  if (known != partitions_.end()) return known->second;
  auto opening = opening_.find(name);
  if (opening == opening_.end()) {
    opening_.emplace(name, std::nullopt);
    session_->shard().spawn(open_place(shared_from_this(), std::move(partition)));
  } else if (opening->second) {
    Error error = *std::move(opening->second);
    opening_.erase(opening);
    return fail(std::move(error));
  }
  return make_error(ErrorCode::kStorageBackpressureException,
                    "partition '{}' of table {} is looked up at the moment; wait for room and try "
                    "again",
                    name,
                    table().path);
}

// Until it is there, or can not be had: transient errors are waited out.
Task<void> BatchSender::open_place(std::shared_ptr<BatchSender> self,
                                   ResolvedPartitionSpec partition) {
  std::string name = partition.name();
  Session& session = *self->session_;
  Duration begin = session.clock().monotonic();
  Duration limit = self->options_.delivery_timeout;
  for (;;) {
    auto metadata =
        co_await open_partition(self->session_, self->table().path, partition, IfMissing::kCreate);
    if (metadata && (*metadata)->info.id == self->table().id) {
      self->partitions_[name] = self->add_place(*metadata);
      self->opening_.erase(name);
      break;
    }
    Error error = metadata ? check_same_table(*self->opened_, **metadata).error()
                           : std::move(metadata).error();
    bool is_late = limit > Duration(0) && session.clock().monotonic() - begin >= limit;
    // Another client dropped it between its creation and the look at it.
    bool was_dropped = error.code() == ErrorCode::kPartitionNotExists;
    bool again = (is_transient(error.code()) || was_dropped) && !is_late && !self->stopped_;
    if (!again || session.is_closed()) {
      self->opening_[name] = std::move(error);
      break;
    }
    co_await session.sleep(session.options().backoff_max);
  }
  self->room_.wake_all();
}

// What waits for it fails; the next row of the partition opens it anew.
void BatchSender::drop_place(size_t index, Error error) {
  Place& place = places_[index];
  place.error = std::move(error);
  partitions_.erase(place.opened->partition->name);
  Duration now = session_->clock().monotonic();
  for (size_t i = place.first; i < place.first + place.bucket_count(); ++i) {
    end_gather(i);
    expire(buckets_[i], now);
  }
}

void BatchSender::refresh_later(size_t place) {
  if (places_[place].refreshing || places_[place].error) return;
  places_[place].refreshing = true;
  session_->shard().spawn(refresh(shared_from_this(), place));
}

Task<void> BatchSender::refresh(std::shared_ptr<BatchSender> self, size_t index) {
  auto fresh = co_await self->session_->refresh_place(self->places_[index].opened->path());
  Place& place = self->places_[index];
  place.refreshing = false;
  if (self->stopped_) co_return;
  std::optional<Error> error;
  if (!fresh) {
    // A retriable one comes again with the next attempt to send.
    if (!is_retriable(fresh.error().code())) error = std::move(fresh).error();
  } else if (Status same = check_same_table(*place.opened, **fresh); !same) {
    error = std::move(same).error();
  } else {
    place.metadata = *fresh;
  }
  if (error && error->code() == ErrorCode::kPartitionNotExists) {
    self->drop_place(index, *std::move(error));
  } else if (error) {
    self->fatal_ = std::move(error);
  }
  self->room_.wake_all();
  self->wake_sender();
}

}  // namespace lakestream::client::internal
