#include "kv/merge_put.h"

#include <algorithm>
#include <limits>

#include "base/endian.h"
#include "kv/byte_view.h"

namespace lakestream {
namespace {

// Few bytes of a partial update or of an aggregation may stand for a large row.
constexpr size_t kMergedBytesMax = 64 << 20;

std::string_view text_of(std::span<const uint8_t, kSchemaIdBytes> bytes) { return to_view(bytes); }

}  // namespace

KvTablet::Merge::Merge(KvTablet& tablet, KvTable& table, const KvPut& put, const RowMerger& merger)
    : tablet_(tablet), table_(table), put_(put), merger_(merger), batch_(*tablet.prepared_) {
  reads_old_ = table.logs_old_rows() || !merger.replaces() || table.auto_increment();
  batch_.source = put.batch.bytes();
  store_le(batch_.source_schema.data(), put.batch.schema_id().value());
  store_le(batch_.table_schema.data(), table.schema_id().value());
  batch_.writes.reserve(static_cast<size_t>(put.batch.record_count()));
  batch_.mark.row_count = tablet.newest_mark().row_count;
  if (!table.logs_old_rows()) batch_.mark.row_count.reset();
}

void KvTablet::Merge::use(const KvLoad& load, size_t position) {
  load_ = &load;
  load_first_ = load.first_of_batch_[position];
}

Status KvTablet::Merge::run() {
  RETURN_IF_ERROR(check_schema());
  KvReader reader(put_.batch);
  for (size_t index = 0; !reader.at_end(); ++index) {
    ASSIGN_OR_RETURN(KvRecord record, reader.next());
    Status merged = merge_record(record, index);
    if (!merged) {
      return fail(std::move(merged).error().with_context(fmt::format(
          "table {}: record {} of {}", table_.name(), index, put_.batch.record_count())));
    }
  }
  return ok();
}

Status KvTablet::Merge::merge_record(const KvRecord& record, size_t index) {
  arena_.clear();
  std::string_view key = to_view(record.key);
  return record.row ? upsert(key, *record.row, index) : remove(key, index);
}

Status KvTablet::Merge::upsert(std::string_view key,
                               std::span<const uint8_t> encoded,
                               size_t index) {
  ASSIGN_OR_RETURN(Row update, table_.decode_row(put_.batch.schema_id(), encoded, &arena_));
  RETURN_IF_ERROR(check_key(key, update));
  std::optional<Row> old;
  if (reads_old_) {
    ASSIGN_OR_RETURN(old, old_row(key, index));
  }
  ASSIGN_OR_RETURN(Merged merged, merger_.upsert(old, update, &arena_));
  if (merged.outcome == MergeOutcome::kUnchanged) return ok();
  CHECK(merged.outcome == MergeOutcome::kRow, "an upsert removes nothing");
  if (!old && table_.auto_increment()) {
    ASSIGN_OR_RETURN(merged.row, fill_auto_increment(merged.row));
  }
  RETURN_IF_ERROR(log_update(old, merged.row));
  if (!old && batch_.mark.row_count) ++*batch_.mark.row_count;
  if (merged.row.data() != update.data()) return write_merged(key, merged.row);
  write({key, {text_of(batch_.source_schema), to_view(encoded)}});
  return ok();
}

Status KvTablet::Merge::remove(std::string_view key, size_t index) {
  RETURN_IF_ERROR(check_key_size(key));
  // Overwriting is how an engine's own effects are undone, so it deletes, too.
  switch (put_.overwrite ? DeleteBehavior::kAllow : table_.delete_behavior()) {
    case DeleteBehavior::kIgnore:
      return ok();
    case DeleteBehavior::kDisable:
      return make_error(ErrorCode::kDeletionDisabledException,
                        "deletes are disabled by 'table.delete.behavior'; nothing of this batch "
                        "was written");
    case DeleteBehavior::kAllow:
      break;
  }
  ASSIGN_OR_RETURN(std::optional<Row> old, old_row(key, index));
  if (!old) return ok();
  ASSIGN_OR_RETURN(Merged merged, merger_.remove(*old, &arena_));
  if (merged.outcome == MergeOutcome::kUnchanged) return ok();
  if (merged.outcome == MergeOutcome::kRow) {
    RETURN_IF_ERROR(log_update(old, merged.row));
    return write_merged(key, merged.row);
  }
  RETURN_IF_ERROR(log_change(ChangeType::kDelete, *old));
  if (batch_.mark.row_count) --*batch_.mark.row_count;
  write({key, {}, true});
  return ok();
}

// Retriable: the writer may know of a schema that has not reached this server yet.
Status KvTablet::Merge::check_schema() {
  if (table_.find_schema(put_.batch.schema_id()) != nullptr) return ok();
  return make_error(ErrorCode::kSchemaNotExist,
                    "table {} has no schema {}; the latest here is {}",
                    table_.name(),
                    put_.batch.schema_id(),
                    table_.schema_id());
}

Status KvTablet::Merge::check_key_size(std::string_view key) {
  if (!key.empty() || table_.keys().primary_key()->encoding() == KeyEncoding::kIceberg) return ok();
  return make_error(ErrorCode::kUnknownServerError, "the key is empty; encode all key columns");
}

// After a restart the key is computed from the row in the changelog, so the two must agree.
Status KvTablet::Merge::check_key(std::string_view key, Row row) {
  scratch_.clear();
  RETURN_IF_ERROR(table_.encode_key(row, &scratch_));
  if (scratch_.view() == key) return ok();
  return make_error(ErrorCode::kUnknownServerError,
                    "the key of {} bytes is not that of its row; encode keys as "
                    "'table.kv.format-version' and 'table.datalake.format' say (a newer client may "
                    "be needed)",
                    key.size());
}

Result<std::optional<Row>> KvTablet::Merge::old_row(std::string_view key, size_t index) {
  if (const Write* newest = tablet_.find(key)) {
    if (newest->removed) return std::optional<Row>();
    SchemaId schema(load_le<int16_t>(to_span(newest->value[0]).data()));
    return table_.decode_row(schema, to_span(newest->value[1]), &arena_);
  }
  CHECK(load_ != nullptr, "old rows were not loaded");
  const KvRead& read = load_->lookup_.rows_[load_first_ + index];
  CHECK(read.state != KvRead::State::kWouldBlock, "the load is not complete");
  if (read.state == KvRead::State::kAbsent) return std::optional<Row>();
  return table_.decode_value(to_view(read.value.span()), &arena_);
}

Status KvTablet::Merge::log_change(ChangeType change, Row row) {
  return table_.changelog().append(change, row);
}

Status KvTablet::Merge::log_update(std::optional<Row> old, Row row) {
  if (!reads_old_) return log_change(ChangeType::kUpdateAfter, row);  // may be an insert
  if (!old) return log_change(ChangeType::kInsert, row);
  if (table_.logs_old_rows()) RETURN_IF_ERROR(log_change(ChangeType::kUpdateBefore, *old));
  return log_change(ChangeType::kUpdateAfter, row);
}

Result<Row> KvTablet::Merge::fill_auto_increment(Row row) {
  size_t column = *table_.auto_increment();
  CHECK(!tablet_.ids_.empty(), "ids are reserved before the put");
  IdRange& range = tablet_.ids_.front();
  int64_t id = range.start++;
  if (range.start > range.end) tablet_.ids_.erase(tablet_.ids_.begin());
  const Column& of_table = table_.schema().column(column);
  if (of_table.type.root() == TypeRoot::kInteger && id > std::numeric_limits<int32_t>::max()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "auto-increment column {} is INT and its next value is {}; no more rows fit, "
                      "create a table whose column is BIGINT",
                      of_table.name,
                      id);
  }
  std::span<Value> filled = arena_.values(row.size());
  std::copy(row.begin(), row.end(), filled.begin());
  filled[column] = Value::integer(id);
  return Row(filled);
}

Status KvTablet::Merge::write_merged(std::string_view key, Row row) {
  scratch_.clear();
  RETURN_IF_ERROR(table_.encode_row(row, &scratch_));
  batch_.row_bytes += scratch_.size();
  if (batch_.row_bytes > kMergedBytesMax) {
    return make_error(ErrorCode::kRecordTooLargeException,
                      "the merged rows of the batch take more than {} bytes; write smaller batches",
                      kMergedBytesMax);
  }
  std::string_view encoded = batch_.rows.copy(scratch_.view());
  write({key, {text_of(batch_.table_schema), encoded}});
  return ok();
}

void KvTablet::Merge::write(Write write) {
  batch_.writes.push_back(write);
  batch_.replaced.push_back(tablet_.remember(batch_.writes.back()));
}

}  // namespace lakestream
