#include "lake/parquet/dictionaries.h"

#include <algorithm>
#include <memory>

#include <arrow/array.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_error.h"
#include "lake/batches.h"

namespace lakestream {
namespace {

// Of n values out of N that come equally often, about n * n / 2N are repeats. Where they do not
// come equally often there are more, and the dictionary is tried.
constexpr int64_t kMargin = 2;          // by which it has to be too large
constexpr int64_t kTellingRepeats = 4;  // fewer may be missing by chance

Result<bool> is_too_large(const arrow::RecordBatch& column, int64_t dictionary_bytes_max) {
  const std::shared_ptr<arrow::Array> all = column.column(0);
  int64_t count = all->length() - all->null_count();
  int64_t repeats_of_largest =
      std::min(count * batch_bytes(column) / (2 * kMargin * dictionary_bytes_max), count / 2);
  if (repeats_of_largest < kTellingRepeats) return false;
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> different,
                   from_arrow(arrow::compute::Unique(arrow::Datum(all))));
  int64_t repeats = count - (different->length() - different->null_count());
  return repeats < repeats_of_largest;
}

}  // namespace

Result<std::vector<std::string>> columns_without_dictionary(const arrow::RecordBatch& rows,
                                                            int64_t dictionary_bytes_max) {
  std::shared_ptr<arrow::RecordBatch> sample =
      rows.Slice(0, std::min(rows.num_rows(), kDictionarySampleRows));
  std::vector<std::string> names;
  for (int i = 0; i < sample->num_columns(); ++i) {
    const std::shared_ptr<arrow::Field>& field = sample->schema()->field(i);
    if (field->type()->num_fields() > 0 || field->type()->id() == arrow::Type::BOOL) continue;
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> column,
                     from_arrow(sample->SelectColumns({i})));
    ASSIGN_OR_RETURN(bool too_large, is_too_large(*column, dictionary_bytes_max));
    if (too_large) names.push_back(field->name());
  }
  return names;
}

}  // namespace lakestream
