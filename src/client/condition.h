#pragma once

#include <optional>

#include "format/predicate.h"
#include "wire/messages.h"

// A condition as servers are told it: at least what it says, so that they leave out nothing that it
// wants. Parts that the protocol has no words for are dropped. Servers that tell 0.0 from -0.0 are
// asked for both.
//
// Thread rule: pure function.
//
//   std::optional<wire::PbPredicate> told = condition_of(predicate);
//   if (told) request.filter_predicate = *told;
namespace lakestream::client {

// Empty when nothing can be told.
std::optional<wire::PbPredicate> condition_of(const Predicate& predicate);

}  // namespace lakestream::client
