#include "coordinator/coordinator.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/logging.h"
#include "catalog/entries.h"
#include "coordinator/documents.h"
#include "coordinator/metadata_loader.h"

namespace lakestream::coordinator {
namespace {

// Everything in one visit of the pool: the nodes that have to exist, and what is there.
Result<LoadedMetadata> prepare_and_load(MetaStore& store) {
  RETURN_IF_ERROR(prepare_metadata(store));
  return load_metadata(store);
}

// The buckets of all tables without leaders: whether the written ones lead is not known any more.
void forget_leaders(const CatalogSnapshot& catalog, CatalogBuilder* builder) {
  catalog.visit_buckets([&](const PhysicalTableId& id, std::vector<BucketEntry> buckets) {
    for (BucketEntry& bucket : buckets) bucket.leader.reset();
    builder->put_buckets(id, std::move(buckets));
  });
}

tl::unexpected<Error> not_running() {
  return make_error(ErrorCode::kNotCoordinatorLeaderException,
                    "the coordinator is not running; ask again later");
}

tl::unexpected<Error> too_busy() {
  return make_error(ErrorCode::kRequestTimeOut,
                    "{} changes wait for the coordinator already; ask again later",
                    EventQueue::kWaitingMax);
}

}  // namespace

Coordinator::Coordinator(Env& env,
                         Shard& control,
                         MetaStore& store,
                         ObjectStore& objects,
                         Catalog& catalog,
                         TabletLink& tablets,
                         CoordinatorOptions options)
    : env_(env),
      control_(control),
      store_(store),
      objects_(objects),
      published_(catalog),
      tablets_(tablets),
      options_(std::move(options)),
      random_(env.random.fork()),
      writer_(store, env.pool, control),
      catalog_(std::make_shared<const CatalogSnapshot>()),
      remote_dirs_(options_.remote_data_dirs) {}

Task<Status> Coordinator::start(ServerNode self) {
  CHECK(!started_ && !gate_.is_closed(), "a coordinator starts once");
  std::optional<EventQueue::Turn> turn = co_await events_.enter();
  self_ = std::move(self);
  CO_RETURN_IF_ERROR(co_await writer_.take_leadership());
  CO_RETURN_IF_ERROR(co_await load());
  if (catalog_->databases().empty()) {
    DatabaseRecord record{
        .descriptor = {}, .created_time = env_.clock.now(), .modified_time = env_.clock.now()};
    DatabaseEntry entry = make_database_entry(std::string(kDefaultDatabase), record);
    CO_RETURN_IF_ERROR(co_await write_database(std::move(entry), true));
  }
  started_ = true;
  check_leases_later();
  check_producers_later();
  run_removals();
  LOG_INFO("coordinator",
           "started",
           KV("epoch", epoch()),
           KV("databases", catalog_->databases().size()),
           KV("tables", catalog_->table_count()),
           KV("deletions", deletions_.size()));
  co_return ok();
}

Task<void> Coordinator::stop() {
  gate_.close();
  election_retry_.reset();
  deletion_retry_.reset();
  lease_check_.reset();
  producer_check_.reset();
  partition_check_.reset();
  co_await gate_.closed();
}

Task<Status> Coordinator::server_joined(ServerNode node) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  std::vector<ServerNode> servers = catalog_->tablet_servers();
  std::erase_if(servers, [&](const ServerNode& known) { return known.id == node.id; });
  servers.push_back(std::move(node));
  set_catalog(CatalogBuilder(*catalog_).set_tablet_servers(std::move(servers)).build());
  co_await elect_leaders();
  run_deletions();
  check_partitions_after(Duration::zero());
  co_return ok();
}

Task<Result<Coordinator::Event>> Coordinator::begin_turn(EventQueue* queue) {
  std::optional<Gate::Pass> pass = gate_.enter();
  if (!pass || !started_) co_return not_running();
  std::optional<EventQueue::Turn> turn = co_await queue->enter();
  if (!turn) co_return too_busy();
  co_return Event{.pass = std::move(*pass), .turn = std::move(*turn)};
}

// Waits for the turn of the caller's event. What the store holds is read again first when that is
// in doubt.
Task<Result<Coordinator::Event>> Coordinator::begin_event() {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_turn(&events_));
  if (writer_.is_uncertain()) {
    CO_RETURN_IF_ERROR(co_await load());
    co_await elect_leaders();
    run_deletions();
    run_removals();
  }
  co_return std::move(event);
}

