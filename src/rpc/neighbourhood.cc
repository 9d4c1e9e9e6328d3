#include "rpc/neighbourhood.h"

#include <algorithm>
#include <array>

#include <arpa/inet.h>

namespace lakestream::rpc {

std::string neighbourhood_of(const std::string& host) {
  constexpr size_t kNetworkBytes = 8;
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  // Without the name of an interface, "%eth0".
  std::string address = host.substr(0, host.find('%'));
  if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return host;
  std::fill(bytes.begin() + kNetworkBytes, bytes.end(), 0);
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
  return std::string(text.data()) + "/64";
}

}  // namespace lakestream::rpc
