#include "catalog/api/read_apis.h"
#include "table/json_writer.h"

namespace lakestream {

// Local files need no token.
Result<wire::GetFileSystemSecurityTokenResponse> get_file_system_security_token(
    const wire::GetFileSystemSecurityTokenRequest&, const ReadContext& context) {
  const RemoteAccess& remote = context.remote;
  wire::GetFileSystemSecurityTokenResponse response;
  response.schema = remote.scheme;
  if (remote.scheme == "file") return response;
  if (!remote.keys) {
    return make_error(ErrorCode::kSecurityTokenException,
                      "remote storage {}://: the server has no keys to give to clients; set "
                      "lakestream.s3.client-access-key and lakestream.s3.client-secret-key",
                      remote.scheme);
  }
  JsonWriter json;
  json.begin_object().field("version", 1);
  json.field("access_key_id", remote.keys->id).field("access_key_secret", remote.keys->secret);
  json.key("security_token");
  if (remote.keys->session_token) {
    json.text(*remote.keys->session_token);
  } else {
    json.null();
  }
  json.end_object();
  if (remote.keys->expiration_time)
    response.expiration_time = remote.keys->expiration_time->value();
  response.token = Bytes::copy_of(std::move(json).finish());
  for (const auto& [key, value] : remote.settings) {
    response.addition_info.push_back({.key = key, .value = value});
  }
  return response;
}

}  // namespace lakestream
