#include <array>
#include <filesystem>

#include "io/internal/certificates.h"

namespace lakestream::internal {

std::string certificates_of_system() {
  constexpr std::array kFiles = {
      "/etc/ssl/certs/ca-certificates.crt",
      "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/ssl/ca-bundle.pem",
      "/etc/ssl/cert.pem",
  };
  for (const char* file : kFiles) {
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file;
  }
  return {};
}

}  // namespace lakestream::internal
