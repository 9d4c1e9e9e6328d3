#include "client/row_reader.h"

#include <algorithm>
#include <numeric>

#include <arrow/record_batch.h>

#include "client/leader_calls.h"
#include "format/arrow_error.h"

namespace lakestream::client {
namespace {

// The columns of a schema at these positions, with their ids.
Result<Schema> subset(const Schema& schema, const std::vector<int32_t>& positions) {
  SchemaBuilder builder;
  for (int32_t position : positions) {
    builder.column_with_ids(schema.column(static_cast<size_t>(position)));
  }
  return builder.build();
}

}  // namespace

RowReader::RowReader(std::shared_ptr<Session> session, TableInfo table)
    : session_(std::move(session)), table_(std::move(table)) {
  target_ = table_.descriptor.schema;
  shown_ = target_;
  schemas_.emplace(table_.schema_id, table_.descriptor.schema);
}

Result<std::vector<int32_t>> RowReader::positions_of(const std::vector<std::string>& names) const {
  std::vector<int32_t> positions;
  for (const std::string& name : names) {
    std::optional<size_t> index = table_.descriptor.schema.index_of(name);
    bool again =
        index && std::find(positions.begin(), positions.end(), static_cast<int32_t>(*index)) !=
                     positions.end();
    if (!index || again) {
      return make_error(ErrorCode::kInvalidColumnProjection,
                        "column \"{}\" of table {}: {}",
                        name,
                        table_.path,
                        again ? "it is named twice" : "there is none of this name");
    }
    positions.push_back(static_cast<int32_t>(*index));
  }
  return positions;
}

// Adds the columns that the condition needs and that are not there yet.
Status RowReader::add_condition(const Predicate& condition, std::vector<int32_t>* positions) {
  const Schema& schema = table_.descriptor.schema;
  for (int32_t id : condition.column_ids()) {
    std::optional<size_t> index = schema.index_of_id(id);
    if (!index) {
      return make_error(ErrorCode::kInvalidColumnProjection,
                        "a condition on the column with id {}: table {} has none",
                        id,
                        table_.path);
    }
    auto position = static_cast<int32_t>(*index);
    if (std::find(positions->begin(), positions->end(), position) == positions->end()) {
      positions->push_back(position);
    }
  }
  ASSIGN_OR_RETURN(target_, subset(schema, *positions));
  ASSIGN_OR_RETURN(filter_, RowFilter::make(condition, target_));
  return ok();
}

Result<std::shared_ptr<RowReader>> RowReader::make(std::shared_ptr<Session> session,
                                                   TableInfo table,
                                                   std::vector<std::string> columns,
                                                   const Predicate& condition) {
  auto reader = std::make_shared<RowReader>(std::move(session), std::move(table));
  const Schema& schema = reader->table_.descriptor.schema;
  bool has_condition = condition.kind() != Predicate::Kind::kAnything;
  if (columns.empty()) columns = schema.visible_names();
  bool is_whole = columns.size() == schema.size() && columns == schema.visible_names();
  if (is_whole && !has_condition) return reader;
  ASSIGN_OR_RETURN(std::vector<int32_t> positions, reader->positions_of(columns));
  ASSIGN_OR_RETURN(reader->shown_, subset(schema, positions));
  reader->target_ = reader->shown_;
  if (has_condition) RETURN_IF_ERROR(reader->add_condition(condition, &positions));
  bool some = positions.size() < schema.size();
  if (some && reader->table_.options.log_format == LogFormat::kArrow) {
    std::sort(positions.begin(), positions.end());
    reader->projection_ = std::move(positions);
  }
  return reader;
}

Task<Status> RowReader::load(std::shared_ptr<RowReader> self, SchemaId schema) {
  if (self->has(schema)) co_return ok();
  CO_ASSIGN_OR_RETURN(SchemaInfo info,
                      co_await get_schema(self->session_, self->table_.path, schema));
  self->schemas_.emplace(schema, std::move(info.schema));
  co_return ok();
}

Result<const RowReader::Form*> RowReader::form_of(SchemaId schema, bool projected) {
  auto found = forms_.find({schema, projected});
  if (found != forms_.end()) return &found->second;
  Schema source = schemas_.at(schema);
  // The server fills up what a batch of an older schema lacks.
  if (projected) {
    ASSIGN_OR_RETURN(source, subset(table_.descriptor.schema, projection_));
  }
  ASSIGN_OR_RETURN(SchemaAlignment alignment, SchemaAlignment::make(source, target_));
  Form form{BatchDecoder(table_.options.log_format, source), std::move(alignment)};
  return &forms_.emplace(std::pair(schema, projected), std::move(form)).first->second;
}

Result<std::optional<ScanBatch>> RowReader::decode(const FetchedBatch& batch,
                                                   Offset from,
                                                   std::optional<Offset> end) {
  int64_t base = batch.view.base_offset().value();
  int64_t begin = std::max(from.value(), base);
  int64_t limit = base + batch.view.record_count();
  if (end) limit = std::min(limit, end->value());
  if (begin >= limit) return std::optional<ScanBatch>();
  ASSIGN_OR_RETURN(const Form* form, form_of(batch.view.schema_id(), batch.projected));
  ASSIGN_OR_RETURN(DecodedBatch decoded, form->decoder.decode(batch.view));
  ASSIGN_OR_RETURN(decoded.rows, form->alignment.apply(std::move(decoded.rows)));
  ScanBatch rows;
  rows.base_offset = Offset(begin);
  rows.timestamp = batch.view.commit_timestamp();
  rows.rows = std::move(decoded.rows);
  rows.changes = std::move(decoded.changes);
  if (limit - begin < rows.rows->num_rows()) {
    rows.rows = rows.rows->Slice(begin - base, limit - begin);
    if (!rows.changes.empty()) {
      rows.changes.erase(rows.changes.begin() + (limit - base), rows.changes.end());
      rows.changes.erase(rows.changes.begin(), rows.changes.begin() + (begin - base));
    }
  }
  if (filter_) RETURN_IF_ERROR(keep_matching(&rows));
  if (rows.rows->num_rows() == 0) return std::optional<ScanBatch>();
  return std::optional<ScanBatch>(std::move(rows));
}

Status RowReader::keep_matching(ScanBatch* rows) const {
  ASSIGN_OR_RETURN(std::vector<int64_t> kept, filter_->matching(rows->rows));
  std::vector<int> shown(shown_.size());
  std::iota(shown.begin(), shown.end(), 0);
  ASSIGN_OR_RETURN(rows->rows, from_arrow(rows->rows->SelectColumns(shown)));
  if (static_cast<int64_t>(kept.size()) == rows->rows->num_rows()) return ok();
  std::vector<ChangeType> changes;
  // Rows that stand together are one piece.
  std::vector<std::shared_ptr<arrow::RecordBatch>> pieces;
  for (size_t begin = 0, end = 0; begin < kept.size(); begin = end) {
    while (end < kept.size() && kept[end] - kept[begin] == static_cast<int64_t>(end - begin)) ++end;
    pieces.push_back(rows->rows->Slice(kept[begin], static_cast<int64_t>(end - begin)));
  }
  for (int64_t position : kept) {
    rows->offsets.emplace_back(rows->base_offset.value() + position);
    if (!rows->changes.empty()) changes.push_back(rows->changes[static_cast<size_t>(position)]);
  }
  rows->changes = std::move(changes);
  if (pieces.size() < 2) {
    rows->rows = pieces.empty() ? rows->rows->Slice(0, 0) : pieces.front();
  } else {
    ASSIGN_OR_RETURN(rows->rows, from_arrow(arrow::ConcatenateRecordBatches(pieces)));
  }
  if (!rows->offsets.empty()) rows->base_offset = rows->offsets.front();
  return ok();
}

Result<std::span<const Value>> RowReader::decode_value(const StoredValue& value, Arena* arena) {
  auto found = value_forms_.find(value.schema_id);
  if (found == value_forms_.end()) {
    const Schema& source = schemas_.at(value.schema_id);
    bool indexed = table_.options.kv_format == KvFormat::kIndexed;
    ValueForm form{RowCodec(indexed ? RowFormat::kIndexed : RowFormat::kCompacted, source),
                   RowAlignment(source, target_)};
    found = value_forms_.emplace(value.schema_id, std::move(form)).first;
  }
  ASSIGN_OR_RETURN(std::span<const Value> row, found->second.codec.decode(value.row, arena));
  return found->second.alignment.apply(row, arena);
}

Task<Result<std::shared_ptr<arrow::RecordBatch>>> RowReader::rows_of(
    std::shared_ptr<RowReader> self, std::vector<StoredValue> values) {
  ArrowAppender rows(self->target_);
  Arena arena;
  for (const StoredValue& value : values) {
    if (!self->has(value.schema_id)) {
      CO_RETURN_IF_ERROR(co_await load(self, value.schema_id));
    }
    arena.clear();
    CO_ASSIGN_OR_RETURN(std::span<const Value> row, self->decode_value(value, &arena));
    CO_RETURN_IF_ERROR(rows.append(row));
  }
  co_return rows.finish();
}

}  // namespace lakestream::client
