#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "security/principal.h"

// Access control: an entry allows a principal, from a host, an operation on a resource. What no
// entry allows is forbidden. The numbers are those of the Fluss protocol.
//
// Thread rule: values and pure functions.
//
//   AclRules rules;
//   rules[table_resource("db", "t")].insert({user("alice"), "*", Operation::kRead});
namespace lakestream::security {

enum class ResourceType : int32_t { kAny = 1, kCluster = 2, kDatabase = 3, kTable = 4 };
enum class Operation : int32_t {
  kAny = 1,
  kAll = 2,  // implies every other
  kRead = 3,
  kWrite = 4,
  kCreate = 5,
  kDrop = 6,
  kAlter = 7,
  kDescribe = 8,  // implied by every other
};
enum class Permission : int32_t { kAny = 1, kAllow = 2 };

// "TABLE", "READ", "ALLOW".
std::string_view name_of(ResourceType type);
std::string_view name_of(Operation operation);
std::string_view name_of(Permission permission);
// Nothing for a number or a name that none has.
std::optional<ResourceType> resource_type_of(int32_t number);
std::optional<ResourceType> resource_type_of(std::string_view name);
std::optional<Operation> operation_of(int32_t number);
std::optional<Operation> operation_of(std::string_view name);
std::optional<Permission> permission_of(int32_t number);

// Of a host, a resource, or both parts of a principal: each of them.
inline constexpr std::string_view kEvery = "*";
inline constexpr std::string_view kClusterName = "fluss-cluster";

struct Resource {
  ResourceType type;
  std::string name;  // "fluss-cluster", "db", "db.t", or kEvery

  friend auto operator<=>(const Resource&, const Resource&) = default;
};

Resource cluster_resource();
Resource database_resource(std::string_view database);
Resource table_resource(std::string_view database, std::string_view table);
// "TABLE db.t"
std::string to_string(const Resource& resource);
// Who may change the entries of a resource has every right on this one: the resource, or the
// database of a table.
Resource owner_of(const Resource& resource);

// Permission is always to allow.
struct AclEntry {
  Principal principal;
  std::string host;
  Operation operation;

  friend auto operator<=>(const AclEntry&, const AclEntry&) = default;
};

using AclEntries = std::set<AclEntry>;
using AclRules = std::map<Resource, AclEntries>;

struct AclBinding {
  Resource resource;
  AclEntry entry;

  friend auto operator<=>(const AclBinding&, const AclBinding&) = default;
};

// Chooses entries; what is empty or kAny matches each.
struct AclFilter {
  ResourceType type = ResourceType::kAny;
  std::optional<std::string> resource_name = {};
  std::optional<std::string> principal_type = {};
  std::optional<std::string> principal_name = {};
  std::optional<std::string> host = {};
  Operation operation = Operation::kAny;

  bool matches(const Resource& resource) const;
  bool matches(const AclEntry& entry) const;
};

}  // namespace lakestream::security
