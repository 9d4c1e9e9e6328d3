#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "format/arrow_fwd.h"
#include "format/statistics.h"
#include "format/value.h"
#include "table/schema.h"

// Predicate is a condition on the rows of a table: comparisons of columns with literals under AND
// and OR. Columns are named by their ids, so a predicate holds for batches of every schema; a
// column that a batch lacks is null in all of its rows. A comparison with null is never true.
//
// BatchFilter judges whole batches by their statistics: it says no only when no row can match, by
// SQL's rules (0.0 equals -0.0) as well as by those of Java (it does not). What it does not know
// may match. RowFilter finds the rows, by SQL's rules; NaN equals NaN and is the greatest.
//
// Thread rule: a Predicate and a RowFilter are immutable, any thread; a BatchFilter belongs to one
// thread.
//
//   Predicate wanted = Predicate::leaf(LeafFunction::kGreater, column, {Value::integer(7)});
//   BatchFilter filter(wanted);
//   if (!filter.may_match(schema, schema_id, batch.record_count(), batch.statistics())) skip();
//   ASSIGN_OR_RETURN(RowFilter rows, RowFilter::make(wanted, schema));
//   ASSIGN_OR_RETURN(std::vector<int64_t> matching, rows.matching(columns));
namespace lakestream {

enum class LeafFunction : uint8_t {
  kEqual = 0,  // numbers of the protocol
  kNotEqual = 1,
  kLess = 2,
  kLessOrEqual = 3,
  kGreater = 4,
  kGreaterOrEqual = 5,
  kIsNull = 6,
  kIsNotNull = 7,
  kStartsWith = 8,
  kContains = 9,
  kEndsWith = 10,
  kIn = 11,
  kNotIn = 12,
  kNotStartsWith = 13,  // not in the protocol
  kNotContains = 14,
  kNotEndsWith = 15,
};
inline constexpr LeafFunction kLeafFunctionMax = LeafFunction::kNotIn;  // of the protocol

class Predicate {
 public:
  enum class Kind : uint8_t {
    kAnything,  // every row may match: a condition that is not known
    kLeaf,
    kAll,
    kAny,
  };
  struct Leaf {
    LeafFunction function;
    int32_t column_id;
    DataType type;  // of the column
    std::span<const Value> literals;
  };

  Predicate() = default;
  static Predicate anything() { return {}; }
  // Literals are null or of the kind of the column's type; their texts are copied. When their
  // number or a kind does not fit the function, the predicate is anything().
  static Predicate leaf(LeafFunction function,
                        const Column& column,
                        const std::vector<Value>& literals);
  // Requires: at least one child.
  static Predicate all_of(std::vector<Predicate> children);
  static Predicate any_of(std::vector<Predicate> children);

  Kind kind() const;
  // Requires: kLeaf.
  Leaf leaf() const;
  // Of kAll and kAny.
  std::span<const Predicate> children() const;
  // The columns that leaves name, ascending, each once.
  std::vector<int32_t> column_ids() const;

 private:
  struct Node;
  explicit Predicate(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  static Predicate compound(Kind kind, std::vector<Predicate> children);

  std::shared_ptr<const Node> node_;  // nullptr: anything
};

class BatchFilter {
 public:
  explicit BatchFilter(Predicate predicate) : predicate_(std::move(predicate)) {}

  // Whether a row of a batch may match. `schema` is the one that the batch was written under, the
  // same object each time for one id; `statistics` may be empty.
  bool may_match(const Schema& schema,
                 SchemaId id,
                 int32_t record_count,
                 std::span<const uint8_t> statistics);

 private:
  Predicate predicate_;
  std::map<SchemaId, StatisticsReader> readers_;
  Arena arena_;
};

class RowFilter {
 public:
  // For rows of this schema. Errors: kUnknownServerError for a column of another type.
  static Result<RowFilter> make(const Predicate& predicate, const Schema& schema);

  // The positions of the rows that match, ascending. Errors: kUnknownServerError when the columns
  // are not those of the schema.
  Result<std::vector<int64_t>> matching(const std::shared_ptr<arrow::RecordBatch>& rows) const;

 private:
  struct Node;
  RowFilter(std::shared_ptr<const Node> root, Schema schema)
      : root_(std::move(root)), schema_(std::move(schema)) {}
  static Result<Node> prepare(const Predicate& predicate, const Schema& schema);

  std::shared_ptr<const Node> root_;
  Schema schema_;
};

}  // namespace lakestream
