#include "coordinator/api/table_rights.h"

#include "catalog/table_check.h"

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
    if (catalog.find_table(id) == nullptr) continue;
    RETURN_IF_ERROR(check_table(*authorizer, catalog, call.session.get(), operation, id));
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
