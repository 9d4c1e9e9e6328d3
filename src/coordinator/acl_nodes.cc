#include "coordinator/acl_nodes.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "meta/acl_record.h"
#include "table/path.h"

namespace lakestream::coordinator {
namespace {

using security::AclEntry;
using security::Resource;
using security::ResourceType;

constexpr ResourceType kTypes[] = {
    ResourceType::kCluster, ResourceType::kDatabase, ResourceType::kTable};

Result<AclEntry> to_entry(AclRecord::Entry record) {
  std::optional<security::Operation> operation = security::operation_of(record.operation);
  // What this server does not know may be there to forbid something.
  bool is_known = operation && *operation != security::Operation::kAny;
  if (!is_known || record.permission != name_of(security::Permission::kAllow)) {
    return make_error(ErrorCode::kUnknownServerError,
                      "permission '{}' of operation '{}' is not known; remove the entry",
                      record.permission,
                      record.operation);
  }
  return AclEntry{{std::move(record.principal_type), std::move(record.principal_name)},
                  std::move(record.host),
                  *operation};
}

Result<security::AclEntries> load_entries(MetaStore& store, const std::string& path) {
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(path));
  security::AclEntries entries;
  if (!node) return entries;
  ASSIGN_OR_RETURN(AclRecord record, decode_acl(node->value));
  for (AclRecord::Entry& entry : record.entries) {
    ASSIGN_OR_RETURN(AclEntry made, to_entry(std::move(entry)));
    entries.insert(std::move(made));
  }
  return entries;
}

std::optional<std::string> why_no_table(std::string_view name) {
  size_t dot = name.find('.');
  if (dot == std::string_view::npos) return "write DATABASE.TABLE";
  std::optional<std::string> reason = why_no_name(name.substr(0, dot));
  return reason ? reason : why_no_name(name.substr(dot + 1));
}

}  // namespace

std::vector<std::string> acl_parents() {
  std::vector<std::string> parents;
  for (ResourceType type : kTypes) parents.push_back(paths::acls(name_of(type)));
  return parents;
}

Result<security::AclRules> load_acls(MetaStore& store) {
  security::AclRules rules;
  for (ResourceType type : kTypes) {
    ASSIGN_OR_RETURN(std::vector<std::string> names, store.children(paths::acls(name_of(type))));
    for (std::string& name : names) {
      std::string path = paths::acl(name_of(type), name);
      Result<security::AclEntries> entries = load_entries(store, path);
      if (!entries) {
        return fail(std::move(entries).error().with_context("metadata node " + path));
      }
      if (!entries->empty()) rules[{type, std::move(name)}] = std::move(*entries);
    }
  }
  return rules;
}

MetaOp acl_change(const Resource& resource, bool is_there, const security::AclEntries& after) {
  std::string path = paths::acl(name_of(resource.type), resource.name);
  if (after.empty()) return MetaOp::remove(std::move(path), kAnyVersion);
  AclRecord record;
  for (const AclEntry& entry : after) {
    record.entries.push_back({entry.principal.type,
                              entry.principal.name,
                              std::string(name_of(security::Permission::kAllow)),
                              entry.host,
                              std::string(name_of(entry.operation))});
  }
  Bytes value = encode(record);
  return is_there ? MetaOp::put(std::move(path), std::move(value), kAnyVersion)
                  : MetaOp::create(std::move(path), std::move(value));
}

Status check_resource(const Resource& resource) {
  const std::string& name = resource.name;
  if (resource.type == ResourceType::kAny) {
    return make_error(ErrorCode::kUnknownServerError,
                      "an entry is for the cluster, a database or a table, not for ANY");
  }
  if (name == security::kEvery) return ok();
  if (resource.type == ResourceType::kCluster) {
    if (resource == security::cluster_resource()) return ok();
    return make_error(ErrorCode::kUnknownServerError,
                      "cluster '{}' does not exist; its name is {}",
                      name,
                      security::kClusterName);
  }
  bool is_table = resource.type == ResourceType::kTable;
  std::optional<std::string> reason = is_table ? why_no_table(name) : why_no_name(name);
  if (!reason) return ok();
  return make_error(
      is_table ? ErrorCode::kInvalidTableException : ErrorCode::kInvalidDatabaseException,
      "{}: {}",
      to_string(resource),
      *reason);
}

}  // namespace lakestream::coordinator
