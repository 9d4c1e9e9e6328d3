#include "tablet/table_context.h"

#include "table/options.h"

namespace lakestream {

Result<std::shared_ptr<TableContext>> TableContext::make(std::shared_ptr<const TableEntry> table) {
  auto options = parse_stored_table_options(table->descriptor.properties);
  if (!options) {
    return fail(std::move(options).error().with_context(fmt::format("table {}", table->path)));
  }
  return std::make_shared<TableContext>(std::move(table), std::move(*options));
}

TableContext::TableContext(std::shared_ptr<const TableEntry> table, TableOptions options)
    : table_(std::move(table)), options_(std::move(options)) {
  for (const auto& schema : table_->schemas) {
    shapes_.emplace(schema->id, BatchShape(options_.log_format, schema->schema));
  }
}

const BatchShape* TableContext::find(SchemaId schema) const {
  auto found = shapes_.find(schema);
  return found == shapes_.end() ? nullptr : &found->second;
}

Result<std::shared_ptr<KvTable>> TableContext::shared_kv() {
  if (kv_ != nullptr) return kv_;
  if (!has_primary_key()) {
    return make_error(ErrorCode::kNonPrimaryKeyTableException,
                      "table {} has no primary key; append to it and read its log",
                      table_->path);
  }
  KvTableSpec spec;
  spec.name = fmt::to_string(table_->path);
  for (const auto& schema : table_->schemas) spec.schemas.emplace_back(schema->id, schema->schema);
  spec.options = options_;
  spec.partition_keys = table_->descriptor.partition_keys;
  spec.bucket_keys = table_->descriptor.bucket_keys();
  ASSIGN_OR_RETURN(kv_, KvTable::make(std::move(spec)));
  return kv_;
}

Result<KvTable*> TableContext::kv() {
  ASSIGN_OR_RETURN(std::shared_ptr<KvTable> table, shared_kv());
  return table.get();
}

Result<const Projection*> TableContext::projection(SchemaId schema,
                                                   std::span<const int32_t> columns) {
  if (options_.log_format != LogFormat::kArrow) {
    return make_error(
        ErrorCode::kInvalidColumnProjection,
        "table {} has a row log format, only table.log.format=ARROW can be projected; "
        "read all columns and choose in the client",
        table_->path);
  }
  std::pair key(schema, std::vector<int32_t>(columns.begin(), columns.end()));
  auto found = projections_.find(key);
  if (found != projections_.end()) return &found->second;
  const SchemaEntry* entry = table_->find_schema(schema);
  if (entry == nullptr) {
    return make_error(
        ErrorCode::kSchemaNotExist, "table {} has no schema {}", table_->path, schema);
  }
  ASSIGN_OR_RETURN(Projection made,
                   Projection::make(table_->latest_schema().schema, entry->schema, columns));
  if (projections_.size() >= kProjectionsMax) projections_.clear();
  return &projections_.emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace lakestream
