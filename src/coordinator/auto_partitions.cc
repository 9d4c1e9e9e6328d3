#include <algorithm>
#include <utility>

#include "base/logging.h"
#include "coordinator/coordinator.h"
#include "coordinator/time_partitions.h"

namespace lakestream::coordinator {
namespace {

constexpr Duration kRetry = std::chrono::minutes(1);
constexpr int64_t kSpreadMinutes = 23 * 60;

// The same after each restart, another one for each table.
Duration spread_of(const TableEntry& table) {
  if (table.options.auto_partition.unit != AutoPartitionUnit::kDay) return Duration::zero();
  constexpr uint64_t kMix = 0x9E3779B97F4A7C15;  // Fibonacci hashing
  uint64_t mixed = static_cast<uint64_t>(table.id.value() + 1) * kMix >> 32;
  return std::chrono::minutes(static_cast<int64_t>(mixed % uint64_t{kSpreadMinutes}));
}

// The limits of a table. They do not change by trying again soon.
bool is_limit(ErrorCode code) {
  return code == ErrorCode::kPartitionMaxNumException ||
         code == ErrorCode::kBucketMaxNumException ||
         code == ErrorCode::kInsufficientKvLeaderReplicaCapacity;
}

}  // namespace

Task<Result<TimeZone>> Coordinator::time_zone(std::string name) {
  if (std::optional<TimeZone> fixed = TimeZone::fixed(name)) co_return *fixed;
  auto known = zones_.find(name);
  if (known != zones_.end()) co_return known->second;
  auto find = [name] { return TimeZone::region(name); };
  Result<TimeZone> zone = co_await run_on_pool(env_.pool, control_, std::move(find));
  if (zone) zones_.emplace(std::move(name), *zone);
  co_return zone;
}

Task<Status> Coordinator::check_time_zone(std::string name) {
  Result<TimeZone> zone = co_await time_zone(std::move(name));
  if (zone) co_return ok();
  co_return fail(std::move(zone).error().with_context("option 'table.auto-partition.time-zone'"));
}

Task<Status> Coordinator::check_new_value(std::shared_ptr<const TableEntry> table,
                                          ResolvedPartitionSpec wanted) {
  const AutoPartitionOptions& options = table->options.auto_partition;
  CO_ASSIGN_OR_RETURN(TimeZone zone, co_await time_zone(options.time_zone));
  CO_ASSIGN_OR_RETURN(std::optional<TimePartitions> partitions,
                      TimePartitions::of(table->descriptor, options, std::move(zone)));
  if (!partitions) co_return ok();
  co_return partitions->check_new(wanted, env_.clock.now());
}

// Drops what is too old, which is never late, and creates what is due.
Task<Status> Coordinator::follow_time(std::shared_ptr<const TableEntry> table, Duration spread) {
  const AutoPartitionOptions& options = table->options.auto_partition;
  CO_ASSIGN_OR_RETURN(TimeZone zone, co_await time_zone(options.time_zone));
  CO_ASSIGN_OR_RETURN(std::optional<TimePartitions> partitions,
                      TimePartitions::of(table->descriptor, options, std::move(zone)));
  if (!partitions) co_return ok();
  TimestampMs now = env_.clock.now();
  TablePartitions::Entries expired = catalog_->partitions(table->id).by_name();
  std::erase_if(expired,
                [&](const auto& entry) { return !partitions->is_expired(entry->name, now); });
  if (!expired.empty()) {
    LOG_INFO("coordinator",
             "partitions are past the retention time",
             KV("table", table->path),
             KV("count", expired.size()),
             KV("first", expired.front()->name));
    CO_RETURN_IF_ERROR(co_await remove_partitions(std::move(expired)));
  }
  for (std::string& name : partitions->wanted(now, spread)) {
    if (catalog_->partitions(table->id).find(name) != nullptr) continue;
    CO_RETURN_IF_ERROR(co_await add_partition(table, std::move(name)));
  }
  co_return ok();
}

// After the table was created or changed: its partitions are there when the answer is sent. It is
// no failure of that change when one can not be made.
Task<void> Coordinator::follow_time_now(TablePath path) {
  std::shared_ptr<const TableEntry> table = catalog_->find_table(path);
  if (table == nullptr || !table->options.auto_partition.enabled) co_return;
  Status done = co_await follow_time(std::move(table), Duration::zero());
  if (done) co_return;
  LOG_WARN("coordinator",
           "automatic partitions are not made",
           KV("table", path),
           KV("error", done.error().to_string()));
  if (!is_limit(done.error().code())) check_partitions_after(kRetry);
}

void Coordinator::check_partitions_after(Duration delay) {
  if (gate_.is_closed()) return;
  partition_check_ = env_.clock.start_timer(control_, delay, [this] {
    std::optional<Gate::Pass> pass = gate_.enter();
    if (pass) control_.spawn(check_partitions(std::move(*pass)));
  });
}

// An event for each table, so that others have their turn in between.
Task<void> Coordinator::check_partitions(Gate::Pass pass) {
  Gate::Pass inside = std::move(pass);
  std::vector<TablePath> paths;
  for (const auto& [name, database] : catalog_->databases()) {
    for (const auto& [table_name, table] : database->tables) {
      if (table->options.auto_partition.enabled) paths.push_back(table->path);
    }
  }
  Duration next = options_.partition_check_interval;
  for (const TablePath& path : paths) {
    if (gate_.is_closed()) co_return;
    Status done = co_await check_partitions_of(path);
    if (done) continue;
    LOG_WARN("coordinator",
             "automatic partitions are not made",
             KV("table", path),
             KV("error", done.error().to_string()));
    if (!is_limit(done.error().code())) next = std::min(next, kRetry);
  }
  check_partitions_after(next);
}

Task<Status> Coordinator::check_partitions_of(TablePath path) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  std::shared_ptr<const TableEntry> table = catalog_->find_table(path);
  if (table == nullptr || !table->options.auto_partition.enabled) co_return ok();
  Duration spread = spread_of(*table);
  co_return co_await follow_time(std::move(table), spread);
}

}  // namespace lakestream::coordinator
