#include "client/upsert_plan.h"

#include <algorithm>
#include <cstring>

#include "base/checksum.h"
#include "client/row_check.h"

namespace lakestream::client {
namespace {

template <typename... Args>
tl::unexpected<Error> not_writable(const TablePath& path,
                                   std::string_view column,
                                   fmt::format_string<Args...> format,
                                   Args&&... args) {
  return make_error(ErrorCode::kInvalidTargetColumn,
                    "column '{}' of table {}: {}",
                    column,
                    path,
                    fmt::format(format, std::forward<Args>(args)...));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Result<std::shared_ptr<const UpsertPlan>> UpsertPlan::make(
    const TableMetadata& table, const std::vector<std::string>& columns) {
  ASSIGN_OR_RETURN(auto keys, KeyPlan::make(table));
  bool indexed = table.info.options.kv_format == KvFormat::kIndexed;
  RowCodec codec(indexed ? RowFormat::kIndexed : RowFormat::kCompacted,
                 table.info.descriptor.schema);
  auto plan = std::make_shared<UpsertPlan>(UpsertPlan(std::move(keys), std::move(codec)));
  RETURN_IF_ERROR(plan->choose(columns));
  return std::shared_ptr<const UpsertPlan>(std::move(plan));
}

// The columns of the rows.
Status UpsertPlan::choose(const std::vector<std::string>& columns) {
  const TablePath& path = keys_->table().path;
  const Schema& schema = keys_->table().descriptor.schema;
  std::vector<std::string> names = columns;
  bool whole = names.empty();
  if (whole) names = schema.visible_names();
  SchemaBuilder builder;
  for (const std::string& name : names) {
    std::optional<size_t> index = schema.index_of(name);
    if (!index) return not_writable(path, name, "there is none of this name");
    bool again = std::find(positions_.begin(), positions_.end(), *index) != positions_.end();
    if (again) return not_writable(path, name, "it is named twice");
    if (contains(schema.auto_increment_columns(), name)) {
      return not_writable(path, name, "the server fills it in; name the other columns only");
    }
    builder.column_with_ids(schema.column(*index));
    types_.push_back(schema.column(*index).type);
    positions_.push_back(*index);
  }
  ASSIGN_OR_RETURN(rows_, builder.build());
  if (whole || positions_.size() == schema.size()) return ok();
  for (const Column& column : schema.columns()) {
    if (contains(names, column.name)) continue;
    if (contains(schema.primary_key(), column.name)) {
      return not_writable(
          path, column.name, "it is part of the primary key, which each row needs; name it, too");
    }
    if (!column.type.nullable()) {
      return not_writable(
          path, column.name, "it is NOT NULL, and a row that is new would have none; name it, too");
    }
  }
  for (size_t position : positions_) target_columns_.push_back(static_cast<int32_t>(position));
  std::sort(target_columns_.begin(), target_columns_.end());
  return ok();
}

Result<UpsertPlan::Record> UpsertPlan::record_of(std::span<const Value> row,
                                                 UpsertScratch* scratch) const {
  auto checked = check_row(types_, row);
  if (!checked) return fail(std::move(checked).error());
  scratch->values.assign(codec_.fields().size(), Value::null());
  for (size_t i = 0; i < row.size(); ++i) scratch->values[positions_[i]] = row[i];
  ASSIGN_OR_RETURN(KeyPlace place, keys_->place_of_row(scratch->values, &scratch->key));
  scratch->row.clear();
  RETURN_IF_ERROR(codec_.encode(scratch->values, &scratch->row));
  return Record{place, scratch->row.span()};
}

Result<UpsertPlan::Record> UpsertPlan::removal_of(std::span<const Value> key,
                                                  UpsertScratch* scratch) const {
  ASSIGN_OR_RETURN(KeyPlace place, keys_->place_of_key(key, &scratch->key));
  return Record{place, {}};
}

Bytes kv_with_writer(const Bytes& batch, const BatchWriter& writer) {
  constexpr size_t kCrc = 5;
  constexpr size_t kCrcEnd = 9;
  constexpr size_t kWriter = 12;
  constexpr size_t kSequence = 20;
  MutableBytes copy = MutableBytes::allocate(batch.size());
  std::memcpy(copy.data(), batch.data(), batch.size());
  store_le<int64_t>(copy.data() + kWriter, writer.id.value());
  store_le<int32_t>(copy.data() + kSequence, writer.sequence);
  store_le<uint32_t>(copy.data() + kCrc, crc32c(copy.span().subspan(kCrcEnd)));
  return std::move(copy).freeze();
}

}  // namespace lakestream::client
