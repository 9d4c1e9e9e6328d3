#include "security/acl.h"

#include <cstddef>

namespace lakestream::security {
namespace {

template <typename Kind>
struct Named {
  Kind kind;
  std::string_view name;
};

constexpr Named<ResourceType> kTypes[] = {{ResourceType::kAny, "ANY"},
                                          {ResourceType::kCluster, "CLUSTER"},
                                          {ResourceType::kDatabase, "DATABASE"},
                                          {ResourceType::kTable, "TABLE"}};
constexpr Named<Operation> kOperations[] = {{Operation::kAny, "ANY"},
                                            {Operation::kAll, "ALL"},
                                            {Operation::kRead, "READ"},
                                            {Operation::kWrite, "WRITE"},
                                            {Operation::kCreate, "CREATE"},
                                            {Operation::kDrop, "DROP"},
                                            {Operation::kAlter, "ALTER"},
                                            {Operation::kDescribe, "DESCRIBE"}};
constexpr Named<Permission> kPermissions[] = {{Permission::kAny, "ANY"},
                                              {Permission::kAllow, "ALLOW"}};

template <typename Kind, size_t count>
std::string_view name_in(const Named<Kind> (&table)[count], Kind kind) {
  for (const Named<Kind>& row : table) {
    if (row.kind == kind) return row.name;
  }
  return "?";
}

template <typename Kind, size_t count>
std::optional<Kind> with_number(const Named<Kind> (&table)[count], int32_t number) {
  for (const Named<Kind>& row : table) {
    if (static_cast<int32_t>(row.kind) == number) return row.kind;
  }
  return std::nullopt;
}

template <typename Kind, size_t count>
std::optional<Kind> with_name(const Named<Kind> (&table)[count], std::string_view name) {
  for (const Named<Kind>& row : table) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

bool is_match(const std::optional<std::string>& wanted, std::string_view text) {
  return !wanted || *wanted == text;
}

}  // namespace

std::string_view name_of(ResourceType type) { return name_in(kTypes, type); }
std::string_view name_of(Operation operation) { return name_in(kOperations, operation); }
std::string_view name_of(Permission permission) { return name_in(kPermissions, permission); }

std::optional<ResourceType> resource_type_of(int32_t number) { return with_number(kTypes, number); }
std::optional<ResourceType> resource_type_of(std::string_view name) {
  return with_name(kTypes, name);
}
std::optional<Operation> operation_of(int32_t number) { return with_number(kOperations, number); }
std::optional<Operation> operation_of(std::string_view name) {
  return with_name(kOperations, name);
}
std::optional<Permission> permission_of(int32_t number) {
  return with_number(kPermissions, number);
}

Resource cluster_resource() { return {ResourceType::kCluster, std::string(kClusterName)}; }

Resource database_resource(std::string_view database) {
  return {ResourceType::kDatabase, std::string(database)};
}

Resource table_resource(std::string_view database, std::string_view table) {
  return {ResourceType::kTable, fmt::format("{}.{}", database, table)};
}

std::string to_string(const Resource& resource) {
  return fmt::format("{} {}", name_of(resource.type), resource.name);
}

Resource owner_of(const Resource& resource) {
  if (resource.type != ResourceType::kTable) return resource;
  std::string_view name = resource.name;
  return database_resource(name.substr(0, name.find('.')));
}

bool AclFilter::matches(const Resource& resource) const {
  if (type == ResourceType::kAny) return true;
  return type == resource.type && is_match(resource_name, resource.name);
}

bool AclFilter::matches(const AclEntry& entry) const {
  return is_match(principal_type, entry.principal.type) &&
         is_match(principal_name, entry.principal.name) && is_match(host, entry.host) &&
         (operation == Operation::kAny || operation == entry.operation);
}

}  // namespace lakestream::security
