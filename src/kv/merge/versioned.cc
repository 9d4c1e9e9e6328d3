#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "kv/merge/engines.h"

namespace lakestream {
namespace {

// A version as numbers that compare like it: nothing is older than null.
using Version = std::pair<int64_t, int32_t>;

class Versioned final : public RowMerger {
 public:
  Versioned(size_t column, TypeRoot root) : column_(column), root_(root) {}

  Result<Merged> upsert(std::optional<Row> old, Row update, Arena* /*arena*/) const override {
    if (old && version_of(update) < version_of(*old)) return Merged{MergeOutcome::kUnchanged, {}};
    return Merged{MergeOutcome::kRow, update};
  }
  Result<Merged> remove(Row /*old*/, Arena* /*arena*/) const override {
    return make_error(ErrorCode::kUnknownServerError,
                      "merge engine VERSIONED takes no deletes, ignore or forbid them");
  }

 private:
  Version version_of(Row row) const {
    const Value& value = row[column_];
    bool integer = root_ == TypeRoot::kInteger;
    if (value.is_null()) {
      // Equal to the smallest value of the type, which may replace it.
      return {integer ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min(),
              0};
    }
    if (integer || root_ == TypeRoot::kBigint) return {value.as_integer(), 0};
    return {value.timestamp_ms(), value.timestamp_ns()};
  }

  size_t column_;
  TypeRoot root_;
};

}  // namespace

Result<std::unique_ptr<const RowMerger>> make_versioned(const Schema& schema,
                                                        const std::string& version_column) {
  std::optional<size_t> index = schema.index_of(version_column);
  if (!index) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "version column '{}' of merge engine VERSIONED is not a column of the table",
                      version_column);
  }
  const DataType& type = schema.column(*index).type;
  switch (type.root()) {
    case TypeRoot::kInteger:
    case TypeRoot::kBigint:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return std::make_unique<Versioned>(*index, type.root());
    default:
      return make_error(
          ErrorCode::kInvalidConfigException,
          "version column '{}' of merge engine VERSIONED has type {}, it must be INT, "
          "BIGINT, TIMESTAMP or TIMESTAMP_LTZ",
          version_column,
          type);
  }
}

}  // namespace lakestream
