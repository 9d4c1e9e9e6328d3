#include "lake/paimon/mapping.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "lake/paimon/types.h"
#include "lake/table_changes.h"
#include "table/partition.h"

namespace lakestream::paimon {
namespace {

constexpr std::string_view kPaimonPrefix = "paimon.";
constexpr std::string_view kOwnPrefix = "fluss.";  // what is ours and not Paimon's
constexpr std::string_view kCatalogPrefix = "table.datalake.paimon.";
constexpr std::string_view kBucket = "bucket";
constexpr std::string_view kBucketKey = "bucket-key";
constexpr std::string_view kLegacyName = "partition.legacy-name";
constexpr std::string_view kChangelogProducer = "changelog-producer";

// Options of Paimon that a table of ours can not have, or with one value only.
struct Rule {
  std::string_view key;
  std::string_view taken;  // empty: no value
  std::string_view why;
};
constexpr std::array<Rule, 11> kRules = {
    {{kBucket, "", "it follows from the buckets of the table"},
     {kBucketKey, "", "it follows from the bucket keys of the table"},
     {kLegacyName, "", "names of partitions have to be the same on both sides"},
     {"primary-key", "", "it follows from the primary key of the table"},
     {"partition", "", "it follows from the partition keys of the table"},
     {"path", "", "lake tables lie in the warehouse, as <database>.db/<table>"},
     {"branch", "", "only the main branch is written"},
     {"type", "table", "only plain tables are written"},
     {"bucket-function.type", "default", "rows have to be in the same buckets on both sides"},
     {"manifest.format", "avro", "manifests are written in no other format"},
     {"deletion-vectors.enabled",
      "false",
      "readers would not see rows before they are compacted; leave it off"}}};

// What Paimon does not let change in a table that exists.
constexpr std::array<std::string_view, 22> kImmutable = {"type",
                                                         "bucket-key",
                                                         "bucket-function.type",
                                                         "data-file.path-directory",
                                                         "merge-engine",
                                                         "sequence.snapshot-ordering",
                                                         "aggregation.remove-record-on-delete",
                                                         "partial-update.remove-record-on-delete",
                                                         "partial-update.remove-record-on-sequence-"
                                                         "group",
                                                         "rowkind.field",
                                                         "primary-key",
                                                         "primary-key.nullable",
                                                         "partition",
                                                         "dynamic-bucket.initial-buckets",
                                                         "force-lookup",
                                                         "row-tracking.enabled",
                                                         "data-evolution.enabled",
                                                         "index-file-in-data-file-dir",
                                                         "blob-field",
                                                         "blob-descriptor-field",
                                                         "blob-view-field",
                                                         "pk-clustering-override"};

// Names of columns that are ours for the system, or Paimon's.
constexpr std::array<std::string_view, 8> kSystemNames = {kLakeBucketColumn,
                                                          kLakeOffsetColumn,
                                                          kLakeTimestampColumn,
                                                          "_SEQUENCE_NUMBER",
                                                          "_VALUE_KIND",
                                                          "_LEVEL",
                                                          "_ROW_ID",
                                                          "rowkind"};
constexpr std::string_view kKeyColumnPrefix = "_KEY_";

bool is_system_name(std::string_view name) {
  return name.starts_with(kKeyColumnPrefix) ||
         std::find(kSystemNames.begin(), kSystemNames.end(), name) != kSystemNames.end();
}

// The key in Paimon; nothing for what is not handed on.
std::optional<std::string> paimon_key(std::string_view key) {
  if (key.starts_with(kPaimonPrefix)) return std::string(key.substr(kPaimonPrefix.size()));
  if (key.starts_with(kCatalogPrefix)) return std::nullopt;
  return fmt::format("{}{}", kOwnPrefix, key);
}

Status check_option(std::string_view key, std::string_view value) {
  std::string_view bare = key;
  if (bare.starts_with(kPaimonPrefix)) bare.remove_prefix(kPaimonPrefix.size());
  auto rule = std::find_if(
      kRules.begin(), kRules.end(), [&](const Rule& candidate) { return candidate.key == bare; });
  if (rule == kRules.end() || value == rule->taken) return ok();
  // Without the prefix a key is the user's own, except for those that are taken for a slip.
  bool slip = bare == kBucket || bare == kBucketKey || bare == kLegacyName;
  if (bare.size() == key.size() && !slip) return ok();
  return make_error(ErrorCode::kInvalidTableException,
                    "option {} is '{}', which a Paimon table can not have: {}",
                    key,
                    value,
                    rule->why);
}

// The options that the properties of the table give.
Result<Properties> handed_on(const TableDescriptor& table) {
  Properties options;
  for (const Properties* properties : {&table.properties, &table.custom_properties}) {
    for (const auto& [key, value] : *properties) {
      RETURN_IF_ERROR(check_option(key, value));
      if (std::optional<std::string> mapped = paimon_key(key)) options[*mapped] = value;
    }
  }
  return options;
}

Result<Properties> options_of(const TableDescriptor& table) {
  Properties options;
  std::vector<std::string> bucket_keys = table.bucket_keys();
  options[std::string(kLegacyName)] = "false";
  options[std::string(kBucket)] = "-1";
  if (!bucket_keys.empty()) {
    options[std::string(kBucket)] = fmt::format("{}", table.bucket_count().value_or(1));
    options[std::string(kBucketKey)] = fmt::format("{}", fmt::join(bucket_keys, ","));
  }
  if (table.has_primary_key()) options[std::string(kChangelogProducer)] = "input";
  ASSIGN_OR_RETURN(Properties more, handed_on(table));
  for (auto& [key, value] : more) options[key] = std::move(value);
  auto producer = options.find(kChangelogProducer);
  if (table.has_primary_key() || producer == options.end() || producer->second == "none") {
    return options;
  }
  return make_error(ErrorCode::kInvalidTableException,
                    "option paimon.{} is '{}': only a table with a primary key has a changelog",
                    kChangelogProducer,
                    producer->second);
}

PaimonField field_of(std::string name,
                     const DataType& type,
                     std::optional<std::string> description,
                     int32_t* highest_id) {
  PaimonField field{.id = ++*highest_id,
                    .name = std::move(name),
                    .type = paimon_type_of(type),
                    .description = std::move(description)};
  field.type.assign_field_ids(highest_id, false);
  return field;
}

Status check_column(const Column& column, const TableDescriptor& table) {
  if (is_system_name(column.name)) {
    return make_error(ErrorCode::kInvalidTableException,
                      "column {}: in a Paimon table the name is the system's; give it another one",
                      column.name);
  }
  bool partitions =
      std::find(table.partition_keys.begin(), table.partition_keys.end(), column.name) !=
      table.partition_keys.end();
  if (!partitions) return ok();
  bool bytes = column.type.is(TypeRoot::kBytes) || column.type.is(TypeRoot::kBinary);
  if (!bytes && can_be_partition_key(column.type)) return ok();
  return make_error(ErrorCode::kInvalidTableException,
                    "partition key {}: folders of a Paimon table are named after its values, and "
                    "those of type {} have no text; take another type",
                    column.name,
                    column.type);
}

// As much of our columns as differs is named: "column 2 is a INT, not b STRING".
std::optional<std::string> columns_differ(const std::vector<PaimonField>& there,
                                          const std::vector<PaimonField>& wanted) {
  for (size_t i = 0; i < std::max(there.size(), wanted.size()); ++i) {
    auto text = [&](const std::vector<PaimonField>& fields) {
      if (i >= fields.size()) return std::string("missing");
      return fmt::format("{} {}", fields[i].name, fields[i].type);
    };
    bool same = i < there.size() && i < wanted.size() && there[i].name == wanted[i].name &&
                same_type(there[i].type, wanted[i].type);
    if (!same) {
      return fmt::format("column {} is {}, not {}", i + 1, text(there), text(wanted));
    }
  }
  return std::nullopt;
}

// The columns of the table that is there, without those of the system.
std::vector<PaimonField> own_columns(const PaimonSchema& schema) {
  std::vector<PaimonField> fields = schema.fields;
  if (schema.has_system_columns()) fields.resize(fields.size() - 3);
  return fields;
}

std::string option_or_none(const Properties& options, std::string_view key) {
  auto option = options.find(key);
  return option == options.end() ? "not set" : fmt::format("'{}'", option->second);
}

std::optional<std::string> keys_differ(std::string_view what,
                                       const std::vector<std::string>& there,
                                       const std::vector<std::string>& wanted) {
  if (there == wanted) return std::nullopt;
  return fmt::format(
      "its {} are ({}), not ({})", what, fmt::join(there, ", "), fmt::join(wanted, ", "));
}

std::optional<std::string> options_differ(const Properties& there, const Properties& wanted) {
  std::vector<std::string_view> keys = {kBucket, kBucketKey, kLegacyName};
  keys.insert(keys.end(), kImmutable.begin(), kImmutable.end());
  for (std::string_view key : keys) {
    std::string is = option_or_none(there, key);
    std::string should = option_or_none(wanted, key);
    if (is != should) return fmt::format("its option {} is {}, not {}", key, is, should);
  }
  return std::nullopt;
}

Status check_altered_option(std::string_view key) {
  bool fixed = key == kBucket || key == kLegacyName || key == "path" ||
               std::find(kImmutable.begin(), kImmutable.end(), key) != kImmutable.end();
  if (!fixed) return ok();
  return not_followed(fmt::format("option {} of a Paimon table does not change", key));
}

// Sets and removes what differs between the two states.
Status alter_options(const TableDescriptor& before,
                     const TableDescriptor& after,
                     Properties* options) {
  ASSIGN_OR_RETURN(Properties old_options, options_of(before));
  Result<Properties> new_options = options_of(after);
  if (!new_options) return not_followed(new_options.error().message());
  OptionChanges changes = changed_options(old_options, *new_options);
  for (const auto& [key, value] : changes.set) {
    RETURN_IF_ERROR(check_altered_option(key));
    (*options)[key] = value;
  }
  for (const std::string& key : changes.removed) {
    RETURN_IF_ERROR(check_altered_option(key));
    options->erase(key);
  }
  return ok();
}

}  // namespace

Result<PaimonSchema> paimon_schema_of(const TableDescriptor& table, LakeLayout layout) {
  PaimonSchema schema;
  Schema columns = table.schema.visible();
  for (const Column& column : columns.columns()) {
    RETURN_IF_ERROR(check_column(column, table));
    schema.fields.push_back(
        field_of(column.name, column.type, column.comment, &schema.highest_field_id));
  }
  if (layout == LakeLayout::kSystemColumns) {
    auto add = [&](std::string_view name, const DataType& type) {
      schema.fields.push_back(
          field_of(std::string(name), type, std::nullopt, &schema.highest_field_id));
    };
    add(kLakeBucketColumn, DataType::integer());
    add(kLakeOffsetColumn, DataType::bigint());
    add(kLakeTimestampColumn, DataType::timestamp_ltz(3));
  }
  schema.partition_keys = table.partition_keys;
  schema.primary_keys = columns.primary_key();
  schema.comment = table.comment;
  ASSIGN_OR_RETURN(schema.options, options_of(table));
  return schema;
}

Status check_same_table(const PaimonSchema& there, const TableDescriptor& table) {
  LakeLayout layout = there.has_system_columns() ? LakeLayout::kSystemColumns : LakeLayout::kPlain;
  ASSIGN_OR_RETURN(PaimonSchema wanted, paimon_schema_of(table, layout));
  std::vector<PaimonField> fields = there.fields;
  // Old servers gave the time of the system another precision.
  if (layout == LakeLayout::kSystemColumns && fields.back().type == DataType::timestamp_ltz(6)) {
    fields.back().type = DataType::timestamp_ltz(3);
  }
  std::optional<std::string> differs = columns_differ(fields, wanted.fields);
  if (!differs) {
    differs = keys_differ("partition keys", there.partition_keys, wanted.partition_keys);
  }
  if (!differs) differs = keys_differ("primary keys", there.primary_keys, wanted.primary_keys);
  if (!differs) differs = options_differ(there.options, wanted.options);
  if (!differs) return ok();
  return make_error(ErrorCode::kLakeTableAlreadyExist,
                    "there is a Paimon table of this name, and {}; drop it there, or take another "
                    "name",
                    *differs);
}

Result<PaimonSchema> altered_schema(const PaimonSchema& there,
                                    const TableDescriptor& before,
                                    const TableDescriptor& after) {
  ASSIGN_OR_RETURN(std::vector<Column> added,
                   added_columns(before.schema.visible(), after.schema.visible()));
  for (const Column& column : added) {
    if (is_system_name(column.name)) {
      return not_followed(fmt::format("the name {} is the system's there", column.name));
    }
  }
  ASSIGN_OR_RETURN(PaimonSchema old_schema, paimon_schema_of(before, LakeLayout::kPlain));
  std::vector<PaimonField> wanted = old_schema.fields;
  for (const Column& column : added) {
    int32_t any_id = 0;
    wanted.push_back(field_of(column.name, column.type, column.comment, &any_id));
  }
  PaimonSchema altered = there;
  std::vector<PaimonField> own = own_columns(there);
  if (columns_differ(own, wanted)) {
    if (std::optional<std::string> differs = columns_differ(own, old_schema.fields)) {
      return not_followed(fmt::format("it was changed by others, {}", *differs));
    }
    auto end = altered.fields.begin() + static_cast<long>(own.size());
    for (const Column& column : added) {
      PaimonField field =
          field_of(column.name, column.type, column.comment, &altered.highest_field_id);
      end = altered.fields.insert(end, std::move(field)) + 1;
    }
  }
  RETURN_IF_ERROR(alter_options(before, after, &altered.options));
  return altered;
}

}  // namespace lakestream::paimon
