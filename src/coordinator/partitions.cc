#include <algorithm>
#include <utility>

#include "catalog/entries.h"
#include "coordinator/assignment.h"
#include "coordinator/coordinator.h"

namespace lakestream::coordinator {

Result<std::shared_ptr<const TableEntry>> Coordinator::partitioned_table(
    const TablePath& path) const {
  std::shared_ptr<const TableEntry> table = catalog_->find_table(path);
  if (table == nullptr) {
    return make_error(ErrorCode::kTableNotExist, "table {} does not exist", path);
  }
  if (table->descriptor.is_partitioned()) return table;
  return make_error(ErrorCode::kTableNotPartitionedException,
                    "table {} is not partitioned; its rows need no partition",
                    path);
}

Task<Status> Coordinator::create_partition(TablePath path,
                                           PartitionSpec spec,
                                           bool ignore_if_exists) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_ASSIGN_OR_RETURN(std::shared_ptr<const TableEntry> table, partitioned_table(path));
  CO_ASSIGN_OR_RETURN(ResolvedPartitionSpec wanted,
                      resolve_partition(table->descriptor.partition_keys, spec));
  CO_RETURN_IF_ERROR(check_new_partition(wanted));
  std::string name = wanted.name();
  if (catalog_->partitions(table->id).find(name) != nullptr) {
    if (ignore_if_exists) co_return ok();
    co_return make_error(
        ErrorCode::kPartitionAlreadyExists, "table {} has partition '{}' already", path, name);
  }
  CO_RETURN_IF_ERROR(co_await check_new_value(table, std::move(wanted)));
  co_return co_await add_partition(std::move(table), std::move(name));
}

Task<Status> Coordinator::add_partition(std::shared_ptr<const TableEntry> table, std::string name) {
  if (catalog_->partitions(table->id).size() >=
      static_cast<size_t>(std::max(options_.partition_count_max, 0))) {
    co_return make_error(ErrorCode::kPartitionMaxNumException,
                         "table {} has {} partitions, the most there may be; drop old ones, or "
                         "raise max.partition.num",
                         table->path,
                         options_.partition_count_max);
  }
  AssignmentRequest wanted{.bucket_count = *table->descriptor.bucket_count(),
                           .replication_factor = table->options.replication_factor.value_or(1)};
  if (wanted.bucket_count > options_.rules.bucket_count_max) {
    co_return make_error(ErrorCode::kBucketMaxNumException,
                         "partition '{}' of {} would have {} buckets, at most {} are allowed; "
                         "raise max.bucket.num",
                         name,
                         table->path,
                         wanted.bucket_count,
                         options_.rules.bucket_count_max);
  }
  // Never given again, whatever becomes of this creation.
  PartitionId id = next_partition_id_;
  NewPlace place;
  place.id = {table->id, id};
  place.path = {table->path, name};
  CO_ASSIGN_OR_RETURN(place.assignment, make_assignment(wanted, assignable_servers(), random_));
  place.buckets = first_leaders(place.assignment);
  next_partition_id_ = PartitionId(id.value() + 1);

  PartitionRecord record{table->id, id, remote_dirs_.next()};
  MetaOp counter =
      MetaOp::put(paths::kPartitionCounter, encode_counter(id.value() + 1), kAnyVersion);
  std::vector<MetaOp> naming;
  naming.push_back(MetaOp::create(paths::partition(table->path, name), encode(record)));
  CO_RETURN_IF_ERROR(co_await write_place(&place, std::move(counter), std::move(naming)));
  auto entry = make_partition_entry(std::move(name), record, place.buckets);
  set_catalog(CatalogBuilder(*catalog_).put_partition(std::move(entry)).build());
  co_await tell_first_leaders(&place);
  co_return ok();
}

Task<Status> Coordinator::drop_partition(TablePath path,
                                         PartitionSpec spec,
                                         bool ignore_if_not_exists) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_ASSIGN_OR_RETURN(std::shared_ptr<const TableEntry> table, partitioned_table(path));
  CO_ASSIGN_OR_RETURN(ResolvedPartitionSpec named,
                      resolve_partition(table->descriptor.partition_keys, spec));
  CO_RETURN_IF_ERROR(check_partition_values(named.values));
  std::string name = named.name();
  if (name == kHistoricalPartition) {
    co_return make_error(ErrorCode::kPartitionSpecInvalidException,
                         "partition '{}' of table {} belongs to the system, it stays",
                         name,
                         path);
  }
  std::shared_ptr<const PartitionEntry> partition = catalog_->partitions(table->id).find(name);
  if (partition != nullptr) {
    TablePartitions::Entries one;
    one.push_back(std::move(partition));
    co_return co_await remove_partitions(std::move(one));
  }
  if (ignore_if_not_exists) co_return ok();
  co_return make_error(
      ErrorCode::kPartitionNotExists, "table {} has no partition '{}'", path, name);
}

// Their names are free together, or as many of them as one change can name.
Task<Status> Coordinator::remove_partitions(TablePartitions::Entries partitions) {
  for (size_t first = 0; first < partitions.size(); first += kOpsMax) {
    size_t limit = std::min(partitions.size(), first + kOpsMax);
    std::vector<MetaOp> ops;
    CatalogBuilder builder(*catalog_);
    for (size_t i = first; i < limit; ++i) {
      const PartitionEntry& partition = *partitions[i];
      const TablePath& path = catalog_->find_table(partition.table)->path;
      ops.push_back(MetaOp::remove(paths::partition(path, partition.name), kAnyVersion));
      builder.remove_partition(partition.table, partition.name);
    }
    CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
    for (size_t i = first; i < limit; ++i) {
      PhysicalTableId id{partitions[i]->table, partitions[i]->id};
      Deletion deletion;
      deletion.path = path_of(id);
      deletion.assignment = assignment_of(partitions[i]->buckets);
      add_deletion(id, std::move(deletion));
    }
    set_catalog(builder.build());
    run_deletions();
  }
  co_return ok();
}

}  // namespace lakestream::coordinator
