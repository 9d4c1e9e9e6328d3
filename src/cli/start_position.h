#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "cli/option_rules.h"
#include "client/types.h"

// Where to begin reading, and times, as they are given on the command line.
//
// Thread rule: pure functions.
//
//   parse_start("offset:100");            // OffsetSpec::exact(Offset(100))
//   parse_start("2024-05-31T13:45:30Z");  // the first row of that time or later
namespace lakestream::cli {

// ISO 8601, in UTC when it has no zone, or milliseconds since 1970-01-01.
std::optional<TimestampMs> parse_time(const std::string& text);
OptionRule time_rule();

// "earliest", "latest", "timestamp:MS", "offset:N" or a time.
std::optional<client::OffsetSpec> parse_start(const std::string& text);
OptionRule start_rule();

}  // namespace lakestream::cli
