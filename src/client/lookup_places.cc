#include <utility>

#include "client/leader_calls.h"
#include "client/lookup_state.h"
#include "client/partitions.h"

namespace lakestream::client::internal {

size_t LookupState::add_place(std::shared_ptr<const TableMetadata> metadata) {
  Backoff backoff(session_->options().backoff_min, session_->options().backoff_max);
  size_t index = places_.size();
  size_t count = metadata->buckets.size();
  places_.push_back({metadata, metadata, buckets_.size()});
  for (size_t i = 0; i < count; ++i) buckets_.emplace_back(index, backoff);
  return index;
}

const std::optional<ServerId>& LookupState::leader_of(size_t bucket) const {
  const Place& place = places_[buckets_[bucket].place];
  return place.metadata->buckets[bucket - place.first].leader;
}

TableBucket LookupState::id_of(size_t bucket) const {
  const Place& place = places_[buckets_[bucket].place];
  return place.opened->bucket(BucketId(static_cast<int32_t>(bucket - place.first)));
}

// A partition that is not there has no rows; it is made when keys are to be inserted.
Task<Status> LookupState::open_place(std::shared_ptr<LookupState> self,
                                     std::shared_ptr<Call> call,
                                     ResolvedPartitionSpec partition) {
  std::string name = partition.name();
  bool inserts = self->options_.insert_if_not_exists;
  auto metadata = co_await open_partition(self->session_,
                                          self->keys_->table().path,
                                          std::move(partition),
                                          inserts ? IfMissing::kCreate : IfMissing::kFail);
  if (!metadata && !inserts && metadata.error().code() == ErrorCode::kPartitionNotExists) {
    call->absent.insert(name);
    co_return ok();
  }
  if (!metadata) co_return fail(std::move(metadata).error());
  if ((*metadata)->info.id != self->keys_->table().id) {
    co_return make_error(ErrorCode::kTableNotExist,
                         "table {} was dropped and created anew; open it again",
                         self->keys_->table().path);
  }
  // Another call may have opened it meanwhile.
  if (!self->partitions_.contains(name)) self->partitions_[name] = self->add_place(*metadata);
  co_return ok();
}

// Without an error its keys have no rows. The next key of the partition opens it anew.
void LookupState::drop_place(size_t index, std::optional<Error> error) {
  Place& place = places_[index];
  place.is_gone = true;
  partitions_.erase(place.opened->partition->name);
  for (size_t i = place.first; i < place.first + place.opened->buckets.size(); ++i) {
    waiting_.erase(i);
    for (const Item& item : std::exchange(buckets_[i].queue, {})) {
      if (error && !item.call->error) item.call->error = error;
      settle(*item.call);
    }
  }
}

void LookupState::refresh_later(size_t place) {
  if (places_[place].refreshing || places_[place].is_gone) return;
  places_[place].refreshing = true;
  session_->shard().spawn(refresh(shared_from_this(), place));
}

Task<void> LookupState::refresh(std::shared_ptr<LookupState> self, size_t index) {
  auto fresh = co_await self->session_->refresh_place(self->places_[index].opened->path());
  Place& place = self->places_[index];
  place.refreshing = false;
  if (fresh) {
    Status same = check_same_table(*place.opened, **fresh);
    if (same) {
      place.metadata = *fresh;
    } else if (same.error().code() == ErrorCode::kPartitionNotExists) {
      self->drop_place(index, std::move(same).error());
    } else {
      self->fatal_ = std::move(same).error();
    }
  } else if (fresh.error().code() == ErrorCode::kPartitionNotExists) {
    self->drop_place(index, std::nullopt);
  } else if (!is_retriable(fresh.error().code())) {
    self->fatal_ = fresh.error();
  }
  self->schedule();
}

}  // namespace lakestream::client::internal
