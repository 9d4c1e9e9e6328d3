#include "kv/kv_table.h"

#include <algorithm>

#include "base/endian.h"
#include "kv/merge/merger.h"

namespace lakestream {

Result<std::shared_ptr<KvTable>> KvTable::make(KvTableSpec spec) {
  CHECK(!spec.schemas.empty(), "a table has a schema");
  const Schema& schema = spec.schemas.back().second;
  if (!schema.has_primary_key()) {
    return make_error(ErrorCode::kInvalidTableException,
                      "table {} has no primary key; produce to its log",
                      spec.name);
  }
  TableKeyOptions options;
  options.partition_keys = spec.partition_keys;
  options.bucket_keys = spec.bucket_keys;
  options.lake_format = spec.options.lake.format;
  options.kv_format_version = spec.options.kv_format_version.value_or(1);
  ASSIGN_OR_RETURN(TableKeys keys, TableKeys::of(schema, options));
  return std::make_shared<KvTable>(std::move(spec), std::move(keys));
}

KvTable::KvTable(KvTableSpec spec, TableKeys keys)
    : spec_(std::move(spec)), keys_(std::move(keys)) {
  for (const auto& [id, of_id] : spec_.schemas) {
    readers_.emplace(id, Reader{RowCodec(row_format(), of_id), RowAlignment(of_id, schema())});
  }
  codec_.emplace(row_format(), schema());
  if (!schema().auto_increment_columns().empty()) {
    auto_increment_ = schema().index_of(schema().auto_increment_columns().front());
  }
  changelog_options_.format = spec_.options.log_format;
  changelog_options_.schema_id = schema_id();
  changelog_options_.compression = spec_.options.compression;
  changelog_options_.zstd_level = spec_.options.zstd_level;
  reset_changelog();
}

KvTable::~KvTable() = default;

RowFormat KvTable::row_format() const {
  return spec_.options.kv_format == KvFormat::kIndexed ? RowFormat::kIndexed
                                                       : RowFormat::kCompacted;
}

void KvTable::reset_changelog() { changelog_.emplace(schema(), changelog_options_); }

const Schema* KvTable::find_schema(SchemaId schema) const {
  for (const auto& [id, of_id] : spec_.schemas) {
    if (id == schema) return &of_id;
  }
  return nullptr;
}

Result<std::span<const Value>> KvTable::decode_row(SchemaId schema,
                                                   std::span<const uint8_t> row,
                                                   Arena* arena) const {
  auto found = readers_.find(schema);
  if (found == readers_.end()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "table {} has no schema {}; its schemas are {} to {}",
                      name(),
                      schema,
                      spec_.schemas.front().first,
                      schema_id());
  }
  const Reader& reader = found->second;
  ASSIGN_OR_RETURN(std::span<const Value> values, reader.codec.decode(row, arena));
  return reader.alignment.is_identity() ? values : reader.alignment.apply(values, arena);
}

Result<std::span<const Value>> KvTable::decode_value(std::string_view value, Arena* arena) const {
  if (value.size() < kSchemaIdBytes) {
    return make_error(ErrorCode::kUnknownServerError,
                      "a stored value of table {} has {} bytes and no schema id",
                      name(),
                      value.size());
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(value.data());
  SchemaId schema(load_le<int16_t>(bytes));
  return decode_row(schema, {bytes + kSchemaIdBytes, value.size() - kSchemaIdBytes}, arena);
}

Status KvTable::encode_row(std::span<const Value> row, ByteWriter* out) const {
  return codec_->encode(row, out);
}

Status KvTable::encode_key(std::span<const Value> row, ByteWriter* out) const {
  return keys_.primary_key()->encode(row, out);
}

Status KvTable::check_target_columns(std::span<const int32_t> columns) const {
  if (!auto_increment_) return ok();
  bool sets_it =
      columns.empty() ||
      std::find(columns.begin(), columns.end(), static_cast<int32_t>(*auto_increment_)) !=
          columns.end();
  if (!sets_it) return ok();
  return make_error(ErrorCode::kInvalidTargetColumn,
                    "table {}: column {} is filled by the server; write with target columns that "
                    "leave it out",
                    name(),
                    schema().column(*auto_increment_).name);
}

Result<const RowMerger*> KvTable::merger(std::span<const int32_t> target_columns, bool overwrite) {
  if (target_columns.size() > schema().size()) {
    return make_error(ErrorCode::kInvalidTargetColumn,
                      "table {}: {} target columns, and the table has {}; name each once",
                      name(),
                      target_columns.size(),
                      schema().size());
  }
  std::pair key(std::vector<int32_t>(target_columns.begin(), target_columns.end()), overwrite);
  auto known = mergers_.find(key);
  if (known != mergers_.end()) return known->second.get();
  RETURN_IF_ERROR(check_target_columns(target_columns));
  MergeSpec spec{.schema = schema(),
                 .engine = spec_.options.merge_engine,
                 .version_column = spec_.options.version_column.value_or(""),
                 .target_columns = key.first,
                 .overwrite = overwrite};
  auto made = make_merger(spec);
  if (!made) return fail(std::move(made).error().with_context("table " + name()));
  if (mergers_.size() >= kMergersMax) mergers_.clear();
  return mergers_.emplace(std::move(key), std::move(*made)).first->second.get();
}

}  // namespace lakestream
