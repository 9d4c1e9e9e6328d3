// max and min: numbers by value, texts by their bytes, times by time.

#include <cmath>
#include <utility>

#include "base/check.h"
#include "kv/merge/aggregate/aggregate.h"

namespace lakestream {
namespace {

using Less = bool (*)(const Value& a, const Value& b);

bool integer_less(const Value& a, const Value& b) { return a.as_integer() < b.as_integer(); }
bool decimal_less(const Value& a, const Value& b) { return a.as_decimal() < b.as_decimal(); }
bool bytes_less(const Value& a, const Value& b) { return a.as_bytes() < b.as_bytes(); }
bool timestamp_less(const Value& a, const Value& b) {
  return std::pair(a.timestamp_ms(), a.timestamp_ns()) <
         std::pair(b.timestamp_ms(), b.timestamp_ns());
}

// A total order: -0.0 below 0.0, and NaN above all.
template <typename T>
bool total_less(T a, T b) {
  if (a < b) return true;
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) && !std::signbit(b);
}
bool float_less(const Value& a, const Value& b) { return total_less(a.as_float(), b.as_float()); }
bool double_less(const Value& a, const Value& b) {
  return total_less(a.as_double(), b.as_double());
}

template <Less kLess>
struct Max {
  static Result<Value> combine(const Aggregate& /*self*/,
                               const Value& old,
                               const Value& update,
                               Arena* /*arena*/) {
    return kLess(old, update) ? update : old;
  }
};

template <Less kLess>
struct Min {
  static Result<Value> combine(const Aggregate& /*self*/,
                               const Value& old,
                               const Value& update,
                               Arena* /*arena*/) {
    return kLess(update, old) ? update : old;
  }
};

template <template <Less> typename Extreme>
Aggregate make_extreme(const DataType& type) {
  switch (value_kind_of(type)) {
    case Value::Kind::kInteger:
      return {.combine = Extreme<integer_less>::combine};
    case Value::Kind::kFloat:
      return {.combine = Extreme<float_less>::combine};
    case Value::Kind::kDouble:
      return {.combine = Extreme<double_less>::combine};
    case Value::Kind::kDecimal:
      return {.combine = Extreme<decimal_less>::combine};
    case Value::Kind::kBytes:
      return {.combine = Extreme<bytes_less>::combine};
    default:
      CHECK(value_kind_of(type) == Value::Kind::kTimestamp, "a type with an order");
      return {.combine = Extreme<timestamp_less>::combine};
  }
}

}  // namespace

Aggregate make_max(const AggFunction& /*function*/, const DataType& type) {
  return make_extreme<Max>(type);
}

Aggregate make_min(const AggFunction& /*function*/, const DataType& type) {
  return make_extreme<Min>(type);
}

}  // namespace lakestream
