#include "base/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/letter_case.h"
#include "base/secrets.h"

namespace lakestream {
namespace {

using std::chrono::milliseconds;

constexpr ErrorCode kCode = ErrorCode::kInvalidConfigException;

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// A unit with its names; the first one is used for writing.
struct Unit {
  int64_t factor;
  std::array<std::string_view, 5> names;
};

// In nanoseconds.
constexpr std::array<Unit, 7> kTimeUnits = {{
    {86'400'000'000'000, {"d", "day", "days"}},
    {3'600'000'000'000, {"h", "hour", "hours"}},
    {60'000'000'000, {"min", "m", "minute", "minutes"}},
    {1'000'000'000, {"s", "sec", "secs", "second", "seconds"}},
    {1'000'000, {"ms", "milli", "millis", "millisecond", "milliseconds"}},
    {1'000, {"us", "micro", "micros", "microsecond", "microseconds"}},
    {1, {"ns", "nano", "nanos", "nanosecond", "nanoseconds"}},
}};
constexpr std::string_view kMicroSign = "\xc2\xb5s";
constexpr int64_t kNanosPerMilli = 1'000'000;

constexpr std::array<Unit, 5> kSizeUnits = {{
    {int64_t{1} << 40, {"tb", "t", "tebibytes"}},
    {int64_t{1} << 30, {"gb", "g", "gibibytes"}},
    {int64_t{1} << 20, {"mb", "m", "mebibytes"}},
    {int64_t{1} << 10, {"kb", "k", "kibibytes"}},
    {1, {"b", "bytes", "byte"}},
}};

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    for (std::string_view candidate : unit.names) {
      if (!candidate.empty() && candidate == name) return &unit;
    }
  }
  return nullptr;
}

struct Quantity {
  int64_t number;
  std::string unit;  // lower case
};

Result<Quantity> split_quantity(std::string_view text) {
  std::string_view trimmed = trim(text);
  Quantity quantity{};
  auto [end, error] =
      std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), quantity.number);
  if (error == std::errc::result_out_of_range) {
    return make_error(kCode, "'{}' does not fit 64 bits", text);
  }
  if (error != std::errc()) return make_error(kCode, "'{}' does not start with a number", text);
  quantity.unit = lower(trim(trimmed.substr(static_cast<size_t>(end - trimmed.data()))));
  return quantity;
}

// Largest unit first, so that the first one that divides is the one to write.
std::string format_quantity(int64_t number, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (number % unit.factor == 0) {
      return fmt::format("{} {}", number / unit.factor, unit.names[0]);
    }
  }
  return fmt::format("{}", number);
}

// The digits before a designator of an ISO 8601 duration, such as "10" of "10S".
struct IsoPart {
  double number;
  char designator;
};

Result<IsoPart> next_iso_part(std::string_view* rest, std::string_view whole) {
  size_t digits = rest->find_first_not_of("+-0123456789.");
  if (digits == 0 || digits == std::string_view::npos) {
    return make_error(kCode, "'{}' is no ISO 8601 duration such as PT10S", whole);
  }
  ASSIGN_OR_RETURN(double number, parse_number(rest->substr(0, digits)));
  IsoPart part{number, (*rest)[digits]};
  rest->remove_prefix(digits + 1);
  return part;
}

double iso_factor_ms(char designator, bool in_time) {
  switch (designator) {
    case 'd':
      return in_time ? 0 : 86'400'000;
    case 'h':
      return in_time ? 3'600'000 : 0;
    case 'm':
      return in_time ? 60'000 : 0;
    case 's':
      return in_time ? 1'000 : 0;
    default:
      return 0;
  }
}

