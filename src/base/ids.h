#pragma once

#include <compare>
#include <cstdint>
#include <functional>

#include <fmt/format.h>

// Strong types for the integers of the protocol, so that an offset is never mistaken for an epoch.
// Arithmetic is written out with value().
//
// Thread rule: values, any thread.
//
//   Offset next(Offset last) { return Offset(last.value() + 1); }
namespace lakestream {

template <typename Tag, typename Integer>
class Id {
 public:
  using Value = Integer;
  constexpr Id() = default;
  explicit constexpr Id(Integer value) : value_(value) {}
  constexpr Integer value() const { return value_; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;

 private:
  Integer value_ = 0;
};

using TableId = Id<struct TableIdTag, int64_t>;
using PartitionId = Id<struct PartitionIdTag, int64_t>;
using BucketId = Id<struct BucketIdTag, int32_t>;
using ServerId = Id<struct ServerIdTag, int32_t>;
using SchemaId = Id<struct SchemaIdTag, int16_t>;  // first schema of a table is 1
using WriterId = Id<struct WriterIdTag, int64_t>;  // kNoWriter when a batch has none
using LeaderEpoch = Id<struct LeaderEpochTag, int32_t>;
using Offset = Id<struct OffsetTag, int64_t>;            // position of a record in a bucket's log
using TimestampMs = Id<struct TimestampMsTag, int64_t>;  // milliseconds since 1970-01-01 UTC

inline constexpr WriterId kNoWriter{-1};
inline constexpr LeaderEpoch kNoLeaderEpoch{-1};

}  // namespace lakestream

template <typename Tag, typename Integer>
struct std::hash<lakestream::Id<Tag, Integer>> {
  size_t operator()(lakestream::Id<Tag, Integer> id) const noexcept {
    return std::hash<Integer>()(id.value());
  }
};

template <typename Tag, typename Integer>
struct fmt::formatter<lakestream::Id<Tag, Integer>> : fmt::formatter<Integer> {
  template <typename Context>
  auto format(const lakestream::Id<Tag, Integer>& id, Context& context) const {
    return fmt::formatter<Integer>::format(id.value(), context);
  }
};
