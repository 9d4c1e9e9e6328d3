#pragma once

#include <memory>

#include "security/sasl.h"

// The mechanisms, one file each; registry.cc lists them.
//
// Thread rule: as sasl.h says.
//
//   std::unique_ptr<SaslServer> exchange = make_plain_server(users);
namespace lakestream::security {

std::unique_ptr<SaslServer> make_plain_server(std::shared_ptr<const Credentials> users);
std::unique_ptr<SaslClient> make_plain_client(const Login& login);

}  // namespace lakestream::security
