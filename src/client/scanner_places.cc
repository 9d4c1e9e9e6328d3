#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "client/leader_calls.h"
#include "client/partitions.h"
#include "client/scanner_state.h"

namespace lakestream::client::internal {

const std::optional<ServerId>& ScannerState::leader_of(const TableBucket& id) const {
  const Place& place = places_.at(id.partition);
  return place.metadata->buckets[static_cast<size_t>(id.bucket.value())].leader;
}

std::string ScannerState::text_of(const TableBucket& id) const {
  auto place = places_.find(id.partition);
  if (place == places_.end()) return fmt::format("bucket {} of {}", id.bucket, table_->info.path);
  return fmt::format("bucket {} of table {}", id.bucket, place->second.opened->path());
}

Task<Status> ScannerState::subscribe(std::shared_ptr<ScannerState> self,
                                     std::shared_ptr<const TableMetadata> place,
                                     std::vector<BucketId> buckets,
                                     OffsetSpec from) {
  auto offsets = co_await list_offsets(self->session_, place->path(), from, std::move(buckets));
  if (!offsets) co_return fail(std::move(offsets).error());
  if (self->stopped_) co_return make_error(ErrorCode::kUnknownServerError, "the scanner is closed");
  self->places_[place->partition_id()] = Place{place, place, false};
  for (const BucketOffset& start : *offsets) {
    if (static_cast<size_t>(start.bucket.value()) >= place->buckets.size()) continue;
    Bucket& bucket = self->start_bucket(place->bucket(start.bucket), start.offset);
    bucket.from_earliest = from.kind() == OffsetSpec::Kind::kEarliest;
  }
  self->wake_fetcher();
  co_return ok();
}

ScannerState::Bucket& ScannerState::start_bucket(const TableBucket& id, Offset from) {
  Backoff backoff(session_->options().backoff_min, session_->options().backoff_max);
  Bucket bucket(backoff);
  bucket.subscription = next_subscription_++;
  bucket.position = from;
  bucket.next = from;
  return buckets_.insert_or_assign(id, std::move(bucket)).first->second;
}

Task<Status> ScannerState::subscribe_ranges(std::shared_ptr<ScannerState> self,
                                            std::vector<LogRange> ranges) {
  CO_ASSIGN_OR_RETURN(auto places, co_await wanted_places(self, false));
  if (self->stopped_) co_return make_error(ErrorCode::kUnknownServerError, "the scanner is closed");
  for (const LogRange& range : ranges) {
    const TableBucket& id = range.bucket;
    auto place = std::find_if(places.begin(), places.end(), [&](const auto& candidate) {
      return candidate->info.id == id.table && candidate->partition_id() == id.partition;
    });
    if (place == places.end() && id.partition && id.table == self->table_->info.id) continue;
    bool is_known = place != places.end() && id.bucket.value() >= 0 &&
                    static_cast<size_t>(id.bucket.value()) < (*place)->buckets.size();
    if (!is_known) {
      co_return make_error(ErrorCode::kPartitionSpecInvalidException,
                           "{} to read from: {} has no such bucket",
                           id,
                           self->table_->info.path);
    }
    if (range.is_empty()) continue;
    self->places_.try_emplace((*place)->partition_id(), Place{*place, *place, false});
    self->start_bucket(id, range.begin).stop = range.end;
  }
  self->wake_fetcher();
  co_return ok();
}

// The table itself, or its partitions that the options ask for. Those that are gone end.
Task<Result<std::vector<std::shared_ptr<const TableMetadata>>>> ScannerState::wanted_places(
    std::shared_ptr<ScannerState> self, bool only_new) {
  std::vector<std::shared_ptr<const TableMetadata>> places;
  const TableInfo& table = self->table_->info;
  if (!table.descriptor.is_partitioned()) {
    if (!only_new) places.push_back(self->table_);
    co_return places;
  }
  CO_ASSIGN_OR_RETURN(
      auto partitions,
      co_await list_partitions(self->session_, table.path, self->options_.partitions));
  std::set<PartitionId> present;
  for (const PartitionInfo& partition : partitions) {
    present.insert(partition.id);
    if (only_new && self->places_.contains(partition.id)) continue;
    PhysicalTablePath path{table.path, partition.name};
    auto place = co_await self->session_->refresh_place(std::move(path));
    if (!place && place.error().code() == ErrorCode::kPartitionNotExists) continue;
    if (!place) co_return fail(std::move(place).error());
    if ((*place)->info.id != table.id) {
      co_return fail(check_same_table(*self->table_, **place).error());
    }
    places.push_back(*std::move(place));
  }
  std::vector<PartitionId> gone;
  for (const auto& [partition, place] : self->places_) {
    if (partition && !present.contains(*partition)) gone.push_back(*partition);
  }
  for (PartitionId partition : gone) self->drop_place(partition);
  co_return places;
}

Task<Status> ScannerState::subscribe_places(std::shared_ptr<ScannerState> self,
                                            std::optional<BucketId> bucket,
                                            OffsetSpec from,
                                            bool only_new) {
  if (from.kind() == OffsetSpec::Kind::kExact && from.offset().value() < 0) {
    co_return make_error(ErrorCode::kLogOffsetOutOfRangeException,
                         "offset {} to read from: it has to be 0 or above",
                         from.offset());
  }
  CO_ASSIGN_OR_RETURN(auto places, co_await wanted_places(self, only_new));
  for (std::shared_ptr<const TableMetadata>& place : places) {
    std::vector<BucketId> buckets;
    if (bucket) buckets.push_back(*bucket);
    bool is_partition = place->partition.has_value();
    Status done = co_await subscribe(self, std::move(place), std::move(buckets), from);
    // It was dropped meanwhile.
    if (!done && is_partition && done.error().code() == ErrorCode::kPartitionNotExists) continue;
    if (!done) co_return done;
  }
  co_return ok();
}

void ScannerState::drop_place(std::optional<PartitionId> partition) {
  std::erase_if(buckets_, [&](const auto& entry) { return entry.first.partition == partition; });
  places_.erase(partition);
  changed_.wake_all();
}

void ScannerState::refresh_later(std::optional<PartitionId> partition) {
  auto place = places_.find(partition);
  if (stopped_ || place == places_.end() || place->second.refreshing) return;
  place->second.refreshing = true;
  session_->shard().spawn(refresh(shared_from_this(), partition));
}

Task<void> ScannerState::refresh(std::shared_ptr<ScannerState> self,
                                 std::optional<PartitionId> partition) {
  std::optional<Gate::Pass> pass = self->gate_.enter();
  auto known = self->places_.find(partition);
  if (known == self->places_.end()) co_return;
  PhysicalTablePath path = known->second.opened->path();
  auto fresh = co_await self->session_->refresh_place(std::move(path));
  auto place = self->places_.find(partition);
  if (place == self->places_.end()) co_return;
  place->second.refreshing = false;
  std::optional<Error> error;
  if (!fresh) {
    // A retriable one comes again with the next fetch.
    if (!is_retriable(fresh.error().code())) error = std::move(fresh).error();
  } else if (Status same = check_same_table(*place->second.opened, **fresh); !same) {
    error = std::move(same).error();
  } else {
    place->second.metadata = *fresh;
  }
  if (error && error->code() == ErrorCode::kPartitionNotExists) {
    self->drop_place(partition);
  } else if (error) {
    self->fatal_ = std::move(error);
  }
  self->changed_.wake_all();
  self->wake_fetcher();
}

}  // namespace lakestream::client::internal