Result<milliseconds> parse_iso_duration(std::string_view text) {
  std::string content = lower(text);
  std::string_view rest = content;
  double sign = 1;
  if (rest.front() == '-') {
    sign = -1;
    rest.remove_prefix(1);
  }
  rest.remove_prefix(1);  // the P
  bool in_time = false;
  double total = 0;
  if (rest.empty()) return make_error(kCode, "'{}' is an ISO 8601 duration without a part", text);
  while (!rest.empty()) {
    if (rest.front() == 't' && !in_time) {
      in_time = true;
      rest.remove_prefix(1);
      if (!rest.empty()) continue;
      return make_error(kCode, "'{}' ends after the T, add a part such as 10S", text);
    }
    ASSIGN_OR_RETURN(IsoPart part, next_iso_part(&rest, text));
    double factor = iso_factor_ms(part.designator, in_time);
    if (factor == 0) {
      return make_error(kCode,
                        "'{}' has a part '{}', use D before the T and H, M, S after it",
                        text,
                        part.designator);
    }
    total += sign * part.number * factor;
  }
  if (!(total > -9e18 && total < 9e18)) {
    return make_error(kCode, "'{}' does not fit 64 bits of milliseconds", text);
  }
  return milliseconds(static_cast<int64_t>(total));
}

bool is_iso_duration(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.starts_with('P') || text.starts_with('p');
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// Takes an item in quotes, a quote inside doubled, and the space after it.
Result<std::string> take_quoted(std::string_view* rest, std::string_view whole) {
  char quote = rest->front();
  std::string item;
  for (size_t at = 1; at < rest->size(); ++at) {
    if ((*rest)[at] != quote) {
      item += (*rest)[at];
    } else if (at + 1 < rest->size() && (*rest)[at + 1] == quote) {
      item += (*rest)[at++];
    } else {
      *rest = trim(rest->substr(at + 1));
      return item;
    }
  }
  return make_error(kCode, "'{}' has a quote that is not closed", whole);
}

Result<OptionValue> parse_value(const OptionInfo& option, std::string_view text) {
  switch (option.type) {
    case OptionType::kBool:
      return parse_bool(text).map([](bool value) { return OptionValue(value); });
    case OptionType::kInt:
    case OptionType::kLong:
      return parse_integer(text).map([](int64_t value) { return OptionValue(value); });
    case OptionType::kDouble:
      return parse_number(text).map([](double value) { return OptionValue(value); });
    case OptionType::kDuration:
      return parse_duration(text).map([](milliseconds value) { return OptionValue(value); });
    case OptionType::kSize:
      return parse_memory_size(text).map([](int64_t value) { return OptionValue(value); });
    case OptionType::kText:
      return OptionValue(std::string(text));
    case OptionType::kEnum:
      return parse_choice(text, option.choices).map([](size_t index) {
        return OptionValue(static_cast<int64_t>(index));
      });
    case OptionType::kList:
      return parse_list(text, ',').map(
          [](std::vector<std::string> value) { return OptionValue(std::move(value)); });
    case OptionType::kMap:
      return parse_map(text).map([](TextMap value) { return OptionValue(std::move(value)); });
  }
  return make_error(kCode, "the option has no type");
}

// The value as a number, when limits can apply to it.
std::optional<double> number_of(const OptionInfo& option, const OptionValue& value) {
  switch (option.type) {
    case OptionType::kInt:
    case OptionType::kLong:
    case OptionType::kSize:
      return static_cast<double>(std::get<int64_t>(value));
    case OptionType::kDouble:
      return std::get<double>(value);
    case OptionType::kDuration:
      return static_cast<double>(std::get<milliseconds>(value).count());
    default:
      return std::nullopt;
  }
}

std::string limit_text(const OptionInfo& option, double limit) {
  if (option.type == OptionType::kDuration) {
    return format_duration(milliseconds(static_cast<int64_t>(limit)));
  }
  if (option.type == OptionType::kSize) return format_memory_size(static_cast<int64_t>(limit));
  return fmt::format("{}", limit);
}

Status check_limits(const OptionInfo& option, const OptionValue& value) {
  std::optional<double> number = number_of(option, value);
  if (!number) return ok();
  constexpr auto kIntMin = std::numeric_limits<int32_t>::min();
  constexpr auto kIntMax = std::numeric_limits<int32_t>::max();
  if (option.type == OptionType::kInt && (*number < kIntMin || *number > kIntMax)) {
    return make_error(kCode, "does not fit 32 bits");
  }
  if (option.min && *number < *option.min) {
    return make_error(kCode, "is below {}, the least allowed", limit_text(option, *option.min));
  }
  if (option.max && *number > *option.max) {
    return make_error(kCode, "is above {}, the most allowed", limit_text(option, *option.max));
  }
  return ok();
}

}  // namespace

