#include "lake/iceberg/mapping.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "lake/iceberg/data/settings.h"
#include "lake/iceberg/expiry.h"
#include "lake/lake.h"
#include "lake/table_changes.h"

namespace lakestream::iceberg {
namespace {

constexpr std::string_view kIcebergPrefix = "iceberg.";
constexpr std::string_view kOwnPrefix = "fluss.";  // what is ours and not Iceberg's
constexpr std::string_view kCatalogPrefix = "table.datalake.iceberg.";
constexpr std::string_view kMergeOnRead = "merge-on-read";
constexpr std::array<std::string_view, 3> kWriteModes = {
    "write.delete.mode", "write.update.mode", "write.merge.mode"};
constexpr std::array<std::string_view, 3> kSystemNames = {
    kLakeBucketColumn, kLakeOffsetColumn, kLakeTimestampColumn};

// Options of Iceberg that a table of ours can have with one value only.
struct Rule {
  std::string_view key;
  std::string_view taken;
  std::string_view why;
};
constexpr std::array<Rule, 4> kRules = {
    {{"format-version", "2", "no other version of the format is written"},
     {"write.metadata.compression-codec", "none", "compressed metadata is not read"},
     {"write.format.default", "parquet", "data files are written in no other format"},
     {"write.delete.format.default", "parquet", "delete files are written in no other format"}}};

bool is_system_name(std::string_view name) {
  return std::find(kSystemNames.begin(), kSystemNames.end(), name) != kSystemNames.end();
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

tl::unexpected<Error> refused(std::string_view what) {
  return make_error(ErrorCode::kInvalidTableException, "{}", what);
}

// Whether Iceberg can hash values of the type as our buckets do.
bool can_be_bucket_key(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kInteger:
    case TypeRoot::kBigint:
    case TypeRoot::kChar:
    case TypeRoot::kString:
    case TypeRoot::kBinary:
    case TypeRoot::kBytes:
    case TypeRoot::kDecimal:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp:
      return true;
    default:
      return false;
  }
}

// Two keys of ours must not be one there.
std::optional<std::string_view> no_identifier(const DataType& type) {
  bool is_float = type.is(TypeRoot::kFloat) || type.is(TypeRoot::kDouble);
  if (type.is_nested() || is_float) return "by which Iceberg identifies no rows";
  bool is_time =
      type.is(TypeRoot::kTime) || type.is(TypeRoot::kTimestamp) || type.is(TypeRoot::kTimestampLtz);
  if (is_time && type.precision() > 6) return "and Iceberg has microseconds; use precision 6";
  return std::nullopt;
}

std::string bucket_field_of(const std::string& key) { return key + "_bucket"; }

// Java does not load a table with a partition field of the name of another column.
std::optional<std::string> taken_by_partitions(const std::string& column,
                                               const TableDescriptor& table) {
  std::vector<std::string> keys = table.bucket_keys();
  if (keys.empty() || column != bucket_field_of(keys[0])) return std::nullopt;
  return fmt::format(
      "an Iceberg table with bucket key {} has a partition field of this name; give the column "
      "another one",
      keys[0]);
}

Status check_column(const Column& column, const TableDescriptor& table) {
  if (is_system_name(column.name)) {
    return refused(
        fmt::format("column {}: in an Iceberg table the name is the system's; give it another one",
                    column.name));
  }
  if (auto why = taken_by_partitions(column.name, table)) {
    return refused(fmt::format("column {}: {}", column.name, *why));
  }
  if (contains(table.partition_keys, column.name) && !column.type.is(TypeRoot::kString)) {
    return refused(fmt::format(
        "partition key {}: it is {}, and Iceberg tables are partitioned by STRING columns only",
        column.name,
        column.type));
  }
  if (!contains(table.schema.primary_key(), column.name)) return ok();
  if (auto why = no_identifier(column.type)) {
    return refused(fmt::format("primary key {}: it is {}, {}", column.name, column.type, *why));
  }
  return ok();
}

Status check_bucket_keys(const TableDescriptor& table) {
  std::vector<std::string> keys = table.bucket_keys();
  if (keys.size() > 1) {
    return refused(
        fmt::format("bucket keys ({}): an Iceberg table has one at most, name it with 'bucket.key'",
                    fmt::join(keys, ", ")));
  }
  if (keys.empty() && table.has_primary_key()) {
    return refused("an Iceberg table with a primary key needs a bucket key");
  }
  if (keys.empty()) return ok();
  const Column* column = table.schema.find(keys[0]);
  if (column == nullptr || can_be_bucket_key(column->type)) return ok();
  return refused(fmt::format("bucket key {}: it is {}, which Iceberg does not spread over buckets",
                             keys[0],
                             column->type));
}

// The key in Iceberg; nothing for what is not handed on.
std::optional<std::string> iceberg_key(std::string_view key) {
  if (key.starts_with(kIcebergPrefix)) return std::string(key.substr(kIcebergPrefix.size()));
  if (key.starts_with(kCatalogPrefix)) return std::nullopt;
  return fmt::format("{}{}", kOwnPrefix, key);
}

Status check_option(std::string_view key, std::string_view value, bool has_primary_key) {
  for (const Rule& rule : kRules) {
    if (key != rule.key || value == rule.taken) continue;
    return refused(fmt::format(
        "option iceberg.{} is '{}', which a table can not have: {}", key, value, rule.why));
  }
  bool is_mode = std::find(kWriteModes.begin(), kWriteModes.end(), key) != kWriteModes.end();
  if (!is_mode || !has_primary_key || value == kMergeOnRead) return ok();
  return refused(
      fmt::format("option iceberg.{} is '{}': changes of a table with a primary key are "
                  "merged when it is read",
                  key,
                  value));
}

Result<Properties> properties_of(const TableDescriptor& table) {
  // Else every commit would leave a file of metadata for good.
  Properties properties = {{"write.metadata.delete-after-commit.enabled", "true"}};
  if (table.has_primary_key()) {
    for (std::string_view mode : kWriteModes) properties[std::string(mode)] = kMergeOnRead;
  }
  for (const Properties* given : {&table.properties, &table.custom_properties}) {
    for (const auto& [key, value] : *given) {
      std::optional<std::string> mapped = iceberg_key(key);
      if (!mapped) continue;
      RETURN_IF_ERROR(check_option(*mapped, value, table.has_primary_key()));
      // It is no property of a table but a part of its metadata.
      if (*mapped != kRules[0].key) properties[*mapped] = value;
    }
  }
  RETURN_IF_ERROR(check_retention(properties));
  ASSIGN_OR_RETURN([[maybe_unused]] DataSettings settings, data_settings(properties));
  return properties;
}

// The columns, with ids 1..n and nested ones behind.
std::vector<NestedField> fields_of(const Schema& columns) {
  std::vector<NestedField> fields;
  for (const Column& column : columns.columns()) {
    NestedField field;
    field.name = column.name;
    field.required = !column.type.nullable();
    field.doc = column.comment;
    fields.push_back(std::move(field));
  }
  for (std::string_view name : kSystemNames) {
    NestedField field;
    field.name = name;
    field.required = true;
    fields.push_back(std::move(field));
  }
  auto highest_id = static_cast<int32_t>(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    fields[i].id = static_cast<int32_t>(i + 1);
    if (i < columns.size()) fields[i].type = iceberg_type_of(columns.column(i).type, &highest_id);
  }
  size_t system = columns.size();
  fields[system].type = iceberg_type_of(DataType::integer(), &highest_id);
  fields[system + 1].type = iceberg_type_of(DataType::bigint(), &highest_id);
  fields[system + 2].type = iceberg_type_of(DataType::timestamp_ltz(6), &highest_id);
  return fields;
}

IcebergPartitionSpec spec_for(const TableDescriptor& table, const IcebergSchema& schema) {
  IcebergPartitionSpec spec;
  auto add = [&](std::string_view column, std::string name, std::string transform) {
    spec.fields.push_back(
        {.source_id = schema.find(column)->id,
         .field_id = kFirstPartitionFieldId + static_cast<int32_t>(spec.fields.size()),
         .name = std::move(name),
         .transform = std::move(transform)});
  };
  for (const std::string& key : table.partition_keys) add(key, key, std::string(kIdentity));
  std::vector<std::string> bucket_keys = table.bucket_keys();
  if (bucket_keys.empty()) {
    add(kLakeBucketColumn, std::string(kLakeBucketColumn), std::string(kIdentity));
  } else {
    add(bucket_keys[0],
        bucket_field_of(bucket_keys[0]),
        fmt::format("bucket[{}]", table.bucket_count().value_or(1)));
  }
  return spec;
}

// As much of the columns as differs is named: "column 2 is a int, not b string".
std::optional<std::string> columns_differ(const std::vector<NestedField>& there,
                                          const std::vector<NestedField>& wanted) {
  for (size_t i = 0; i < std::max(there.size(), wanted.size()); ++i) {
    auto text = [&](const std::vector<NestedField>& fields) {
      if (i >= fields.size()) return std::string("missing");
      return fmt::format("{} {}{}",
                         fields[i].name,
                         to_string(fields[i].type),
                         fields[i].required ? " required" : "");
    };
    bool same = i < there.size() && i < wanted.size() && same_field(there[i], wanted[i]);
    if (!same) return fmt::format("column {} is {}, not {}", i + 1, text(there), text(wanted));
  }
  return std::nullopt;
}

// Names, sorted.
std::vector<std::string> identifiers_of(const IcebergSchema& schema) {
  std::vector<std::string> names;
  for (int32_t id : schema.identifier_ids) {
    const NestedField* field = schema.find(id);
    names.push_back(field != nullptr ? field->name : std::to_string(id));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string name_of(const IcebergSchema& schema, int32_t id) {
  const NestedField* field = schema.find(id);
  return field != nullptr ? field->name : std::to_string(id);
}

std::string text_of(const IcebergPartitionSpec& spec, const IcebergSchema& schema) {
  std::vector<std::string> fields;
  for (const PartitionField& field : spec.fields) {
    fields.push_back(
        fmt::format("{} = {}({})", field.name, field.transform, name_of(schema, field.source_id)));
  }
  return fmt::format("{}", fmt::join(fields, ", "));
}

std::string text_of(const SortOrder& order, const IcebergSchema& schema) {
  std::vector<std::string> fields;
  for (const SortField& field : order.fields) {
    fields.push_back(fmt::format("{}({}) {} {}",
                                 field.transform,
                                 name_of(schema, field.source_id),
                                 field.direction,
                                 field.null_order));
  }
  return fmt::format("{}", fmt::join(fields, ", "));
}

std::optional<std::string> differs(std::string_view what,
                                   const std::string& there,
                                   const std::string& wanted) {
  if (there == wanted) return std::nullopt;
  return fmt::format("its {} is ({}), not ({})", what, there, wanted);
}

std::optional<std::string> modes_differ(const Properties& there, const Properties& wanted) {
  for (std::string_view mode : kWriteModes) {
    auto should = wanted.find(mode);
    if (should == wanted.end()) continue;
    auto is = there.find(mode);
    if (is != there.end() && is->second == should->second) continue;
    return fmt::format("its property {} is {}, not '{}'",
                       mode,
                       is == there.end() ? "not set" : fmt::format("'{}'", is->second),
                       should->second);
  }
  return std::nullopt;
}

Status check_altered_option(std::string_view key) {
  bool is_mode = std::find(kWriteModes.begin(), kWriteModes.end(), key) != kWriteModes.end();
  if (!is_mode) return ok();
  return not_followed(fmt::format("property {} of an Iceberg table does not change", key));
}

Status alter_properties(const TableMetadata& there,
                        const TableDescriptor& before,
                        const TableDescriptor& after,
                        TableChange* change) {
  ASSIGN_OR_RETURN(Properties old_properties, properties_of(before));
  Result<Properties> new_properties = properties_of(after);
  if (!new_properties) return not_followed(new_properties.error().message());
  OptionChanges changes = changed_options(old_properties, *new_properties);
  update::SetProperties set;
  update::RemoveProperties removed;
  for (const auto& [key, value] : changes.set) {
    RETURN_IF_ERROR(check_altered_option(key));
    auto is = there.properties.find(key);
    if (is == there.properties.end() || is->second != value) set.properties[key] = value;
  }
  for (const std::string& key : changes.removed) {
    RETURN_IF_ERROR(check_altered_option(key));
    if (there.properties.contains(key)) removed.keys.push_back(key);
  }
  if (!set.properties.empty()) change->updates.emplace_back(std::move(set));
  if (!removed.keys.empty()) change->updates.emplace_back(std::move(removed));
  return ok();
}

// The columns of `there` with those that were added, before those of the system.
IcebergSchema grown(const TableMetadata& there, const std::vector<Column>& added) {
  IcebergSchema schema = there.current_schema();
  int32_t highest_id = there.last_column_id;
  std::vector<NestedField> fields(added.size());
  for (NestedField& field : fields) field.id = ++highest_id;
  for (size_t i = 0; i < added.size(); ++i) {
    fields[i].name = added[i].name;
    fields[i].type = iceberg_type_of(added[i].type, &highest_id);
    fields[i].doc = added[i].comment;
  }
  schema.fields.insert(schema.fields.end() - static_cast<long>(kSystemNames.size()),
                       std::make_move_iterator(fields.begin()),
                       std::make_move_iterator(fields.end()));
  return schema;
}

Status alter_columns(const TableMetadata& there,
                     const TableDescriptor& before,
                     const TableDescriptor& after,
                     TableChange* change) {
  ASSIGN_OR_RETURN(std::vector<Column> added,
                   added_columns(before.schema.visible(), after.schema.visible()));
  for (const Column& column : added) {
    if (is_system_name(column.name)) {
      return not_followed(fmt::format("the name {} is the system's there", column.name));
    }
    if (auto why = taken_by_partitions(column.name, after)) {
      return not_followed(fmt::format("column {}: {}", column.name, *why));
    }
  }
  const std::vector<NestedField>& fields = there.current_schema().fields;
  if (!columns_differ(fields, fields_of(after.schema.visible()))) return ok();
  if (auto why = columns_differ(fields, fields_of(before.schema.visible()))) {
    return not_followed(fmt::format("it was changed by others, {}", *why));
  }
  change->requirements.emplace_back(requirement::LastColumnId{there.last_column_id});
  change->requirements.emplace_back(requirement::CurrentSchema{there.current_schema_id});
  change->updates.emplace_back(update::AddSchema{grown(there, added)});
  change->updates.emplace_back(update::SetCurrentSchema{});
  return ok();
}

}  // namespace

Result<NewTable> iceberg_table_of(const TableDescriptor& table) {
  Schema columns = table.schema.visible();
  for (const Column& column : columns.columns()) RETURN_IF_ERROR(check_column(column, table));
  RETURN_IF_ERROR(check_bucket_keys(table));
  NewTable made;
  made.schema.fields = fields_of(columns);
  for (const std::string& key : columns.primary_key()) {
    made.schema.identifier_ids.push_back(made.schema.find(key)->id);
  }
  std::sort(made.schema.identifier_ids.begin(), made.schema.identifier_ids.end());
  made.spec = spec_for(table, made.schema);
  made.order = {.id = 1, .fields = {{.source_id = made.schema.find(kLakeOffsetColumn)->id}}};
  ASSIGN_OR_RETURN(made.properties, properties_of(table));
  return made;
}

Status check_same_table(const TableMetadata& there, const TableDescriptor& table) {
  ASSIGN_OR_RETURN(NewTable wanted, iceberg_table_of(table));
  const IcebergSchema& schema = there.current_schema();
  std::optional<std::string> why = columns_differ(schema.fields, wanted.schema.fields);
  if (!why) {
    why = differs("primary key",
                  fmt::format("{}", fmt::join(identifiers_of(schema), ", ")),
                  fmt::format("{}", fmt::join(identifiers_of(wanted.schema), ", ")));
  }
  if (!why) {
    why = differs(
        "partitioning", text_of(there.default_spec(), schema), text_of(wanted.spec, wanted.schema));
  }
  if (!why) {
    why = differs("sort order",
                  text_of(there.default_sort_order(), schema),
                  text_of(wanted.order, wanted.schema));
  }
  if (!why) why = modes_differ(there.properties, wanted.properties);
  if (!why) return ok();
  return make_error(
      ErrorCode::kLakeTableAlreadyExist,
      "there is an Iceberg table of this name, and {}; drop it there, or take another "
      "name",
      *why);
}

Result<TableChange> alteration(const TableMetadata& there,
                               const TableDescriptor& before,
                               const TableDescriptor& after) {
  TableChange change{.requirements = {requirement::Uuid{there.uuid}}};
  RETURN_IF_ERROR(alter_columns(there, before, after, &change));
  RETURN_IF_ERROR(alter_properties(there, before, after, &change));
  return change;
}

}  // namespace lakestream::iceberg
