#include "lake/iceberg/data/position_finder.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "lake/batches.h"
#include "lake/iceberg/data/columns.h"
#include "lake/iceberg/data/key_bounds.h"

namespace lakestream::iceberg {
namespace {

const int64_t* numbers_of(const arrow::RecordBatch& rows, std::string_view name) {
  std::shared_ptr<arrow::Array> column = rows.GetColumnByName(std::string(name));
  if (column == nullptr) return nullptr;
  return static_cast<const arrow::Int64Array&>(*column).raw_values();
}

}  // namespace

Status PositionFinder::find(const std::shared_ptr<arrow::RecordBatch>& keys) {
  if (keys->num_rows() == 0) return ok();
  std::vector<std::string> names = names_of(key_);
  Wanted wanted{.keys = {}, .edges = {}, .runs = numbers_of(*keys, kRunColumn)};
  ASSIGN_OR_RETURN(wanted.keys, SortKeys::make(*keys, names));
  std::vector<uint32_t> edges = {0, static_cast<uint32_t>(keys->num_rows() - 1)};
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, take_rows(keys, edges));
  ASSIGN_OR_RETURN(wanted.edges, SortKeys::make(*rows, {names.data(), 1}));
  for (File& file : files_) RETURN_IF_ERROR(find_in(&file, wanted));
  return ok();
}

Status PositionFinder::load(File* file) const {
  std::optional<KeyBatch> before = std::exchange(file->batch, std::nullopt);
  file->row = 0;
  ASSIGN_OR_RETURN(file->batch, file->run->next());
  if (!file->batch) {
    file->is_at_end = true;
    return ok();
  }
  const SortKeys& keys = file->batch->keys;
  bool is_sorted = keys.is_rising();
  if (before) is_sorted = is_sorted && before->keys.compare(before->keys.size() - 1, keys, 0) < 0;
  if (is_sorted) return ok();
  return make_error(ErrorCode::kUnknownServerError,
                    "{}: its rows are not in the order of their keys",
                    file->run->name());
}

Status PositionFinder::find_in(File* file, const Wanted& wanted) {
  if (file->run == nullptr) {
    ASSIGN_OR_RETURN(KeyBounds bounds, KeyBounds::of(*file->file.file, key_[0]));
    if (!bounds.may_have(wanted.edges, 0, 1)) return ok();
    KeyRunOptions options{.key = key_};
    options.rows = {.fields = key_, .deleted = file->file.deleted, .with_positions = true};
    options.rows.whole_bytes = whole_bytes_of_each(files_.size());
    ASSIGN_OR_RETURN(file->run, open_key_run(objects_, *file->file.file, std::move(options)));
  }
  const SortKeys& keys = wanted.keys;
  for (size_t i = 0; i < keys.size();) {
    if (!file->batch || file->row == file->batch->keys.size()) {
      if (file->is_at_end) return ok();
      RETURN_IF_ERROR(load(file));
      if (!file->batch) return ok();
    }
    const SortKeys& have = file->batch->keys;
    file->row = have.first_not_below(file->row, keys, i);
    if (file->row == have.size()) continue;
    if (have.compare(file->row, keys, i) == 0) {
      const int64_t* positions = numbers_of(*file->batch->rows, kPositionColumn);
      bool is_older = wanted.runs == nullptr || wanted.runs[i] > file->file.run;
      if (is_older) file->found.push_back(positions[file->row]);
      ++i;
    } else {
      i = keys.first_not_below(i, have, file->row);
    }
  }
  return ok();
}

std::vector<FoundRows> PositionFinder::take() {
  std::vector<FoundRows> all;
  for (File& file : files_) {
    if (file.found.empty()) continue;
    // Those of a file that is not in the order of the key are not.
    std::sort(file.found.begin(), file.found.end());
    all.push_back({.file = file.file.file, .rows = std::move(file.found)});
  }
  std::sort(all.begin(), all.end(), [](const FoundRows& a, const FoundRows& b) {
    return a.file->path < b.file->path;
  });
  return all;
}

}  // namespace lakestream::iceberg
