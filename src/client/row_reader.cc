#include "client/row_reader.h"

#include <algorithm>

#include <arrow/record_batch.h>

#include "client/leader_calls.h"

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
  schemas_.emplace(table_.schema_id, table_.descriptor.schema);
}

Result<std::shared_ptr<RowReader>> RowReader::make(std::shared_ptr<Session> session,
                                                   TableInfo table,
                                                   std::vector<std::string> columns) {
  auto reader = std::make_shared<RowReader>(std::move(session), std::move(table));
  const Schema& schema = reader->table_.descriptor.schema;
  if (columns.empty()) columns = schema.visible_names();
  if (columns.size() == schema.size() && columns == schema.visible_names()) return reader;
  std::vector<int32_t> positions;
  for (const std::string& name : columns) {
    std::optional<size_t> index = schema.index_of(name);
    bool again =
        index && std::find(positions.begin(), positions.end(), static_cast<int32_t>(*index)) !=
                     positions.end();
    if (!index || again) {
      return make_error(ErrorCode::kInvalidColumnProjection,
                        "column \"{}\" of table {}: {}",
                        name,
                        reader->table_.path,
                        again ? "it is named twice" : "there is none of this name");
    }
    positions.push_back(static_cast<int32_t>(*index));
  }
  ASSIGN_OR_RETURN(reader->target_, subset(schema, positions));
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
  return std::optional<ScanBatch>(std::move(rows));
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
