#include "catalog/api/acl_messages.h"

#include <optional>
#include <string_view>
#include <utility>

namespace lakestream {
namespace {

template <typename Kind>
Result<Kind> known(std::optional<Kind> kind, std::string_view what, int32_t number) {
  if (kind) return *kind;
  return make_error(ErrorCode::kUnknownServerError, "{} {} is not known", what, number);
}

Status check_permission(int32_t number, bool is_filter) {
  ASSIGN_OR_RETURN(security::Permission permission,
                   known(security::permission_of(number), "permission", number));
  if (is_filter || permission == security::Permission::kAllow) return ok();
  return make_error(ErrorCode::kUnknownServerError, "an entry allows something; write ALLOW");
}

}  // namespace

Result<security::AclBinding> to_binding(wire::PbAclInfo message) {
  security::AclBinding binding;
  ASSIGN_OR_RETURN(binding.resource.type,
                   known(security::resource_type_of(message.resource_type),
                         "type of resource",
                         message.resource_type));
  ASSIGN_OR_RETURN(
      binding.entry.operation,
      known(security::operation_of(message.operation_type), "operation", message.operation_type));
  RETURN_IF_ERROR(check_permission(message.permission_type, false));
  binding.resource.name = std::move(message.resource_name);
  binding.entry.principal = {std::move(message.principal_type), std::move(message.principal_name)};
  binding.entry.host = std::move(message.host);
  return binding;
}

Result<security::AclFilter> to_filter(wire::PbAclFilter message) {
  security::AclFilter filter;
  ASSIGN_OR_RETURN(filter.type,
                   known(security::resource_type_of(message.resource_type),
                         "type of resource",
                         message.resource_type));
  ASSIGN_OR_RETURN(
      filter.operation,
      known(security::operation_of(message.operation_type), "operation", message.operation_type));
  RETURN_IF_ERROR(check_permission(message.permission_type, true));
  filter.resource_name = std::move(message.resource_name);
  filter.principal_type = std::move(message.principal_type);
  filter.principal_name = std::move(message.principal_name);
  filter.host = std::move(message.host);
  return filter;
}

wire::PbAclInfo to_message(const security::AclBinding& binding) {
  wire::PbAclInfo message;
  message.resource_name = binding.resource.name;
  message.resource_type = static_cast<int32_t>(binding.resource.type);
  message.principal_name = binding.entry.principal.name;
  message.principal_type = binding.entry.principal.type;
  message.host = binding.entry.host;
  message.operation_type = static_cast<int32_t>(binding.entry.operation);
  message.permission_type = static_cast<int32_t>(security::Permission::kAllow);
  return message;
}

}  // namespace lakestream
