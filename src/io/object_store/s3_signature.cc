#include "io/object_store/s3_signature.h"

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/letter_case.h"

namespace lakestream {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

using Digest = std::array<uint8_t, 32>;

std::string_view view_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string hex(const Digest& digest) {
  std::string text;
  for (uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

Digest sha256(std::string_view text) {
  Digest digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return digest;
}

Digest hmac(std::string_view key, std::string_view text) {
  Digest digest{};
  HMAC(EVP_sha256(),
       key.data(),
       static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()),
       text.size(),
       digest.data(),
       nullptr);
  return digest;
}

// "20261130T105645Z"
std::string time_text(TimestampMs now) {
  std::time_t seconds = now.value() / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 20> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts)};
}

struct Host {
  std::string_view name;
  std::string_view path;
};

// The name as it is sent: as it is written, without the port that the scheme has anyway.
Host host_of(std::string_view url) {
  std::string_view usual_port;
  if (size_t end = url.find("://"); end != std::string_view::npos) {
    std::string scheme = lower(url.substr(0, end));
    if (scheme == "http") usual_port = ":80";
    if (scheme == "https") usual_port = ":443";
    url.remove_prefix(end + 3);
  }
  size_t slash = std::min(url.find('/'), url.size());
  Host host{url.substr(0, slash), slash == url.size() ? "/" : url.substr(slash)};
  if (host.name.ends_with(usual_port)) host.name.remove_suffix(usual_port.size());
  return host;
}

}  // namespace

void sign_aws(const S3Credentials& credentials,
              const AwsService& service,
              TimestampMs now,
              HttpRequest* request) {
  Host host = host_of(request->url);
  std::string time = time_text(now);
  std::string date = time.substr(0, 8);
  std::string body_hash = hex(sha256(request->body));
  request->headers.push_back({"x-amz-content-sha256", body_hash});
  request->headers.push_back({"x-amz-date", time});
  if (!credentials.session_token.empty()) {
    request->headers.push_back({"x-amz-security-token", credentials.session_token});
  }

  std::vector<std::pair<std::string, std::string>> headers = {{"host", std::string(host.name)}};
  for (const HttpHeader& header : request->headers) {
    headers.emplace_back(lower(header.name), header.value);
  }
  std::sort(headers.begin(), headers.end());
  std::string lines;
  std::string names;
  for (const auto& [name, value] : headers) {
    lines += name + ":" + value + "\n";
    names += (names.empty() ? "" : ";") + name;
  }
  std::string canonical =
      fmt::format("{}\n{}\n\n{}\n{}\n{}", request->method, host.path, lines, names, body_hash);
  std::string scope = fmt::format("{}/{}/{}/aws4_request", date, service.region, service.name);
  std::string to_sign =
      fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time, scope, hex(sha256(canonical)));
  Digest key = hmac("AWS4" + credentials.secret_key, date);
  for (std::string_view part : {service.region, service.name, std::string_view("aws4_request")}) {
    key = hmac(view_of(key), part);
  }
  request->headers.push_back({"Authorization",
                              fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}",
                                          kAlgorithm,
                                          credentials.access_key,
                                          scope,
                                          names,
                                          hex(hmac(view_of(key), to_sign)))});
}

void sign_s3(const S3Credentials& credentials,
             std::string_view region,
             TimestampMs now,
             HttpRequest* request) {
  sign_aws(credentials, {"s3", region}, now, request);
}

}  // namespace lakestream
