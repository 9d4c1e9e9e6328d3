#include "table/schema.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace lakestream {
namespace {

constexpr std::array<std::string_view, 14> kAggNames = {"sum",
                                                        "product",
                                                        "max",
                                                        "min",
                                                        "last_value",
                                                        "last_value_ignore_nulls",
                                                        "first_value",
                                                        "first_value_ignore_nulls",
                                                        "listagg",
                                                        "string_agg",
                                                        "bool_and",
                                                        "bool_or",
                                                        "rbm32",
                                                        "rbm64"};

constexpr std::string_view kDelimiter = "delimiter";

bool supports(AggType agg, TypeRoot root) {
  bool numeric =
      (root >= TypeRoot::kTinyint && root <= TypeRoot::kDouble) || root == TypeRoot::kDecimal;
  bool text = root == TypeRoot::kChar || root == TypeRoot::kString;
  bool time = root >= TypeRoot::kDate && root <= TypeRoot::kTimestampLtz;
  switch (agg) {
    case AggType::kSum:
    case AggType::kProduct:
      return numeric;
    case AggType::kMax:
    case AggType::kMin:
      return numeric || text || time;
    case AggType::kListagg:
    case AggType::kStringAgg:
      return text;
    case AggType::kBoolAnd:
    case AggType::kBoolOr:
      return root == TypeRoot::kBoolean;
    case AggType::kRbm32:
    case AggType::kRbm64:
      return root == TypeRoot::kBytes;
    default:
      return true;
  }
}

void collect_ids(const DataType& type, std::vector<int32_t>* ids) {
  for (const Field& field : type.fields()) {
    if (field.id != kUnknownFieldId) ids->push_back(field.id);
    collect_ids(field.type, ids);
  }
}

Status check_ids(const Schema& schema) {
  std::vector<int32_t> ids;
  for (const Column& column : schema.columns()) {
    ids.push_back(column.id);
    collect_ids(column.type, &ids);
  }
  std::sort(ids.begin(), ids.end());
  auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    return make_error(
        ErrorCode::kInvalidTableException,
        "field id {} is used twice, ids must be unique over columns and nested fields",
        *twice);
  }
  if (!ids.empty() && ids.front() < 0) {
    return make_error(ErrorCode::kInvalidTableException, "field id {} is negative", ids.front());
  }
  if (!ids.empty() && ids.back() > schema.highest_field_id()) {
    return make_error(ErrorCode::kInvalidTableException,
                      "highest field id {} is below the field id {}",
                      schema.highest_field_id(),
                      ids.back());
  }
  return ok();
}

Status check_columns(const Schema& schema) {
  std::set<std::string_view> names;
  for (const Column& column : schema.columns()) {
    if (column.name.empty()) {
      return make_error(ErrorCode::kInvalidTableException, "a column has no name");
    }
    if (!names.insert(column.name).second) {
      return make_error(ErrorCode::kInvalidTableException,
                        "column '{}' is there twice, column names must differ",
                        column.name);
    }
    Status type = column.type.check();
    if (!type) {
      return fail(std::move(type).error().with_context(fmt::format("column '{}'", column.name)));
    }
  }
  return ok();
}

Status check_primary_key(const Schema& schema) {
  std::set<std::string_view> seen;
  for (const std::string& name : schema.primary_key()) {
    const Column* column = schema.find(name);
    if (column == nullptr) {
      return make_error(ErrorCode::kInvalidTableException,
                        "primary key column '{}' is not a column of the table",
                        name);
    }
    if (!seen.insert(name).second) {
      return make_error(
          ErrorCode::kInvalidTableException, "primary key names column '{}' twice", name);
    }
    if (column->agg) {
      return make_error(ErrorCode::kInvalidTableException,
                        "primary key column '{}' has aggregate function {}, only other columns may",
                        name,
                        agg_type_name(column->agg->type));
    }
  }
  return ok();
}

Status check_auto_increment(const Schema& schema) {
  const std::vector<std::string>& names = schema.auto_increment_columns();
  if (names.empty()) return ok();
  constexpr ErrorCode kCode = ErrorCode::kInvalidTableException;
  if (!schema.has_primary_key()) {
    return make_error(
        kCode, "auto-increment column '{}' needs a table with a primary key", names[0]);
  }
  if (names.size() > 1) {
    return make_error(
        kCode, "table has {} auto-increment columns, at most 1 is allowed", names.size());
  }
  const Column* column = schema.find(names[0]);
  if (column == nullptr) {
    return make_error(kCode, "auto-increment column '{}' is not a column of the table", names[0]);
  }
  const std::vector<std::string>& key = schema.primary_key();
  if (std::find(key.begin(), key.end(), names[0]) != key.end()) {
    return make_error(kCode, "auto-increment column '{}' is part of the primary key", names[0]);
  }
  if (!column->type.is(TypeRoot::kInteger) && !column->type.is(TypeRoot::kBigint)) {
    return make_error(kCode,
                      "auto-increment column '{}' has type {}, it must be INT or BIGINT",
                      names[0],
                      column->type);
  }
  return ok();
}

}  // namespace

