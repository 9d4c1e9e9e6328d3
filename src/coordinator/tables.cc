#include <utility>

#include "base/logging.h"
#include "catalog/entries.h"
#include "coordinator/assignment.h"
#include "coordinator/coordinator.h"
#include "table/json.h"
#include "table/options.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {
namespace {

// The nodes that make a table exist.
std::vector<MetaOp> naming_of(const TableEntry& table, const TableRecord& record) {
  std::vector<MetaOp> ops;
  ops.push_back(MetaOp::create(paths::table(table.path), encode(record)));
  ops.push_back(MetaOp::create(paths::schemas(table.path), {}));
  const SchemaEntry& schema = table.latest_schema();
  ops.push_back(MetaOp::create(paths::schema(table.path, schema.id), schema.json));
  if (table.descriptor.is_partitioned()) {
    ops.push_back(MetaOp::create(paths::partitions(table.path), {}));
  }
  return ops;
}

struct Removal {
  std::vector<MetaOp> ops;
  size_t table_count = 0;
};

// Removes the first of the tables, as many as fit into one change, and at least one.
Result<Removal> removal_of_tables(MetaStore& store, const std::vector<TablePath>& tables) {
  Removal removal;
  for (const TablePath& path : tables) {
    ASSIGN_OR_RETURN(std::vector<MetaOp> ops, removal_of(store, paths::table(path)));
    if (removal.table_count > 0 && removal.ops.size() + ops.size() > kOpsMax) break;
    for (MetaOp& op : ops) removal.ops.push_back(std::move(op));
    ++removal.table_count;
  }
  return removal;
}

}  // namespace

Result<TableDescriptor> prepare_table(const TablePath& path,
                                      std::string_view json,
                                      const TableRules& rules) {
  RETURN_IF_ERROR(check_new_table_path(path));
  ASSIGN_OR_RETURN(TableDescriptor descriptor, table_from_json(json));
  ASSIGN_OR_RETURN(descriptor, complete_table(std::move(descriptor), rules));
  RETURN_IF_ERROR(check_supported(descriptor));
  return descriptor;
}

Task<Status> Coordinator::create_table(TablePath path,
                                       TableDescriptor descriptor,
                                       bool ignore_if_exists) {
  CHECK(descriptor.bucket_count().has_value(), "a descriptor of prepare_table");
  CO_ASSIGN_OR_RETURN(TableOptions options, parse_table_options(descriptor.properties));
  if (options.lake.enabled) {
    co_return co_await create_with_lake(std::move(path), std::move(descriptor), ignore_if_exists);
  }
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_ASSIGN_OR_RETURN(TablePlan plan, co_await plan_table(path, descriptor, ignore_if_exists));
  if (plan.exists) co_return ok();
  co_return co_await write_new_table(
      std::move(path), std::move(descriptor), std::move(plan.assignment));
}

// Requires: in an event.
Task<Result<Coordinator::TablePlan>> Coordinator::plan_table(TablePath path,
                                                             TableDescriptor descriptor,
                                                             bool ignore_if_exists) {
  CO_ASSIGN_OR_RETURN(TableOptions options, parse_table_options(descriptor.properties));
  CO_RETURN_IF_ERROR(co_await check_time_zone(options.auto_partition.time_zone));
  TablePlan plan;
  if (!descriptor.is_partitioned()) {
    AssignmentRequest wanted{.bucket_count = *descriptor.bucket_count(),
                             .replication_factor = options.replication_factor.value_or(1)};
    CO_ASSIGN_OR_RETURN(plan.assignment, make_assignment(wanted, assignable_servers(), random_));
  }
  const DatabaseEntry* database = catalog_->find_database(path.database);
  plan.exists = database != nullptr && database->tables.contains(path.table);
  if (plan.exists && ignore_if_exists) co_return plan;
  if (database == nullptr) {
    co_return make_error(ErrorCode::kDatabaseNotExist,
                         "database {} does not exist; create it before table {}",
                         path.database,
                         path.table);
  }
  if (!plan.exists) co_return plan;
  co_return make_error(
      ErrorCode::kTableAlreadyExist, "table {} exists already; use another name", path);
}

