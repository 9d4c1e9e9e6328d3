#include "tablet/api/fetch_wait.h"

#include <memory>

namespace lakestream {
namespace {

// Shared by the homes; `woken` and `waiter` belong to the shard of the connection.
struct Origin {
  explicit Origin(Shard& s) : shard(s) {}
  Shard& shard;
  bool woken = false;
  Waiter waiter;

  void wake() {
    if (!std::exchange(woken, true)) waiter.wake();
  }
};

// The entries of one fetch at one home.
class HomeWait final : public ReplicaObserver {
 public:
  explicit HomeWait(std::shared_ptr<Origin> origin) : origin_(std::move(origin)) {}

  void add(std::shared_ptr<Replica> replica) {
    Replica::ObserverPlace place = replica->observe(this);
    entries_.emplace_back(std::move(replica), place);
  }
  void leave() {
    for (auto& [replica, place] : entries_) replica->forget(place);
    entries_.clear();
  }
  void replica_changed() override {
    if (std::exchange(fired_, true)) return;
    if (origin_->shard.is_current()) {
      origin_->wake();
    } else {
      origin_->shard.post([origin = origin_] { origin->wake(); });
    }
  }

 private:
  std::shared_ptr<Origin> origin_;
  bool fired_ = false;
  std::vector<std::pair<std::shared_ptr<Replica>, Replica::ObserverPlace>> entries_;
};

bool enter(ShardTablets* tablets,
           const FetchPlan* plan,
           const std::vector<size_t>* positions,
           const std::vector<BucketRead>* reads,
           HomeWait* wait) {
  for (size_t position : *positions) {
    auto replica = tablets->leader(plan->buckets[position].bucket);
    if (!replica) continue;  // reported when the wait is over
    wait->add(*replica);
    if ((*replica)->high_watermark() != (*reads)[position].high_watermark) {
      wait->replica_changed();  // it moved since the read
    }
  }
  return true;
}

}  // namespace

Task<void> wait_for_records(const rpc::RequestContext* context,
                            ReplicaManager* replicas,
                            const FetchPlan* plan,
                            const std::vector<BucketRead>* reads,
                            Duration limit) {
  Shard& here = *context->shard;
  auto origin = std::make_shared<Origin>(here);
  std::vector<std::shared_ptr<HomeWait>> waits;
  for (const HomeGroup& group : plan->groups) {
    auto wait = std::make_shared<HomeWait>(origin);
    waits.push_back(wait);
    ShardTablets* on = &replicas->on(*group.home);
    const std::vector<size_t>* positions = &group.positions;
    auto job = [on, plan, positions, reads, wait] {
      return enter(on, plan, positions, reads, wait.get());
    };
    co_await call_on(here, *group.home, std::move(job));
  }
  Timer deadline = replicas->env().clock.start_timer(here, limit, [origin] { origin->wake(); });
  std::optional<rpc::Cancellation::Place> place;
  if (context->cancellation != nullptr) {
    place = context->cancellation->on_cancel([origin] { origin->wake(); });
  }
  co_await origin->waiter.wait();
  if (place) context->cancellation->forget(*place);
  for (size_t i = 0; i < plan->groups.size(); ++i) {
    std::shared_ptr<HomeWait> wait = waits[i];
    auto job = [wait] {
      wait->leave();
      return true;
    };
    co_await call_on(here, *plan->groups[i].home, std::move(job));
  }
}

}  // namespace lakestream
