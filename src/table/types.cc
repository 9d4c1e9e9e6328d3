#include "table/types.h"

#include <array>
#include <set>
#include <utility>

#include "base/check.h"

namespace lakestream {
namespace {

struct RootNames {
  TypeRoot root;
  std::string_view json;
  std::string_view sql;
};

constexpr std::array<RootNames, 19> kRoots = {{
    {TypeRoot::kBoolean, "BOOLEAN", "BOOLEAN"},
    {TypeRoot::kTinyint, "TINYINT", "TINYINT"},
    {TypeRoot::kSmallint, "SMALLINT", "SMALLINT"},
    {TypeRoot::kInteger, "INTEGER", "INT"},
    {TypeRoot::kBigint, "BIGINT", "BIGINT"},
    {TypeRoot::kFloat, "FLOAT", "FLOAT"},
    {TypeRoot::kDouble, "DOUBLE", "DOUBLE"},
    {TypeRoot::kChar, "CHAR", "CHAR"},
    {TypeRoot::kString, "STRING", "STRING"},
    {TypeRoot::kBinary, "BINARY", "BINARY"},
    {TypeRoot::kBytes, "BYTES", "BYTES"},
    {TypeRoot::kDecimal, "DECIMAL", "DECIMAL"},
    {TypeRoot::kDate, "DATE", "DATE"},
    {TypeRoot::kTime, "TIME_WITHOUT_TIME_ZONE", "TIME"},
    {TypeRoot::kTimestamp, "TIMESTAMP_WITHOUT_TIME_ZONE", "TIMESTAMP"},
    {TypeRoot::kTimestampLtz, "TIMESTAMP_WITH_LOCAL_TIME_ZONE", "TIMESTAMP_LTZ"},
    {TypeRoot::kArray, "ARRAY", "ARRAY"},
    {TypeRoot::kMap, "MAP", "MAP"},
    {TypeRoot::kRow, "ROW", "ROW"},
}};

const RootNames& names_of(TypeRoot root) { return kRoots[static_cast<size_t>(root)]; }

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
}

}  // namespace

std::string_view type_root_name(TypeRoot root) { return names_of(root).json; }

std::optional<TypeRoot> type_root_of(std::string_view name) {
  for (const RootNames& names : kRoots) {
    if (names.json == name) return names.root;
  }
  return std::nullopt;
}

// Here, where Field is complete.
DataType::DataType() = default;
DataType::~DataType() = default;
DataType::DataType(const DataType&) = default;
DataType::DataType(DataType&&) noexcept = default;
DataType& DataType::operator=(const DataType&) = default;
DataType& DataType::operator=(DataType&&) noexcept = default;

DataType::DataType(TypeRoot root, int32_t parameter, int32_t scale)
    : root_(root), parameter_(parameter), scale_(scale) {}

DataType DataType::array(DataType element) {
  DataType type(TypeRoot::kArray);
  type.fields_.push_back(Field{"element", std::move(element), std::nullopt, kUnknownFieldId});
  return type;
}

DataType DataType::map(DataType key, DataType value) {
  DataType type(TypeRoot::kMap);
  type.fields_.push_back(Field{"key", std::move(key), std::nullopt, kUnknownFieldId});
  type.fields_.push_back(Field{"value", std::move(value), std::nullopt, kUnknownFieldId});
  return type;
}

DataType DataType::row(std::vector<Field> fields) {
  DataType type(TypeRoot::kRow);
  type.fields_ = std::move(fields);
  return type;
}

DataType DataType::with_nullable(bool nullable) const {
  DataType copy = *this;
  copy.nullable_ = nullable;
  return copy;
}

const DataType& DataType::element_type() const {
  CHECK(root_ == TypeRoot::kArray, "element type of an array");
  return fields_[0].type;
}

const DataType& DataType::key_type() const {
  CHECK(root_ == TypeRoot::kMap, "key type of a map");
  return fields_[0].type;
}

