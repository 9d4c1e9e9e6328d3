#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "base/result.h"

// The Parquet library throws: what it says of a file becomes an error value here and goes no
// further.
//
// Thread rule: pure functions.
//
//   return guarded([&]() -> Status { return from_arrow(writer->Close()); });
namespace lakestream {

// `call` returns a Result.
template <typename Call>
std::invoke_result_t<Call> guarded(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& exception) {
    return make_error(ErrorCode::kUnknownServerError, "parquet: {}", exception.what());
  }
}

}  // namespace lakestream
