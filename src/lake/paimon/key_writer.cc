#include "lake/paimon/key_writer.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <arrow/record_batch.h>

#include "format/arrow_error.h"
#include "lake/batches.h"
#include "lake/paimon/file_columns.h"
#include "lake/paimon/lake_files.h"
#include "lake/sort_keys.h"

namespace lakestream::paimon {
namespace {

// Rows that are put in order at once.
constexpr size_t kTakenRows = 1 << 16;
constexpr size_t kTakenBytes = size_t{32} << 20;
// Of what is sorted at once: the limits of one Arrow array of texts.
constexpr uint64_t kSortedBytesMax = uint64_t{1} << 30;
constexpr size_t kSortedRowsMax = size_t{1} << 30;

class KeyWriter final : public LakeWriter {
 public:
  KeyWriter(KeyWriterOptions options,
            const TableSettings& settings,
            RowColumns columns,
            FileMaker data,
            std::optional<FileMaker> changelog)
      : place_(std::move(options.place)),
        key_(place_.schema->trimmed_primary_key()),
        next_sequence_(options.next_sequence),
        limit_(std::min(static_cast<uint64_t>(settings.write_buffer_bytes), kSortedBytesMax)),
        columns_(std::move(columns)),
        data_(std::move(data)),
        changelog_(std::move(changelog)) {}

  Status write(const LakeRows& rows) override;
  std::vector<LakeWork> take_work() override;
  uint64_t held_bytes() const override { return gathered_bytes_; }
  Result<LakeFiles> finish() override;

 private:
  // An error once rows were lost.
  Status intact() const;
  Status write_gathered();
  // Rows of `table` by their places; those that are the newest of their key also as data.
  Status write_sorted(const std::shared_ptr<arrow::RecordBatch>& table,
                      std::span<const uint32_t> order,
                      std::span<const bool> is_newest);

  WritePlace place_;
  std::vector<std::string> key_;
  int64_t next_sequence_;
  uint64_t limit_;
  RowColumns columns_;
  FileMaker data_;
  std::optional<FileMaker> changelog_;

  std::vector<std::shared_ptr<arrow::RecordBatch>> gathered_;
  std::vector<RowKind> kinds_;  // one a gathered row
  uint64_t gathered_bytes_ = 0;
  bool is_broken_ = false;
};

Status KeyWriter::write(const LakeRows& rows) {
  RETURN_IF_ERROR(intact());
  if (rows.rows->num_rows() == 0) return ok();
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, columns_.apply(rows));
  gathered_bytes_ += static_cast<uint64_t>(batch_bytes(*batch));
  gathered_.push_back(std::move(batch));
  if (rows.changes.empty()) {
    kinds_.resize(kinds_.size() + static_cast<size_t>(rows.rows->num_rows()), RowKind::kInsert);
  }
  for (ChangeType change : rows.changes) kinds_.push_back(row_kind_of(change));
  bool is_full = gathered_bytes_ >= limit_ || kinds_.size() >= kSortedRowsMax;
  return is_full ? write_gathered() : ok();
}

std::vector<LakeWork> KeyWriter::take_work() {
  std::vector<LakeWork> work = data_.take_work();
  if (!changelog_) return work;
  for (LakeWork& piece : changelog_->take_work()) work.push_back(std::move(piece));
  return work;
}

Status KeyWriter::intact() const {
  if (!is_broken_) return ok();
  return make_error(ErrorCode::kUnknownServerError,
                    "{}: a write before this one was in vain; begin anew",
                    place_.table);
}

Status KeyWriter::write_gathered() {
  if (gathered_.empty()) return ok();
  is_broken_ = true;
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> table,
                   from_arrow(arrow::ConcatenateRecordBatches(gathered_)));
  gathered_.clear();
  ASSIGN_OR_RETURN(SortKeys keys, SortKeys::make(*table, key_));
  std::vector<uint32_t> order = keys.sorted();
  auto is_newest = std::make_unique<bool[]>(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    is_newest[i] = i + 1 == order.size() || keys.compare(order[i], keys, order[i + 1]) != 0;
  }
  size_t row_bytes = static_cast<size_t>(batch_bytes(*table)) / order.size();
  size_t rows = std::clamp<size_t>(kTakenBytes / std::max<size_t>(row_bytes, 1), 1, kTakenRows);
  for (size_t first = 0; first < order.size(); first += rows) {
    size_t count = std::min(order.size() - first, rows);
    RETURN_IF_ERROR(write_sorted(table,
                                 std::span(order).subspan(first, count),
                                 std::span<const bool>(&is_newest[first], count)));
  }
  if (changelog_) RETURN_IF_ERROR(changelog_->end_file());
  RETURN_IF_ERROR(data_.end_file());
  next_sequence_ += table->num_rows();
  kinds_.clear();
  gathered_bytes_ = 0;
  is_broken_ = false;
  return ok();
}

Status KeyWriter::write_sorted(const std::shared_ptr<arrow::RecordBatch>& table,
                               std::span<const uint32_t> order,
                               std::span<const bool> is_newest) {
  std::vector<uint32_t> newest;
  std::vector<uint32_t> taken;
  for (size_t i = 0; i < order.size(); ++i) {
    if (!changelog_ && !is_newest[i]) continue;
    if (is_newest[i]) newest.push_back(static_cast<uint32_t>(taken.size()));
    taken.push_back(order[i]);
  }
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, take_rows(table, taken));
  std::vector<int64_t> sequences;
  std::vector<RowKind> kinds;
  for (uint32_t row : taken) {
    sequences.push_back(next_sequence_ + row);
    kinds.push_back(kinds_[row]);
  }
  ASSIGN_OR_RETURN(rows, with_sequences(rows, sequences, kinds));
  rows = arranged(data_.columns(), *rows);
  if (changelog_) RETURN_IF_ERROR(changelog_->write(rows));
  if (newest.size() < taken.size()) {
    ASSIGN_OR_RETURN(rows, take_rows(rows, newest));
  }
  return data_.write(rows);
}

Result<LakeFiles> KeyWriter::finish() {
  RETURN_IF_ERROR(intact());
  RETURN_IF_ERROR(write_gathered());
  WrittenFiles written;
  written.place = place_.place;
  ASSIGN_OR_RETURN(written.added, data_.finish());
  if (changelog_) {
    Result<std::vector<DataFile>> changelog = changelog_->finish();
    if (!changelog) {
      remove_files(place_, written.added);
      return fail(std::move(changelog).error());
    }
    written.changelog = *std::move(changelog);
  }
  return to_lake_files(std::move(written));
}

}  // namespace

Result<std::unique_ptr<LakeWriter>> make_key_writer(KeyWriterOptions options) {
  ASSIGN_OR_RETURN(TableSettings settings, table_settings(*options.place.schema));
  ASSIGN_OR_RETURN(RowColumns columns,
                   row_columns_of(options.columns, *options.place.schema, options.bucket));
  ASSIGN_OR_RETURN(FileMaker data, FileMaker::make(options.place, {.leaves_work = true}));
  std::optional<FileMaker> changelog;
  if (settings.has_changelog) {
    ASSIGN_OR_RETURN(
        changelog,
        FileMaker::make(options.place, {.use = FileUse::kChangelog, .leaves_work = true}));
  }
  return std::make_unique<KeyWriter>(
      std::move(options), settings, std::move(columns), std::move(data), std::move(changelog));
}

}  // namespace lakestream::paimon
