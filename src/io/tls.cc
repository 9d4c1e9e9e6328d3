#include "io/tls.h"

#include <algorithm>
#include <climits>
#include <mutex>
#include <utility>
#include <vector>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "base/check.h"

namespace lakestream {
namespace {

// What one write to the stream below holds, about, and one read from it at most.
constexpr size_t kOutgoingBytes = 64 << 10;
constexpr size_t kIncomingBytes = 32 << 10;
// After a write of more the buffer for it is given back.
constexpr size_t kSmallBytes = 8 << 10;

using Context = std::shared_ptr<SSL_CTX>;

// The first thing that OpenSSL has words for, as the later ones only follow from it.
std::string openssl_reason() {
  const char* reason = nullptr;
  while (unsigned long code = ERR_get_error()) {
    if (reason == nullptr) reason = ERR_reason_error_string(code);
  }
  return reason != nullptr ? reason : "no reason given";
}

// A key that asks for a password is not read: there is nobody to ask.
int no_password(char*, int, int, void*) { return -1; }

tl::unexpected<Error> file_error(std::string_view what, const std::string& path) {
  return make_error(ErrorCode::kInvalidConfigException, "{} {}: {}", what, path, openssl_reason());
}

Context new_context(const SSL_METHOD* method) {
  Context context(SSL_CTX_new(method), SSL_CTX_free);
  CHECK(context != nullptr, "OpenSSL makes a context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  // Nothing is remembered of a connection that is over.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_passwd_cb(context.get(), no_password);
  return context;
}

Status take_certificate(SSL_CTX* context, const std::string& certificate, const std::string& key) {
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
    return file_error("certificate", certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return file_error("key", key);
  }
  if (SSL_CTX_check_private_key(context) != 1) return file_error("key", key);
  return ok();
}

Result<Context> server_context(const TlsServer::Options& options) {
  Context context = new_context(TLS_server_method());
  RETURN_IF_ERROR(take_certificate(context.get(), options.certificate_file, options.key_file));
  if (options.client_ca_file.empty()) return context;
  const char* path = options.client_ca_file.c_str();
  if (SSL_CTX_load_verify_locations(context.get(), path, nullptr) != 1) {
    return file_error("certificates of clients", options.client_ca_file);
  }
  SSL_CTX_set_client_CA_list(context.get(), SSL_load_client_CA_file(path));
  int mode = SSL_VERIFY_PEER | (options.requires_client ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0);
  SSL_CTX_set_verify(context.get(), mode, nullptr);
  return context;
}

// Which file it is, and in which state.
std::vector<int64_t> stamp_of(const TlsServer::Options& options) {
  std::vector<int64_t> stamp;
  for (const std::string& path :
       {options.certificate_file, options.key_file, options.client_ca_file}) {
    struct stat found {};
    if (path.empty() || ::stat(path.c_str(), &found) != 0) continue;
    stamp.insert(stamp.end(),
                 {static_cast<int64_t>(found.st_ino),
                  static_cast<int64_t>(found.st_size),
                  found.st_mtim.tv_sec,
                  found.st_mtim.tv_nsec});
  }
  return stamp;
}

std::string text_of(const X509_NAME_ENTRY* entry) {
  unsigned char* text = nullptr;
  int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
  if (size < 0) return "";
  std::string result(reinterpret_cast<char*>(text), static_cast<size_t>(size));
  OPENSSL_free(text);
  return result;
}

class RealTlsServer final : public TlsServer {
 public:
  explicit RealTlsServer(Options options) : options_(std::move(options)) {}

  Result<bool> reload() override {
    // Before the files are read: what changes meanwhile is seen the next time.
    std::vector<int64_t> stamp = stamp_of(options_);
    std::lock_guard reloading(reloading_);
    if (stamp == stamp_) return false;
    ASSIGN_OR_RETURN(Context made, server_context(options_));
    std::lock_guard lock(mutex_);
    context_ = std::move(made);
    stamp_ = std::move(stamp);
    return true;
  }

  Context context() const {
    std::lock_guard lock(mutex_);
    return context_;
  }

 private:
  const Options options_;
  std::mutex reloading_;
  std::vector<int64_t> stamp_;
  mutable std::mutex mutex_;
  Context context_;
};

class RealTlsClient final : public TlsClient {
 public:
  explicit RealTlsClient(Context context) : context_(std::move(context)) {}
  const Context& context() const { return context_; }

 private:
  Context context_;
};

// OpenSSL sees two buffers in memory: `incoming` is filled with what was read below, `outgoing` is
// emptied into what is written there. Reader and writer of the stream may both cause output; one
// sends at a time, and takes what the other has put there meanwhile.
class OpenSslStream final : public TlsStream {
 public:
  OpenSslStream(std::unique_ptr<Stream> below, const Context& context)
      : below_(std::move(below)), ssl_(SSL_new(context.get()), SSL_free) {
    CHECK(ssl_ != nullptr, "OpenSSL makes a connection");
    incoming_ = BIO_new(BIO_s_mem());
    outgoing_ = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_.get(), incoming_, outgoing_);  // which own them
  }

  SSL* ssl() { return ssl_.get(); }

  Task<Status> handshake() override {
    for (;;) {
      ERR_clear_error();
      int result = SSL_do_handshake(ssl_.get());
      if (result == 1) co_return co_await flush();
      CO_ASSIGN_OR_RETURN(bool goes_on, co_await go_on(result));
      if (!goes_on) {
        co_return make_error(ErrorCode::kNetworkException,
                             "{} ended the connection in the TLS handshake",
                             to_string(below_->peer()));
      }
    }
  }

  Result<std::optional<std::string>> peer_name() const override {
    std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(ssl_.get()),
                                                            X509_free);
    if (!certificate || SSL_get_verify_result(ssl_.get()) != X509_V_OK) {
      return std::optional<std::string>();
    }
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    // Of two names nobody could say which one counts.
    bool is_one = at >= 0 && X509_NAME_get_index_by_NID(subject, NID_commonName, at) < 0;
    std::string name = is_one ? text_of(X509_NAME_get_entry(subject, at)) : "";
    if (!name.empty() && name.find('\0') == std::string::npos) return name;
    return make_error(ErrorCode::kNetworkException,
                      "the certificate of {} has not exactly one common name",
                      to_string(below_->peer()));
  }

