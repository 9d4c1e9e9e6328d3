#include "cli/option_rules.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/config.h"

namespace lakestream::cli {
namespace {

std::string why_no_table(const std::string& text) {
  std::string_view rest = text;
  size_t dot = rest.find('.');
  if (dot != std::string_view::npos) {
    if (auto why = why_no_name(rest.substr(0, dot))) {
      return fmt::format("database '{}': {}", rest.substr(0, dot), *why);
    }
    rest.remove_prefix(dot + 1);
  }
  if (auto why = why_no_name(rest)) {
    return fmt::format("'{}': {}; a table is named TABLE or DATABASE.TABLE", rest, *why);
  }
  return "";
}

}  // namespace

OptionRule whole_number(int64_t min, int64_t max) {
  return [min, max](const std::string& text) -> std::string {
    Result<int64_t> number = parse_integer(text);
    if (number && *number >= min && *number <= max) return "";
    return fmt::format("'{}' is no whole number from {} to {}", text, min, max);
  };
}

OptionRule byte_size(int64_t min, int64_t max) {
  return [min, max](const std::string& text) -> std::string {
    Result<int64_t> bytes = parse_memory_size(text);
    if (bytes && *bytes >= min && *bytes <= max) return "";
    return fmt::format("'{}' is no size from {} to {}; give a number with b, kb, mb or gb",
                       text,
                       format_memory_size(min),
                       format_memory_size(max));
  };
}

OptionRule duration() {
  return [](const std::string& text) -> std::string {
    if (parse_duration(text)) return "";
    return fmt::format("'{}' is no time; give a number with ms, s, min or h", text);
  };
}

OptionRule one_of(std::vector<std::string> choices) {
  return [choices = std::move(choices)](const std::string& text) -> std::string {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return "";
    return fmt::format("'{}' is none of {}", text, fmt::join(choices, ", "));
  };
}

OptionRule key_and_value() {
  return [](const std::string& text) -> std::string {
    size_t equals = text.find('=');
    if (equals != std::string::npos && equals > 0) return "";
    return fmt::format("'{}' is not KEY=VALUE", text);
  };
}

std::pair<std::string, std::string> split_key_and_value(const std::string& text) {
  size_t equals = text.find('=');
  return {text.substr(0, equals), text.substr(equals + 1)};
}

CLI::Option* add_table_argument(CLI::App& app, TablePath* table) {
  auto take = [table](const std::string& text) {
    size_t dot = text.find('.');
    bool has_database = dot != std::string::npos;
    table->database = has_database ? text.substr(0, dot) : kDefaultDatabase;
    table->table = has_database ? text.substr(dot + 1) : text;
  };
  return app
      .add_option_function<std::string>(
          "TABLE",
          take,
          fmt::format("the table, in database {} unless it is named db.table", kDefaultDatabase))
      ->type_name("")
      ->required()
      ->check(why_no_table);
}

CLI::Option* add_partition_option(CLI::App& app, PartitionSpec* partitions) {
  auto take = [partitions](const std::vector<std::string>& pairs) {
    for (const std::string& pair : pairs) partitions->push_back(split_key_and_value(pair));
  };
  return app
      .add_option_function<std::vector<std::string>>(
          "--partition", take, "only partitions with these values, of one partition key or more")
      ->type_name("KEY=VALUE,…")
      ->delimiter(',')
      ->check(key_and_value());
}

CLI::Option* add_size_option(CLI::App& app,
                             const std::string& name,
                             size_t* bytes,
                             const std::string& meaning,
                             int64_t min,
                             int64_t max) {
  auto take = [bytes](const std::string& text) {
    *bytes = static_cast<size_t>(parse_memory_size(text).value_or(0));
  };
  return app.add_option_function<std::string>(name, take, meaning)
      ->type_name("SIZE")
      ->check(byte_size(min, max));
}

CLI::Option* add_duration_option(CLI::App& app,
                                 const std::string& name,
                                 std::chrono::nanoseconds* value,
                                 const std::string& meaning) {
  auto take = [value](const std::string& text) {
    *value = parse_duration(text).value_or(std::chrono::milliseconds(0));
  };
  return app.add_option_function<std::string>(name, take, meaning)
      ->type_name("TIME")
      ->check(duration());
}

}  // namespace lakestream::cli
