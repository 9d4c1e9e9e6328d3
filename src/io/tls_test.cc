#include "io/tls.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/check.h"
#include "io/sim/sim_world.h"

namespace lakestream {
namespace {

// A key and a certificate for it: of an authority that vouches for itself, or of somebody else.
class Identity {
 public:
  explicit Identity(std::string authority) : Identity({std::move(authority)}, "", nullptr) {}
  // `hosts` as openssl.cnf has them, such as "DNS:server".
  Identity(const std::vector<std::string>& names, const std::string& hosts, const Identity* issuer)
      : key_(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free),
        certificate_(X509_new(), X509_free) {
    static int64_t serial = 0;
    X509* made = certificate_.get();
    X509_set_version(made, 2);
    ASN1_INTEGER_set_int64(X509_get_serialNumber(made), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(made), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made), 24 * 3600);
    X509_set_pubkey(made, key_.get());
    for (const std::string& name : names) add_name(name);
    const Identity& signer = issuer != nullptr ? *issuer : *this;
    X509_set_issuer_name(made, X509_get_subject_name(signer.certificate_.get()));
    if (issuer == nullptr) extend(NID_basic_constraints, "critical,CA:TRUE");
    if (!hosts.empty()) extend(NID_subject_alt_name, hosts.c_str());
    CHECK(X509_sign(made, signer.key_.get(), nullptr) > 0, "OpenSSL signs a certificate");
  }

  // Writes the files NAME.pem and NAME.key below the folder of tests.
  void save(const std::string& name) const {
    BIO* out = BIO_new_file(file(name, "pem").c_str(), "w");
    CHECK(out != nullptr && PEM_write_bio_X509(out, certificate_.get()) == 1, "a certificate");
    BIO_free(out);
    out = BIO_new_file(file(name, "key").c_str(), "w");
    bool is_written =
        out != nullptr &&
        PEM_write_bio_PrivateKey(out, key_.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1;
    CHECK(is_written, "a key");
    BIO_free(out);
  }

  static std::string file(const std::string& name, const std::string& end) {
    return testing::TempDir() + "tls_test_" + name + "." + end;
  }

 private:
  void add_name(const std::string& name) {
    X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate_.get()),
                               NID_commonName,
                               MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.data()),
                               static_cast<int>(name.size()),
                               -1,
                               0);
  }
  void extend(int kind, const char* value) {
    X509V3_CTX context = {};
    X509V3_set_ctx(&context, certificate_.get(), certificate_.get(), nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
    CHECK(extension != nullptr, "an extension of a certificate");
    X509_add_ext(certificate_.get(), extension, -1);
    X509_EXTENSION_free(extension);
  }

  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
  std::unique_ptr<X509, decltype(&X509_free)> certificate_;
};

// What the server saw of a connection.
struct Seen {
  Status handshake = make_error(ErrorCode::kNetworkException, "nobody came");
  std::optional<std::string> peer;
};

