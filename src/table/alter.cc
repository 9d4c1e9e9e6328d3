#include "table/alter.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "table/options.h"
#include "table/table_options.h"

namespace lakestream {
namespace {

constexpr ErrorCode kInvalidAlter = ErrorCode::kInvalidAlterTableException;
constexpr std::string_view kLakePrefix = "table.datalake.";
constexpr std::string_view kLakeFormat = "table.datalake.format";
constexpr std::string_view kStandbyReplica = "table.kv.standby-replica.enabled";

// Keys of table options that the changes touch.
std::vector<std::string_view> touched_options(const OptionChanges& changes) {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : changes.set) keys.push_back(key);
  keys.insert(keys.end(), changes.reset.begin(), changes.reset.end());
  std::erase_if(keys, [](std::string_view key) { return !is_table_property(key); });
  return keys;
}

Status check_alterable(std::string_view key) {
  const OptionInfo* option = find_option(table_option_table(), key);
  if (option == nullptr) {
    return make_error(kInvalidAlter,
                      "option '{}' is unknown, did you mean '{}'",
                      key,
                      nearest_option(table_option_table(), key));
  }
  if (option->alterable) return ok();
  return make_error(
      kInvalidAlter, "option '{}' cannot be changed after the table was created", key);
}

// A table that was made before the cluster had a lake has keys and buckets of its own making, which
// no lake format may rely on. Only where there are no keys the lake can still be turned on.
Status check_lake_keys(const TableDescriptor& table, const std::vector<std::string_view>& keys) {
  if (table.properties.contains(kLakeFormat)) return ok();
  bool keyless = !table.has_primary_key() && table.bucket_keys().empty();
  for (std::string_view key : keys) {
    if (!key.starts_with(kLakePrefix) || (keyless && key == kLakeEnabled)) continue;
    return make_error(kInvalidAlter,
                      "option '{}' cannot be changed, because the table was created before the "
                      "cluster had a lake",
                      key);
  }
  return ok();
}

// What the lake would not show, or would show under a name that it does not have here.
Status check_lake_columns(const TableDescriptor& table, bool was_enabled) {
  ASSIGN_OR_RETURN(TableOptions options, parse_stored_table_options(table.properties));
  if (was_enabled || !options.lake.enabled) return ok();
  for (const Column& column : table.schema.columns()) {
    if (!is_dropped(column)) continue;
    return make_error(
        kInvalidAlter,
        "option '{}': the table has columns that were dropped, which a lake table can "
        "not have; copy the rows to a new table",
        kLakeEnabled);
  }
  return ok();
}

Status check_free(const Schema& schema, std::string_view name) {
  if (name.starts_with(kDroppedPrefix)) {
    return make_error(kInvalidAlter,
                      "column '{}': names that begin with {} are of columns that were dropped, "
                      "choose another",
                      name,
                      kDroppedPrefix);
  }
  if (schema.find(name) == nullptr) return ok();
  return make_error(kInvalidAlter, "column '{}' is there already, choose another name", name);
}

// Clients find keys by the names that their schema has, whatever its age.
Result<size_t> changeable_column(const TableDescriptor& table, const std::string& name) {
  const Schema& schema = table.schema;
  std::optional<size_t> index = schema.index_of(name);
  if (!index || is_dropped(schema.column(*index))) {
    return make_error(kInvalidAlter,
                      "column '{}' does not exist, there are {}",
                      name,
                      fmt::join(schema.visible_names(), ", "));
  }
  auto names_it = [&name](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::string_view role = names_it(schema.primary_key())              ? "the primary key"
                          : names_it(table.bucket_keys())             ? "the bucket key"
                          : names_it(table.partition_keys)            ? "the partition key"
                          : names_it(schema.auto_increment_columns()) ? "what the server fills in"
                                                                      : "";
  if (role.empty()) return *index;
  return make_error(kInvalidAlter,
                    "column '{}' is of {}, which stays as it is; copy the rows to a new table",
                    name,
                    role);
}

Status rename_column(TableDescriptor* table, const std::string& from, std::string to) {
  ASSIGN_OR_RETURN(size_t index, changeable_column(*table, from));
  RETURN_IF_ERROR(check_free(table->schema, to));
  ASSIGN_OR_RETURN(table->schema,
                   SchemaBuilder(std::move(table->schema)).rename(index, std::move(to)).build());
  return ok();
}

Status drop_column(TableDescriptor* table, const std::string& name) {
  ASSIGN_OR_RETURN(size_t index, changeable_column(*table, name));
  const Column& column = table->schema.column(index);
  if (!column.type.nullable()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "column '{}' is NOT NULL, and rows without it would be none for clients that "
                      "know it; leave it out when you read",
                      name);
  }
  if (table->schema.visible_names().size() == 1) {
    return make_error(kInvalidAlter, "column '{}' is the only one, drop the table instead", name);
  }
  std::string hidden = fmt::format("{}{}_{}", kDroppedPrefix, column.id, name);
  ASSIGN_OR_RETURN(
      table->schema,
      SchemaBuilder(std::move(table->schema)).rename(index, std::move(hidden)).build());
  return ok();
}

}  // namespace

