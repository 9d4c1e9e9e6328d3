// listagg, also called string_agg: texts one after the other with a delimiter between them.

#include <cstring>
#include <string_view>

#include "kv/merge/aggregate/aggregate.h"

namespace lakestream {
namespace {

Result<Value> join(const Aggregate& self, const Value& old, const Value& update, Arena* arena) {
  std::string_view parts[] = {old.as_bytes(), self.delimiter, update.as_bytes()};
  std::span<uint8_t> text = arena_bytes(arena, parts[0].size() + parts[1].size() + parts[2].size());
  uint8_t* end = text.data();
  for (std::string_view part : parts) {
    if (!part.empty()) std::memcpy(end, part.data(), part.size());
    end += part.size();
  }
  return Value::bytes(text);
}

}  // namespace

Aggregate make_listagg(const AggFunction& function, const DataType& /*type*/) {
  auto delimiter = function.parameters.find("delimiter");
  return {.combine = join,
          .delimiter = delimiter == function.parameters.end() ? "," : delimiter->second};
}

}  // namespace lakestream
