#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "io/network.h"

// TLS 1.2 and 1.3 over any stream: a TlsStream encrypts what is written to it and hands it to the
// stream below, for servers with the certificate of a TlsServer, for clients with the trust of a
// TlsClient. handshake() comes first.
//
// Thread rule: TlsServer and TlsClient any thread, loading blocks; a TlsStream belongs to the shard
// of the stream below.
//
//   ASSIGN_OR_RETURN(std::shared_ptr<TlsServer> tls, TlsServer::load({"cert.pem", "key.pem"}));
//   std::unique_ptr<TlsStream> stream = make_tls_stream(std::move(accepted), *tls);
//   CO_RETURN_IF_ERROR(co_await stream->handshake());
namespace lakestream {

class TlsStream : public Stream {
 public:
  // kNetworkException says what was wrong with whom. close() ends it.
  virtual Task<Status> handshake() = 0;
  // The common name of the certificate that the peer showed and that was found good; nothing when
  // it showed none. kNetworkException for one that does not name exactly one.
  virtual Result<std::optional<std::string>> peer_name() const = 0;
};

class TlsServer {
 public:
  struct Options {
    std::string certificate_file;     // PEM, the server's own first, then those that vouch for it
    std::string key_file;             // PEM
    std::string client_ca_file = {};  // PEM; empty: clients show no certificate
    bool requires_client = false;     // or may come without one
  };

  // kInvalidConfigException names the file.
  static Result<std::shared_ptr<TlsServer>> load(Options options);
  virtual ~TlsServer() = default;
  // Takes files that have changed, for connections that come from now on; false when none has. When
  // they can not be taken, what there is stays, and the next call tries again.
  virtual Result<bool> reload() = 0;
};

class TlsClient {
 public:
  struct Options {
    std::string ca_file = {};  // PEM; empty: what the system trusts
    // What it shows of itself, PEM; empty: nothing.
    std::string certificate_file = {};
    std::string key_file = {};
  };

  // kInvalidConfigException names the file.
  static Result<std::shared_ptr<const TlsClient>> load(Options options);
  virtual ~TlsClient() = default;
};

std::unique_ptr<TlsStream> make_tls_stream(std::unique_ptr<Stream> below, const TlsServer& server);
// The server has to have a certificate for the name or address. Requires: the name is not empty.
std::unique_ptr<TlsStream> make_tls_stream(std::unique_ptr<Stream> below,
                                           const TlsClient& client,
                                           const std::string& server_name);

}  // namespace lakestream
