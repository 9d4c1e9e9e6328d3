#include <algorithm>
#include <map>
#include <utility>

#include "base/logging.h"
#include "catalog/entries.h"
#include "coordinator/coordinator.h"

namespace lakestream::coordinator {
namespace {

constexpr LeaderEpoch kNeverElected{-1};

BucketLeadership leadership_of(const PhysicalTablePath& path,
                               const TableBucket& id,
                               const BucketEntry& bucket) {
  BucketLeadership leadership;
  leadership.path = path;
  leadership.bucket = id;
  leadership.leader = bucket.leader;
  leadership.leader_epoch = bucket.leader_epoch;
  leadership.replicas = bucket.replicas;
  leadership.isr = bucket.isr;
  leadership.bucket_epoch = bucket.bucket_epoch;
  return leadership;
}

// The bucket in entries that are ordered by bucket, or their end.
template <typename Entries>
auto place_of(Entries& entries, BucketId bucket) {
  auto place = std::lower_bound(
      entries.begin(), entries.end(), bucket, [](const BucketEntry& entry, BucketId wanted) {
        return entry.bucket < wanted;
      });
  return place != entries.end() && place->bucket == bucket ? place : entries.end();
}

BucketEntry next_state(const BucketEntry& bucket, std::optional<ServerId> leader) {
  BucketEntry next = bucket;
  next.leader = leader;
  next.leader_epoch = LeaderEpoch(bucket.leader_epoch.value() + 1);
  next.bucket_epoch = bucket.bucket_epoch + 1;
  return next;
}

// The buckets that the server did not take, or all that it was told when it gave no answer.
std::vector<TableBucket> refused_of(const std::vector<TableBucket>& told,
                                    const Result<std::vector<BucketOutcome>>& outcomes,
                                    std::string* why) {
  std::vector<TableBucket> refused = told;
  if (!outcomes) {
    *why = outcomes.error().message();
    return refused;
  }
  *why = "no answer for the bucket";
  for (const BucketOutcome& outcome : *outcomes) {
    if (outcome.status) {
      std::erase(refused, outcome.bucket);
    } else {
      *why = outcome.status.error().message();
    }
  }
  return refused;
}

}  // namespace

// Gives each bucket without a leader the first of its servers that is alive and in sync. No
// candidate: it stays without one, because an out-of-sync leader would lose acknowledged records.
Task<void> Coordinator::elect_leaders() {
  std::vector<ServerId> live = live_servers();
  auto contains = [](const std::vector<ServerId>& ids, ServerId id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  BucketChanges changes;
  catalog_->visit_buckets([&](const PhysicalTableId& id, const std::vector<BucketEntry>& buckets) {
    for (const BucketEntry& bucket : buckets) {
      if (bucket.leader) continue;
      auto candidate =
          std::find_if(bucket.replicas.begin(), bucket.replicas.end(), [&](ServerId server) {
            return contains(live, server) && contains(bucket.isr, server);
          });
      if (candidate == bucket.replicas.end()) continue;
      BucketEntry next = next_state(bucket, *candidate);
      if (bucket.leader_epoch == kNeverElected) {
        std::erase_if(next.isr, [&](ServerId server) { return !contains(live, server); });
      }
      changes.emplace_back(bucket_of(id, bucket.bucket), std::move(next));
    }
  });
  while (!changes.empty()) {
    size_t count = std::min(changes.size(), kOpsMax);
    auto end = changes.begin() + static_cast<ptrdiff_t>(count);
    BucketChanges part(std::make_move_iterator(changes.begin()), std::make_move_iterator(end));
    changes.erase(changes.begin(), end);
    std::vector<TableBucket> buckets;
    for (const auto& [bucket, entry] : part) buckets.push_back(bucket);
    Status written = co_await write_leaders(std::move(part));
    if (!written) {
      LOG_WARN("coordinator", "leaders not written", KV("error", written.error().to_string()));
      retry_elections_later();
      co_return;
    }
    co_await tell_leaders(std::move(buckets));
  }
}

Task<Status> Coordinator::write_leaders(BucketChanges changes) {
  std::vector<MetaOp> ops;
  for (const auto& [bucket, entry] : changes) {
    ops.push_back(
        MetaOp::put(paths::leader_isr(bucket), encode(record_of(entry, epoch())), kAnyVersion));
  }
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  set_leaders(changes);
  co_return ok();
}

void Coordinator::set_leaders(const BucketChanges& changes) {
  std::map<PhysicalTableId, std::vector<BucketEntry>> buckets_of;
  for (const auto& [bucket, entry] : changes) {
    std::vector<BucketEntry>& buckets = buckets_of[owner_of(bucket)];
    if (buckets.empty()) buckets = *catalog_->find_buckets(owner_of(bucket));
    auto place = place_of(buckets, bucket.bucket);
    CHECK(place != buckets.end(), "a bucket of the catalog");
    *place = entry;
  }
  CatalogBuilder builder(*catalog_);
  for (auto& [id, buckets] : buckets_of) builder.put_buckets(id, std::move(buckets));
  set_catalog(builder.build());
}

// Tells every live replica who leads. A leader that does not take its bucket leaves it offline.
Task<void> Coordinator::tell_leaders(std::vector<TableBucket> buckets) {
  std::map<ServerId, LeadershipNotice> notices;
  std::map<ServerId, std::vector<TableBucket>> led;
  for (const TableBucket& bucket : buckets) {
    const BucketEntry* entry = find_bucket(bucket);
    CHECK(entry != nullptr, "a bucket of the catalog");
    std::optional<PhysicalTablePath> path = path_of(owner_of(bucket));
    for (ServerId replica : entry->replicas) {
      if (!is_live(replica)) continue;
      notices[replica].buckets.push_back(leadership_of(*path, bucket, *entry));
      if (entry->leader == replica) led[replica].push_back(bucket);
    }
  }
  std::vector<TableBucket> offline;
  for (auto& [server, notice] : notices) {
    notice.coordinator_epoch = epoch();
    Result<std::vector<BucketOutcome>> outcomes =
        co_await tablets_.notify_leader_and_isr(server, std::move(notice));
    std::string why;
    std::vector<TableBucket> refused = refused_of(led[server], outcomes, &why);
    if (refused.empty()) continue;
    LOG_WARN("coordinator",
             "a server did not take its buckets",
             KV("server", server),
             KV("buckets", refused.size()),
             KV("first", refused.front()),
             KV("error", why));
    offline.insert(offline.end(), refused.begin(), refused.end());
  }
  if (!offline.empty()) co_await take_offline(std::move(offline));
}

Task<void> Coordinator::take_offline(std::vector<TableBucket> buckets) {
  retry_elections_later();
  for (size_t first = 0; first < buckets.size(); first += kOpsMax) {
    size_t limit = std::min(buckets.size(), first + kOpsMax);
    BucketChanges changes;
    for (size_t i = first; i < limit; ++i) {
      changes.emplace_back(buckets[i], next_state(*find_bucket(buckets[i]), std::nullopt));
    }
    Status written = co_await write_leaders(changes);
    if (written) continue;
    // The record names a leader that is none. Nobody believes it: the next election goes above its
    // epoch.
    LOG_WARN("coordinator", "leaders not written", KV("error", written.error().to_string()));
    set_leaders(changes);
  }
}

const BucketEntry* Coordinator::find_bucket(const TableBucket& bucket) const {
  const std::vector<BucketEntry>* buckets = catalog_->find_buckets(owner_of(bucket));
  if (buckets == nullptr) return nullptr;
  auto place = place_of(*buckets, bucket.bucket);
  // The catalog keeps the entry alive until the state changes.
  return place == buckets->end() ? nullptr : &*place;
}

// Empty when there is no such table or partition.
std::optional<PhysicalTablePath> Coordinator::path_of(const PhysicalTableId& id) const {
  std::shared_ptr<const TableEntry> table = catalog_->find_table(id.table);
  if (table == nullptr) return std::nullopt;
  if (!id.partition) return PhysicalTablePath{table->path, std::nullopt};
  std::shared_ptr<const PartitionEntry> partition =
      catalog_->find_partition(id.table, *id.partition);
  if (partition == nullptr) return std::nullopt;
  return PhysicalTablePath{table->path, partition->name};
}

void Coordinator::retry_elections_later() {
  if (election_retry_ || gate_.is_closed()) return;
  election_retry_ = env_.clock.start_timer(control_, options_.offline_leader_retry, [this] {
    std::optional<Gate::Pass> pass = gate_.enter();
    if (pass) control_.spawn(retry_elections(std::move(*pass)));
  });
}

Task<void> Coordinator::retry_elections(Gate::Pass pass) {
  Gate::Pass inside = std::move(pass);
  election_retry_.reset();
  Result<Event> event = co_await begin_event();
  if (event) {
    co_await elect_leaders();
  } else {
    retry_elections_later();
  }
}

}  // namespace lakestream::coordinator
