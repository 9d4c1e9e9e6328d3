#include "io/internal/certificates.h"

#include <array>
#include <cstdlib>
#include <filesystem>

namespace lakestream::internal {

std::string certificates_of_system() {
  constexpr std::array kFiles = {
      "/etc/ssl/certs/ca-certificates.crt",
      "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/ssl/ca-bundle.pem",
      "/etc/ssl/cert.pem",
  };
  // As OpenSSL and the programs that stand on it.
  if (const char* chosen = std::getenv("SSL_CERT_FILE")) return chosen;
  for (const char* file : kFiles) {
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file;
  }
  return {};
}

}  // namespace lakestream::internal
