#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kv/engine.h"

// The bytes of a KvMark, as the engines keep them: version 1, applied, row count (with a flag
// before it) and the id ranges, little-endian.
//
// Thread rule: pure functions.
//
//   std::string bytes = encode_mark(mark);
//   ASSIGN_OR_RETURN(KvMark again, parse_mark(bytes));
namespace lakestream {

std::string encode_mark(const KvMark& mark);
// Errors: kKvStorageException.
Result<KvMark> parse_mark(std::string_view bytes);

}  // namespace lakestream
