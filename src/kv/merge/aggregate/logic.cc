// bool_and and bool_or.

#include "kv/merge/aggregate/aggregate.h"

namespace lakestream {
namespace {

Result<Value> both(const Aggregate& /*self*/,
                   const Value& old,
                   const Value& update,
                   Arena* /*arena*/) {
  return Value::boolean(old.as_boolean() && update.as_boolean());
}

Result<Value> either(const Aggregate& /*self*/,
                     const Value& old,
                     const Value& update,
                     Arena* /*arena*/) {
  return Value::boolean(old.as_boolean() || update.as_boolean());
}

}  // namespace

Aggregate make_bool_and(const AggFunction& /*function*/, const DataType& /*type*/) {
  return {.combine = both};
}

Aggregate make_bool_or(const AggFunction& /*function*/, const DataType& /*type*/) {
  return {.combine = either};
}

}  // namespace lakestream
