#include <set>
#include <utility>

#include "coordinator/acl_nodes.h"
#include "coordinator/coordinator.h"

namespace lakestream::coordinator {
namespace {

using security::AclBinding;
using security::AclEntries;
using security::AclFilter;
using security::AclRules;
using security::Operation;
using security::Resource;
using security::ResourceType;
using security::Session;

constexpr size_t kNameBytesMax = 255;

// Who changes entries of a resource has every right on what it belongs to. Who may not hears of no
// resource but those he `named` and those he may see.
Status check_may_change(const security::Authorizer& authorizer,
                        const Session* session,
                        const std::set<Resource>& resources,
                        const std::set<Resource>& named,
                        const AclRules& rules) {
  for (const Resource& resource : resources) {
    bool is_told =
        named.contains(resource) || authorizer.may(session, Operation::kDescribe, resource, rules);
    if (authorizer.may(session, Operation::kAll, owner_of(resource), rules)) continue;
    return security::refusal(
        *session, Operation::kAll, is_told ? owner_of(resource) : security::cluster_resource());
  }
  return ok();
}

Status check_binding(const AclBinding& binding) {
  RETURN_IF_ERROR(check_resource(binding.resource));
  const security::AclEntry& entry = binding.entry;
  for (const std::string& name : {entry.principal.type, entry.principal.name, entry.host}) {
    if (!name.empty() && name.size() <= kNameBytesMax) continue;
    return make_error(ErrorCode::kUnknownServerError,
                      "an entry for {}: principal and host have 1 to {} bytes; write * for each",
                      to_string(binding.resource),
                      kNameBytesMax);
  }
  if (binding.entry.operation != Operation::kAny) return ok();
  return make_error(ErrorCode::kUnknownServerError,
                    "an entry for {} is for ANY operation; write ALL for each of them",
                    to_string(binding.resource));
}

}  // namespace

Status Coordinator::check_acls_enabled() const {
  if (options_.authorizer != nullptr) return options_.authorizer->check_enabled();
  return security::Authorizer({}).check_enabled();
}

// Requires: in an event.
Task<Status> Coordinator::write_acls(std::map<Resource, AclEntries> changed) {
  std::vector<MetaOp> ops;
  AclRules next = catalog_->acls();
  for (auto& [resource, entries] : changed) {
    auto known = next.find(resource);
    bool is_there = known != next.end();
    if (is_there ? known->second == entries : entries.empty()) continue;
    ops.push_back(acl_change(resource, is_there, entries));
    if (entries.empty()) {
      next.erase(resource);
    } else {
      next[resource] = std::move(entries);
    }
  }
  if (ops.empty()) co_return ok();
  if (ops.size() > kOpsMax) {
    co_return make_error(ErrorCode::kUnknownServerError,
                         "a change of the entries of {} resources; at most {} are changed at once",
                         ops.size(),
                         kOpsMax);
  }
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  set_catalog(CatalogBuilder(*catalog_).set_acls(std::move(next)).build());
  co_return ok();
}

Task<Result<std::vector<Status>>> Coordinator::create_acls(Caller caller,
                                                           std::vector<AclBinding> bindings) {
  CO_RETURN_IF_ERROR(check_acls_enabled());
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  std::vector<Status> results;
  std::set<Resource> resources;
  std::map<Resource, AclEntries> changed;
  const AclRules& rules = catalog_->acls();
  for (AclBinding& binding : bindings) {
    resources.insert(binding.resource);
    results.push_back(check_binding(binding));
    if (!results.back()) continue;
    auto known = rules.find(binding.resource);
    auto [place, is_new] = changed.try_emplace(binding.resource);
    if (is_new && known != rules.end()) place->second = known->second;
    place->second.insert(std::move(binding.entry));
  }
  CO_RETURN_IF_ERROR(
      check_may_change(*options_.authorizer, caller.get(), resources, resources, rules));
  CO_RETURN_IF_ERROR(co_await write_acls(std::move(changed)));
  co_return results;
}

Task<Result<std::vector<std::vector<AclBinding>>>> Coordinator::drop_acls(
    Caller caller, std::vector<AclFilter> filters) {
  CO_RETURN_IF_ERROR(check_acls_enabled());
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  std::vector<std::vector<AclBinding>> dropped(filters.size());
  std::set<Resource> named;
  for (const AclFilter& filter : filters) {
    if (filter.type == ResourceType::kAny || !filter.resource_name) continue;
    named.insert({filter.type, *filter.resource_name});
  }
  std::set<Resource> resources = named;
  std::map<Resource, AclEntries> changed;
  const AclRules& rules = catalog_->acls();
  for (const auto& [resource, entries] : rules) {
    AclEntries left = entries;
    for (size_t i = 0; i < filters.size(); ++i) {
      if (!filters[i].matches(resource)) continue;
      resources.insert(resource);
      for (auto entry = left.begin(); entry != left.end();) {
        auto at = entry++;
        if (!filters[i].matches(*at)) continue;
        dropped[i].push_back({resource, *at});
        left.erase(at);
      }
    }
    if (left != entries) changed[resource] = std::move(left);
  }
  CO_RETURN_IF_ERROR(check_may_change(*options_.authorizer, caller.get(), resources, named, rules));
  CO_RETURN_IF_ERROR(co_await write_acls(std::move(changed)));
  co_return dropped;
}

}  // namespace lakestream::coordinator
