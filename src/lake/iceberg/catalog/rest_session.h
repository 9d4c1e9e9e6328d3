#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/http_client.h"
#include "table/descriptor.h"

// Requests to an Iceberg REST catalog: below which path, with which headers, with a token that is
// fetched where there is a credential for it and fetched again once when the service takes the old
// one no more. Neither tokens nor secrets get into messages.
//
// Thread rule: calls block; any thread, many at a time.
//
//   RestSession session(options, http);
//   ASSIGN_OR_RETURN(RestAnswer answer, session.ask("GET", "namespaces/db/tables/t"));
//   if (answer.http.status == 404) return nothing();
//   if (answer.http.status != 200) return answer.error();
namespace lakestream::iceberg {

struct RestAnswer {
  std::string request;  // "GET https://host/v1/namespaces/db", for messages
  HttpAnswer http;

  // The service may have done what it was asked for, or not.
  bool is_open() const;
  // What went wrong and what may help, as text and as a kStorageException.
  std::string trouble() const;
  tl::unexpected<Error> error() const;
};

class RestSession {
 public:
  RestSession(Properties options, std::shared_ptr<HttpClient> http)
      : options_(std::move(options)), http_(std::move(http)) {}

  // `path`: below /v1/{prefix}/, encoded. An error when the service could not be asked: it has not
  // heard of the request.
  Result<RestAnswer> ask(std::string_view method, std::string_view path, std::string body = {});
  // The options with what the service adds to them.
  Result<Properties> options();

 private:
  struct State {
    Properties options;
    std::string token;
  };
  using Shared = std::shared_ptr<const State>;

  Result<Shared> connect();
  Result<std::string> fetch_token(const Properties& options);
  RestAnswer send(const State& state, std::string_view method, std::string url, std::string body);

  Properties options_;
  std::shared_ptr<HttpClient> http_;
  std::atomic<Shared> state_;  // none before the first request; each is never changed
};

}  // namespace lakestream::iceberg