Result<bool> parse_bool(std::string_view text) {
  std::string word = lower(trim(text));
  if (word == "true") return true;
  if (word == "false") return false;
  return make_error(kCode, "'{}' is neither true nor false", text);
}

Result<int64_t> parse_integer(std::string_view text) {
  std::string_view trimmed = trim(text);
  int64_t value = 0;
  auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
  if (error == std::errc::result_out_of_range) {
    return make_error(kCode, "'{}' does not fit 64 bits", text);
  }
  if (error != std::errc() || end != trimmed.data() + trimmed.size()) {
    return make_error(kCode, "'{}' is no integer", text);
  }
  return value;
}

Result<double> parse_number(std::string_view text) {
  std::string_view trimmed = trim(text);
  double value = 0;
  auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
  if (error != std::errc() || end != trimmed.data() + trimmed.size()) {
    return make_error(kCode, "'{}' is no number", text);
  }
  return value;
}

Result<milliseconds> parse_duration(std::string_view text) {
  if (is_iso_duration(trim(text))) return parse_iso_duration(trim(text));
  ASSIGN_OR_RETURN(Quantity quantity, split_quantity(text));
  if (quantity.unit == kMicroSign) quantity.unit = "us";
  if (quantity.unit.empty()) {
    return make_error(kCode, "'{}' is a duration without a unit, add d, h, min, s or ms", text);
  }
  const Unit* unit = find_unit(kTimeUnits, quantity.unit);
  if (unit == nullptr) {
    return make_error(
        kCode, "'{}' has the unknown unit '{}', use d, h, min, s or ms", text, quantity.unit);
  }
  if (unit->factor < kNanosPerMilli) {
    return milliseconds(quantity.number / (kNanosPerMilli / unit->factor));
  }
  int64_t result = 0;
  if (__builtin_mul_overflow(quantity.number, unit->factor / kNanosPerMilli, &result)) {
    return make_error(kCode, "'{}' does not fit 64 bits of milliseconds", text);
  }
  return milliseconds(result);
}

Result<int64_t> parse_memory_size(std::string_view text) {
  ASSIGN_OR_RETURN(Quantity quantity, split_quantity(text));
  if (quantity.unit.empty()) {
    return make_error(kCode, "'{}' is a size without a unit, add b, kb, mb, gb or tb", text);
  }
  const Unit* unit = find_unit(kSizeUnits, quantity.unit);
  if (unit == nullptr) {
    return make_error(
        kCode, "'{}' has the unknown unit '{}', use b, kb, mb, gb or tb", text, quantity.unit);
  }
  if (quantity.number < 0) return make_error(kCode, "'{}' is a negative size", text);
  int64_t result = 0;
  if (__builtin_mul_overflow(quantity.number, unit->factor, &result)) {
    return make_error(kCode, "'{}' does not fit 64 bits of bytes", text);
  }
  return result;
}

Result<size_t> parse_choice(std::string_view text, std::span<const std::string_view> choices) {
  std::string word = lower(trim(text));
  for (size_t i = 0; i < choices.size(); ++i) {
    if (lower(choices[i]) == word) return i;
  }
  return make_error(kCode, "'{}' is none of {}", text, fmt::join(choices, ", "));
}

Result<std::vector<std::string>> parse_list(std::string_view text, char separator) {
  std::vector<std::string> items;
  std::string_view rest = trim(text);
  if (rest.empty()) return items;
  while (true) {
    rest = trim(rest);
    bool quoted = !rest.empty() && (rest.front() == '\'' || rest.front() == '"');
    if (quoted) {
      ASSIGN_OR_RETURN(std::string item, take_quoted(&rest, text));
      items.push_back(std::move(item));
    } else {
      size_t end = std::min(rest.find(separator), rest.size());
      items.emplace_back(trim(rest.substr(0, end)));
      rest.remove_prefix(end);
    }
    if (rest.empty()) return items;
    if (rest.front() != separator) {
      return make_error(
          kCode, "'{}' has text after a closing quote, expected '{}'", text, separator);
    }
    rest.remove_prefix(1);
  }
}

