#include "io/s3_sessions.h"

#include <chrono>
#include <cstdio>
#include <optional>

#include "io/object_store/s3_signature.h"

namespace lakestream {
namespace {

constexpr ErrorCode kCode = ErrorCode::kSecurityTokenException;

// The text of the first element of that name; the service writes no attributes there.
std::optional<std::string> element_of(std::string_view xml, std::string_view name) {
  std::string begin = fmt::format("<{}>", name);
  std::string end = fmt::format("</{}>", name);
  size_t first = xml.find(begin);
  if (first == std::string_view::npos) return std::nullopt;
  first += begin.size();
  size_t limit = xml.find(end, first);
  if (limit == std::string_view::npos) return std::nullopt;
  return std::string(xml.substr(first, limit - first));
}

// "2026-11-30T12:00:00.000Z"
std::optional<TimestampMs> time_of(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int count =
      std::sscanf(text.c_str(), "%d-%u-%uT%d:%d:%d", &year, &month, &day, &hour, &minute, &second);
  std::chrono::year_month_day date{
      std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (count != 6 || !date.ok()) return std::nullopt;
  auto since = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
               std::chrono::minutes(minute) + std::chrono::seconds(second);
  return TimestampMs(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

HttpRequest request_of(const S3SessionOptions& options) {
  HttpRequest request;
  request.method = "POST";
  request.url = options.endpoint.empty()
                    ? fmt::format("https://sts.{}.amazonaws.com", options.region)
                    : options.endpoint;
  if (!request.url.ends_with('/')) request.url += '/';
  request.headers.push_back({"Content-Type", "application/x-www-form-urlencoded"});
  request.body = "Action=GetSessionToken&Version=2011-06-15";
  if (!options.role.empty()) {
    request.body =
        fmt::format("Action=AssumeRole&RoleArn={}&RoleSessionName=lakestream&Version=2011-06-15",
                    url_encoded(options.role));
  }
  return request;
}

}  // namespace

Result<S3Session> ask_s3_session(HttpClient& http,
                                 const S3SessionOptions& options,
                                 TimestampMs now) {
  HttpRequest request = request_of(options);
  sign_aws({options.access_key, options.secret_key}, {"sts", options.region}, now, &request);
  HttpAnswer answer = http.send(request);
  if (!answer.came()) {
    return make_error(kCode, "no session from {}: {}", shown_url(request.url), answer.trouble);
  }
  if (answer.status != 200) {
    return make_error(kCode,
                      "no session from {}: it answers {} {}; check s3.assumed.role.arn and the "
                      "rights of s3.access-key",
                      shown_url(request.url),
                      answer.status,
                      element_of(answer.body, "Code").value_or(""));
  }
  auto id = element_of(answer.body, "AccessKeyId");
  auto secret = element_of(answer.body, "SecretAccessKey");
  auto token = element_of(answer.body, "SessionToken");
  auto expiration = time_of(element_of(answer.body, "Expiration").value_or(""));
  if (!id || !secret || !token || !expiration) {
    return make_error(kCode, "the answer of {} has no session in it", shown_url(request.url));
  }
  return S3Session{std::move(*id), std::move(*secret), std::move(*token), *expiration};
}

}  // namespace lakestream
