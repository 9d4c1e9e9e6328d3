// last_value, last_value_ignore_nulls, first_value and first_value_ignore_nulls.

#include "kv/merge/aggregate/aggregate.h"

namespace lakestream {
namespace {

Result<Value> keep_old(const Aggregate& /*self*/,
                       const Value& old,
                       const Value& /*update*/,
                       Arena* /*arena*/) {
  return old;
}

Result<Value> take_update(const Aggregate& /*self*/,
                          const Value& /*old*/,
                          const Value& update,
                          Arena* /*arena*/) {
  return update;
}

}  // namespace

Aggregate make_last_value(const AggFunction& /*function*/, const DataType& /*type*/) {
  return {.combine = take_update, .takes_nulls = true};
}

Aggregate make_last_value_ignore_nulls(const AggFunction& /*function*/, const DataType& /*type*/) {
  return {.combine = take_update};
}

Aggregate make_first_value(const AggFunction& /*function*/, const DataType& /*type*/) {
  return {.combine = keep_old};
}

}  // namespace lakestream