const DataType& DataType::value_type() const {
  CHECK(root_ == TypeRoot::kMap, "value type of a map");
  return fields_[1].type;
}

void DataType::assign_field_ids(int32_t* highest_id, bool only_unknown) {
  for (Field& field : fields_) {
    bool wanted = !only_unknown || field.id == kUnknownFieldId;
    if (root_ == TypeRoot::kRow && wanted) field.id = ++*highest_id;
    field.type.assign_field_ids(highest_id, only_unknown);
  }
}

Status DataType::check() const { return check(0); }

Status DataType::check(int depth) const {
  if (depth > kMaxTypeDepth) {
    return make_error(ErrorCode::kInvalidTableException,
                      "type is nested deeper than {} levels, flatten it",
                      kMaxTypeDepth);
  }
  RETURN_IF_ERROR(check_parameters());
  if (root_ == TypeRoot::kRow) RETURN_IF_ERROR(check_field_names());
  for (const Field& field : fields_) RETURN_IF_ERROR(field.type.check(depth + 1));
  return ok();
}

Status DataType::check_parameters() const {
  constexpr ErrorCode kCode = ErrorCode::kInvalidTableException;
  switch (root_) {
    case TypeRoot::kChar:
    case TypeRoot::kBinary:
      if (parameter_ >= 1) return ok();
      return make_error(kCode, "length {} of {} is below 1", parameter_, names_of(root_).sql);
    case TypeRoot::kDecimal:
      if (parameter_ < 1 || parameter_ > kMaxDecimalPrecision) {
        return make_error(
            kCode, "precision {} of DECIMAL is outside 1..{}", parameter_, kMaxDecimalPrecision);
      }
      if (scale_ >= 0 && scale_ <= parameter_) return ok();
      return make_error(
          kCode, "scale {} of DECIMAL is outside 0..{}, its precision", scale_, parameter_);
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      if (parameter_ >= 0 && parameter_ <= kMaxTimePrecision) return ok();
      return make_error(kCode,
                        "precision {} of {} is outside 0..{}",
                        parameter_,
                        names_of(root_).sql,
                        kMaxTimePrecision);
    default:
      return ok();
  }
}

Status DataType::check_field_names() const {
  std::set<std::string_view> seen;
  for (const Field& field : fields_) {
    if (is_blank(field.name)) {
      return make_error(ErrorCode::kInvalidTableException, "ROW has a field without a name");
    }
    if (!seen.insert(field.name).second) {
      return make_error(ErrorCode::kInvalidTableException,
                        "ROW has two fields '{}', field names must differ",
                        field.name);
    }
  }
  return ok();
}

void DataType::append_to(std::string* text) const {
  *text += names_of(root_).sql;
  switch (root_) {
    case TypeRoot::kChar:
    case TypeRoot::kBinary:
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      *text += fmt::format("({})", parameter_);
      break;
    case TypeRoot::kDecimal:
      *text += fmt::format("({}, {})", parameter_, scale_);
      break;
    default:
      break;
  }
  if (is_nested()) {
    *text += '<';
    for (const Field& field : fields_) {
      if (&field != &fields_.front()) *text += ", ";
      if (root_ == TypeRoot::kRow) *text += quote_identifier(field.name) + " ";
      field.type.append_to(text);
      if (field.description) *text += " COMMENT " + quote_literal(*field.description);
    }
    *text += '>';
  }
  if (!nullable_) *text += " NOT NULL";
}

std::string DataType::to_string() const {
  std::string text;
  append_to(&text);
  return text;
}

bool operator==(const DataType& a, const DataType& b) {
  return a.root_ == b.root_ && a.nullable_ == b.nullable_ && a.parameter_ == b.parameter_ &&
         a.scale_ == b.scale_ && a.fields_ == b.fields_;
}

std::string quote_identifier(std::string_view name) { return quoted(name, '`'); }
std::string quote_literal(std::string_view text) { return quoted(text, '\''); }

}  // namespace lakestream
