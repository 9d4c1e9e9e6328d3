#include "catalog/table_check.h"

#include <memory>

namespace lakestream {

Status check_table(const security::Authorizer& authorizer,
                   const CatalogSnapshot& catalog,
                   const security::Session* session,
                   security::Operation operation,
                   TableId id) {
  std::shared_ptr<const TableEntry> table = catalog.find_table(id);
  if (table == nullptr) {
    return make_error(
        ErrorCode::kUnknownTableOrBucketException, "table id {} is not known here", id);
  }
  security::Resource resource = security::table_resource(table->path.database, table->path.table);
  Status may = authorizer.check(session, operation, resource, catalog.acls());
  // Ids can be tried one after the other.
  if (may || authorizer.may(session, security::Operation::kDescribe, resource, catalog.acls())) {
    return may;
  }
  return make_error(ErrorCode::kAuthorizationException,
                    "principal {} has no right to {} on table id {}",
                    to_string(session->principal),
                    name_of(operation),
                    id);
}

}  // namespace lakestream
