#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "io/http_client.h"

// The signature of requests to Amazon S3 and what speaks its protocol ("AWS Signature Version 4"),
// for the few requests that the S3 library can not make.
//
// Thread rule: pure functions.
//
//   sign_s3(credentials, "eu-west-1", clock.now(), &request);
namespace lakestream {

struct S3Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token = {};  // of temporary credentials
};

struct AwsService {
  std::string_view name;  // "s3", "sts"
  std::string_view region;
};

// Adds the headers that prove who asks. The URL has a path that is encoded and no query; the
// request's headers so far are signed, too.
void sign_aws(const S3Credentials& credentials,
              const AwsService& service,
              TimestampMs now,
              HttpRequest* request);
void sign_s3(const S3Credentials& credentials,
             std::string_view region,
             TimestampMs now,
             HttpRequest* request);

}  // namespace lakestream
