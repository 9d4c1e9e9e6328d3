#include "base/secrets.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/letter_case.h"
#include "base/server_options.h"

namespace lakestream {
namespace {

// The text with what its references stand for.
Result<std::string> resolved(std::string_view text, const ReferenceLookup& look_up) {
  constexpr std::string_view kBegin = "${";
  std::string result;
  for (;;) {
    size_t begin = text.find(kBegin);
    result += text.substr(0, begin);
    if (begin == std::string_view::npos) return result;
    text.remove_prefix(begin + kBegin.size());
    size_t end = text.find('}');
    size_t colon = text.find(':');
    std::string_view kind = text.substr(0, colon);
    bool is_known = end != std::string_view::npos && colon < end;
    if (!is_known || (kind != "env" && kind != "file")) {
      return make_error(ErrorCode::kInvalidConfigException,
                        "a reference is ${{env:NAME}} or ${{file:PATH}}");
    }
    ASSIGN_OR_RETURN(std::string value, look_up(kind, text.substr(colon + 1, end - colon - 1)));
    result += value;
    text.remove_prefix(end + 1);
  }
}

// Without the passwords of addresses, SCHEME://USER:PASSWORD@HOST.
std::string without_passwords(std::string_view text) {
  constexpr std::string_view kBegin = "://";
  std::string result;
  for (;;) {
    size_t begin = text.find(kBegin);
    if (begin == std::string_view::npos) return result.append(text);
    begin += kBegin.size();
    result += text.substr(0, begin);
    text.remove_prefix(begin);
    std::string_view authority = text.substr(0, text.find_first_of("/?# ,"));
    size_t colon = authority.find(':');
    size_t at = authority.rfind('@');
    if (at == std::string_view::npos || colon > at) continue;
    result.append(authority.substr(0, colon + 1)).append(kHiddenValue);
    text.remove_prefix(at);
  }
}

}  // namespace

bool is_secret_option(std::string_view key) {
  // Headers, such as those of a catalog, are there to carry a token.
  constexpr std::string_view kWords[] = {
      "password", "passphrase", "secret", "credential", "jaas", "key", "token", "header"};
  std::string name = lower(key);
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    return name.find(word) != std::string::npos;
  });
}

std::string shown_value(std::string_view key, std::string_view value) {
  if (!is_secret_option(key)) return without_passwords(value);
  const OptionInfo* option = find_option(server_option_table(), key);
  if (option == nullptr || option->type != OptionType::kMap) return std::string(kHiddenValue);
  Result<OptionValue> parsed = parse_option(*option, value);
  if (!parsed) return std::string(kHiddenValue);
  std::vector<std::string> items;
  for (const auto& [name, secret] : std::get<TextMap>(*parsed)) {
    items.push_back(fmt::format("{}:{}", name, kHiddenValue));
  }
  return fmt::format("{}", fmt::join(items, ","));
}

Result<TextMap> resolve_references(TextMap* texts, const ReferenceLookup& look_up) {
  TextMap references;
  for (auto& [key, text] : *texts) {
    if (text.find("${") == std::string::npos) continue;
    Result<std::string> value = resolved(text, look_up);
    if (!value) {
      return fail(std::move(value).error().with_context(fmt::format("option '{}'", key)));
    }
    references[key] = std::exchange(text, std::move(*value));
  }
  return references;
}

}  // namespace lakestream
