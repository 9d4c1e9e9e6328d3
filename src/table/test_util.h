#pragma once

#include <string>

#include <gtest/gtest.h>

#include "base/result.h"

// For the tests of this module.
//
// Thread rule: pure functions.
namespace lakestream {

// "NAME: message" of a refusal, or "accepted".
template <typename T>
std::string outcome(const Result<T>& result) {
  return result ? "accepted" : result.error().to_string();
}

}  // namespace lakestream