Result<TextMap> parse_map(std::string_view text) {
  ASSIGN_OR_RETURN(std::vector<std::string> items, parse_list(text, ','));
  TextMap result;
  for (const std::string& item : items) {
    size_t colon = item.find(':');
    if (colon == std::string::npos) {
      return make_error(kCode, "'{}' has an item '{}' without ':', write key:value", text, item);
    }
    result[std::string(trim(std::string_view(item).substr(0, colon)))] =
        trim(std::string_view(item).substr(colon + 1));
  }
  return result;
}

Result<TextMap> parse_config_file(std::string_view text) {
  TextMap result;
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string_view content = trim(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    size_t colon = content.find(": ");
    if (colon == std::string_view::npos || colon == 0) {
      std::string_view shown = is_secret_option(content) ? kHiddenValue : content;
      return make_error(kCode, "line {}: '{}' is not of the form 'key: value'", number, shown);
    }
    std::string_view value = trim(content.substr(colon + 2));
    bool quoted = value.size() >= 2 && value.front() == value.back() &&
                  (value.front() == '"' || value.front() == '\'');
    if (quoted) value = value.substr(1, value.size() - 2);
    std::string key(trim(content.substr(0, colon)));
    if (!result.emplace(key, value).second) {
      return make_error(kCode, "line {}: key '{}' is there twice, remove one", number, key);
    }
  }
  return result;
}

std::string format_duration(milliseconds duration) {
  // Down to milliseconds; the finer units never divide before them.
  for (const Unit& unit : std::span(kTimeUnits).first(5)) {
    int64_t factor = unit.factor / kNanosPerMilli;
    if (duration.count() != 0 && duration.count() % factor == 0) {
      return fmt::format("{} {}", duration.count() / factor, unit.names[0]);
    }
  }
  return "0 ms";
}

std::string format_memory_size(int64_t bytes) {
  return bytes == 0 ? "0 b" : format_quantity(bytes, kSizeUnits);
}

std::string_view option_type_name(OptionType type) {
  constexpr std::array<std::string_view, 10> kNames = {
      "boolean", "integer", "long", "number", "duration", "size", "text", "choice", "list", "map"};
  return kNames[static_cast<size_t>(type)];
}

const OptionInfo* find_option(OptionTable table, std::string_view key) {
  for (const OptionInfo& option : table) {
    if (option.key == key) return &option;
  }
  return nullptr;
}

std::string_view nearest_option(OptionTable table, std::string_view key) {
  CHECK(!table.empty(), "options to choose from");
  constexpr size_t kComparedMax = 128;  // keys come from clients, and each row is compared
  key = key.substr(0, kComparedMax);
  auto distance = [key](const OptionInfo& a, const OptionInfo& b) {
    return edit_distance(a.key, key) < edit_distance(b.key, key);
  };
  return std::min_element(table.begin(), table.end(), distance)->key;
}

Result<OptionValue> parse_option(const OptionInfo& option, std::string_view text) {
  Result<OptionValue> value = parse_value(option, text);
  if (!value && is_secret_option(option.key)) {
    return make_error(kCode,
                      "option '{}': the value, which is not shown, is no {}",
                      option.key,
                      option_type_name(option.type));
  }
  if (!value) {
    return fail(std::move(value).error().with_context(fmt::format("option '{}'", option.key)));
  }
  if (Status status = check_limits(option, *value); !status) {
    return make_error(kCode, "option '{}': '{}' {}", option.key, text, status.error().message());
  }
  return value;
}

Result<ConfigMap> ConfigMap::create(OptionTable table, const TextMap& texts) {
  ConfigMap config;
  config.values_.resize(table.size());
  config.set_.resize(table.size());
  for (const auto& [key, text] : texts) {
    if (find_option(table, key) != nullptr) continue;
    return make_error(
        kCode, "option '{}' is unknown, did you mean '{}'", key, nearest_option(table, key));
  }
  for (size_t row = 0; row < table.size(); ++row) {
    const OptionInfo& option = table[row];
    auto text = texts.find(option.key);
    config.set_[row] = text != texts.end();
    if (!config.set_[row] && !option.has_default) continue;
    ASSIGN_OR_RETURN(config.values_[row],
                     parse_option(option, config.set_[row] ? text->second : option.default_text));
  }
  return config;
}

}  // namespace lakestream
