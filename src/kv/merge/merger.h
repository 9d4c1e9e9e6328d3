#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/value.h"
#include "table/schema.h"
#include "table/table_choices.h"

// A RowMerger decides what a write makes of the row that a primary key has: the merge engine of the
// table, for all columns or for those that the writer named. One is made for each schema, set of
// target columns and mode, and used for many rows.
//
// All rows are of the schema that the merger was made for. Results point into the arguments or the
// arena.
//
// Thread rule: immutable, any thread.
//
//   ASSIGN_OR_RETURN(auto merger, make_merger({.schema = schema, .engine = engine}));
//   ASSIGN_OR_RETURN(Merged merged, merger->upsert(old, row, &arena));
//   if (merged.outcome == MergeOutcome::kRow) store(merged.row);
namespace lakestream {

using Row = std::span<const Value>;

enum class MergeOutcome : uint8_t {
  kUnchanged,  // the key keeps what it has, a row or none
  kRow,        // the key has Merged::row from now on
  kRemoved,    // the key has no row from now on
};

struct Merged {
  MergeOutcome outcome = MergeOutcome::kUnchanged;
  Row row = {};
};

struct MergeSpec {
  const Schema& schema;
  std::optional<MergeEngine> engine = std::nullopt;  // none: the last row stays
  std::string version_column = {};                   // of kVersioned
  // Positions of the columns that the writer sets; empty: all.
  std::vector<int32_t> target_columns = {};
  // Rows replace each other, whatever the engine (aggregation mode OVERWRITE of the protocol).
  bool overwrite = false;
};

class RowMerger {
 public:
  virtual ~RowMerger() = default;

  // `old` is empty when the key has no row. Errors: kUnknownServerError for a value that cannot be
  // merged, such as a damaged bitmap.
  virtual Result<Merged> upsert(std::optional<Row> old, Row update, Arena* arena) const = 0;
  // Of a key that has a row, on a table that allows deletes.
  virtual Result<Merged> remove(Row old, Arena* arena) const = 0;
  // upsert() always answers the update itself, so the bytes of the row can be stored as they came
  // and the old row matters to the changelog alone.
  virtual bool replaces() const { return false; }
};

// Errors: kInvalidTargetColumn for target columns that break the rules of partial updates;
// kUnknownServerError for target columns on an engine that takes none; kInvalidConfigException for
// a version column or an aggregate function that does not fit the schema.
Result<std::unique_ptr<const RowMerger>> make_merger(const MergeSpec& spec);

}  // namespace lakestream
