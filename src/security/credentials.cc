#include "security/credentials.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace lakestream::security {
namespace {

constexpr auto kCode = ErrorCode::kInvalidConfigException;
constexpr std::string_view kModule = "PlainLoginModule";
constexpr std::string_view kUserPrefix = "user_";

// One JAAS entry: MODULE FLAG KEY="VALUE" … ;
class JaasReader {
 public:
  explicit JaasReader(std::string_view text) : rest_(text) {}

  // The next mark, "=" or ";"; empty when there is none.
  std::string_view mark() {
    skip_space();
    if (rest_.empty() || !is_mark(rest_.front())) return {};
    std::string_view found = rest_.substr(0, 1);
    rest_.remove_prefix(1);
    return found;
  }
  // The next word, or text in quotes; an error when there is none.
  Result<std::string> word() {
    skip_space();
    if (!rest_.empty() && rest_.front() == '"') return quoted();
    size_t end = 0;
    while (end < rest_.size() && !is_space(rest_[end]) && !is_mark(rest_[end])) ++end;
    if (end == 0) return make_error(kCode, "a word of the login module is missing");
    std::string found(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return found;
  }
  bool is_at_end() {
    skip_space();
    return rest_.empty();
  }

 private:
  static bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
  static bool is_mark(char c) { return c == '=' || c == ';'; }

  void skip_space() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }
  Result<std::string> quoted() {
    std::string text;
    for (size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] == '"') {
        rest_.remove_prefix(at + 1);
        return text;
      }
      if (rest_[at] == '\\' && at + 1 < rest_.size()) ++at;
      text += rest_[at];
    }
    return make_error(kCode, "a quote of the login module is not closed");
  }

  std::string_view rest_;
};

Status check_user(std::string_view name, std::string_view password) {
  auto is_control = [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; };
  if (name.empty() || std::any_of(name.begin(), name.end(), is_control)) {
    return make_error(kCode, "a user without a name, or with one that is no text; give a name");
  }
  if (password.empty()) {
    return make_error(kCode, "user '{}' has no password; set one or remove the user", name);
  }
  if (password.find('\0') != std::string_view::npos) {
    return make_error(kCode, "the password of user '{}' holds a zero byte; choose another", name);
  }
  return ok();
}

// Compares all of `given`, whatever the expected text is.
bool is_equal(std::string_view expected, std::string_view given) {
  size_t difference = expected.size() ^ given.size();
  for (size_t i = 0; i < given.size(); ++i) {
    auto wanted = static_cast<unsigned char>(expected.empty() ? 0 : expected[i % expected.size()]);
    difference |= static_cast<size_t>(wanted ^ static_cast<unsigned char>(given[i]));
  }
  return difference == 0;
}

}  // namespace

Status Credentials::add_jaas(std::string_view text) {
  JaasReader reader(text);
  ASSIGN_OR_RETURN(std::string module, reader.word());
  if (!std::string_view(module).ends_with(kModule)) {
    return make_error(kCode, "the text is no login module; PlainLoginModule is the one there is");
  }
  ASSIGN_OR_RETURN(std::string flag, reader.word());
  if (flag != "required" && flag != "requisite" && flag != "sufficient" && flag != "optional") {
    return make_error(kCode, "the login module has no flag; write required behind it");
  }
  TextMap passwords;
  std::string_view mark = reader.mark();
  for (; mark.empty() && !reader.is_at_end(); mark = reader.mark()) {
    ASSIGN_OR_RETURN(std::string key, reader.word());
    if (reader.mark() != "=") return make_error(kCode, "an option of the login module has no '='");
    ASSIGN_OR_RETURN(std::string value, reader.word());
    if (key.starts_with(kUserPrefix)) passwords[key.substr(kUserPrefix.size())] = std::move(value);
  }
  if (mark != ";") return make_error(kCode, "the login module does not end with ';'");
  if (!reader.is_at_end()) {
    return make_error(kCode, "text follows the ';' of the login module; remove it");
  }
  return add(passwords);
}

Status Credentials::add(const TextMap& passwords) {
  for (const auto& [name, password] : passwords) RETURN_IF_ERROR(check_user(name, password));
  for (const auto& [name, password] : passwords) passwords_[name] = password;
  return ok();
}

bool Credentials::verify(std::string_view name, std::string_view password) const {
  // Compared with when there is no such user.
  constexpr std::string_view kNobody = "a password that nobody has";
  auto found = passwords_.find(name);
  bool is_known = found != passwords_.end();
  bool is_right = is_equal(is_known ? std::string_view(found->second) : kNobody, password);
  return is_known && is_right;
}

}  // namespace lakestream::security
