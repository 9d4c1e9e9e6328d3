#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "catalog/entries.h"
#include "coordinator/coordinator.h"
#include "table/alter.h"

namespace lakestream::coordinator {
namespace {

Result<std::shared_ptr<const SchemaEntry>> next_schema(const TableEntry& table,
                                                       ColumnChanges changes,
                                                       const TableRules& rules) {
  ASSIGN_OR_RETURN(Schema schema, alter_columns(table.descriptor, std::move(changes), rules));
  int32_t id = table.latest_schema().id.value() + 1;
  if (id > std::numeric_limits<int16_t>::max()) {
    return make_error(ErrorCode::kInvalidAlterTableException,
                      "table {} has {} schemas, which is the limit; copy its rows to a new table",
                      table.path,
                      table.schemas.size());
  }
  return make_schema_entry(SchemaId(static_cast<int16_t>(id)), std::move(schema));
}

std::vector<std::shared_ptr<const SchemaEntry>> schemas_with(
    const TableEntry& table, const std::shared_ptr<const SchemaEntry>& added) {
  std::vector<std::shared_ptr<const SchemaEntry>> schemas = table.schemas;
  if (added != nullptr) schemas.push_back(added);
  return schemas;
}

tl::unexpected<Error> no_table(const TablePath& path) {
  return make_error(ErrorCode::kTableNotExist, "table {} does not exist", path);
}

// Partitions that are there keep the buckets they have.
Status check_bucket_count(const TableEntry& table, int32_t count, const TableRules& rules) {
  if (count <= 0) {
    return make_error(ErrorCode::kInvalidAlterTableException,
                      "table {}: {} buckets, a partition has at least 1",
                      table.path,
                      count);
  }
  if (count > rules.bucket_count_max) {
    return make_error(ErrorCode::kBucketMaxNumException,
                      "table {}: {} buckets, at most {} are allowed; raise max.bucket.num",
                      table.path,
                      count,
                      rules.bucket_count_max);
  }
  if (!table.descriptor.is_partitioned()) {
    return make_error(ErrorCode::kInvalidAlterTableException,
                      "table {} is not partitioned, and the buckets of its rows are fixed; copy "
                      "them to a new table",
                      table.path);
  }
  if (table.descriptor.properties.contains(kLakeEnabled)) {
    return make_error(ErrorCode::kInvalidAlterTableException,
                      "table {} has a lake table, all of whose partitions have the same buckets; "
                      "copy the rows to a new table",
                      table.path);
  }
  return ok();
}

// The same from the other side.
Status check_lake_of_buckets(const TableEntry& table, const TableDescriptor& changed) {
  bool gets_lake = !table.descriptor.properties.contains(kLakeEnabled) &&
                   changed.properties.contains(kLakeEnabled);
  if (!gets_lake || table.bucket_count_epoch == 0) return ok();
  return make_error(ErrorCode::kInvalidAlterTableException,
                    "table {}: its bucket count was changed, and all partitions of a lake table "
                    "have the same buckets; copy the rows to a new table",
                    table.path);
}

}  // namespace

// Nothing when the change changes nothing. Requires: in an event.
Task<Result<std::optional<Coordinator::Alteration>>> Coordinator::plan_alteration(
    TablePath path, TableChange change, bool ignore_if_not_exists) {
  std::optional<Alteration> nothing;
  Alteration next;
  next.before = catalog_->find_table(path);
  if (next.before == nullptr) {
    if (ignore_if_not_exists) co_return nothing;
    co_return no_table(path);
  }
  const TableEntry& table = *next.before;
  next.record = record_of(table);
  next.record.modified_time = env_.clock.now();
  if (!change.columns.empty()) {
    CO_ASSIGN_OR_RETURN(next.added, next_schema(table, std::move(change.columns), options_.rules));
  } else if (change.bucket_count) {
    CO_RETURN_IF_ERROR(check_bucket_count(table, *change.bucket_count, options_.rules));
    if (next.record.bucket_count == *change.bucket_count) co_return nothing;
    next.record.bucket_count = *change.bucket_count;
    ++next.record.bucket_count_epoch;
  } else {
    CO_ASSIGN_OR_RETURN(TableDescriptor changed,
                        alter_options(table.descriptor, change.options, options_.rules));
    if (changed == table.descriptor) co_return nothing;
    CO_RETURN_IF_ERROR(check_supported(changed));
    CO_RETURN_IF_ERROR(check_lake_of_buckets(table, changed));
    next.record.properties = std::move(changed.properties);
    next.record.custom_properties = std::move(changed.custom_properties);
  }
  CO_ASSIGN_OR_RETURN(next.after, with_record(table, next.record, schemas_with(table, next.added)));
  CO_RETURN_IF_ERROR(co_await check_time_zone(next.after->options.auto_partition.time_zone));
  co_return std::optional<Alteration>(std::move(next));
}

Task<Status> Coordinator::alter_table(TablePath path,
                                      TableChange change,
                                      bool ignore_if_not_exists) {
  CO_ASSIGN_OR_RETURN(Change turn, co_await begin_change(path));
  std::shared_ptr<const Alteration> alteration;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    CO_ASSIGN_OR_RETURN(
        std::optional<Alteration> planned,
        co_await plan_alteration(std::move(path), std::move(change), ignore_if_not_exists));
    if (!planned) co_return ok();
    alteration = std::make_shared<const Alteration>(std::move(*planned));
    if (!concerns_lake(*alteration)) {
      CO_RETURN_IF_ERROR(co_await write_alteration(alteration, LakeState::kAsKnown));
      co_return ok();
    }
  }
  CO_ASSIGN_OR_RETURN(LakeState lake, co_await alter_in_lake(alteration));
  std::vector<std::string> unused;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    CO_ASSIGN_OR_RETURN(unused, co_await write_alteration(alteration, lake));
  }
  co_await remove_unused(std::move(unused));
  co_return ok();
}

// One change of the store, so that a crash leaves the table as it was or as it is to be. Gives the
// documents that nothing names any more: none of a lake that is as known. Requires: in an event.
Task<Result<std::vector<std::string>>> Coordinator::write_alteration(
    std::shared_ptr<const Alteration> alteration, LakeState lake) {
  const TableRecord& record = alteration->record;
  const TablePath& path = alteration->before->path;
  // Its leaders may be others by now, or it may be gone.
  std::shared_ptr<const TableEntry> known = catalog_->find_table(record.id);
  if (known == nullptr) co_return no_table(path);
  CO_ASSIGN_OR_RETURN(auto entry, with_record(*known, record, alteration->after->schemas));
  std::vector<MetaOp> ops;
  bool forgets = lake == LakeState::kNew && find_lake(record.id) != nullptr;
  if (forgets) ops.push_back(MetaOp::remove(paths::lake_table(record.id), kAnyVersion));
  ops.push_back(MetaOp::put(paths::table(path), encode(record), kAnyVersion));
  // The writer looks at the last operation to find out whether all happened. The node of the table
  // does not have the columns, so it may be the same as before.
  if (const auto& added = alteration->added; added != nullptr) {
    ops.push_back(MetaOp::create(paths::schema(path, added->id), added->json));
  }
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  set_catalog(CatalogBuilder(*catalog_).put_table(entry).build());
  follow_lake(*entry);
  std::vector<std::string> unused;
  if (forgets) unused = co_await forget_snapshots(record.id);
  co_await follow_time_now(path);
  co_return unused;
}

}  // namespace lakestream::coordinator