  Task<Result<size_t>> read_some(std::span<uint8_t> into) override {
    int limit = static_cast<int>(std::min<size_t>(into.size(), INT_MAX));
    for (;;) {
      ERR_clear_error();
      int result = SSL_read(ssl_.get(), into.data(), limit);
      if (result > 0) co_return static_cast<size_t>(result);
      CO_ASSIGN_OR_RETURN(bool goes_on, co_await go_on(result));
      if (!goes_on) co_return size_t{0};
    }
  }

  Task<Status> write(BytesChain data) override {
    for (const Bytes& part : data.parts()) {
      for (size_t at = 0; at < part.size();) {
        size_t size = std::min(part.size() - at, kOutgoingBytes);
        ERR_clear_error();
        int result = SSL_write(ssl_.get(), part.data() + at, static_cast<int>(size));
        if (result <= 0) co_return tls_error();
        at += static_cast<size_t>(result);
        if (BIO_pending(outgoing_) >= static_cast<int>(kOutgoingBytes)) {
          CO_RETURN_IF_ERROR(co_await flush());
        }
      }
    }
    CO_RETURN_IF_ERROR(co_await flush());
    if (data.size() > kSmallBytes) shrink_outgoing();
    co_return ok();
  }

  void close() override { below_->close(); }
  const Address& peer() const override { return below_->peer(); }

 private:
  tl::unexpected<Error> tls_error() {
    return make_error(ErrorCode::kNetworkException,
                      "TLS with {}: {}",
                      to_string(below_->peer()),
                      openssl_reason());
  }

  // After a call that did not succeed: true when it is worth another try, false at the end of the
  // stream.
  Task<Result<bool>> go_on(int result) {
    int kind = SSL_get_error(ssl_.get(), result);
    std::optional<Error> error;
    bool wants_more = kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE;
    if (!wants_more && kind != SSL_ERROR_ZERO_RETURN) error = tls_error().value();
    // An alert tells the peer what is wrong.
    CO_RETURN_IF_ERROR(co_await flush());
    if (error) co_return fail(*std::move(error));
    if (kind == SSL_ERROR_WANT_READ) co_return co_await feed();
    co_return kind == SSL_ERROR_WANT_WRITE;
  }

