#include "io/sim/sim_world.h"

#include "io/sim/sim_disk.h"
#include "io/sim/sim_process.h"

namespace lakestream {
namespace {

constexpr uint64_t kPoolDelayMaxUs = 2'000;

class SimTimer final : public Timer::Handle {
 public:
  explicit SimTimer(std::shared_ptr<bool> cancelled) : cancelled_(std::move(cancelled)) {}
  ~SimTimer() override { *cancelled_ = true; }

 private:
  std::shared_ptr<bool> cancelled_;
};

}  // namespace

class SimClock final : public Clock {
 public:
  SimClock(SimWorld& world, std::weak_ptr<SimNode::Process> process)
      : world_(world), process_(std::move(process)) {}
  TimestampMs now() override { return world_.wall_now(); }
  Duration monotonic() override { return world_.now(); }
  Timer start_timer(Shard& shard, Duration delay, UniqueFunction<void()> fire) override {
    auto cancelled = std::make_shared<bool>(false);
    world_.schedule(process_.lock(), delay, [&shard, cancelled, fire = std::move(fire)]() mutable {
      if (*cancelled) return;
      shard.post([cancelled, fire = std::move(fire)]() mutable {
        if (!*cancelled) fire();
      });
    });
    return Timer(std::make_unique<SimTimer>(cancelled));
  }
  void pause(Duration) override {}

 private:
  SimWorld& world_;
  std::weak_ptr<SimNode::Process> process_;
};

class SimPool final : public Pool {
 public:
  SimPool(SimWorld& world, std::weak_ptr<SimNode::Process> process)
      : world_(world), process_(std::move(process)) {}
  void submit(UniqueFunction<void()> job) override {
    auto delay = std::chrono::microseconds(world_.random().below(kPoolDelayMaxUs));
    world_.schedule(process_.lock(), delay, std::move(job));
  }

 private:
  SimWorld& world_;
  std::weak_ptr<SimNode::Process> process_;
};

SimNode::SimNode(SimWorld& world, std::string name, size_t shards)
    : world_(world),
      name_(std::move(name)),
      shard_count_(shards),
      disk_(std::make_unique<SimDisk>(world.random().fork())) {
  restart();
}

SimNode::~SimNode() = default;

void SimNode::restart() {
  CHECK(process_ == nullptr || process_->dead, "one process a node");
  process_ = std::make_shared<Process>(world_.random().fork());
  process_->clock = std::make_unique<SimClock>(world_, process_);
  process_->pool = std::make_unique<SimPool>(world_, process_);
  process_->network = internal::make_sim_network(world_, process_);
  for (size_t i = 0; i < shard_count_; ++i) {
    process_->shards.push_back(std::make_unique<Shard>(i, process_->context));
  }
  process_->env.emplace(
      Env{*process_->clock, *process_->network, *disk_, process_->random, *process_->pool});
  world_.processes_.push_back(process_);
}

void SimNode::kill(std::shared_ptr<void> leftovers) {
  process_->dead = true;
  process_->leftovers = std::move(leftovers);
  disk_->close_handles();
}

void SimNode::crash(std::shared_ptr<void> leftovers) {
  kill(std::move(leftovers));
  disk_->lose_power();
}

Env& SimNode::env() { return *process_->env; }
size_t SimNode::shard_count() const { return shard_count_; }
Shard& SimNode::shard(size_t index) { return *process_->shards[index]; }

struct SimWorld::Event {
  std::shared_ptr<SimNode::Process> process;
  UniqueFunction<void()> run;
};

SimWorld::SimWorld(uint64_t seed) : random_(seed), ports_(internal::make_sim_ports()) {}

// A dead process is abandoned, not destroyed: its coroutines hold references into objects whose
// order of destruction nobody defines after a crash. The list keeps them reachable for leak
// checkers.
SimWorld::~SimWorld() {
  // Never destroyed, not even at exit.
  using Processes = std::vector<std::shared_ptr<SimNode::Process>>;
  static Processes* const abandoned = std::make_unique<Processes>().release();
  for (auto& [time, event] : events_) {
    if (event.process->dead) event.process->lost_events.push_back(std::move(event.run));
  }
  for (auto& process : processes_) {
    if (process->dead) abandoned->push_back(process);
  }
}

SimNode& SimWorld::add_node(std::string name, size_t shards) {
  nodes_.push_back(std::make_unique<SimNode>(*this, std::move(name), shards));
  return *nodes_.back();
}

TimestampMs SimWorld::wall_now() const {
  auto since_start = std::chrono::duration_cast<std::chrono::milliseconds>(now_ + wall_offset_);
  return TimestampMs(kWallStartMs + since_start.count());
}

void SimWorld::schedule(std::shared_ptr<SimNode::Process> process,
                        Duration delay,
                        UniqueFunction<void()> event) {
  if (process == nullptr) return;
  Duration at = now_ + std::max(delay, Duration(0));
  events_.emplace(std::pair(at, next_event_++), Event{std::move(process), std::move(event)});
}

void SimWorld::poll_processes() {
  for (bool busy = true; busy;) {
    busy = false;
    for (size_t i = 0; i < processes_.size(); ++i) {
      std::shared_ptr<SimNode::Process> process = processes_[i];
      if (process->dead) continue;
      process->context.restart();
      while (!process->dead && process->context.poll_one() > 0) busy = true;
    }
  }
}

void SimWorld::step() {
  auto next = events_.begin();
  now_ = next->first.first;
  Event event = std::move(next->second);
  events_.erase(next);
  if (event.process->dead) {
    event.process->lost_events.push_back(std::move(event.run));
  } else {
    event.run();
  }
}

bool SimWorld::run_until(const std::function<bool()>& done, Duration limit) {
  Duration end = now_ + limit;
  for (;;) {
    poll_processes();
    if (done()) return true;
    if (events_.empty() || events_.begin()->first.first > end) return false;
    step();
  }
}

void SimWorld::run_for(Duration time) {
  Duration end = now_ + time;
  run_until([] { return false; }, time);
  now_ = end;
}

}  // namespace lakestream
