#pragma once

#include <string>

#include "base/bytes.h"
#include "io/http_client.h"
#include "io/object_store/s3_signature.h"
#include "io/object_stores.h"

// The one request that the S3 library can not make: to write an object only where there is none
// ("If-None-Match: *"), which the store decides.
//
// Thread rule: calls block; on the pool, any thread.
//
//   PutIfAbsent done = put_if_absent(http, {url, region, credentials}, content, now);
namespace lakestream {

// Where an object is and who writes it.
struct S3Target {
  std::string url;
  std::string region;
  S3Credentials credentials;
};

struct PutIfAbsent {
  enum class Kind {
    kDone,
    kThere,         // nothing was changed
    kNotSupported,  // nothing was changed: the store has no such request
    kFailed,        // open whether it is there
  };
  Kind kind = Kind::kFailed;
  std::string reason = {};
};

PutIfAbsent put_if_absent(HttpClient& http,
                          const S3Target& target,
                          const Bytes& content,
                          TimestampMs now);

// "https://host/bucket/key"; Amazon's address of the region without an endpoint.
std::string s3_url(const S3Options& options, std::string_view region, const S3Place& place);

}  // namespace lakestream
