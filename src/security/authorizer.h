#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "security/acl.h"
#include "security/principal.h"

// Decides what a session may do: everything over the internal listener and for super users, and
// what an entry allows on the resource, its database, the cluster, or each resource of its type.
//
// Thread rule: immutable.
//
//   RETURN_IF_ERROR(authorizer.check(session, Operation::kRead, table_resource("db", "t"), rules));
namespace lakestream::security {

class Authorizer {
 public:
  struct Options {
    bool enabled = false;  // otherwise everybody may everything
    std::vector<Principal> super_users = {};
    bool ignore_case = false;  // of principals
  };
  explicit Authorizer(Options options) : options_(std::move(options)) {}

  bool is_enabled() const { return options_.enabled; }
  // kSecurityDisabledException.
  Status check_enabled() const;

  // A null session is this process itself, which may everything.
  bool may(const Session* session,
           Operation operation,
           const Resource& resource,
           const AclRules& rules) const;
  // On at least one resource, whatever it is.
  bool may_somewhere(const Session* session, Operation operation, const AclRules& rules) const;
  // kAuthorizationException names the principal, the operation and the resource.
  Status check(const Session* session,
               Operation operation,
               const Resource& resource,
               const AclRules& rules) const;

 private:
  bool may_everything(const Session* session) const;
  bool is_same(const Principal& a, const Principal& b) const;
  bool allows(const AclEntry& entry, const Session& session, Operation operation) const;
  bool allows(const AclRules& rules,
              const Resource& resource,
              const Session& session,
              Operation operation) const;

  Options options_;
};

// The error of who may not.
tl::unexpected<Error> refusal(const Session& session,
                              Operation operation,
                              const Resource& resource);

}  // namespace lakestream::security
