#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

#include "base/error_code.h"

// Errors are values. A Result<T> holds a T or an Error; Status is a Result without a value. The
// code of an Error is the protocol's, so that what is born deep inside is what the client sees. A
// message says: thing, value, rule, remedy. Outcomes that are normal (not found, would block) are
// values of T, not errors.
//
// Thread rule: an Error belongs to one thread at a time.
//
//   Result<int64_t> parse(std::string_view text);
//   Status use(std::string_view text) {
//     ASSIGN_OR_RETURN(int64_t value, parse(text));
//     if (value < 0) return make_error(ErrorCode::kUnknownServerError, "{} is negative", value);
//     return ok();
//   }
namespace lakestream {

class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message)
      : code_(code), message_(std::make_unique<std::string>(std::move(message))) {}
  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;
  Error(const Error& other)
      : code_(other.code_), message_(std::make_unique<std::string>(*other.message_)) {}
  Error& operator=(const Error& other) {
    Error copy(other);
    *this = std::move(copy);
    return *this;
  }

  ErrorCode code() const { return code_; }
  const std::string& message() const { return *message_; }
  // "NAME: message", for logs and command lines.
  std::string to_string() const { return fmt::format("{}: {}", error_name(code_), *message_); }
  // Puts "context: " before the message. Called once, by the layer that knows the name of the
  // thing.
  Error with_context(std::string_view context) && {
    message_->insert(0, fmt::format("{}: ", context));
    return std::move(*this);
  }

 private:
  ErrorCode code_;
  std::unique_ptr<std::string> message_;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline Status ok() { return {}; }

template <typename... Args>
tl::unexpected<Error> make_error(ErrorCode code,
                                 fmt::format_string<Args...> format,
                                 Args&&... args) {
  return tl::unexpected<Error>(Error(code, fmt::format(format, std::forward<Args>(args)...)));
}

// Hands an error on to a caller whose Result has another value type.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace lakestream

#define LAKESTREAM_CONCAT_(a, b) a##b
#define LAKESTREAM_CONCAT(a, b) LAKESTREAM_CONCAT_(a, b)

#define RETURN_IF_ERROR(expression)                          \
  do {                                                       \
    auto status_ = (expression);                             \
    if (!status_) [[unlikely]]                               \
      return ::lakestream::fail(std::move(status_).error()); \
  } while (false)

#define ASSIGN_OR_RETURN_IMPL_(result, target, expression) \
  auto result = (expression);                              \
  if (!result) [[unlikely]]                                \
    return ::lakestream::fail(std::move(result).error());  \
  target = std::move(result).value()

#define ASSIGN_OR_RETURN(target, expression) \
  ASSIGN_OR_RETURN_IMPL_(LAKESTREAM_CONCAT(result_, __LINE__), target, expression)

// The same inside a coroutine. Statements, because GCC 12 breaks on co_await in a statement
// expression.
#define CO_RETURN_IF_ERROR(expression)                          \
  do {                                                          \
    auto status_ = (expression);                                \
    if (!status_) [[unlikely]]                                  \
      co_return ::lakestream::fail(std::move(status_).error()); \
  } while (false)

#define CO_ASSIGN_OR_RETURN_IMPL_(result, target, expression) \
  auto result = (expression);                                 \
  if (!result) [[unlikely]]                                   \
    co_return ::lakestream::fail(std::move(result).error());  \
  target = std::move(result).value()

#define CO_ASSIGN_OR_RETURN(target, expression) \
  CO_ASSIGN_OR_RETURN_IMPL_(LAKESTREAM_CONCAT(result_, __LINE__), target, expression)