std::string_view agg_type_name(AggType type) { return kAggNames[static_cast<size_t>(type)]; }

std::optional<AggType> agg_type_of(std::string_view name) {
  std::string wanted(name);
  for (char& c : wanted) {
    if (c == '-') c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (size_t i = 0; i < kAggNames.size(); ++i) {
    if (kAggNames[i] == wanted) return static_cast<AggType>(i);
  }
  return std::nullopt;
}

Status AggFunction::check(const DataType& type_of_column) const {
  bool joins = type == AggType::kListagg || type == AggType::kStringAgg;
  for (const auto& [key, value] : parameters) {
    if (!joins || key != kDelimiter) {
      return make_error(ErrorCode::kInvalidConfigException,
                        "parameter '{}' is unknown to aggregate function {}, it takes {}",
                        key,
                        agg_type_name(type),
                        joins ? "'delimiter'" : "none");
    }
    if (value.empty()) {
      return make_error(ErrorCode::kInvalidConfigException,
                        "parameter '{}' of aggregate function {} is empty, give a text",
                        key,
                        agg_type_name(type));
    }
  }
  if (supports(type, type_of_column.root())) return ok();
  return make_error(ErrorCode::kInvalidConfigException,
                    "aggregate function {} does not support the type {}",
                    agg_type_name(type),
                    type_of_column);
}

bool is_dropped(const Column& column) { return column.name.starts_with(kDroppedPrefix); }

Schema Schema::visible() const {
  Schema schema = *this;
  std::erase_if(schema.columns_, is_dropped);
  return schema;
}

std::vector<std::string> Schema::visible_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) {
    if (!is_dropped(column)) names.push_back(column.name);
  }
  return names;
}

std::optional<size_t> Schema::index_of(std::string_view name) const {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  return std::nullopt;
}

std::optional<size_t> Schema::index_of_id(int32_t id) const {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].id == id) return i;
  }
  return std::nullopt;
}

const Column* Schema::find(std::string_view name) const {
  std::optional<size_t> index = index_of(name);
  return index ? &columns_[*index] : nullptr;
}

std::vector<size_t> Schema::primary_key_indexes() const {
  std::vector<size_t> indexes;
  for (const std::string& name : primary_key_) indexes.push_back(*index_of(name));
  return indexes;
}

SchemaBuilder& SchemaBuilder::column(std::string name, DataType type) {
  return column(Column{std::move(name), std::move(type), std::nullopt, std::nullopt, 0});
}

SchemaBuilder& SchemaBuilder::column(Column column) {
  column.id = ++schema_.highest_field_id_;
  column.type.assign_field_ids(&schema_.highest_field_id_, false);
  schema_.columns_.push_back(std::move(column));
  return *this;
}

SchemaBuilder& SchemaBuilder::column_with_ids(Column column) {
  std::vector<int32_t> ids = {column.id};
  collect_ids(column.type, &ids);
  raise_highest_field_id(*std::max_element(ids.begin(), ids.end()));
  schema_.columns_.push_back(std::move(column));
  return *this;
}

SchemaBuilder& SchemaBuilder::rename(size_t index, std::string name) {
  schema_.columns_[index].name = std::move(name);
  return *this;
}

SchemaBuilder& SchemaBuilder::primary_key(std::vector<std::string> names) {
  schema_.primary_key_ = std::move(names);
  return *this;
}

SchemaBuilder& SchemaBuilder::auto_increment(std::string name) {
  schema_.auto_increment_columns_.push_back(std::move(name));
  return *this;
}

SchemaBuilder& SchemaBuilder::raise_highest_field_id(int32_t id) {
  schema_.highest_field_id_ = std::max(schema_.highest_field_id_, id);
  return *this;
}

SchemaBuilder& SchemaBuilder::assign_unknown_field_ids() {
  for (Column& column : schema_.columns_) {
    column.type.assign_field_ids(&schema_.highest_field_id_, true);
  }
  return *this;
}

Result<Schema> SchemaBuilder::build() const {
  RETURN_IF_ERROR(check_columns(schema_));
  RETURN_IF_ERROR(check_ids(schema_));
  RETURN_IF_ERROR(check_primary_key(schema_));
  RETURN_IF_ERROR(check_auto_increment(schema_));
  Schema schema = schema_;
  for (size_t index : schema.primary_key_indexes()) {
    Column& column = schema.columns_[index];
    column.type = column.type.not_null();
  }
  return schema;
}

}  // namespace lakestream
