#include <optional>
#include <utility>

#include "kv/merge/engines.h"
#include "kv/merge/merger.h"
#include "kv/merge/partial_columns.h"

namespace lakestream {
namespace {

Status refuse_targets(const MergeSpec& spec) {
  if (spec.target_columns.empty()) return ok();
  return make_error(ErrorCode::kUnknownServerError,
                    "merge engine {} takes no partial updates, write all columns",
                    name_of(*spec.engine));
}

}  // namespace

Result<std::unique_ptr<const RowMerger>> make_merger(const MergeSpec& spec) {
  std::optional<MergeEngine> engine = spec.overwrite ? std::nullopt : spec.engine;
  if (engine == MergeEngine::kFirstRow) {
    RETURN_IF_ERROR(refuse_targets(spec));
    return make_first_row();
  }
  if (engine == MergeEngine::kVersioned) {
    RETURN_IF_ERROR(refuse_targets(spec));
    return make_versioned(spec.schema, spec.version_column);
  }
  ASSIGN_OR_RETURN(auto partial, PartialColumns::make(spec.schema, spec.target_columns));
  if (engine == MergeEngine::kAggregation) return make_aggregation(spec.schema, std::move(partial));
  return make_last_row(std::move(partial));
}

}  // namespace lakestream