Result<TableDescriptor> alter_options(TableDescriptor table,
                                      const OptionChanges& changes,
                                      const TableRules& rules) {
  std::vector<std::string_view> keys = touched_options(changes);
  for (std::string_view key : keys) {
    RETURN_IF_ERROR(check_alterable(key));
    if (key == kStandbyReplica && !table.has_primary_key()) {
      return make_error(kInvalidAlter, "option '{}' needs a table with a primary key", key);
    }
  }
  RETURN_IF_ERROR(check_lake_keys(table, keys));
  ASSIGN_OR_RETURN(TableOptions before, parse_stored_table_options(table.properties));
  for (const auto& [key, value] : changes.set) {
    (is_table_property(key) ? table.properties : table.custom_properties)[key] = value;
  }
  for (const std::string& key : changes.reset) {
    (is_table_property(key) ? table.properties : table.custom_properties).erase(key);
  }
  bool touches_lake = std::find(keys.begin(), keys.end(), kLakeEnabled) != keys.end();
  if (touches_lake && rules.lake_format) {
    table.properties.emplace(kLakeFormat, name_of(*rules.lake_format));
  }
  RETURN_IF_ERROR(check_table(table, rules));
  RETURN_IF_ERROR(check_lake_columns(table, before.lake.enabled));
  return table;
}

Result<Schema> alter_columns(const TableDescriptor& table,
                             ColumnChanges changes,
                             const TableRules& rules) {
  ASSIGN_OR_RETURN(TableOptions options, parse_stored_table_options(table.properties));
  if (options.lake.enabled && !(changes.rename.empty() && changes.drop.empty())) {
    return make_error(kInvalidAlter,
                      "column '{}': a table with a lake ('{}') keeps its columns and their names, "
                      "only new ones can be added at the end",
                      changes.rename.empty() ? changes.drop.front() : changes.rename.front().from,
                      kLakeEnabled);
  }
  TableDescriptor next = table;
  for (ColumnRename& rename : changes.rename) {
    RETURN_IF_ERROR(rename_column(&next, rename.from, std::move(rename.to)));
  }
  for (const std::string& name : changes.drop) RETURN_IF_ERROR(drop_column(&next, name));
  // An option may name a column that has another name now.
  if (!changes.rename.empty() || !changes.drop.empty()) RETURN_IF_ERROR(check_table(next, rules));
  SchemaBuilder builder(next.schema);
  for (Column& column : changes.add) {
    RETURN_IF_ERROR(check_free(next.schema, column.name));
    if (!column.type.nullable()) {
      return make_error(ErrorCode::kUnknownServerError,
                        "column '{}' is NOT NULL, a new column must be nullable because the rows "
                        "before it have no value for it",
                        column.name);
    }
    builder.column(std::move(column));
  }
  ASSIGN_OR_RETURN(Schema schema, builder.build());
  RETURN_IF_ERROR(check_columns(schema, options));
  return schema;
}

}  // namespace lakestream
