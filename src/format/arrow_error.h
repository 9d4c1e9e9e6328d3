#pragma once

#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>

#include "base/result.h"

// From Arrow's results to ours. What Arrow refuses is data that is not what it says, so the code is
// kUnknownServerError.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(auto array, from_arrow(builder.Finish()));
namespace lakestream {

inline Status from_arrow(const arrow::Status& status) {
  if (status.ok()) [[likely]]
    return ok();
  return make_error(ErrorCode::kUnknownServerError, "arrow: {}", status.message());
}

template <typename T>
Result<T> from_arrow(arrow::Result<T> result) {
  if (!result.ok()) [[unlikely]]
    return fail(std::move(from_arrow(result.status())).error());
  return std::move(result).ValueUnsafe();
}

}  // namespace lakestream
