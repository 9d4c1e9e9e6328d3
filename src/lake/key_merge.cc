#include "lake/key_merge.h"

#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_error.h"
#include "format/arrow_schema.h"
#include "lake/batches.h"

namespace lakestream {
namespace {

// That come out at a time.
constexpr size_t kOutputRows = 1 << 16;
constexpr double kOutputBytes = 1 << 25;
// Ranges that are so long on average are copied as ranges, shorter ones row by row.
constexpr size_t kLongRange = 64;

// Files that are fetched whole have this together, so that many small ones do not fill the memory.
constexpr uint64_t kWholeFilesBytes = uint64_t{64} << 20;

// The type of which Parquet's bounds are unambiguous whoever wrote them; nothing: they are not.
std::optional<DataType> bounded_type_of(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT8:
      return DataType::tinyint();
    case arrow::Type::INT16:
      return DataType::smallint();
    case arrow::Type::INT32:
      return DataType::integer();
    case arrow::Type::INT64:
      return DataType::bigint();
    case arrow::Type::DATE32:
      return DataType::date();
    case arrow::Type::STRING:
      return DataType::string();
    default:
      return std::nullopt;
  }
}

}  // namespace

uint64_t whole_bytes_of_each(size_t files) {
  return std::min(kWholeParquetBytes, kWholeFilesBytes / std::max<size_t>(files, 1));
}

Result<std::optional<SortKeys>> key_of_bound(const std::string& column,
                                             const arrow::DataType& type,
                                             std::string_view plain) {
  std::optional<SortKeys> none;
  std::optional<DataType> bounded = bounded_type_of(type);
  if (!bounded) return none;
  std::optional<Value> value = bound_value(*bounded, plain);
  if (!value) return none;
  ASSIGN_OR_RETURN(Schema schema, SchemaBuilder().column(column, *bounded).build());
  ArrowAppender appender(schema);
  RETURN_IF_ERROR(appender.append({&*value, 1}));
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> row, appender.finish());
  ASSIGN_OR_RETURN(SortKeys keys, SortKeys::make(*row, {&column, 1}));
  return std::optional(std::move(keys));
}

Result<std::optional<SortKeys>> least_key_of(const ParquetFileReader& reader,
                                             const std::string& column,
                                             const arrow::DataType& type) {
  ASSIGN_OR_RETURN(std::vector<ParquetColumn> columns, reader.columns());
  for (const ParquetColumn& known : columns) {
    if (known.name == column && known.bounds) return key_of_bound(column, type, known.bounds->min);
  }
  return std::optional<SortKeys>();
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
