#include "catalog/api/secrets.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace lakestream {
namespace {

// The name of a key to a store is a secret too: it is half of what is needed.
constexpr std::string_view kWords[] = {
    "password", "passphrase", "secret", "key", "credential", "jaas", "token"};

}  // namespace

bool names_secret(std::string_view key) {
  std::string lower(key);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    return lower.find(word) != std::string::npos;
  });
}

}  // namespace lakestream