  Task<Result<bool>> feed() {
    if (buffer_.empty()) buffer_.resize(kIncomingBytes);
    CO_ASSIGN_OR_RETURN(size_t count, co_await below_->read_some(buffer_));
    if (count == 0) co_return false;
    int taken = BIO_write(incoming_, buffer_.data(), static_cast<int>(count));
    CHECK(taken == static_cast<int>(count), "a buffer in memory takes everything");
    co_return true;
  }

  Bytes take_outgoing() {
    MutableBytes bytes = MutableBytes::allocate(static_cast<size_t>(BIO_pending(outgoing_)));
    int count = BIO_read(outgoing_, bytes.data(), static_cast<int>(bytes.size()));
    CHECK(count == static_cast<int>(bytes.size()), "a buffer in memory gives everything");
    return std::move(bytes).freeze();
  }

  // A buffer in memory stays as large as it ever was, and there are many connections.
  void shrink_outgoing() {
    if (sending_ || BIO_pending(outgoing_) > 0) return;
    outgoing_ = BIO_new(BIO_s_mem());
    SSL_set0_wbio(ssl_.get(), outgoing_);  // which owns it
  }

  // Ends when everything that is there now is sent.
  Task<Status> flush() {
    while (sending_) {
      // Two at most come here: the reader and the writer.
      waits_ = true;
      co_await sent_.wait();
    }
    Status status = ok();
    sending_ = true;
    while (status && BIO_pending(outgoing_) > 0) {
      Bytes bytes = take_outgoing();
      status = co_await below_->write(BytesChain(std::move(bytes)));
    }
    sending_ = false;
    if (std::exchange(waits_, false)) sent_.wake();
    co_return status;
  }

  std::unique_ptr<Stream> below_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  BIO* incoming_ = nullptr;
  BIO* outgoing_ = nullptr;
  std::vector<uint8_t> buffer_;
  bool sending_ = false;
  bool waits_ = false;
  Waiter sent_;
};

}  // namespace

Result<std::shared_ptr<TlsServer>> TlsServer::load(Options options) {
  std::string certificate = options.certificate_file;
  auto server = std::make_shared<RealTlsServer>(std::move(options));
  ASSIGN_OR_RETURN(bool loaded, server->reload());
  if (loaded) return server;
  return make_error(ErrorCode::kInvalidConfigException, "certificate {} is not there", certificate);
}

Result<std::shared_ptr<const TlsClient>> TlsClient::load(Options options) {
  Context context = new_context(TLS_client_method());
  ERR_clear_error();
  bool has_own = !options.ca_file.empty();
  int trusted = has_own
                    ? SSL_CTX_load_verify_locations(context.get(), options.ca_file.c_str(), nullptr)
                    : SSL_CTX_set_default_verify_paths(context.get());
  if (trusted != 1) return file_error("certificates", options.ca_file);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (!options.certificate_file.empty()) {
    RETURN_IF_ERROR(take_certificate(context.get(), options.certificate_file, options.key_file));
  }
  return std::make_shared<const RealTlsClient>(std::move(context));
}

std::unique_ptr<TlsStream> make_tls_stream(std::unique_ptr<Stream> below, const TlsServer& server) {
  auto stream = std::make_unique<OpenSslStream>(
      std::move(below), static_cast<const RealTlsServer&>(server).context());
  SSL_set_accept_state(stream->ssl());
  return stream;
}

std::unique_ptr<TlsStream> make_tls_stream(std::unique_ptr<Stream> below,
                                           const TlsClient& client,
                                           const std::string& server_name) {
  CHECK(!server_name.empty(), "without a name every certificate would do");
  auto stream = std::make_unique<OpenSslStream>(
      std::move(below), static_cast<const RealTlsClient&>(client).context());
  SSL_set_connect_state(stream->ssl());
  X509_VERIFY_PARAM* rules = SSL_get0_param(stream->ssl());
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  // An address is looked for among the addresses of the certificate, a name among the names.
  if (X509_VERIFY_PARAM_set1_ip_asc(rules, server_name.c_str()) != 1) {
    SSL_set_tlsext_host_name(stream->ssl(), server_name.c_str());
    CHECK(SSL_set1_host(stream->ssl(), server_name.c_str()) == 1, "the name is checked");
  }
  return stream;
}

}  // namespace lakestream