Task<Result<Coordinator::Event>> Coordinator::begin_lease_event() {
  for (;;) {
    if (!leases_known_) {
      CO_ASSIGN_OR_RETURN(Event reading, co_await begin_turn(&lease_reads_.turns));
      CO_RETURN_IF_ERROR(co_await load_leases());
    }
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    // Not any more when the metadata was in doubt.
    if (leases_known_) co_return std::move(event);
  }
}

// Waits for the turn among the changes of the table.
Task<Result<Coordinator::Change>> Coordinator::begin_change(TablePath path) {
  std::optional<Gate::Pass> pass = gate_.enter();
  if (!pass) co_return not_running();
  std::optional<TableTurns::Turn> turn = co_await table_turns_.enter(std::move(path));
  if (!turn) co_return too_busy();
  co_return Change{.pass = std::move(*pass), .turn = std::move(*turn)};
}

Task<Status> Coordinator::load() {
  MetaStore* store = &store_;
  auto load = [store] { return prepare_and_load(*store); };
  Result<LoadedMetadata> loaded = co_await run_on_pool(env_.pool, control_, std::move(load));
  if (!loaded) co_return fail(std::move(loaded).error());
  writer_.set_certain();
  next_table_id_ = std::max(next_table_id_, loaded->next_table_id);
  next_partition_id_ = std::max(next_partition_id_, loaded->next_partition_id);
  for (auto& [id, assignment] : loaded->dropped) {
    Deletion deletion;
    deletion.assignment = std::move(assignment);
    add_deletion(id, std::move(deletion));
  }
  snapshots_ = std::move(loaded->snapshots);
  remote_logs_ = std::move(loaded->remote_logs);
  lake_tables_.clear();
  for (auto& [table, record] : loaded->lake_tables) {
    lake_tables_[table].record = std::move(record);
  }
  server_tags_ = std::move(loaded->server_tags);
  rebalance_ = std::move(loaded->rebalance);
  leases_known_ = false;
  std::vector<ServerNode> servers = catalog_->tablet_servers();
  CatalogBuilder builder(*loaded->catalog);
  forget_leaders(*loaded->catalog, &builder);
  builder.set_coordinator(self_).set_tablet_servers(std::move(servers));
  set_catalog(builder.build());
  follow_lakes();
  // What can not be removed now is only in the way of tables of the same names.
  Status removed = co_await remove_unfinished(std::move(loaded->unfinished));
  if (!removed) {
    LOG_WARN("coordinator", "unfinished tables stay", KV("error", removed.error().to_string()));
  }
  co_return ok();
}

void Coordinator::set_catalog(std::shared_ptr<const CatalogSnapshot> next) {
  catalog_ = std::move(next);
  published_.publish(catalog_);
}

std::vector<ServerId> Coordinator::live_servers() const {
  std::vector<ServerId> ids;
  for (const ServerNode& node : catalog_->tablet_servers()) ids.push_back(node.id);
  return ids;
}

bool Coordinator::is_live(ServerId server) const {
  const std::vector<ServerNode>& servers = catalog_->tablet_servers();
  return std::any_of(
      servers.begin(), servers.end(), [&](const ServerNode& node) { return node.id == server; });
}

Task<Status> Coordinator::commit_in_parts(std::vector<MetaOp> ops) {
  for (size_t first = 0; first < ops.size(); first += kOpsMax) {
    size_t limit = std::min(ops.size(), first + kOpsMax);
    auto begin = std::make_move_iterator(ops.begin());
    std::vector<MetaOp> part(begin + static_cast<ptrdiff_t>(first),
                             begin + static_cast<ptrdiff_t>(limit));
    CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(part)));
  }
  co_return ok();
}

// Nodes without a value that a creation left behind would be in the way of the next one.
Task<Status> Coordinator::remove_unfinished(std::vector<std::string> nodes) {
  MetaStore* store = &store_;
  for (std::string& node : nodes) {
    LOG_WARN("coordinator", "removing a table that was not created to the end", KV("node", node));
    auto plan = [store, node = std::move(node)] { return removal_of(*store, node); };
    Result<std::vector<MetaOp>> ops = co_await run_on_pool(env_.pool, control_, std::move(plan));
    if (!ops) co_return fail(std::move(ops).error());
    CO_RETURN_IF_ERROR(co_await commit_in_parts(std::move(*ops)));
  }
  co_return ok();
}

Task<void> Coordinator::remove_unused(std::vector<std::string> documents) {
  leaving_.insert(documents.begin(), documents.end());
  ObjectStore* objects = &objects_;
  auto remove = [objects, documents] { return remove_documents(*objects, documents); };
  co_await run_on_pool(env_.pool, control_, std::move(remove));
  for (const std::string& path : documents) leaving_.erase(path);
}

}  // namespace lakestream::coordinator
