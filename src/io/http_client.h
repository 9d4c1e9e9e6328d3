#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Requests to HTTP services that we are a client of. http and https; certificates are checked
// against those that the system trusts. Redirects are not followed: who is given a token is who was
// asked. A proxy is taken from the environment, as other programs do.
//
// That a service answers with an error, or does not answer, is no Error: the caller has to know
// whether the request can have had an effect. Neither headers nor bodies get into messages.
//
// Thread rule: calls block; on the pool, any thread, many at a time.
//
//   HttpAnswer answer = http.send({.url = "https://host/v1/config", .headers = {{"Accept",
//   "*/*"}}}); if (answer.came() && answer.status == 200) use(answer.body);
namespace lakestream {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method = "GET";
  std::string url = {};
  std::vector<HttpHeader> headers = {};
  std::string body = {};
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  // for all of it
};

struct HttpAnswer {
  int status = 0;  // 0: no answer came
  std::string body = {};
  std::string trouble = {};       // why none came
  bool may_have_arrived = false;  // without an answer: the service may have acted on the request

  bool came() const { return status != 0; }
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  virtual HttpAnswer send(const HttpRequest& request) = 0;
};

struct HttpOptions {
  std::string ca_file = {};  // certificates to trust; empty: those of the system
};

std::unique_ptr<HttpClient> make_http_client(HttpOptions options);

// Without user, password, query and fragment, for messages.
std::string shown_url(std::string_view url);
// Bytes that may not stand in a part of a URL's path as %XX; '/' stays when `keeps_slash`.
std::string url_encoded(std::string_view text, bool keeps_slash = false);

}  // namespace lakestream
