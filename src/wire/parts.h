#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "wire/api.h"

// How many things a request is about. A few of its bytes may name a bucket, and a server makes much
// more of it than those.
//
// Thread rule: pure functions.
//
//   size_t buckets = count_parts(ApiKey::kFetchLog, payload);
namespace lakestream::wire {

struct MessageInfo;

// The elements of all lists of the message, at any depth; of one that is broken, those before the
// break. Requires: the key has a row in the table of APIs.
size_t count_parts(ApiKey key, const Bytes& payload);
// Of any message.
size_t count_parts(const MessageInfo& info, const Bytes& payload);

}  // namespace lakestream::wire
