#include "lake/key_merge.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "format/arrow_error.h"
#include "lake/batches.h"
#include "lake/parquet/cast.h"

namespace lakestream {
namespace {

// That come out at a time.
constexpr size_t kOutputRows = 1 << 16;
constexpr double kOutputBytes = 1 << 25;
// Ranges that are so long on average are copied as ranges, shorter ones row by row.
constexpr size_t kLongRange = 64;

// Files that are fetched whole have this together, so that many small ones do not fill the memory.
constexpr uint64_t kWholeFilesBytes = uint64_t{64} << 20;

// Whether values that are read as another type stay in their order.
bool keeps_order(arrow::Type::type from, arrow::Type::type to) {
  switch (to) {
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return arrow::is_signed_integer(from);
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return arrow::is_time(from);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return from == arrow::Type::STRING || from == arrow::Type::BINARY ||
             from == arrow::Type::FIXED_SIZE_BINARY;
    case arrow::Type::BOOL:
    case arrow::Type::DATE32:
    case arrow::Type::DECIMAL128:
    case arrow::Type::TIMESTAMP:
      return from == to;
    default:
      return false;
  }
}

}  // namespace

uint64_t whole_bytes_of_each(size_t files) {
  return std::min(kWholeParquetBytes, kWholeFilesBytes / std::max<size_t>(files, 1));
}

Result<std::optional<SortKeys>> least_key_of(const ParquetFileReader& reader,
                                             const std::string& column,
                                             const std::shared_ptr<arrow::DataType>& type) {
  std::optional<SortKeys> none;
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> least, reader.least(column));
  if (least == nullptr || !keeps_order(least->type_id(), type->id())) return none;
  // As rows are read; one that does not fit is no row's value, or its error.
  Result<std::shared_ptr<arrow::Array>> value = cast_array(std::move(least), type);
  if (!value) return none;
  auto row = arrow::RecordBatch::Make(
      arrow::schema({arrow::field(column, type)}), 1, arrow::ArrayVector{*std::move(value)});
  ASSIGN_OR_RETURN(SortKeys keys, SortKeys::make(*row, {&column, 1}));
  return std::optional(std::move(keys));
}

Result<std::unique_ptr<KeyMerge>> KeyMerge::open(std::vector<std::unique_ptr<KeyRun>> runs) {
  auto merge = std::make_unique<KeyMerge>(KeyMerge());
  bool is_only = runs.size() == 1;
  for (std::unique_ptr<KeyRun>& run : runs) {
    auto cursor = std::make_unique<Cursor>();
    cursor->run = std::move(run);
    if (!is_only) {
      ASSIGN_OR_RETURN(cursor->bound, cursor->run->bound());
    }
    if (cursor->bound) {
      merge->push(std::move(cursor));
    } else {
      RETURN_IF_ERROR(merge->start(std::move(cursor)));
    }
  }
  return merge;
}

Status KeyMerge::load(Cursor* cursor) {
  ASSIGN_OR_RETURN(std::optional<KeyBatch> batch, cursor->run->next());
  std::shared_ptr<const Batch> before = std::exchange(cursor->batch, nullptr);
  cursor->row = 0;
  if (!batch) return ok();
  const SortKeys& keys = batch->keys;
  bool is_sorted = keys.is_rising();
  if (before != nullptr) {
    const SortKeys& last = before->run.keys;
    is_sorted = is_sorted && last.compare(last.size() - 1, keys, 0) < 0;
  } else if (cursor->bound) {
    is_sorted = is_sorted && cursor->bound->compare(0, keys, 0) <= 0;
  }
  if (!is_sorted) {
    return make_error(ErrorCode::kUnknownServerError,
                      "{}: its rows are not in the order of their keys",
                      cursor->run->name());
  }
  double row_bytes =
      static_cast<double>(batch_bytes(*batch->rows)) / static_cast<double>(keys.size());
  cursor->batch = std::make_shared<const Batch>(Batch{*std::move(batch), row_bytes});
  return ok();
}

Status KeyMerge::start(std::unique_ptr<Cursor> cursor) {
  RETURN_IF_ERROR(load(cursor.get()));
  cursor->bound.reset();
  if (cursor->is_started()) push(std::move(cursor));
  return ok();
}

void KeyMerge::push(std::unique_ptr<Cursor> cursor) {
  heap_.push_back(std::move(cursor));
  std::push_heap(heap_.begin(), heap_.end(), is_greater);
}

int KeyMerge::compare(const Cursor& a, const Cursor& b) {
  return a.keys().compare(a.row, b.keys(), b.row);
}

bool KeyMerge::is_greater(const std::unique_ptr<Cursor>& a, const std::unique_ptr<Cursor>& b) {
  return compare(*a, *b) > 0;
}

Status KeyMerge::put_back(std::unique_ptr<Cursor> cursor, size_t row) {
  cursor->row = row;
  if (row == cursor->keys().size()) RETURN_IF_ERROR(load(cursor.get()));
  if (cursor->is_started()) push(std::move(cursor));
  return ok();
}

