#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/secrets.h"
#include "security/credentials.h"
#include "security/principal.h"
#include "security/sasl.h"
#include "wire/messages.h"

// What comes before and around a login: the first byte of the input says what the rest is. Nobody
// comes in but with the password, and what was written down is read back.
namespace lakestream::security {
namespace {

constexpr std::string_view kUser = "alice";
constexpr std::string_view kPassword = "secret";

// Messages of one exchange, one after the other, each behind its length.
void check_exchange(std::string_view input) {
  auto users = std::make_shared<Credentials>();
  TextMap passwords{{std::string(kUser), std::string(kPassword)}};
  CHECK(users->add(passwords).has_value(), "a user");
  auto exchange = make_sasl_server("PLAIN", std::move(users));
  CHECK(exchange.has_value(), "PLAIN is there");
  while (!input.empty() && !(*exchange)->is_complete()) {
    size_t size = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    std::string_view token = input.substr(0, size);
    input.remove_prefix(token.size());
    if (!(*exchange)->evaluate(token)) continue;
    bool has_password = token.ends_with(kPassword) && token.find(kUser) != std::string_view::npos;
    CHECK((*exchange)->is_complete() && has_password, "only the password opens");
    CHECK((*exchange)->principal() == user(std::string(kUser)), "who has the password comes in");
  }
}

void check_authenticate(std::string_view input) {
  auto request = wire::AuthenticateRequest::decode(Bytes::copy_of(input));
  if (!request) return;
  auto exchange = make_sasl_server(request->protocol, std::make_shared<Credentials>());
  if (!exchange) return;
  CHECK(!(*exchange)->evaluate(request->token.view()).has_value(), "nobody may come in");
}

void check_jaas(std::string_view input) {
  Credentials users;
  Status added = users.add_jaas(input);
  CHECK(added.has_value() || users.empty(), "nobody of a broken text may come in");
  CHECK(!users.verify("", "") && !users.verify(kUser, ""), "no password opens nothing");
}

void check_principals(std::string_view input) {
  auto principals = parse_principals(input);
  if (!principals) return;
  for (const Principal& principal : *principals) {
    auto again = parse_principal(to_string(principal));
    CHECK(again.has_value() && *again == principal, "what was written can be read");
  }
}

void check_references(std::string_view input) {
  auto look_up = [](std::string_view, std::string_view name) -> Result<std::string> {
    if (name.empty()) return make_error(ErrorCode::kInvalidConfigException, "no name");
    return std::string(name);
  };
  TextMap texts{{"key", std::string(input)}};
  auto references = resolve_references(&texts, look_up);
  if (!references) return;
  CHECK(!references->empty() || texts.at("key") == input, "what has no reference stays");
}

void check(std::string_view input) {
  if (input.empty()) return;
  int kind = input.front() % 5;
  input.remove_prefix(1);
  switch (kind) {
    case 0:
      return check_exchange(input);
    case 1:
      return check_authenticate(input);
    case 2:
      return check_jaas(input);
    case 3:
      return check_principals(input);
    default:
      return check_references(input);
  }
}

}  // namespace
}  // namespace lakestream::security

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lakestream::security::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
