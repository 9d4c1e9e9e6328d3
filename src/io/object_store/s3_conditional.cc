#include "io/object_store/s3_conditional.h"

#include <fmt/format.h>

namespace lakestream {
namespace {

constexpr int kAttempts = 3;

// The text between <name> and </name>.
std::string_view element(std::string_view xml, std::string_view name) {
  size_t begin = xml.find(fmt::format("<{}>", name));
  if (begin == std::string_view::npos) return {};
  begin += name.size() + 2;
  return xml.substr(begin, std::min(xml.find('<', begin), xml.size()) - begin);
}

std::string reason_of(const HttpAnswer& answer) {
  if (!answer.came()) return answer.trouble;
  std::string_view code = element(answer.body, "Code");
  std::string_view message = element(answer.body, "Message");
  return fmt::format("{} {} {}", answer.status, code, message);
}

// The store has refused it before it did anything, for what else it was doing.
bool was_too_busy(const HttpAnswer& answer) { return answer.status == 409 || answer.status == 503; }

}  // namespace

PutIfAbsent put_if_absent(HttpClient& http,
                          const S3Target& target,
                          const Bytes& content,
                          TimestampMs now) {
  using Kind = PutIfAbsent::Kind;
  HttpRequest request{.method = "PUT",
                      .url = target.url,
                      .headers = {{"If-None-Match", "*"}},
                      .body = std::string(content.view())};
  if (!target.credentials.access_key.empty()) {
    sign_s3(target.credentials, target.region, now, &request);
  }
  HttpAnswer answer;
  for (int i = 0; i < kAttempts; ++i) {
    answer = http.send(request);
    bool again = answer.came() ? was_too_busy(answer) : !answer.may_have_arrived;
    if (!again) break;
  }
  switch (answer.status) {
    case 200:
    case 201:
    case 204:
      return {Kind::kDone};
    case 412:
      return {Kind::kThere};
    case 501:
      return {Kind::kNotSupported, reason_of(answer)};
    default:
      return {Kind::kFailed, reason_of(answer)};
  }
}

std::string s3_url(const S3Options& options, std::string_view region, const S3Place& place) {
  std::string_view endpoint = options.endpoint;
  while (endpoint.ends_with('/')) endpoint.remove_suffix(1);
  std::string scheme = "https";
  if (size_t end = endpoint.find("://"); end != std::string_view::npos) {
    scheme = endpoint.substr(0, end);
    endpoint.remove_prefix(end + 3);
  }
  std::string host =
      endpoint.empty() ? fmt::format("s3.{}.amazonaws.com", region) : std::string(endpoint);
  std::string key = url_encoded(place.key, true);
  if (options.path_style.value_or(!endpoint.empty())) {
    return fmt::format("{}://{}/{}/{}", scheme, host, place.bucket, key);
  }
  return fmt::format("{}://{}.{}/{}", scheme, place.bucket, host, key);
}

}  // namespace lakestream
