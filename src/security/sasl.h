#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "security/credentials.h"
#include "security/principal.h"

// Mechanisms of SASL (RFC 4422), by which a client proves who it is: messages go to and fro until
// both sides are complete. What mechanisms there are is in registry.cc.
//
// Thread rule: an exchange belongs to one shard.
//
//   ASSIGN_OR_RETURN(auto login, make_sasl_server("PLAIN", users));
//   ASSIGN_OR_RETURN(std::string challenge, login->evaluate(token));
//   if (login->is_complete()) session.principal = login->principal();
namespace lakestream::security {

class SaslServer {
 public:
  virtual ~SaslServer() = default;
  // Takes the next message of the client and gives the challenge for it. kAuthenticateException,
  // after which the exchange is over.
  virtual Result<std::string> evaluate(std::string_view token) = 0;
  virtual bool is_complete() const = 0;
  // Requires: is_complete().
  virtual const Principal& principal() const = 0;
};

// What a client logs in with.
struct Login {
  std::string mechanism = "PLAIN";
  std::string user;
  std::string password;
};

class SaslClient {
 public:
  virtual ~SaslClient() = default;
  // The first message, without a challenge, or the one for a challenge.
  virtual Result<std::string> evaluate(std::optional<std::string_view> challenge) = 0;
  virtual bool is_complete() const = 0;
};

// The names, in capitals.
std::vector<std::string_view> sasl_mechanisms();
// The users are those of now until the exchange ends. Any case. kAuthenticateException when there
// is no such mechanism.
Result<std::unique_ptr<SaslServer>> make_sasl_server(std::string_view mechanism,
                                                     std::shared_ptr<const Credentials> users);
Result<std::unique_ptr<SaslClient>> make_sasl_client(const Login& login);

}  // namespace lakestream::security
