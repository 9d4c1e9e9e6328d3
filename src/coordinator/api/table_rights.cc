#include "coordinator/api/table_rights.h"

#include <memory>

namespace lakestream::coordinator {

bool checks_rights(const Coordinator& coordinator) {
  const security::Authorizer* authorizer = coordinator.options().authorizer;
  return authorizer != nullptr && authorizer->is_enabled();
}

Status check_tables(const Coordinator& coordinator,
                    const rpc::RequestContext& call,
                    security::Operation operation,
                    const std::vector<TableId>& tables) {
  if (!checks_rights(coordinator)) return ok();
  const security::Authorizer* authorizer = coordinator.options().authorizer;
  const CatalogSnapshot& catalog = coordinator.catalog().on(*call.shard);
  for (TableId id : tables) {
    std::shared_ptr<const TableEntry> table = catalog.find_table(id);
    if (table == nullptr) continue;
    security::Resource resource = security::table_resource(table->path.database, table->path.table);
    RETURN_IF_ERROR(authorizer->check(call.session.get(), operation, resource, catalog.acls()));
  }
  return ok();
}

bool may_table(const Coordinator& coordinator,
               const rpc::RequestContext& call,
               security::Operation operation,
               TableId table) {
  return check_tables(coordinator, call, operation, {table}).has_value();
}

}  // namespace lakestream::coordinator
