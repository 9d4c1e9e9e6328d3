#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/ids.h"
#include "base/result.h"

namespace CLI {
class App;
}

// What commands print: answers on stdout, as a table for people or as one JSON document, and errors
// on stderr.
//
// Thread rule: the main thread, or the session's shard while the main thread waits for it.
//
//   TextTable table({"bucket", "rows"});
//   table.add({"0", "12"});
//   table.print();
namespace lakestream::cli {

enum class OutputFormat : uint8_t { kTable, kJson };

// --format table|json
void add_format_option(CLI::App& app, OutputFormat* format);

// Columns below a header, each as wide as its widest cell; numbers stand to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  // Requires: one cell a column.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string to_string() const;
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Indented, with the end of a line.
void print_json(const nlohmann::ordered_json& document);
void print_line(std::string_view text);

// "command: message" on stderr, or a JSON document there; the exit code of a refused operation.
int refuse(std::string_view command, const Error& error, OutputFormat format);
// Of wrong usage.
int misuse(std::string_view command, std::string_view message);

// "336,776"
std::string with_separators(uint64_t number);
// "3 rows", "1 row"
std::string count_of(uint64_t number, std::string_view noun);
// "2024-05-31T13:45:30.123Z"
std::string time_text(TimestampMs time);

}  // namespace lakestream::cli
