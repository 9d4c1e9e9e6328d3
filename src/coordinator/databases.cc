#include <utility>

#include "catalog/entries.h"
#include "coordinator/coordinator.h"

namespace lakestream::coordinator {
namespace {

tl::unexpected<Error> no_database(const std::string& name) {
  return make_error(ErrorCode::kDatabaseNotExist, "database {} does not exist", name);
}

DatabaseDescriptor changed(DatabaseDescriptor descriptor, DatabaseChange change) {
  for (auto& [key, value] : change.properties) {
    if (value) {
      descriptor.custom_properties[key] = std::move(*value);
    } else {
      descriptor.custom_properties.erase(key);
    }
  }
  if (change.comment) {
    descriptor.comment = std::move(change.comment);
    if (descriptor.comment->empty()) descriptor.comment.reset();
  }
  return descriptor;
}

}  // namespace

Task<Status> Coordinator::create_database(std::string name,
                                          DatabaseDescriptor descriptor,
                                          bool ignore_if_exists) {
  CO_RETURN_IF_ERROR(check_new_database_name(name));
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  if (catalog_->find_database(name) != nullptr) {
    if (ignore_if_exists) co_return ok();
    co_return make_error(
        ErrorCode::kDatabaseAlreadyExist, "database {} exists already; use another name", name);
  }
  TimestampMs now = env_.clock.now();
  DatabaseRecord record{
      .descriptor = std::move(descriptor), .created_time = now, .modified_time = now};
  DatabaseEntry entry = make_database_entry(std::move(name), record);
  co_return co_await write_database(std::move(entry), true);
}

Task<Status> Coordinator::alter_database(std::string name,
                                         DatabaseChange change,
                                         bool ignore_if_not_exists) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  const DatabaseEntry* known = catalog_->find_database(name);
  if (known == nullptr) {
    if (ignore_if_not_exists) co_return ok();
    co_return no_database(name);
  }
  DatabaseDescriptor next = changed(known->descriptor, std::move(change));
  if (next == known->descriptor) co_return ok();
  DatabaseRecord record = record_of(*known);
  record.descriptor = std::move(next);
  record.modified_time = env_.clock.now();
  DatabaseEntry entry = make_database_entry(std::move(name), record);
  co_return co_await write_database(std::move(entry), false);
}

Task<Status> Coordinator::drop_database(std::string name, bool ignore_if_not_exists, bool cascade) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  if (name == kDefaultDatabase) {
    co_return make_error(ErrorCode::kUnknownServerError,
                         "database {} can not be dropped: it is the default database; drop its "
                         "tables instead",
                         name);
  }
  const DatabaseEntry* known = catalog_->find_database(name);
  if (known == nullptr) {
    if (ignore_if_not_exists) co_return ok();
    co_return no_database(name);
  }
  if (!known->tables.empty() && !cascade) {
    co_return make_error(ErrorCode::kDatabaseNotEmpty,
                         "database {} has {} tables; drop them first, or cascade",
                         name,
                         known->tables.size());
  }
  CO_RETURN_IF_ERROR(co_await drop_tables_of(name));
  MetaStore* store = &store_;
  std::string node = paths::database(name);
  auto plan = [store, node] { return removal_of(*store, node); };
  Result<std::vector<MetaOp>> ops = co_await run_on_pool(env_.pool, control_, std::move(plan));
  if (!ops) co_return fail(std::move(ops).error());
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(*ops)));
  set_catalog(CatalogBuilder(*catalog_).remove_database(name).build());
  co_return ok();
}

Task<Status> Coordinator::write_database(DatabaseEntry entry, bool is_new) {
  std::string node = paths::database(entry.name);
  Bytes value = encode(record_of(entry));
  std::vector<MetaOp> ops;
  if (is_new) {
    ops.push_back(MetaOp::create(node, std::move(value)));
    ops.push_back(MetaOp::create(paths::tables(entry.name), {}));
  } else {
    ops.push_back(MetaOp::put(node, std::move(value), kAnyVersion));
  }
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  set_catalog(CatalogBuilder(*catalog_).put_database(std::move(entry)).build());
  co_return ok();
}

}  // namespace lakestream::coordinator
