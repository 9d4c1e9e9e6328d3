#include "security/principal.h"

#include "base/config.h"

namespace lakestream::security {

Principal user(std::string name) { return Principal{"User", std::move(name)}; }

Principal anonymous() { return user("ANONYMOUS"); }

std::string to_string(const Principal& principal) {
  return fmt::format("{}:{}", principal.type, principal.name);
}

Result<Principal> parse_principal(std::string_view text) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "principal '{}' is not TYPE:NAME; write for example User:alice",
                      text);
  }
  return Principal{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

Result<std::vector<Principal>> parse_principals(std::string_view text) {
  ASSIGN_OR_RETURN(std::vector<std::string> items, parse_list(text, ';'));
  std::vector<Principal> principals;
  for (const std::string& item : items) {
    if (item.empty()) continue;
    ASSIGN_OR_RETURN(Principal principal, parse_principal(item));
    principals.push_back(std::move(principal));
  }
  return principals;
}

}  // namespace lakestream::security
