#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/arrow_error.h"
#include "lake/batches.h"
#include "lake/iceberg/data/columns.h"
#include "lake/iceberg/data/data.h"
#include "lake/iceberg/data/deletes.h"
#include "lake/iceberg/data/file_maker.h"
#include "lake/iceberg/data/key_bounds.h"
#include "lake/iceberg/data/key_runs.h"
#include "lake/iceberg/data/position_finder.h"
#include "lake/iceberg/data/settings.h"
#include "lake/row_columns.h"
#include "lake/sort_keys.h"

namespace lakestream::iceberg {
namespace {

// Of what is sorted at once: the limits of one Arrow array of texts.
constexpr uint64_t kRunBytesMax = uint64_t{1} << 30;
constexpr size_t kRunRowsMax = size_t{1} << 30;
// Rows that are put in order at once.
constexpr size_t kTakenRows = 1 << 16;
constexpr size_t kTakenBytes = size_t{32} << 20;

// Of files that only the writer itself reads.
constexpr std::string_view kKeysSuffix = "-keys";

bool takes_away(ChangeType change) {
  return change == ChangeType::kUpdateBefore || change == ChangeType::kDelete;
}

// Changes are gathered, sorted by key, and of each key only the newest one is written: a run. As a
// rule there is one run a writer, and then no row that it writes is deleted by it. When there are
// several, a row of an older run whose key is in a newer one is deleted by its position, which is
// cheaper than to write all rows a second time; the runs' keys are kept in files until then.
class KeyWriter final : public LakeWriter {
 public:
  KeyWriter(WritePlace place,
            BucketFiles live,
            std::vector<KeyBounds> live_bounds,
            bool has_position_deletes,
            uint64_t run_bytes,
            RowColumns columns,
            FileMaker data,
            FileMaker keys)
      : place_(std::move(place)),
        live_(std::move(live)),
        live_bounds_(std::move(live_bounds)),
        key_(key_fields(*place_.schema)),
        key_names_(names_of(key_)),
        has_live_(!live_.data.empty()),
        searches_live_(has_position_deletes && has_live_),
        keys_are_deletes_(!has_position_deletes && has_live_),
        run_bytes_(std::min(run_bytes, kRunBytesMax)),
        columns_(std::move(columns)),
        data_(std::move(data)),
        keys_(std::move(keys)) {}

  Status write(const LakeRows& rows) override;
  uint64_t held_bytes() const override { return gathered_bytes_ + held_key_bytes_; }
  Result<LakeFiles> finish() override;

 private:
  Status intact() const;
  // `is_last`: no run comes behind it.
  Status write_run(bool is_last);
  Status write_sorted(const std::shared_ptr<arrow::RecordBatch>& table,
                      std::span<const uint32_t> rows);
  Status write_keys(const arrow::RecordBatch& rows);
  // Feeds the keys of all runs to the finder, each once.
  Status find_keys(PositionFinder* finder) const;
  // Position deletes of what is superseded.
  Status delete_positions(WrittenFiles* written);

  WritePlace place_;
  BucketFiles live_;
  std::vector<KeyBounds> live_bounds_;  // of its data files
  std::vector<NestedField> key_;
  std::vector<std::string> key_names_;
  bool has_live_;
  bool searches_live_;     // for rows that are superseded
  bool keys_are_deletes_;  // the files of keys are equality deletes of the commit
  uint64_t run_bytes_;
  RowColumns columns_;
  FileMaker data_;
  FileMaker keys_;

  std::vector<std::shared_ptr<arrow::RecordBatch>> gathered_;
  std::vector<uint8_t> takes_away_;  // one a gathered row
  uint64_t gathered_bytes_ = 0;

