#include "wire/parts.h"

#include <array>
#include <utility>

#include "wire/messages.h"

namespace lakestream::wire {
namespace {

constexpr auto kFirst = static_cast<size_t>(ApiKey::kApiVersions);
constexpr auto kLast = static_cast<size_t>(ApiKey::kRemoveServerTagByRack);

using InfoOf = const MessageInfo& (*)();

template <size_t... index>
constexpr std::array<InfoOf, sizeof...(index)> requests(std::index_sequence<index...>) {
  return {&ApiTraits<static_cast<ApiKey>(kFirst + index)>::Request::info...};
}

// By the place of the key.
constexpr auto kRequests = requests(std::make_index_sequence<kLast - kFirst + 1>());

}  // namespace

size_t count_parts(ApiKey key, const Bytes& payload) {
  return count_parts(kRequests[static_cast<size_t>(key) - kFirst](), payload);
}

}  // namespace lakestream::wire
