#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/config.h"
#include "base/letter_case.h"
#include "table/ddl.h"
#include "table/options.h"

// The keys of WITH clauses, which SQL has in place of the parts of a table descriptor, and the way
// back from a descriptor to a statement.
namespace lakestream {
namespace {

constexpr std::string_view kBucketCount = "bucket.num";
constexpr std::string_view kBucketKeys = "bucket.key";
constexpr std::string_view kAutoIncrement = "auto-increment.fields";
constexpr std::string_view kFieldPrefix = "fields.";
constexpr std::string_view kAggSuffix = ".agg";

std::string agg_key(std::string_view column) {
  return fmt::format("{}{}{}", kFieldPrefix, column, kAggSuffix);
}

std::string agg_parameter_prefix(std::string_view column, std::string_view function) {
  return fmt::format("{}{}.{}.", kFieldPrefix, column, function);
}

// Takes the option out.
std::optional<std::string> take(Properties* options, std::string_view key) {
  auto entry = options->find(key);
  if (entry == options->end()) return std::nullopt;
  std::string value = std::move(entry->second);
  options->erase(entry);
  return value;
}

Result<std::vector<std::string>> split_names(std::string_view key, std::string_view text) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, parse_list(text, ','));
  if (names.empty() || std::find(names.begin(), names.end(), "") != names.end()) {
    return make_error(ErrorCode::kInvalidTableException,
                      "option '{}': '{}' is no list of columns, write 'a,b'",
                      key,
                      text);
  }
  return names;
}

void take_agg_parameters(Properties* with, const std::string& prefix, AggFunction* function) {
  auto entry = with->lower_bound(prefix);
  while (entry != with->end() && entry->first.starts_with(prefix)) {
    function->parameters[entry->first.substr(prefix.size())] = std::move(entry->second);
    entry = with->erase(entry);
  }
}

Status take_agg(Properties* with, Column* column) {
  std::string key = agg_key(column->name);
  std::optional<std::string> name = take(with, key);
  if (name) {
    std::optional<AggType> type = agg_type_of(*name);
    if (!type) {
      return make_error(ErrorCode::kInvalidTableException,
                        "option '{}': '{}' is no aggregate function",
                        key,
                        *name);
    }
    column->agg = AggFunction{*type, {}};
    take_agg_parameters(with, agg_parameter_prefix(column->name, lower(*name)), &*column->agg);
  }
  if (column->agg) {
    std::string_view canonical = agg_type_name(column->agg->type);
    take_agg_parameters(with, agg_parameter_prefix(column->name, canonical), &*column->agg);
  }
  return ok();
}

Result<Schema> apply_to_schema(const Schema& schema, Properties* with) {
  SchemaBuilder builder;
  for (Column column : schema.columns()) {
    RETURN_IF_ERROR(take_agg(with, &column));
    builder.column_with_ids(std::move(column));
  }
  builder.raise_highest_field_id(schema.highest_field_id());
  builder.primary_key(schema.primary_key());
  std::vector<std::string> auto_increment = schema.auto_increment_columns();
  if (std::optional<std::string> text = take(with, kAutoIncrement)) {
    ASSIGN_OR_RETURN(auto_increment, split_names(kAutoIncrement, *text));
  }
  for (std::string& name : auto_increment) builder.auto_increment(std::move(name));
  for (const auto& [key, value] : *with) {
    if (!key.starts_with(kFieldPrefix) || !key.ends_with(kAggSuffix)) continue;
    return make_error(
        ErrorCode::kInvalidTableException, "option '{}' names no column of the table", key);
  }
  return builder.build();
}

Status apply_to_distribution(TableDescriptor* table, Properties* with) {
  std::optional<std::string> count = take(with, kBucketCount);
  std::optional<std::string> keys = take(with, kBucketKeys);
  if (!count && !keys) return ok();
  if (!table->distribution) table->distribution.emplace();
  if (count) {
    Result<int64_t> number = parse_integer(*count);
    if (!number || *number < INT32_MIN || *number > INT32_MAX) {
      return make_error(ErrorCode::kInvalidTableException,
                        "option '{}': '{}' is no number of buckets",
                        kBucketCount,
                        *count);
    }
    table->distribution->bucket_count = static_cast<int32_t>(*number);
  }
  if (keys) {
    ASSIGN_OR_RETURN(table->distribution->bucket_keys, split_names(kBucketKeys, *keys));
  }
  return ok();
}

// All of the table that a WITH clause holds. What the schema says wins over custom properties of
// the same key, which other clients leave there.
Properties with_of(const TableDescriptor& table) {
  Properties with = table.custom_properties;
  for (const auto& [key, value] : table.properties) with[key] = value;
  for (const Column& column : table.schema.columns()) {
    if (!column.agg) continue;
    std::string_view function = agg_type_name(column.agg->type);
    with[agg_key(column.name)] = function;
    for (const auto& [name, value] : column.agg->parameters) {
      with[agg_parameter_prefix(column.name, function) + name] = value;
    }
  }
  if (!table.schema.auto_increment_columns().empty()) {
    with[std::string(kAutoIncrement)] =
        fmt::format("{}", fmt::join(table.schema.auto_increment_columns(), ","));
  }
  if (table.bucket_count()) {
    with[std::string(kBucketCount)] = fmt::format("{}", *table.bucket_count());
  }
  if (!table.bucket_keys().empty()) {
    with[std::string(kBucketKeys)] = fmt::format("{}", fmt::join(table.bucket_keys(), ","));
  }
  return with;
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += quote_identifier(name);
  }
  return text;
}

}  // namespace

Result<TableDescriptor> apply_with(TableDescriptor table, const Properties& with) {
  Properties rest = with;
  ASSIGN_OR_RETURN(table.schema, apply_to_schema(table.schema, &rest));
  RETURN_IF_ERROR(apply_to_distribution(&table, &rest));
  for (auto& [key, value] : rest) {
    Properties& target = is_table_property(key) ? table.properties : table.custom_properties;
    target[key] = std::move(value);
  }
  return normalize(std::move(table));
}

std::string show_create_table(const TableName& name, TableDescriptor table) {
  table.schema = table.schema.visible();
  std::string text = "CREATE TABLE ";
  if (name.database) text += quote_identifier(*name.database) + ".";
  text += quote_identifier(name.table) + " (";
  std::string_view separator = "\n  ";
  for (const Column& column : table.schema.columns()) {
    text += fmt::format("{}{} {}", separator, quote_identifier(column.name), column.type);
    if (column.comment) text += " COMMENT " + quote_literal(*column.comment);
    separator = ",\n  ";
  }
  if (table.has_primary_key()) {
    text += fmt::format(
        "{}PRIMARY KEY ({}) NOT ENFORCED", separator, quoted_list(table.schema.primary_key()));
  }
  text += "\n)";
  if (table.comment) text += "\nCOMMENT " + quote_literal(*table.comment);
  if (table.is_partitioned()) {
    text += fmt::format("\nPARTITIONED BY ({})", quoted_list(table.partition_keys));
  }
  separator = "\nWITH (\n  ";
  for (const auto& [key, value] : with_of(table)) {
    text += fmt::format("{}{} = {}", separator, quote_literal(key), quote_literal(value));
    separator = ",\n  ";
  }
  if (separator == ",\n  ") text += "\n)";
  return text;
}

}  // namespace lakestream
