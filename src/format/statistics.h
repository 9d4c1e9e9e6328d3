#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "format/byte_writer.h"
#include "format/rows.h"
#include "format/value.h"
#include "table/schema.h"

// The statistics block of batches of magic 1 and 2: null count, minimum and maximum of some
// columns. They are only a hint: what can not be read counts as absent.
//
// Thread rule: pure functions; a StatisticsReader belongs to one thread. A BatchStatistics may not
// outlive its bytes and arena.
//
//   StatisticsReader reader(schema);
//   Arena arena;
//   std::optional<BatchStatistics> hint = reader.read(batch.statistics(), &arena);
namespace lakestream {

struct BatchStatistics {
  std::vector<int32_t> columns;      // positions in the row
  std::vector<int32_t> null_counts;  // a column each, as are minimum and maximum
  std::span<const Value> minimum;    // null when the column has only nulls
  std::span<const Value> maximum;
};

// Scalar types other than BINARY and BYTES.
bool has_statistics(const DataType& type);

// The order of the statistics: texts by unsigned bytes, -0.0 below 0.0, NaN greatest. Requires: two
// values of the type, not null.
bool statistics_less(const DataType& type, const Value& a, const Value& b);

// Reads the blocks of batches of one schema, which must outlive it.
class StatisticsReader {
 public:
  explicit StatisticsReader(const Schema& schema) : schema_(schema) {}

  std::optional<BatchStatistics> read(std::span<const uint8_t> block, Arena* arena);

 private:
  const Schema& schema_;
  // Of the last block; that of the next one has the same columns as a rule.
  std::vector<int32_t> columns_;
  std::optional<RowCodec> codec_;
};

// Appends the block of `columns`. Errors: kUnknownServerError for a column without statistics.
Status write_statistics(const arrow::RecordBatch& rows,
                        const Schema& schema,
                        std::span<const int32_t> columns,
                        ByteWriter* out);

}  // namespace lakestream
