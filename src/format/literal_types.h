#pragma once

#include <array>

#include "table/types.h"

// The types of literals in the predicates of a fetch, by the numbers that the protocol gives them.
//
// Thread rule: a constant, any thread.
namespace lakestream {

inline constexpr std::array kLiteralTypes = {
    TypeRoot::kBoolean,
    TypeRoot::kTinyint,
    TypeRoot::kSmallint,
    TypeRoot::kInteger,
    TypeRoot::kBigint,
    TypeRoot::kFloat,
    TypeRoot::kDouble,
    TypeRoot::kChar,
    TypeRoot::kString,
    TypeRoot::kDecimal,
    TypeRoot::kDate,
    TypeRoot::kTime,
    TypeRoot::kTimestamp,
    TypeRoot::kTimestampLtz,
    TypeRoot::kBinary,
    TypeRoot::kBytes,
};

}  // namespace lakestream