Task<Status> Coordinator::write_new_table(TablePath path,
                                          TableDescriptor descriptor,
                                          AssignmentRecord assignment) {
  // Never given again, whatever becomes of this creation.
  TableId id = next_table_id_;
  next_table_id_ = TableId(id.value() + 1);
  TableRecord record = TableRecord::of(id, descriptor, env_.clock.now());
  record.remote_data_dir = remote_dirs_.next();
  auto schema = make_schema_entry(SchemaId(1), std::move(descriptor.schema));
  CO_ASSIGN_OR_RETURN(auto entry,
                      make_table_entry(path, record, {schema}, first_leaders(assignment)));
  MetaOp counter = MetaOp::put(paths::kTableCounter, encode_counter(id.value() + 1), kAnyVersion);
  NewPlace place{{id, std::nullopt}, {path, std::nullopt}, std::move(assignment), entry->buckets};
  std::vector<MetaOp> naming = naming_of(*entry, record);
  CO_RETURN_IF_ERROR(co_await write_place(&place, std::move(counter), std::move(naming)));
  set_catalog(CatalogBuilder(*catalog_).put_table(entry).build());
  follow_lake(*entry);
  co_await tell_first_leaders(&place);
  co_await follow_time_now(std::move(path));
  co_return ok();
}

// Writes where the buckets are, then, as the last step, `naming`: the nodes that make it exist. So
// an interrupted creation leaves an assignment without a table or partition, which the next start
// removes.
Task<Status> Coordinator::write_place(const NewPlace* place,
                                      MetaOp counter,
                                      std::vector<MetaOp> naming) {
  std::vector<MetaOp> ops = placement_of(place->id, place->assignment, place->buckets, epoch());
  ops.insert(ops.begin(), std::move(counter));
  Status written = ok();
  if (ops.size() + naming.size() > kOpsMax) {
    std::vector<MetaOp> first = std::exchange(ops, {});
    written = co_await commit_in_parts(std::move(first));
  }
  for (MetaOp& op : naming) ops.push_back(std::move(op));
  if (written) written = co_await writer_.commit(std::move(ops));
  // In doubt the next event reads what there is, which may be all of it.
  if (written || writer_.is_uncertain()) co_return written;
  Deletion leftover;
  leftover.path = place->path;
  leftover.assignment = place->assignment;
  add_deletion(place->id, std::move(leftover));
  run_deletions();
  co_return written;
}

Task<void> Coordinator::tell_first_leaders(const NewPlace* place) {
  std::vector<TableBucket> buckets;
  for (const BucketEntry& bucket : place->buckets) {
    buckets.push_back(bucket_of(place->id, bucket.bucket));
  }
  co_await tell_leaders(std::move(buckets));
}

Task<Status> Coordinator::drop_table(TablePath path, bool ignore_if_not_exists) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  if (catalog_->find_table(path) == nullptr) {
    if (ignore_if_not_exists) co_return ok();
    co_return make_error(ErrorCode::kTableNotExist, "table {} does not exist", path);
  }
  std::vector<TablePath> tables;
  tables.push_back(std::move(path));
  co_return co_await drop_tables(std::move(tables));
}

Task<Status> Coordinator::drop_tables_of(std::string database) {
  std::vector<TablePath> tables;
  for (const auto& [name, table] : catalog_->find_database(database)->tables) {
    tables.push_back(table->path);
  }
  co_return co_await drop_tables(std::move(tables));
}

Task<Status> Coordinator::drop_tables(std::vector<TablePath> tables) {
  MetaStore* store = &store_;
  while (!tables.empty()) {
    auto plan = [store, tables] { return removal_of_tables(*store, tables); };
    Result<Removal> removal = co_await run_on_pool(env_.pool, control_, std::move(plan));
    if (!removal) co_return fail(std::move(removal).error());
    CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(removal->ops)));
    CatalogBuilder builder(*catalog_);
    auto end = tables.begin() + static_cast<ptrdiff_t>(removal->table_count);
    for (auto path = tables.begin(); path != end; ++path) {
      std::shared_ptr<const TableEntry> table = catalog_->find_table(*path);
      add_deletions_of(*table);
      forget_lake(table->id);
      builder.remove_table(*path);
    }
    set_catalog(builder.build());
    run_deletions();
    tables.erase(tables.begin(), end);
  }
  co_return ok();
}

void Coordinator::add_deletions_of(const TableEntry& table) {
  bool had_lake = table.descriptor.properties.contains(kLakeEnabled);
  if (!table.descriptor.is_partitioned() || had_lake) {
    Deletion deletion;
    deletion.path = PhysicalTablePath{table.path, std::nullopt};
    deletion.assignment = assignment_of(table.buckets);
    if (had_lake) {
      deletion.lake_folder =
          remote_lake_folder(remote_root({table.id, std::nullopt}), table.path, table.id);
    }
    add_deletion({table.id, std::nullopt}, std::move(deletion));
  }
  for (const auto& partition : catalog_->partitions(table.id).by_name()) {
    Deletion deletion;
    deletion.path = PhysicalTablePath{table.path, partition->name};
    deletion.assignment = assignment_of(partition->buckets);
    add_deletion({table.id, partition->id}, std::move(deletion));
  }
}

}  // namespace lakestream::coordinator