  enum class Keys : uint8_t {
    kNone,
    kInMemory,
    kInFiles,
    kDeletes,  // those alone that live files may have, in files
  };
  Keys keys_of_run_ = Keys::kNone;
  int64_t runs_ = 0;
  std::vector<int64_t> data_runs_;                              // of each file of data_
  std::vector<int64_t> key_runs_;                               // of each file of keys_
  std::vector<std::shared_ptr<arrow::RecordBatch>> held_keys_;  // of the only run
  uint64_t held_key_bytes_ = 0;
  bool is_broken_ = false;
};

Status KeyWriter::intact() const {
  if (!is_broken_) return ok();
  return make_error(ErrorCode::kUnknownServerError,
                    "{}: a write before this one was in vain; begin anew",
                    place_.folder);
}

Status KeyWriter::write(const LakeRows& rows) {
  RETURN_IF_ERROR(intact());
  if (rows.rows->num_rows() == 0) return ok();
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, columns_.apply(rows));
  gathered_bytes_ += static_cast<uint64_t>(batch_bytes(*batch));
  gathered_.push_back(std::move(batch));
  if (rows.changes.empty()) {
    takes_away_.resize(takes_away_.size() + static_cast<size_t>(rows.rows->num_rows()), 0);
  }
  for (ChangeType change : rows.changes) takes_away_.push_back(takes_away(change) ? 1 : 0);
  bool is_full = gathered_bytes_ >= run_bytes_ || takes_away_.size() >= kRunRowsMax;
  return is_full ? write_run(false) : ok();
}

Status KeyWriter::write_run(bool is_last) {
  if (gathered_.empty()) return ok();
  is_broken_ = true;
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> table,
                   from_arrow(arrow::ConcatenateRecordBatches(gathered_)));
  gathered_.clear();
  ++runs_;
  bool is_only = is_last && runs_ == 1;
  keys_of_run_ = Keys::kInFiles;
  if (is_only && keys_are_deletes_) keys_of_run_ = Keys::kDeletes;
  if (is_only && !keys_are_deletes_) keys_of_run_ = has_live_ ? Keys::kInMemory : Keys::kNone;
  std::vector<uint32_t> newest;
  {
    ASSIGN_OR_RETURN(SortKeys keys, SortKeys::make(*table, key_names_));
    std::vector<uint32_t> order = keys.sorted();
    for (size_t i = 0; i < order.size(); ++i) {
      bool is_newest = i + 1 == order.size() || keys.compare(order[i], keys, order[i + 1]) != 0;
      if (is_newest) newest.push_back(order[i]);
    }
  }
  size_t row_bytes = static_cast<size_t>(batch_bytes(*table) / table->num_rows());
  size_t rows = std::clamp<size_t>(kTakenBytes / std::max<size_t>(row_bytes, 1), 1, kTakenRows);
  for (size_t first = 0; first < newest.size(); first += rows) {
    size_t count = std::min(newest.size() - first, rows);
    RETURN_IF_ERROR(write_sorted(table, std::span(newest).subspan(first, count)));
  }
  RETURN_IF_ERROR(data_.end_file());
  RETURN_IF_ERROR(keys_.end_file());
  data_runs_.resize(data_.files().size(), runs_);
  key_runs_.resize(keys_.files().size(), runs_);
  takes_away_.clear();
  gathered_bytes_ = 0;
  is_broken_ = false;
  return ok();
}

Status KeyWriter::write_sorted(const std::shared_ptr<arrow::RecordBatch>& table,
                               std::span<const uint32_t> rows) {
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> taken, take_rows(table, rows));
  if (keys_of_run_ != Keys::kNone) RETURN_IF_ERROR(write_keys(*taken));
  std::vector<uint32_t> kept;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (takes_away_[rows[i]] == 0) kept.push_back(static_cast<uint32_t>(i));
  }
  if (kept.size() < rows.size()) {
    ASSIGN_OR_RETURN(taken, take_rows(taken, kept));
  }
  return data_.write(taken);
}

Status KeyWriter::write_keys(const arrow::RecordBatch& rows) {
  arrow::ArrayVector arrays;
  for (const std::string& name : key_names_) arrays.push_back(rows.GetColumnByName(name));
  std::shared_ptr<arrow::RecordBatch> keys =
      arrow::RecordBatch::Make(keys_.columns(), rows.num_rows(), std::move(arrays));
  if (keys_of_run_ == Keys::kDeletes) {
    ASSIGN_OR_RETURN(SortKeys first_columns, SortKeys::make(*keys, {key_names_.data(), 1}));
    std::vector<uint32_t> kept = rows_within(live_bounds_, first_columns);
    if (kept.size() < first_columns.size()) {
      ASSIGN_OR_RETURN(keys, take_rows(keys, kept));
    }
  }
  if (keys_of_run_ != Keys::kInMemory) return keys_.write(keys);
  held_key_bytes_ += static_cast<uint64_t>(batch_bytes(*keys));
  held_keys_.push_back(std::move(keys));
  return ok();
}

