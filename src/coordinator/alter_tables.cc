#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "catalog/entries.h"
#include "coordinator/coordinator.h"
#include "table/alter.h"

namespace lakestream::coordinator {
namespace {

// A table after a change.
struct Alteration {
  TableRecord record;
  std::shared_ptr<const SchemaEntry> added;  // none when its options changed
};

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

// Nothing when the change changes nothing.
Result<std::optional<Alteration>> alteration_of(const TableEntry& table,
                                                TableChange change,
                                                const TableRules& rules,
                                                TimestampMs now) {
  Alteration alteration{.record = record_of(table), .added = nullptr};
  alteration.record.modified_time = now;
  if (!change.columns.empty()) {
    ASSIGN_OR_RETURN(alteration.added, next_schema(table, std::move(change.columns), rules));
    return alteration;
  }
  ASSIGN_OR_RETURN(TableDescriptor next, alter_options(table.descriptor, change.options, rules));
  if (next == table.descriptor) return std::optional<Alteration>();
  RETURN_IF_ERROR(check_supported(next));
  alteration.record.properties = std::move(next.properties);
  alteration.record.custom_properties = std::move(next.custom_properties);
  return alteration;
}

}  // namespace

// One change of the store, so that a crash leaves the table as it was or as it is to be.
Task<Status> Coordinator::alter_table(TablePath path,
                                      TableChange change,
                                      bool ignore_if_not_exists) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  std::shared_ptr<const TableEntry> known = catalog_->find_table(path);
  if (known == nullptr) {
    if (ignore_if_not_exists) co_return ok();
    co_return make_error(ErrorCode::kTableNotExist, "table {} does not exist", path);
  }
  CO_ASSIGN_OR_RETURN(std::optional<Alteration> next,
                      alteration_of(*known, std::move(change), options_.rules, env_.clock.now()));
  if (!next) co_return ok();
  std::vector<std::shared_ptr<const SchemaEntry>> schemas = known->schemas;
  if (next->added != nullptr) schemas.push_back(next->added);
  CO_ASSIGN_OR_RETURN(auto entry, with_record(*known, next->record, std::move(schemas)));
  CO_RETURN_IF_ERROR(co_await check_time_zone(entry->options.auto_partition.time_zone));
  std::vector<MetaOp> ops;
  ops.push_back(MetaOp::put(paths::table(path), encode(next->record), kAnyVersion));
  // The writer looks at the last operation to find out whether all happened. The node of the table
  // does not have the columns, so it may be the same as before.
  if (next->added != nullptr) {
    ops.push_back(MetaOp::create(paths::schema(path, next->added->id), next->added->json));
  }
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  set_catalog(CatalogBuilder(*catalog_).put_table(std::move(entry)).build());
  co_await follow_time_now(std::move(path));
  co_return ok();
}

}  // namespace lakestream::coordinator
