#include "cli/server_access.h"

#include <CLI/CLI.hpp>

#include "cli/text_file.h"
#include "io/network.h"

namespace lakestream::cli {
namespace {

constexpr const char* kDefaultServer = "127.0.0.1:9123";

}  // namespace

void add_server_options(CLI::App& app, ServerAccess* server) {
  server->address = kDefaultServer;
  app.add_option("--server",
                 server->address,
                 fmt::format("the server to ask, {} by default", server->address))
      ->type_name("HOST:PORT")
      ->envname("LAKESTREAM_SERVER")
      ->check([](const std::string& text) -> std::string {
        Result<Address> address = parse_address(text);
        return address ? "" : fmt::format("'{}' is not HOST:PORT", text);
      });
  CLI::Option* user = app.add_option("--user", server->user, "log in as this user")
                          ->type_name("NAME")
                          ->envname("LAKESTREAM_USER");
  CLI::Option* file =
      app.add_option("--password-file", server->password_file, "file with the user's password")
          ->type_name("FILE")
          ->envname("LAKESTREAM_PASSWORD_FILE");
  user->needs(file);
  file->needs(user);
  app.add_flag(
         "--tls", server->tls, "speak TLS, with a server that the system's authorities vouch for")
      ->envname("LAKESTREAM_TLS");
  app.add_option("--tls-ca", server->tls_ca, "speak TLS, with a server that these vouch for, PEM")
      ->type_name("FILE")
      ->envname("LAKESTREAM_TLS_CA");
  CLI::Option* certificate =
      app.add_option("--tls-certificate", server->tls_certificate, "certificate to show, PEM")
          ->type_name("FILE")
          ->envname("LAKESTREAM_TLS_CERTIFICATE");
  CLI::Option* key = app.add_option("--tls-key", server->tls_key, "key of --tls-certificate, PEM")
                         ->type_name("FILE")
                         ->envname("LAKESTREAM_TLS_KEY");
  certificate->needs(key);
  key->needs(certificate);
}

Result<client::ConnectionOptions> connection_options(const ServerAccess& server) {
  client::ConnectionOptions options;
  if (!server.user.empty()) {
    ASSIGN_OR_RETURN(std::string password, read_secret_file(server.password_file));
    options.login = client::UserLogin{server.user, std::move(password)};
  }
  if (server.tls || !server.tls_ca.empty() || !server.tls_certificate.empty()) {
    ASSIGN_OR_RETURN(options.tls,
                     TlsClient::load({server.tls_ca, server.tls_certificate, server.tls_key}));
  }
  return options;
}

}  // namespace lakestream::cli
