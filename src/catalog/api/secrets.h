#pragma once

#include <string_view>

// Which options must not be shown to clients, by their names.
//
// Thread rule: pure functions.
//
//   names_secret("datalake.paimon.s3.Access-Key")  // true
namespace lakestream {

bool names_secret(std::string_view key);

}  // namespace lakestream
