#include "cli/output.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/option_rules.h"
#include "cli/text/iso_time.h"
#include "cli/text/width.h"

namespace lakestream::cli {
namespace {

constexpr size_t kGap = 2;  // between columns
constexpr int kJsonIndent = 2;

bool is_number(std::string_view text) {
  if (text.empty()) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || c == ',' || c == '.' || c == '-';
  });
}

}  // namespace

void add_format_option(CLI::App& app, OutputFormat* format) {
  app.add_option_function<std::string>(
         "--format",
         [format](const std::string& text) {
           *format = text == "json" ? OutputFormat::kJson : OutputFormat::kTable;
         },
         "how to print the answer, table by default")
      ->type_name("table|json")
      ->check(one_of({"table", "json"}));
}

std::string TextTable::to_string() const {
  std::vector<size_t> widths(rows_[0].size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      size_t padding = widths[i] - width_of(row[i]);
      bool to_the_right = &row != &rows_[0] && is_number(row[i]);
      if (to_the_right) line.append(padding, ' ');
      line += row[i];
      if (!to_the_right) line.append(padding, ' ');
      line.append(kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

void TextTable::print() const { std::fputs(to_string().c_str(), stdout); }

void print_json(const nlohmann::ordered_json& document) {
  // Text that is no UTF-8 is shown with replacement characters.
  print_line(
      document.dump(kJsonIndent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_line(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

int refuse(std::string_view command, const Error& error, OutputFormat format) {
  std::fflush(stdout);
  if (format == OutputFormat::kJson) {
    nlohmann::ordered_json document;
    document["error"]["code"] = error_name(error.code());
    document["error"]["message"] = error.message();
    std::string text =
        document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::fprintf(stderr, "%s\n", text.c_str());
  } else {
    std::fprintf(
        stderr, "lakestream %s: %s\n", std::string(command).c_str(), error.message().c_str());
  }
  return kRefused;
}

int misuse(std::string_view command, std::string_view message) {
  std::string name(command);
  std::fprintf(stderr,
               "lakestream %s: %s; see `lakestream %s --help`\n",
               name.c_str(),
               std::string(message).c_str(),
               name.c_str());
  return kWrongUsage;
}

std::string with_separators(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string count_of(uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", with_separators(number), noun, number == 1 ? "" : "s");
}

std::string time_text(TimestampMs time) { return format_timestamp(time.value(), 0, 3) + "Z"; }

}  // namespace lakestream::cli
