#include "catalog/api/read_apis.h"

namespace lakestream {

// The data of clients is on local files, which need no token.
Result<wire::GetFileSystemSecurityTokenResponse> get_file_system_security_token(
    const wire::GetFileSystemSecurityTokenRequest&, const ReadContext&) {
  wire::GetFileSystemSecurityTokenResponse response;
  response.schema = "file";
  return response;
}

}  // namespace lakestream
