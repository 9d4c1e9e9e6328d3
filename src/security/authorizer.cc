#include "security/authorizer.h"

#include <algorithm>

#include "base/letter_case.h"

namespace lakestream::security {
namespace {

bool is_same_text(std::string_view a, std::string_view b, bool ignore_case) {
  return ignore_case ? same_letters(a, b) : a == b;
}

bool is_everybody(const Principal& principal) {
  return principal.type == kEvery && principal.name == kEvery;
}

// What lies above the resource and gives rights on it, too.
std::vector<Resource> with_owners(const Resource& resource) {
  std::vector<Resource> all{resource, {resource.type, std::string(kEvery)}};
  if (resource.type == ResourceType::kTable) all.push_back(owner_of(resource));
  if (resource.type != ResourceType::kCluster) all.push_back(cluster_resource());
  return all;
}

}  // namespace

tl::unexpected<Error> refusal(const Session& session,
                              Operation operation,
                              const Resource& resource) {
  return make_error(ErrorCode::kAuthorizationException,
                    "principal {} has no right to {} on {}; who has ALL on {} can grant it",
                    to_string(session.principal),
                    name_of(operation),
                    to_string(resource),
                    to_string(owner_of(resource)));
}

Status Authorizer::check_enabled() const {
  if (options_.enabled) return ok();
  return make_error(ErrorCode::kSecurityDisabledException,
                    "rights are not checked on this server; set authorizer.enabled");
}

bool Authorizer::is_same(const Principal& a, const Principal& b) const {
  return is_same_text(a.type, b.type, options_.ignore_case) &&
         is_same_text(a.name, b.name, options_.ignore_case);
}

bool Authorizer::may_everything(const Session* session) const {
  if (!options_.enabled || session == nullptr || session->is_internal) return true;
  return std::any_of(options_.super_users.begin(),
                     options_.super_users.end(),
                     [&](const Principal& user) { return is_same(user, session->principal); });
}

bool Authorizer::allows(const AclEntry& entry, const Session& session, Operation operation) const {
  bool is_for = is_everybody(entry.principal) || is_same(entry.principal, session.principal);
  bool is_from = entry.host == kEvery || entry.host == session.host;
  bool is_right = entry.operation == Operation::kAll || entry.operation == operation ||
                  operation == Operation::kDescribe;
  return is_for && is_from && is_right;
}

bool Authorizer::allows(const AclRules& rules,
                        const Resource& resource,
                        const Session& session,
                        Operation operation) const {
  auto found = rules.find(resource);
  if (found == rules.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const AclEntry& entry) {
    return allows(entry, session, operation);
  });
}

bool Authorizer::may(const Session* session,
                     Operation operation,
                     const Resource& resource,
                     const AclRules& rules) const {
  if (may_everything(session)) return true;
  std::vector<Resource> places = with_owners(resource);
  return std::any_of(places.begin(), places.end(), [&](const Resource& place) {
    return allows(rules, place, *session, operation);
  });
}

bool Authorizer::may_somewhere(const Session* session,
                               Operation operation,
                               const AclRules& rules) const {
  if (may_everything(session)) return true;
  return std::any_of(rules.begin(), rules.end(), [&](const auto& rule) {
    return allows(rules, rule.first, *session, operation);
  });
}

Status Authorizer::check(const Session* session,
                         Operation operation,
                         const Resource& resource,
                         const AclRules& rules) const {
  if (may(session, operation, resource, rules)) return ok();
  return refusal(*session, operation, resource);
}

}  // namespace lakestream::security