std::unique_ptr<KeyMerge::Cursor> KeyMerge::take_least() {
  std::pop_heap(heap_.begin(), heap_.end(), is_greater);
  std::unique_ptr<Cursor> least = std::move(heap_.back());
  heap_.pop_back();
  return least;
}

void KeyMerge::emit_range(const std::shared_ptr<const Batch>& batch, size_t begin, size_t end) {
  emitted_ += end - begin;
  emitted_bytes_ += batch->row_bytes * static_cast<double>(end - begin);
  if (!ranges_.empty() && ranges_.back().batch == batch && ranges_.back().end == begin) {
    ranges_.back().end = end;
    return;
  }
  ranges_.push_back({batch, begin, end});
}

void KeyMerge::emit(const Cursor& cursor, size_t end) {
  const std::vector<uint8_t>& takes_away = cursor.batch->run.takes_away;
  size_t begin = cursor.row;
  for (size_t row = begin; row < end && !takes_away.empty(); ++row) {
    if (takes_away[row] == 0) continue;
    if (row > begin) emit_range(cursor.batch, begin, row);
    begin = row + 1;
  }
  if (end > begin) emit_range(cursor.batch, begin, end);
}

Status KeyMerge::step() {
  std::unique_ptr<Cursor> least = take_least();
  if (!least->is_started()) return start(std::move(least));
  if (!heap_.empty() && compare(*least, *heap_.front()) == 0) {
    return step_same_key(std::move(least));
  }
  size_t limit = heap_.empty() ? least->keys().size()
                               : least->keys().first_not_below(
                                     least->row, heap_.front()->keys(), heap_.front()->row);
  emit(*least, limit);
  return put_back(std::move(least), limit);
}

Status KeyMerge::step_same_key(std::unique_ptr<Cursor> least) {
  std::vector<std::unique_ptr<Cursor>> same;
  same.push_back(std::move(least));
  while (!heap_.empty() && compare(*same.front(), *heap_.front()) == 0) {
    std::unique_ptr<Cursor> next = take_least();
    if (next->is_started()) {
      same.push_back(std::move(next));
    } else {
      RETURN_IF_ERROR(start(std::move(next)));
    }
  }
  auto sequence_of = [](const std::unique_ptr<Cursor>& cursor) {
    return cursor->batch->run.sequence_of(cursor->row);
  };
  auto newest = std::max_element(same.begin(), same.end(), [&](const auto& a, const auto& b) {
    return sequence_of(a) < sequence_of(b);
  });
  emit(**newest, (*newest)->row + 1);
  for (std::unique_ptr<Cursor>& cursor : same) {
    size_t next = cursor->row + 1;
    RETURN_IF_ERROR(put_back(std::move(cursor), next));
  }
  return ok();
}

Result<std::shared_ptr<arrow::RecordBatch>> KeyMerge::next() {
  while (!heap_.empty() && emitted_ < kOutputRows && emitted_bytes_ < kOutputBytes) {
    RETURN_IF_ERROR(step());
  }
  if (ranges_.empty()) return nullptr;
  Result<std::shared_ptr<arrow::RecordBatch>> rows = gather();
  ranges_.clear();
  emitted_ = 0;
  emitted_bytes_ = 0;
  return rows;
}

Result<std::shared_ptr<arrow::RecordBatch>> KeyMerge::gather() {
  auto slice = [](const Batch& batch, size_t begin, size_t end) {
    return batch.run.rows->Slice(static_cast<int64_t>(begin), static_cast<int64_t>(end - begin));
  };
  if (ranges_.size() == 1) return slice(*ranges_[0].batch, ranges_[0].begin, ranges_[0].end);
  std::vector<std::shared_ptr<arrow::RecordBatch>> parts;
  if (emitted_ / ranges_.size() >= kLongRange) {
    for (const Range& range : ranges_) parts.push_back(slice(*range.batch, range.begin, range.end));
    return from_arrow(arrow::ConcatenateRecordBatches(parts));
  }
  // What is used of each batch, one behind the other, and where it then begins.
  struct Window {
    size_t begin;
    size_t end;
    size_t place = 0;
  };
  std::vector<std::pair<const Batch*, Window>> windows;
  auto window_of = [&](const Batch* batch) {
    return std::find_if(
        windows.begin(), windows.end(), [&](const auto& known) { return known.first == batch; });
  };
  for (const Range& range : ranges_) {
    auto known = window_of(range.batch.get());
    if (known == windows.end()) {
      windows.emplace_back(range.batch.get(), Window{range.begin, range.end});
    } else {
      known->second.end = range.end;
    }
  }
  size_t place = 0;
  for (auto& [batch, window] : windows) {
    parts.push_back(slice(*batch, window.begin, window.end));
    window.place = place;
    place += window.end - window.begin;
  }
  std::vector<uint32_t> order;
  order.reserve(emitted_);
  for (const Range& range : ranges_) {
    const Window& window = window_of(range.batch.get())->second;
    for (size_t row = range.begin; row < range.end; ++row) {
      order.push_back(static_cast<uint32_t>(window.place + row - window.begin));
    }
  }
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> whole,
                   from_arrow(arrow::ConcatenateRecordBatches(parts)));
  return take_rows(whole, order);
}

}  // namespace lakestream
