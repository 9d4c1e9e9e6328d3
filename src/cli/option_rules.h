#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "table/partition.h"
#include "table/path.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

// Rules for the texts of options, looked at while the command line is read: each gives the reason
// why a text is refused, or nothing. And the options that several commands share.
//
// Thread rule: the main thread.
//
//   app.add_option("--rows", options->rows, "how many")->check(whole_number(1, kRowsMax));
namespace lakestream::cli {

using OptionRule = std::function<std::string(const std::string&)>;

OptionRule whole_number(int64_t min, int64_t max);
// A number with a unit, "2mb".
OptionRule byte_size(int64_t min, int64_t max);
// A time with a unit, "2 min".
OptionRule duration();
OptionRule one_of(std::vector<std::string> choices);
// "key=value"
OptionRule key_and_value();

// TABLE, a name of a table with or without its database.
CLI::Option* add_table_argument(CLI::App& app, TablePath* table);
// --partition K=V,… of commands that read some partitions only.
CLI::Option* add_partition_option(CLI::App& app, PartitionSpec* partitions);
// A size option that takes "2mb".
CLI::Option* add_size_option(CLI::App& app,
                             const std::string& name,
                             size_t* bytes,
                             const std::string& meaning,
                             int64_t min,
                             int64_t max);

// A time option that takes "2 min".
CLI::Option* add_duration_option(CLI::App& app,
                                 const std::string& name,
                                 std::chrono::nanoseconds* value,
                                 const std::string& meaning);

inline constexpr const char* kDefaultDatabase = "fluss";

// Requires: key_and_value() found nothing.
std::pair<std::string, std::string> split_key_and_value(const std::string& text);

}  // namespace lakestream::cli
