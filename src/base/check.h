#pragma once

#include <string_view>

// CHECK(condition) and CHECK(condition, "why"): invariants of the program, on in every build. A
// broken one prints the place and ends the process. DCHECK is the same for per-row loops and is
// compiled out of release builds. Input from disk or wire is never CHECKed: that is a Result.
//
// Thread rule: any thread.
//
//   CHECK(first <= limit, "range of a fetch");
namespace lakestream {

[[noreturn]] void check_failed(std::string_view expression,
                               std::string_view why,
                               std::string_view file,
                               int line);

}  // namespace lakestream

#define CHECK(condition, ...)                                                                      \
  do {                                                                                             \
    if (!(condition)) [[unlikely]] {                                                               \
      ::lakestream::check_failed(#condition, ::std::string_view{__VA_ARGS__}, __FILE__, __LINE__); \
    }                                                                                              \
  } while (false)

#ifdef NDEBUG
#define DCHECK(condition, ...) \
  do {                         \
  } while (false)
#else
#define DCHECK(condition, ...) CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#endif
