#include "io/network.h"

#include <charconv>

namespace lakestream {

Result<Address> parse_address(std::string_view text) {
  size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon == std::string_view::npos ? 0 : colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    host = {};
  }
  std::string_view digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  uint16_t port = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (host.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    return make_error(
        ErrorCode::kInvalidConfigException,
        "address \"{}\" is not HOST:PORT with a port of 0 to 65535; write for example "
        "127.0.0.1:9123 or [::1]:9123",
        text);
  }
  return Address{std::string(host), port};
}

std::string to_string(const Address& address) {
  bool v6 = address.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", address.host, v6 ? "]" : "", address.port);
}

}  // namespace lakestream
