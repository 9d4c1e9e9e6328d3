#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "format/value.h"
#include "table/schema.h"

// Aggregate is an aggregate function that was made for one column: how a stored and a new value of
// it become one. Each family of functions is a file of this folder, chosen by registry.cc.
//
// Thread rule: immutable, any thread.
//
//   ASSIGN_OR_RETURN(Aggregate sum, make_aggregate({.type = AggType::kSum}, DataType::bigint()));
//   ASSIGN_OR_RETURN(Value seven, sum.combine(sum, Value::integer(3), Value::integer(4), &arena));
namespace lakestream {

struct Aggregate {
  // Errors: kUnknownServerError for bytes that are no bitmap.
  using Combine = Result<Value> (*)(const Aggregate& self,
                                    const Value& old,
                                    const Value& update,
                                    Arena* arena);
  Combine combine = nullptr;
  // Else it is not called when one of the values is null: the other one stays.
  bool takes_nulls = false;
  int32_t precision = 0;  // of a DECIMAL column
  int32_t scale = 0;
  std::string delimiter = {};  // of listagg
};

// Errors: kInvalidConfigException for a type or parameters that the function does not take.
Result<Aggregate> make_aggregate(const AggFunction& function, const DataType& type);

// The families. Requires: the function supports the type.
Aggregate make_sum(const AggFunction& function, const DataType& type);
Aggregate make_product(const AggFunction& function, const DataType& type);
Aggregate make_max(const AggFunction& function, const DataType& type);
Aggregate make_min(const AggFunction& function, const DataType& type);
Aggregate make_last_value(const AggFunction& function, const DataType& type);
Aggregate make_last_value_ignore_nulls(const AggFunction& function, const DataType& type);
Aggregate make_first_value(const AggFunction& function, const DataType& type);
Aggregate make_listagg(const AggFunction& function, const DataType& type);
Aggregate make_bool_and(const AggFunction& function, const DataType& type);
Aggregate make_bool_or(const AggFunction& function, const DataType& type);
Aggregate make_rbm32(const AggFunction& function, const DataType& type);
Aggregate make_rbm64(const AggFunction& function, const DataType& type);

// Memory that lives as long as the arena's.
inline std::span<uint8_t> arena_bytes(Arena* arena, size_t size) {
  std::span<Value> values = arena->values((size + sizeof(Value) - 1) / sizeof(Value));
  return {reinterpret_cast<uint8_t*>(values.data()), size};
}

}  // namespace lakestream
