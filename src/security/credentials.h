#pragma once

#include <string_view>

#include "base/config.h"
#include "base/result.h"

// The users that may log in, and their passwords. No text of this module ever shows a password.
//
// Thread rule: immutable once it is filled; shards share it.
//
//   Credentials users;
//   RETURN_IF_ERROR(users.add_jaas(R"(…PlainLoginModule required user_alice="secret";)"));
//   bool may_enter = users.verify("alice", password);
namespace lakestream::security {

class Credentials {
 public:
  // The options user_NAME="PASSWORD" of a JAAS entry of PlainLoginModule, as Fluss is configured
  // with. kInvalidConfigException.
  Status add_jaas(std::string_view text);
  // Names and passwords; they replace those of the same name. kInvalidConfigException, and none is
  // taken, when one of them is no name or no password.
  Status add(const TextMap& passwords);

  bool empty() const { return passwords_.empty(); }
  // Takes as long for a name that is not known as for a wrong password.
  bool verify(std::string_view name, std::string_view password) const;

 private:
  TextMap passwords_;
};

}  // namespace lakestream::security
