#include <utility>

#include "base/check.h"
#include "security/mechanisms.h"

// PLAIN (RFC 4616): one message, [the identity to act as] NUL user NUL password.
namespace lakestream::security {
namespace {

constexpr auto kCode = ErrorCode::kAuthenticateException;

struct PlainMessage {
  std::string_view acts_as;
  std::string_view user;
  std::string_view password;
};

Result<PlainMessage> parse(std::string_view token) {
  size_t first = token.find('\0');
  size_t second = first == std::string_view::npos ? first : token.find('\0', first + 1);
  bool has_three =
      second != std::string_view::npos && token.find('\0', second + 1) == std::string_view::npos;
  if (!has_three) {
    return make_error(kCode, "the PLAIN message has not three parts, as RFC 4616 wants it");
  }
  PlainMessage message;
  message.acts_as = token.substr(0, first);
  message.user = token.substr(first + 1, second - first - 1);
  message.password = token.substr(second + 1);
  if (message.user.empty()) return make_error(kCode, "login without a user name; give one");
  if (message.password.empty()) return make_error(kCode, "login without a password; give one");
  return message;
}

class PlainServer final : public SaslServer {
 public:
  explicit PlainServer(std::shared_ptr<const Credentials> users) : users_(std::move(users)) {}

  Result<std::string> evaluate(std::string_view token) override {
    ASSIGN_OR_RETURN(PlainMessage message, parse(token));
    // Who may not come in does not hear which of the two is wrong.
    if (!users_->verify(message.user, message.password)) {
      return make_error(kCode, "user name or password is wrong");
    }
    if (!message.acts_as.empty() && message.acts_as != message.user) {
      return make_error(kCode, "a user acts as nobody else; leave the authorization id empty");
    }
    principal_ = user(std::string(message.user));
    return std::string();
  }

  bool is_complete() const override { return principal_.has_value(); }

  const Principal& principal() const override {
    CHECK(principal_.has_value(), "the exchange is complete");
    return *principal_;
  }

 private:
  std::shared_ptr<const Credentials> users_;
  std::optional<Principal> principal_;
};

class PlainClient final : public SaslClient {
 public:
  explicit PlainClient(const Login& login) : user_(login.user), password_(login.password) {}

  Result<std::string> evaluate(std::optional<std::string_view> challenge) override {
    // Some servers send an empty challenge to say that they are content.
    if (complete_ && challenge && challenge->empty()) return std::string();
    if (complete_) return make_error(kCode, "the server asks for more than PLAIN has");
    complete_ = true;
    std::string message(1, '\0');
    message.append(user_).append(1, '\0').append(password_);
    return message;
  }

  bool is_complete() const override { return complete_; }

 private:
  std::string user_;
  std::string password_;
  bool complete_ = false;
};

}  // namespace

std::unique_ptr<SaslServer> make_plain_server(std::shared_ptr<const Credentials> users) {
  return std::make_unique<PlainServer>(std::move(users));
}

std::unique_ptr<SaslClient> make_plain_client(const Login& login) {
  return std::make_unique<PlainClient>(login);
}

}  // namespace lakestream::security