Task<void> echo_all(TlsStream* stream) {
  std::vector<uint8_t> buffer(10'000);
  for (;;) {
    Result<size_t> count = co_await stream->read_some(buffer);
    if (!count || *count == 0) co_return;
    BytesChain back(
        Bytes::copy_of(std::string_view(reinterpret_cast<const char*>(buffer.data()), *count)));
    Status written = co_await stream->write(std::move(back));
    if (!written) co_return;
  }
}

Task<void> serve_one(Listener* listener, Shard* shard, const TlsServer* tls, Seen* seen) {
  auto accepted = co_await listener->accept(*shard);
  if (!accepted) co_return;
  std::unique_ptr<TlsStream> stream = make_tls_stream(*std::move(accepted), *tls);
  seen->handshake = co_await stream->handshake();
  if (!seen->handshake) co_return;
  auto name = stream->peer_name();
  if (name) {
    seen->peer = *name;
    co_await echo_all(stream.get());
  } else {
    seen->handshake = fail(std::move(name).error());
  }
}

Task<void> write_all(TlsStream* stream, const std::string* text, Waiter* done) {
  BytesChain data(Bytes::copy_of(*text));
  (void)co_await stream->write(std::move(data));
  done->wake();
}

// Sends the text, reads meanwhile, and gives what came back.
Task<Result<std::string>> talk_to(SimNode* node,
                                  Address address,
                                  std::shared_ptr<const TlsClient> tls,
                                  std::string server_name,
                                  std::string text) {
  Shard& here = node->shard(0);
  CO_ASSIGN_OR_RETURN(auto raw, co_await node->env().network.connect(here, address, Duration(0)));
  std::unique_ptr<TlsStream> stream = make_tls_stream(std::move(raw), *tls, server_name);
  CO_RETURN_IF_ERROR(co_await stream->handshake());
  Waiter done;
  here.spawn(write_all(stream.get(), &text, &done));
  std::string all;
  std::vector<uint8_t> buffer(7'000);
  Result<size_t> count = size_t{0};
  while (all.size() < text.size()) {
    count = co_await stream->read_some(buffer);
    if (count && *count == 0) count = make_error(ErrorCode::kNetworkException, "it has ended");
    if (!count) break;
    all.append(reinterpret_cast<const char*>(buffer.data()), *count);
  }
  stream->close();
  co_await done.wait();
  if (!count) co_return fail(std::move(count).error());
  co_return all;
}

Task<Result<size_t>> send_raw(SimNode* node, Address address, std::string bytes) {
  Shard& here = node->shard(0);
  CO_ASSIGN_OR_RETURN(auto stream,
                      co_await node->env().network.connect(here, address, Duration(0)));
  BytesChain data(Bytes::copy_of(bytes));
  CO_RETURN_IF_ERROR(co_await stream->write(std::move(data)));
  stream->close();
  co_return bytes.size();
}

class TlsTest : public testing::Test {
 protected:
  TlsTest() {
    authority_.save("authority");
    other_authority_.save("other_authority");
    Identity({"server"}, "DNS:server,IP:10.0.0.1", &authority_).save("server");
    Identity({"alice"}, "", &authority_).save("alice");
    Identity({"alice", "root"}, "", &authority_).save("two_names");
    Identity({"alice"}, "", &other_authority_).save("stranger");
    listener_ = *server_node_.env().network.listen(server_node_.shard(0), {"server", 9123});
  }

  static TlsServer::Options server_files() {
    return {Identity::file("server", "pem"), Identity::file("server", "key"), "", false};
  }
  static std::shared_ptr<TlsServer> server(bool asks_clients, bool requires_them) {
    TlsServer::Options options = server_files();
    if (asks_clients) options.client_ca_file = Identity::file("authority", "pem");
    options.requires_client = requires_them;
    return TlsServer::load(std::move(options)).value();
  }
  // One that trusts the authority and shows the certificate, unless its name is empty.
  static std::shared_ptr<const TlsClient> client(const std::string& authority,
                                                 const std::string& shows) {
    TlsClient::Options options;
    options.ca_file = Identity::file(authority, "pem");
    if (!shows.empty()) {
      options.certificate_file = Identity::file(shows, "pem");
      options.key_file = Identity::file(shows, "key");
    }
    return TlsClient::load(std::move(options)).value();
  }

  Result<std::string> talk(const TlsServer& to,
                           std::shared_ptr<const TlsClient> from,
                           std::string server_name = "server",
                           std::string text = "hello") {
    seen_ = Seen();
    server_node_.shard(0).spawn(serve_one(listener_.get(), &server_node_.shard(0), &to, &seen_));
    auto answer = world_.run(client_node_.shard(0),
                             talk_to(&client_node_,
                                     listener_->address(),
                                     std::move(from),
                                     std::move(server_name),
                                     std::move(text)));
    world_.run_for(std::chrono::seconds(1));
    return answer;
  }

  const Identity authority_{"authority"};
  const Identity other_authority_{"other authority"};
  SimWorld world_{1};
  SimNode& server_node_ = world_.add_node("server");
  SimNode& client_node_ = world_.add_node("client");
  std::unique_ptr<Listener> listener_;
  Seen seen_;
};

// Proves that much data goes both ways at the same time and arrives as it was.
TEST_F(TlsTest, BothWays) {
  std::string text;
  for (uint32_t i = 0; text.size() < 3'000'000; ++i) text += fmt::format("{},", i * 2654435761U);
  auto answer = talk(*server(false, false), client("authority", ""), "server", text);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_TRUE(*answer == text);
  EXPECT_TRUE(seen_.handshake);
  EXPECT_EQ(seen_.peer, std::nullopt);
}

// Proves that a client talks only to a server whose certificate is for the name or the address that
// was asked for, and that somebody vouches for whom it trusts.
TEST_F(TlsTest, WhoTheServerIs) {
  std::shared_ptr<TlsServer> tls = server(false, false);
  EXPECT_EQ(talk(*tls, client("authority", ""), "10.0.0.1").value_or(""), "hello");
  for (const char* name : {"other", "10.0.0.2", "sub.server"}) {
    auto answer = talk(*tls, client("authority", ""), name);
    ASSERT_FALSE(answer) << name;
    EXPECT_EQ(answer.error().code(), ErrorCode::kNetworkException);
    EXPECT_FALSE(seen_.handshake) << name;
  }
  auto stranger = talk(*tls, client("other_authority", ""));
  ASSERT_FALSE(stranger);
  EXPECT_NE(stranger.error().message().find("certificate verify failed"), std::string::npos);
  EXPECT_FALSE(seen_.handshake);
}

// Proves whom a server takes a client for, and that one whose name is not certain does not come in.
TEST_F(TlsTest, WhoTheClientIs) {
  std::shared_ptr<TlsServer> asking = server(true, false);
  EXPECT_EQ(talk(*asking, client("authority", "")).value_or(""), "hello");
  EXPECT_EQ(seen_.peer, std::nullopt);
  EXPECT_EQ(talk(*asking, client("authority", "alice")).value_or(""), "hello");
  EXPECT_EQ(seen_.peer, "alice");
  EXPECT_FALSE(talk(*asking, client("authority", "two_names")));
  EXPECT_FALSE(seen_.handshake);
  EXPECT_FALSE(talk(*asking, client("authority", "stranger")));
  EXPECT_FALSE(seen_.handshake);
  std::shared_ptr<TlsServer> requiring = server(true, true);
  EXPECT_FALSE(talk(*requiring, client("authority", "")));
  EXPECT_FALSE(seen_.handshake);
  EXPECT_EQ(talk(*requiring, client("authority", "alice")).value_or(""), "hello");
  // Who is not asked is nobody, whatever he has.
  EXPECT_EQ(talk(*server(false, false), client("authority", "alice")).value_or(""), "hello");
  EXPECT_EQ(seen_.peer, std::nullopt);
}

// Proves that what is no TLS ends the handshake with an error.
TEST_F(TlsTest, Garbage) {
  std::shared_ptr<TlsServer> tls = server(false, false);
  for (const std::string& bytes : {std::string(),
                                   std::string("GET / HTTP/1.1\r\n\r\n"),
                                   std::string("\x16\x03\x01\x40", 4),
                                   std::string(50'000, 'x')}) {
    seen_ = Seen();
    server_node_.shard(0).spawn(
        serve_one(listener_.get(), &server_node_.shard(0), tls.get(), &seen_));
    (void)world_.run(client_node_.shard(0), send_raw(&client_node_, listener_->address(), bytes));
    world_.run_for(std::chrono::seconds(1));
    ASSERT_FALSE(seen_.handshake) << bytes.size();
    EXPECT_EQ(seen_.handshake.error().code(), ErrorCode::kNetworkException);
    EXPECT_NE(seen_.handshake.error().message(), "nobody came");
  }
}

// Proves that new files are taken for connections that come, and that with broken ones the old
// stay.
TEST_F(TlsTest, Reload) {
  Identity({"server"}, "DNS:server", &authority_).save("renewed");
  TlsServer::Options options{
      Identity::file("renewed", "pem"), Identity::file("renewed", "key"), "", false};
  std::shared_ptr<TlsServer> tls = TlsServer::load(options).value();
  EXPECT_EQ(tls->reload().value_or(true), false);
  EXPECT_EQ(talk(*tls, client("authority", "")).value_or(""), "hello");
  // Another size, as the time of a change may be the same.
  Identity({"a longer name of the server"}, "DNS:server", &other_authority_).save("renewed");
  EXPECT_EQ(tls->reload().value_or(false), true);
  EXPECT_FALSE(talk(*tls, client("authority", "")));
  EXPECT_EQ(talk(*tls, client("other_authority", "")).value_or(""), "hello");
  BIO_free(BIO_new_file(options.key_file.c_str(), "w"));
  for (int i = 0; i < 2; ++i) {
    Result<bool> broken = tls->reload();
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code(), ErrorCode::kInvalidConfigException);
    EXPECT_EQ(talk(*tls, client("other_authority", "")).value_or(""), "hello");
  }
}

// Proves that files that are not there, or do not fit, are named.
TEST_F(TlsTest, BadFiles) {
  TlsServer::Options options = server_files();
  options.certificate_file = "/none.pem";
  auto refused = TlsServer::load(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidConfigException);
  EXPECT_EQ(refused.error().message().substr(0, 23), "certificate /none.pem: ");
  options = server_files();
  options.key_file = Identity::file("alice", "key");
  refused = TlsServer::load(options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find(options.key_file), std::string::npos);
  options = server_files();
  options.client_ca_file = options.key_file;
  EXPECT_FALSE(TlsServer::load(options));
  TlsClient::Options client_options;
  client_options.ca_file = "/none.pem";
  EXPECT_FALSE(TlsClient::load(client_options));
}

}  // namespace
}  // namespace lakestream
