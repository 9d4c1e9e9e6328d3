#pragma once

#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "io/http_client.h"

// Keys to an S3 store that expire, from the service that gives them (STS): those who get them can
// read what their owner, or a role that he may take, can read, for a while.
//
// Thread rule: blocks; on the pool, any thread.
//
//   ASSIGN_OR_RETURN(S3Session session, ask_s3_session(*http, options, clock.now()));
namespace lakestream {

struct S3SessionOptions {
  std::string endpoint = {};  // "http://host:9000"; empty: that of Amazon in the region
  std::string region = {};
  std::string access_key = {};
  std::string secret_key = {};
  std::string role = {};  // its ARN; empty: keys of the owner himself
};

struct S3Session {
  std::string access_key;
  std::string secret_key;
  std::string token;
  TimestampMs expiration_time;
};

// kSecurityTokenException when the service does not answer or refuses, with its reason.
Result<S3Session> ask_s3_session(HttpClient& http,
                                 const S3SessionOptions& options,
                                 TimestampMs now);

}  // namespace lakestream
