#include <array>

#include "base/check.h"
#include "kv/merge/aggregate/aggregate.h"

namespace lakestream {
namespace {

struct Entry {
  AggType type;
  Aggregate (*make)(const AggFunction& function, const DataType& type);
};

constexpr std::array kAggregates = {
    Entry{AggType::kSum, make_sum},
    Entry{AggType::kProduct, make_product},
    Entry{AggType::kMax, make_max},
    Entry{AggType::kMin, make_min},
    Entry{AggType::kLastValue, make_last_value},
    Entry{AggType::kLastValueIgnoreNulls, make_last_value_ignore_nulls},
    // A stored null can not be told from nothing stored, so both functions are one.
    Entry{AggType::kFirstValue, make_first_value},
    Entry{AggType::kFirstValueIgnoreNulls, make_first_value},
    Entry{AggType::kListagg, make_listagg},
    Entry{AggType::kStringAgg, make_listagg},
    Entry{AggType::kBoolAnd, make_bool_and},
    Entry{AggType::kBoolOr, make_bool_or},
    Entry{AggType::kRbm32, make_rbm32},
    Entry{AggType::kRbm64, make_rbm64},
};

}  // namespace

Result<Aggregate> make_aggregate(const AggFunction& function, const DataType& type) {
  RETURN_IF_ERROR(function.check(type));
  for (const Entry& entry : kAggregates) {
    if (entry.type == function.type) return entry.make(function, type);
  }
  return make_error(ErrorCode::kInvalidConfigException,
                    "aggregate function {} is unknown to the merge engine",
                    agg_type_name(function.type));
}

}  // namespace lakestream
