#include "base/dynamic_config.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/server_config.h"
#include "base/server_options.h"

namespace lakestream {
namespace {

constexpr ErrorCode kCode = ErrorCode::kConfigException;

// Of all keys and values together. They are kept in one record, which has to be readable at the
// next start.
constexpr size_t kBytesMax = 256 << 10;
constexpr size_t kChangesMax = 1000;  // of one request
constexpr size_t kNameMax = 256;

// Options that Fluss changes at run time and that do nothing here.
bool is_known_without_effect(std::string_view key) {
  Result<ServerConfig> alone = parse_server_config({{std::string(key), "false"}});
  return alone && !alone->warnings.empty();
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

// Sizes first: what is longer hides the rest of a message.
Status check_texts(const ConfigChange& change) {
  const std::string& key = change.key;
  if (key.size() > kNameMax) {
    return make_error(kCode,
                      "option '{}…': its name has {} bytes, at most {} are possible",
                      key.substr(0, kNameMax),
                      key.size(),
                      kNameMax);
  }
  if (!std::all_of(key.begin(), key.end(), is_of_a_name)) {
    return make_error(kCode, "option '{}': a name has letters, digits, '.', '-' and '_' only", key);
  }
  if (!change.value) return ok();
  if (change.value->size() > kBytesMax) {
    return make_error(kCode,
                      "option '{}': its value has {} bytes, at most {} are kept; put it into the "
                      "configuration file",
                      key,
                      change.value->size(),
                      kBytesMax);
  }
  if (std::any_of(change.value->begin(), change.value->end(), is_control)) {
    return make_error(kCode,
                      "option '{}': its value has a control character, such as the end of a line; "
                      "leave it out",
                      key);
  }
  return ok();
}

Status check_bytes(const DynamicTexts& dynamic) {
  size_t bytes = 0;
  for (const auto& [key, value] : dynamic) bytes += key.size() + (value ? value->size() : 0);
  if (bytes <= kBytesMax) return ok();
  return make_error(kCode,
                    "options that were set at run time would take {} bytes, at most {} are kept; "
                    "put long ones into the configuration file",
                    bytes,
                    kBytesMax);
}

// What lets strangers in or keeps them out, but for the users and their passwords, is for who may
// write to the server's files.
bool is_protection(std::string_view key) {
  constexpr std::string_view kPrefixes[] = {
      "security.", "authorizer.", "super.users", "lakestream.tls.", "lakestream.login."};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](std::string_view prefix) {
    return key.starts_with(prefix);
  });
}

Status check_dynamic(std::string_view key) {
  const OptionInfo* option = find_option(server_option_table(), key);
  if (option != nullptr && option->alterable) return ok();
  if (is_protection(key)) {
    return make_error(kCode,
                      "option '{}' protects the server and does not change while it runs; put it "
                      "into the configuration file and start the server anew",
                      key);
  }
  if (option != nullptr) {
    return make_error(kCode,
                      "option '{}' does not change while the server runs; put it into the "
                      "configuration file and start the server anew",
                      key);
  }
  if (!lake_format_of_option(key).empty()) return ok();
  if (is_known_without_effect(key)) {
    return make_error(kCode, "option '{}' has no effect on this server", key);
  }
  return make_error(kCode,
                    "option '{}' is unknown, did you mean '{}'",
                    key,
                    nearest_option(server_option_table(), key));
}

// "k" of the item "k:v" of a map; the item of a list.
std::string_view name_of_item(OptionType type, std::string_view item) {
  return type == OptionType::kMap ? item.substr(0, item.find(':')) : item;
}

Status check_item(const OptionInfo& option, std::string_view item) {
  Result<OptionValue> parsed = parse_option(option, item);
  if (parsed) return ok();
  return make_error(kCode, "{}", parsed.error().message());
}

// The texts of the items stay as they were written.
std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    size_t end = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, end);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return items;
}

Result<std::optional<std::string>> change_items(const ConfigChange& change,
                                                std::optional<std::string> before) {
  const OptionInfo* option = find_option(server_option_table(), change.key);
  bool has_items =
      option != nullptr && (option->type == OptionType::kList || option->type == OptionType::kMap);
  if (!has_items || !change.value) {
    return make_error(kCode,
                      "option '{}': only to a list or a map something is added, and from it "
                      "removed; set it",
                      change.key);
  }
  RETURN_IF_ERROR(check_item(*option, *change.value));
  std::vector<std::string> items = items_of(before.value_or(""));
  std::string_view name = name_of_item(option->type, *change.value);
  auto same = [&](const std::string& item) { return name_of_item(option->type, item) == name; };
  if (change.op == ConfigChange::Op::kSubtract) {
    std::erase_if(items, same);
  } else if (option->type == OptionType::kMap && std::any_of(items.begin(), items.end(), same)) {
    return make_error(kCode, "option '{}' has key '{}' already; remove it first", change.key, name);
  } else {
    items.push_back(*change.value);
  }
  std::optional<std::string> after;
  if (!items.empty()) after = fmt::format("{}", fmt::join(items, ","));
  return after;
}

Status apply(const TextMap& started_with, const ConfigChange& change, DynamicTexts* dynamic) {
  RETURN_IF_ERROR(check_texts(change));
  RETURN_IF_ERROR(check_dynamic(change.key));
  switch (change.op) {
    case ConfigChange::Op::kSet:
      (*dynamic)[change.key] = change.value;
      return ok();
    case ConfigChange::Op::kDelete:
      dynamic->erase(change.key);
      return ok();
    case ConfigChange::Op::kAppend:
    case ConfigChange::Op::kSubtract: {
      std::optional<std::string> before;
      auto own = dynamic->find(change.key);
      auto first = started_with.find(change.key);
      if (own != dynamic->end()) {
        before = own->second;
      } else if (first != started_with.end()) {
        before = first->second;
      }
      ASSIGN_OR_RETURN((*dynamic)[change.key], change_items(change, std::move(before)));
      return ok();
    }
  }
  return make_error(kCode,
                    "change of option '{}' with operation {}: options are set (0), deleted (1), "
                    "appended to (2) or subtracted from (3)",
                    change.key,
                    static_cast<int32_t>(change.op));
}

}  // namespace

Result<DynamicTexts> change_dynamic(const TextMap& started_with,
                                    DynamicTexts dynamic,
                                    const std::vector<ConfigChange>& changes) {
  if (changes.size() > kChangesMax) {
    return make_error(kCode,
                      "{} changes of options in one request, at most {} are taken; make more "
                      "requests",
                      changes.size(),
                      kChangesMax);
  }
  for (const ConfigChange& change : changes) {
    RETURN_IF_ERROR(apply(started_with, change, &dynamic));
  }
  RETURN_IF_ERROR(check_bytes(dynamic));
  return dynamic;
}

TextMap effective_texts(const TextMap& started_with, const DynamicTexts& dynamic) {
  TextMap texts = started_with;
  for (const auto& [key, value] : dynamic) {
    if (value) {
      texts[key] = *value;
    } else {
      texts.erase(key);
    }
  }
  return texts;
}

Result<ServerConfig> parse_dynamic(const TextMap& started_with, const DynamicTexts& dynamic) {
  Result<ServerConfig> config = parse_server_config(effective_texts(started_with, dynamic));
  if (!config) return make_error(kCode, "{}", config.error().message());
  return config;
}

}  // namespace lakestream