Status KeyWriter::find_keys(PositionFinder* finder) const {
  for (const auto& keys : held_keys_) RETURN_IF_ERROR(finder->find(keys));
  if (keys_.files().empty()) return ok();
  std::vector<std::unique_ptr<KeyRun>> runs;
  for (size_t i = 0; i < keys_.files().size(); ++i) {
    KeyRunOptions options{.key = key_, .sequence = key_runs_[i]};
    options.rows.fields = key_;
    options.rows.number.emplace(PositionFinder::kRunColumn, key_runs_[i]);
    options.rows.whole_bytes = whole_bytes_of_each(keys_.files().size());
    ASSIGN_OR_RETURN(std::unique_ptr<KeyRun> run,
                     open_key_run(place_.objects, keys_.files()[i], std::move(options)));
    runs.push_back(std::move(run));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<KeyMerge> merge, KeyMerge::open(std::move(runs)));
  while (true) {
    ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> keys, merge->next());
    if (keys == nullptr) return ok();
    RETURN_IF_ERROR(finder->find(keys));
  }
}

Status KeyWriter::delete_positions(WrittenFiles* written) {
  DeletedRows deleted;
  PositionFinder finder(place_.objects, key_);
  if (searches_live_) {
    ASSIGN_OR_RETURN(deleted, deleted_rows(place_.objects, live_));
    for (const LiveFile& file : live_.data) {
      finder.add({.file = file.file.get(), .deleted = deleted.of(file.file->path)});
    }
  }
  if (runs_ > 1) {
    for (size_t i = 0; i < data_.files().size(); ++i) {
      finder.add({.file = &data_.files()[i], .run = data_runs_[i]});
    }
  }
  RETURN_IF_ERROR(find_keys(&finder));
  std::vector<FoundRows> found = finder.take();
  if (found.empty()) return ok();
  int first_number = keys_are_deletes_ ? static_cast<int>(keys_.files().size()) + 1 : 1;
  ASSIGN_OR_RETURN(written->deletes, write_position_deletes(place_, found, first_number));
  for (const FoundRows& file : found) {
    bool is_live = std::any_of(live_.data.begin(), live_.data.end(), [&](const LiveFile& live) {
      return live.file.get() == file.file;
    });
    if (is_live) written->referenced.push_back(file.file->path);
  }
  return ok();
}

Result<LakeFiles> KeyWriter::finish() {
  RETURN_IF_ERROR(intact());
  RETURN_IF_ERROR(write_run(true));
  is_broken_ = true;
  WrittenFiles written{.data = {}, .deletes = {}, .seen_sequence = live_.sequence};
  if (searches_live_ || runs_ > 1) RETURN_IF_ERROR(delete_positions(&written));
  written.data = data_.take();
  if (keys_are_deletes_) {
    std::vector<DataFile> deletes = keys_.take();
    written.deletes.insert(written.deletes.begin(), deletes.begin(), deletes.end());
  }
  return to_lake_files(std::move(written));
}

}  // namespace

Result<std::unique_ptr<LakeWriter>> open_key_writer(WriterOptions options, BucketFiles live) {
  WritePlace& place = options.place;
  ASSIGN_OR_RETURN(DataSettings settings, data_settings(place.properties));
  std::vector<NestedField> key = key_fields(*place.schema);
  ASSIGN_OR_RETURN(
      FileMaker data,
      FileMaker::make(place, {.fields = known_fields(*place.schema), .key = ids_of(key)}));
  bool are_deletes = !settings.has_position_deletes && !live.data.empty();
  ASSIGN_OR_RETURN(FileMaker keys,
                   FileMaker::make(place,
                                   {.content = FileContent::kEqualityDeletes,
                                    .fields = key,
                                    .key = ids_of(key),
                                    .suffix = are_deletes ? kDeletesSuffix : kKeysSuffix}));
  ASSIGN_OR_RETURN(
      RowColumns columns,
      RowColumns::make(
          options.columns, data.columns(), place.schema->has_system_columns(), options.bucket));
  std::vector<KeyBounds> live_bounds;
  for (const LiveFile& file : live.data) {
    ASSIGN_OR_RETURN(KeyBounds bounds, KeyBounds::of(*file.file, key.at(0)));
    live_bounds.push_back(std::move(bounds));
  }
  return std::make_unique<KeyWriter>(std::move(place),
                                     std::move(live),
                                     std::move(live_bounds),
                                     settings.has_position_deletes,
                                     options.run_bytes,
                                     std::move(columns),
                                     std::move(data),
                                     std::move(keys));
}

}  // namespace lakestream::iceberg
