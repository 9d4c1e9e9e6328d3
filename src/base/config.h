#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/result.h"

// Configuration: how values are written, what options exist, and their values. An option table (one
// row an option: key, type, default, limits) is made by tools/gen_config.py together with a typed
// handle for each option. ConfigMap holds texts that were checked against a table once, so that
// reading a value can not fail. All errors are kInvalidConfigException.
//
// Thread rule: pure functions; a ConfigMap is immutable.
//
//   ASSIGN_OR_RETURN(ConfigMap config, ConfigMap::create(server_option_table(), texts));
//   std::chrono::milliseconds period = config.get(server_options::kLogRetentionCheckInterval);
//   std::optional<std::string> remote = config.find(server_options::kRemoteDataDir);
namespace lakestream {

using TextMap = std::map<std::string, std::string, std::less<>>;

// "true" or "false", any case.
Result<bool> parse_bool(std::string_view text);
Result<int64_t> parse_integer(std::string_view text);
Result<double> parse_number(std::string_view text);
// A number with a unit, "10 min", "7d", "500 ms", or ISO 8601, "PT10S". Units: d, h, min, s, ms,
// us, ns and their long names. What is finer than a millisecond is cut off.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);
// A number of bytes with a unit, "1mb", "64 kb". Units: b, kb, mb, gb, tb (powers of 1024).
Result<int64_t> parse_memory_size(std::string_view text);
// Position of the choice that the text names, any case.
Result<size_t> parse_choice(std::string_view text, std::span<const std::string_view> choices);
// "a,b": items in single or double quotes may hold the separator.
Result<std::vector<std::string>> parse_list(std::string_view text, char separator);
// "k:v,k:v"
Result<TextMap> parse_map(std::string_view text);
// The content of a configuration file: lines "key: value", comments after '#'.
Result<TextMap> parse_config_file(std::string_view text);

// In the largest unit without a remainder: "7 d", "90 s".
std::string format_duration(std::chrono::milliseconds duration);
// "1 mb", "1536 kb".
std::string format_memory_size(int64_t bytes);

enum class OptionType : uint8_t {
  kBool,
  kInt,
  kLong,
  kDouble,
  kDuration,
  kSize,
  kText,
  kEnum,
  kList,
  kMap
};
std::string_view option_type_name(OptionType type);

// One row of an option table.
struct OptionInfo {
  std::string_view key;
  OptionType type;
  bool has_default;
  std::string_view default_text;
  std::optional<double> min;  // limits of a number
  std::optional<double> max;
  std::span<const std::string_view> choices;  // of an enum
  bool alterable;                             // while the server runs, or of an existing table
  std::string_view stability;
  std::string_view module;  // who uses it
  std::string_view meaning;
};

// The handle of an option whose values are of type T: its row in the table it belongs to.
template <typename T>
struct Option {
  uint16_t row;
};

using OptionTable = std::span<const OptionInfo>;
using OptionValue = std::variant<std::monostate,
                                 bool,
                                 int64_t,
                                 double,
                                 std::chrono::milliseconds,
                                 std::string,
                                 std::vector<std::string>,
                                 TextMap>;

// nullptr when the table has no such key.
const OptionInfo* find_option(OptionTable table, std::string_view key);
// The key of the table that is most like this one, to help with a slip of the pen.
std::string_view nearest_option(OptionTable table, std::string_view key);
// The value the text stands for: "option 'key': 'text' …" when it is none or out of its limits.
Result<OptionValue> parse_option(const OptionInfo& option, std::string_view text);

class ConfigMap {
 public:
  // Every key has to be in the table and every value has to be valid.
  static Result<ConfigMap> create(OptionTable table, const TextMap& texts);

  // The value or its default. Requires: the option has a default or is_set().
  template <typename T>
  T get(Option<T> option) const {
    return value_as<T>(values_[option.row]);
  }
  // Nothing when it is not set and has no default.
  template <typename T>
  std::optional<T> find(Option<T> option) const {
    const OptionValue& value = values_[option.row];
    if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
    return value_as<T>(value);
  }
  // Whether the user gave it.
  template <typename T>
  bool is_set(Option<T> option) const {
    return set_[option.row];
  }

 private:
  ConfigMap() = default;
  template <typename T>
  static T value_as(const OptionValue& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return std::get<bool>(value);
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      return static_cast<T>(std::get<int64_t>(value));
    } else {
      return std::get<T>(value);
    }
  }
  std::vector<OptionValue> values_;
  std::vector<bool> set_;
};

}  // namespace lakestream
