#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Who asks: a type and a name, "User:alice".
//
// Thread rule: values and pure functions.
//
//   ASSIGN_OR_RETURN(Principal alice, parse_principal("User:alice"));
namespace lakestream::security {

struct Principal {
  std::string type;
  std::string name;

  friend auto operator<=>(const Principal&, const Principal&) = default;
};

Principal user(std::string name);
// Whoever comes over a connection without a login.
Principal anonymous();

std::string to_string(const Principal& principal);
// kInvalidConfigException for a text that is not TYPE:NAME.
Result<Principal> parse_principal(std::string_view text);
// "User:a;User:b", with the same error.
Result<std::vector<Principal>> parse_principals(std::string_view text);

// What is known of a connection once it may send requests.
struct Session {
  Principal principal;
  std::string host;          // where it comes from: the address without the port
  std::string listener;      // the name of the listener that it came over
  bool is_internal = false;  // over the listener for servers
};

}  // namespace lakestream::security
