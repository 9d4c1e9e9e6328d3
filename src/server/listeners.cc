#include "server/listeners.h"

#include <unistd.h>

#include "base/server_options.h"

namespace lakestream {
namespace {

struct NamedAddress {
  std::string name;
  Address address;
};

Result<NamedAddress> parse_listener(std::string_view text) {
  size_t separator = text.find("://");
  if (separator == std::string_view::npos || separator == 0) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "listener \"{}\" is not NAME://HOST:PORT; write for example "
                      "FLUSS://127.0.0.1:9123",
                      text);
  }
  ASSIGN_OR_RETURN(Address address, parse_address(text.substr(separator + 3)));
  return NamedAddress{std::string(text.substr(0, separator)), std::move(address)};
}

// The one listener of an option.
Result<NamedAddress> only_listener(std::string_view key, const std::vector<std::string>& list) {
  if (list.size() != 1) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "{} names {} listeners; this server has exactly one",
                      key,
                      list.size());
  }
  auto parsed = parse_listener(list.front());
  if (!parsed) return fail(std::move(parsed).error().with_context(key));
  return parsed;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 && name[0] != 0 ? name : "localhost";
}

}  // namespace

Result<ListenerAddresses> listener_addresses(const ConfigMap& options) {
  ASSIGN_OR_RETURN(NamedAddress bind,
                   only_listener("bind.listeners", options.get(server_options::kBindListeners)));
  ListenerAddresses result{bind.address, bind.address.host, bind.address.port};
  if (auto advertised = options.find(server_options::kAdvertisedListeners);
      advertised && !advertised->empty()) {
    ASSIGN_OR_RETURN(NamedAddress told, only_listener("advertised.listeners", *advertised));
    if (told.name != bind.name) {
      return make_error(ErrorCode::kInvalidConfigException,
                        "advertised.listeners names {}, which bind.listeners does not have",
                        told.name);
    }
    result.advertised_host = told.address.host;
    result.advertised_port = told.address.port;
  } else if (bind.address.host == "0.0.0.0" || bind.address.host == "::") {
    // Nobody can connect to the wildcard from elsewhere.
    result.advertised_host = host_name();
  }
  return result;
}

}  // namespace lakestream
