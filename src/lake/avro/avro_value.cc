#include "lake/avro/avro_value.h"

#include <limits>

namespace lakestream::avro {
namespace {

Result<int32_t> narrow(int64_t value, std::string_view field) {
  using Limits = std::numeric_limits<int32_t>;
  if (value >= Limits::min() && value <= Limits::max()) return static_cast<int32_t>(value);
  return make_error(
      ErrorCode::kUnknownServerError, "field {}: {} does not fit 32 bits", field, value);
}

}  // namespace

const AvroValue* AvroValue::find(std::string_view field) const {
  if (kind_ != Kind::kRecord || type_ == nullptr) return nullptr;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (type_->fields[i].name == field) return items_[i].is_null() ? nullptr : &items_[i];
  }
  return nullptr;
}

Result<const AvroValue*> AvroValue::at(std::string_view field, Kind kind) const {
  const AvroValue* value = find(field);
  if (value == nullptr) {
    return make_error(ErrorCode::kUnknownServerError, "field {} is missing", field);
  }
  if (value->kind() != kind) {
    return make_error(ErrorCode::kUnknownServerError, "field {} has another type", field);
  }
  return value;
}

Result<int64_t> AvroValue::integer_at(std::string_view field) const {
  ASSIGN_OR_RETURN(const AvroValue* value, at(field, Kind::kInteger));
  return value->as_integer();
}

Result<int32_t> AvroValue::int32_at(std::string_view field) const {
  ASSIGN_OR_RETURN(int64_t value, integer_at(field));
  return narrow(value, field);
}

Result<std::string_view> AvroValue::bytes_at(std::string_view field) const {
  ASSIGN_OR_RETURN(const AvroValue* value, at(field, Kind::kBytes));
  return value->as_bytes();
}

Result<std::optional<int64_t>> AvroValue::optional_integer_at(std::string_view field) const {
  if (find(field) == nullptr) return std::nullopt;
  return integer_at(field);
}

Result<std::optional<int32_t>> AvroValue::optional_int32_at(std::string_view field) const {
  if (find(field) == nullptr) return std::nullopt;
  return int32_at(field);
}

Result<std::optional<std::string_view>> AvroValue::optional_bytes_at(std::string_view field) const {
  if (find(field) == nullptr) return std::nullopt;
  return bytes_at(field);
}

}  // namespace lakestream::avro
