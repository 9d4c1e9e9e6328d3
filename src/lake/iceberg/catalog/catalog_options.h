#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "table/descriptor.h"

// Options that catalogs have in common. Those of the server have "datalake.iceberg." before them.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(std::string uri, required_option(options, "uri"));
namespace lakestream::iceberg {

// Of a catalog in what several share, as clients of Fluss name it without the option "name".
inline constexpr std::string_view kDefaultCatalogName = "fluss-iceberg-catalog";

// kInvalidConfigException when it is not there or empty.
Result<std::string> required_option(const Properties& options, std::string_view name);
// The folder below which tables are made: spelled as it is given, since readers compare paths as
// texts, but without a slash at its end. kInvalidConfigException also when it is no path.
Result<std::string> warehouse_of(const Properties& options);

}  // namespace lakestream::iceberg
