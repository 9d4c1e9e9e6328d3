#include <string_view>
#include <utility>
#include <vector>

#include "base/letter_case.h"
#include "security/mechanisms.h"

namespace lakestream::security {
namespace {

struct Mechanism {
  std::string_view name;
  std::unique_ptr<SaslServer> (*make_server)(std::shared_ptr<const Credentials> users);
  std::unique_ptr<SaslClient> (*make_client)(const Login& login);
};

constexpr Mechanism kMechanisms[] = {
    {"PLAIN", make_plain_server, make_plain_client},
};

Result<const Mechanism*> find(std::string_view name) {
  for (const Mechanism& mechanism : kMechanisms) {
    if (same_letters(name, mechanism.name)) return &mechanism;
  }
  return make_error(ErrorCode::kAuthenticateException,
                    "SASL mechanism \"{}\" is not known; use one of {}",
                    name,
                    fmt::join(sasl_mechanisms(), ", "));
}

}  // namespace

std::vector<std::string_view> sasl_mechanisms() {
  std::vector<std::string_view> names;
  for (const Mechanism& mechanism : kMechanisms) names.push_back(mechanism.name);
  return names;
}

Result<std::unique_ptr<SaslServer>> make_sasl_server(std::string_view mechanism,
                                                     std::shared_ptr<const Credentials> users) {
  ASSIGN_OR_RETURN(const Mechanism* found, find(mechanism));
  return found->make_server(std::move(users));
}

Result<std::unique_ptr<SaslClient>> make_sasl_client(const Login& login) {
  ASSIGN_OR_RETURN(const Mechanism* found, find(login.mechanism));
  return found->make_client(login);
}

}  // namespace lakestream::security
