#include "kv/replay.h"

#include <utility>
#include <vector>

namespace lakestream {

KvReplay::KvReplay(const KvTable& table, KvEngine& engine)
    : table_(table), engine_(engine), mark_(engine.mark()) {
  if (mark_.applied == Offset(0)) mark_.row_count = 0;
  if (!table.logs_old_rows()) mark_.row_count.reset();
}

Result<const KvReplay::Form*> KvReplay::form_of(SchemaId schema) {
  auto known = forms_.find(schema);
  if (known != forms_.end()) return &known->second;
  const Schema* of_batch = table_.find_schema(schema);
  if (of_batch == nullptr) {
    return make_error(ErrorCode::kUnknownServerError,
                      "the changelog of table {} has rows of schema {}, which the table does not "
                      "have",
                      table_.name(),
                      schema);
  }
  ASSIGN_OR_RETURN(SchemaAlignment alignment, SchemaAlignment::make(*of_batch, table_.schema()));
  Form form{BatchDecoder(table_.options().log_format, *of_batch), std::move(alignment)};
  return &forms_.emplace(schema, std::move(form)).first->second;
}

Status KvReplay::add(const BatchView& batch) {
  if (batch.next_offset() <= mark_.applied) return ok();
  if (batch.base_offset() > mark_.applied) {
    return make_error(ErrorCode::kKvStorageException,
                      "the state of table {} covers the changelog up to offset {}, and the next "
                      "batch begins at {}",
                      table_.name(),
                      mark_.applied,
                      batch.base_offset());
  }
  if (batch.record_count() > 0) {
    ASSIGN_OR_RETURN(const Form* form, form_of(batch.schema_id()));
    ASSIGN_OR_RETURN(DecodedBatch decoded, form->decoder.decode(batch));
    ASSIGN_OR_RETURN(auto columns, form->alignment.apply(std::move(decoded.rows)));
    ASSIGN_OR_RETURN(ArrowRows rows, ArrowRows::make(std::move(columns), table_.schema()));
    for (int64_t i = 0; i < rows.size(); ++i) {
      if (batch.base_offset().value() + i < mark_.applied.value()) continue;
      ChangeType change =
          decoded.changes.empty() ? ChangeType::kAppend : decoded.changes[static_cast<size_t>(i)];
      arena_.clear();
      ASSIGN_OR_RETURN(std::span<const Value> row, rows.row(i, &arena_));
      RETURN_IF_ERROR(add_row(change, row));
    }
  }
  mark_.applied = batch.next_offset();
  mark_.ids.clear();
  return bytes_ < kBytesMax ? ok() : write();
}

Status KvReplay::add_row(ChangeType change, std::span<const Value> row) {
  if (change == ChangeType::kUpdateBefore) return ok();
  if (change == ChangeType::kAppend) {
    return make_error(ErrorCode::kUnknownServerError,
                      "the changelog of table {} has a row without a kind of change",
                      table_.name());
  }
  key_.clear();
  RETURN_IF_ERROR(table_.encode_key(row, &key_));
  bool removed = change == ChangeType::kDelete;
  if (mark_.row_count && removed) --*mark_.row_count;
  if (mark_.row_count && change == ChangeType::kInsert) ++*mark_.row_count;
  value_.clear();
  if (!removed) {
    value_.put(table_.schema_id().value());
    RETURN_IF_ERROR(table_.encode_row(row, &value_));
  }
  auto known = states_.find(key_.view());
  if (known == states_.end()) known = states_.emplace(std::string(key_.view()), State{}).first;
  known->second.value.assign(value_.view());
  known->second.removed = removed;
  bytes_ += key_.size() + value_.size();
  return ok();
}

Status KvReplay::finish() { return mark_ == engine_.mark() ? ok() : write(); }

Status KvReplay::write() {
  std::vector<KvChange> changes;
  changes.reserve(states_.size());
  for (const auto& [key, state] : states_) {
    changes.push_back({key, state.removed, {state.value, {}}});
  }
  RETURN_IF_ERROR(engine_.write(changes, mark_));
  states_.clear();
  bytes_ = 0;
  return ok();
}

}  // namespace lakestream
