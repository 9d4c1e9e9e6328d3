#include "lake/iceberg/catalog/rest_session.h"

#include <optional>
#include <utility>

#include "table/json_reader.h"

namespace lakestream::iceberg {
namespace {

constexpr std::string_view kHeaderPrefix = "header.";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kForm = "application/x-www-form-urlencoded";

std::string option(const Properties& options, std::string_view name, std::string_view fallback) {
  auto found = options.find(name);
  return found == options.end() ? std::string(fallback) : found->second;
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

// The answer of a service whose token is not taken any more.
bool wants_new_token(const HttpAnswer& answer) {
  return answer.status == 401 || answer.status == 419;
}

// {"error":{"message":…,"type":…}}, or {"error":…,"error_description":…} of OAuth.
std::string message_in(const std::string& body) {
  Result<JsonDocument> document = JsonDocument::parse(body, ErrorCode::kUnknownServerError);
  if (!document || !document->root().is_object()) return {};
  std::optional<JsonValue> error = document->root().find("error");
  if (!error) return {};
  if (error->is_object()) {
    std::string type = error->text_at("type").value_or("");
    std::string message = error->text_at("message").value_or("");
    return fmt::format("{}{}{}", type, type.empty() || message.empty() ? "" : ": ", message);
  }
  std::string what = error->text().value_or("");
  std::string description = document->root().text_at("error_description").value_or("");
  return fmt::format("{}{}{}", what, description.empty() ? "" : ": ", description);
}

std::string_view remedy_of(const HttpAnswer& answer) {
  if (!answer.came()) return "see that it runs and that datalake.iceberg.uri is its address";
  switch (answer.status) {
    case 401:
    case 403:
    case 419:
      return "check datalake.iceberg.token or datalake.iceberg.credential, and what they may do";
    case 404:
      return "check datalake.iceberg.uri, .prefix and .warehouse";
    default:
      return answer.status >= 500 ? "look at the catalog's own log" : "check datalake.iceberg.*";
  }
}

}  // namespace

bool RestAnswer::is_open() const {
  return http.came() ? http.status >= 500 : http.may_have_arrived;
}

std::string RestAnswer::trouble() const {
  std::string what = http.came() ? fmt::format("answer {}", http.status)
                                 : fmt::format("no answer ({})", http.trouble);
  std::string message = message_in(http.body);
  return fmt::format("iceberg catalog {}: {}{}{}; {}",
                     request,
                     what,
                     message.empty() ? "" : ", ",
                     message,
                     remedy_of(http));
}

tl::unexpected<Error> RestAnswer::error() const {
  return make_error(ErrorCode::kStorageException, "{}", trouble());
}

Result<RestAnswer> RestSession::ask(std::string_view method,
                                    std::string_view path,
                                    std::string body) {
  Shared state = state_.load();
  if (state == nullptr) {
    ASSIGN_OR_RETURN(state, connect());
  }
  std::string prefix = option(state->options, "prefix", "");
  std::string url = fmt::format("{}/v1/{}{}{}",
                                without_slash(option(state->options, "uri", "")),
                                prefix,
                                prefix.empty() ? "" : "/",
                                path);
  RestAnswer answer = send(*state, method, url, body);
  if (!wants_new_token(answer.http) || !state->options.contains("credential")) return answer;
  State renewed{state->options, {}};
  ASSIGN_OR_RETURN(renewed.token, fetch_token(renewed.options));
  state_ = std::make_shared<const State>(renewed);
  return send(renewed, method, std::move(url), std::move(body));
}

Result<Properties> RestSession::options() {
  Shared state = state_.load();
  if (state == nullptr) {
    ASSIGN_OR_RETURN(state, connect());
  }
  return state->options;
}

// Two that do this at once do the same.
Result<RestSession::Shared> RestSession::connect() {
  State state{options_, option(options_, "token", "")};
  if (options_.contains("credential")) {
    ASSIGN_OR_RETURN(state.token, fetch_token(options_));
  }
  std::string url = without_slash(option(options_, "uri", "")) + "/v1/config";
  std::string warehouse = option(options_, "warehouse", "");
  if (!warehouse.empty()) url += "?warehouse=" + url_encoded(warehouse);
  RestAnswer answer = send(state, "GET", url, {});
  if (answer.http.status != 200) return answer.error();
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(answer.http.body, ErrorCode::kUnknownServerError));
  Properties merged;
  auto add = [&merged](Properties more) {
    for (auto& [key, value] : more) merged[key] = std::move(value);
  };
  for (std::string_view layer : {"defaults", "", "overrides"}) {
    if (layer.empty()) {
      add(options_);
    } else if (std::optional<JsonValue> found = document.root().find(layer)) {
      ASSIGN_OR_RETURN(Properties texts, found->text_map());
      add(std::move(texts));
    }
  }
  state.options = std::move(merged);
  Shared shared = std::make_shared<const State>(std::move(state));
  state_ = shared;
  return shared;
}

// By client credentials (RFC 6749, 4.4).
Result<std::string> RestSession::fetch_token(const Properties& options) {
  std::string credential = option(options, "credential", "");
  size_t colon = credential.find(':');
  std::string form = "grant_type=client_credentials";
  auto add = [&form](std::string_view name, std::string_view value) {
    if (!value.empty()) form += fmt::format("&{}={}", name, url_encoded(value));
  };
  if (colon != std::string::npos) add("client_id", credential.substr(0, colon));
  add("client_secret", colon == std::string::npos ? credential : credential.substr(colon + 1));
  add("scope", option(options, "scope", "catalog"));
  add("audience", option(options, "audience", ""));
  add("resource", option(options, "resource", ""));
  std::string url = option(options, "oauth2-server-uri", "v1/oauth/tokens");
  if (url.find("://") == std::string::npos) {
    url = without_slash(option(options, "uri", "")) + (url.starts_with('/') ? "" : "/") + url;
  }
  RestAnswer answer{.request = "POST " + shown_url(url), .http = {}};
  answer.http = http_->send(
      {.method = "POST",
       .url = url,
       .headers = {{"Content-Type", std::string(kForm)}, {"Accept", std::string(kJson)}},
       .body = std::move(form)});
  if (answer.http.status != 200) return answer.error();
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(answer.http.body, ErrorCode::kUnknownServerError));
  return document.root().text_at("access_token");
}

RestAnswer RestSession::send(const State& state,
                             std::string_view method,
                             std::string url,
                             std::string body) {
  HttpRequest request{.method = std::string(method), .url = url, .body = std::move(body)};
  request.headers = {{"Accept", std::string(kJson)}};
  if (!request.body.empty()) request.headers.push_back({"Content-Type", std::string(kJson)});
  if (!state.token.empty()) {
    request.headers.push_back({"Authorization", "Bearer " + state.token});
  }
  for (const auto& [key, value] : state.options) {
    if (key.starts_with(kHeaderPrefix)) {
      request.headers.push_back({key.substr(kHeaderPrefix.size()), value});
    }
  }
  return {.request = fmt::format("{} {}", method, shown_url(url)), .http = http_->send(request)};
}

}  // namespace lakestream::iceberg
