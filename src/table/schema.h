#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "table/types.h"

// Schema is one version of the columns of a table: their order, types and ids, the primary key and
// the auto-increment column. An id names a column (or a nested field) through all versions and is
// never used again; highest_field_id is the highest one ever given. A Schema that exists is
// consistent: names and ids are unique, key columns exist and are NOT NULL.
//
// Thread rule: immutable, any thread.
//
//   ASSIGN_OR_RETURN(Schema schema, SchemaBuilder()
//                                       .column("id", DataType::integer())
//                                       .column("name", DataType::string())
//                                       .primary_key({"id"})
//                                       .build());
namespace lakestream {

enum class AggType : uint8_t {
  kSum,
  kProduct,
  kMax,
  kMin,
  kLastValue,
  kLastValueIgnoreNulls,
  kFirstValue,
  kFirstValueIgnoreNulls,
  kListagg,
  kStringAgg,
  kBoolAnd,
  kBoolOr,
  kRbm32,
  kRbm64,
};

// The name in JSON and options: "last_value_ignore_nulls".
std::string_view agg_type_name(AggType type);
// Case-insensitive, '-' or '_'.
std::optional<AggType> agg_type_of(std::string_view name);

// How the aggregation merge engine combines old and new value of a column.
struct AggFunction {
  AggType type = AggType::kLastValueIgnoreNulls;
  std::map<std::string, std::string, std::less<>> parameters;

  // Parameters known and the column's type supported, else kInvalidConfigException.
  Status check(const DataType& type_of_column) const;
  friend bool operator==(const AggFunction&, const AggFunction&) = default;
};

struct Column {
  std::string name;
  DataType type;
  std::optional<std::string> comment;
  std::optional<AggFunction> agg;
  int32_t id = kUnknownFieldId;

  friend bool operator==(const Column&, const Column&) = default;
};

// The columns that users see: all but those that were dropped, which keep their place under a name
// that begins so.
inline constexpr std::string_view kDroppedPrefix = "__dropped_";
bool is_dropped(const Column& column);

class Schema {
 public:
  // No columns.
  Schema() = default;

  const std::vector<Column>& columns() const { return columns_; }
  size_t size() const { return columns_.size(); }
  const Column& column(size_t index) const { return columns_[index]; }
  // Position of the column with this name or id.
  std::optional<size_t> index_of(std::string_view name) const;
  std::optional<size_t> index_of_id(int32_t id) const;
  // nullptr when there is none.
  const Column* find(std::string_view name) const;
  // The columns that were not dropped, with their ids, and their names.
  Schema visible() const;
  std::vector<std::string> visible_names() const;

  bool has_primary_key() const { return !primary_key_.empty(); }
  const std::vector<std::string>& primary_key() const { return primary_key_; }
  // Positions of the primary key's columns, in key order.
  std::vector<size_t> primary_key_indexes() const;
  // Empty or one name.
  const std::vector<std::string>& auto_increment_columns() const { return auto_increment_columns_; }
  int32_t highest_field_id() const { return highest_field_id_; }

  friend bool operator==(const Schema&, const Schema&) = default;

 private:
  friend class SchemaBuilder;
  std::vector<Column> columns_;
  std::vector<std::string> primary_key_;
  std::vector<std::string> auto_increment_columns_;
  int32_t highest_field_id_ = -1;
};

// Makes a Schema. Each column() takes the next ids, depth first: the column, then its nested
// fields.
class SchemaBuilder {
 public:
  SchemaBuilder() = default;
  // Goes on from an existing schema, whose ids stay.
  explicit SchemaBuilder(Schema schema) : schema_(std::move(schema)) {}

  SchemaBuilder& column(std::string name, DataType type);
  // The column's id and those of its nested fields are given anew.
  SchemaBuilder& column(Column column);
  // Takes the column with the ids it carries.
  SchemaBuilder& column_with_ids(Column column);
  // The column keeps its place, type and id; no key and no auto-increment column names it.
  SchemaBuilder& rename(size_t index, std::string name);
  SchemaBuilder& primary_key(std::vector<std::string> names);
  SchemaBuilder& auto_increment(std::string name);
  // The highest id so far, -1 without any; and raises it, never lowers it.
  int32_t highest_field_id() const { return schema_.highest_field_id_; }
  SchemaBuilder& raise_highest_field_id(int32_t id);
  // Gives nested fields that have no id the next ones.
  SchemaBuilder& assign_unknown_field_ids();

  // kInvalidTableException when the parts do not fit together. Key columns become NOT NULL.
  Result<Schema> build() const;

 private:
  Schema schema_;
};

}  // namespace lakestream
