#include "lake/iceberg/partition_spec.h"

#include <cctype>
#include <charconv>
#include <iterator>
#include <utility>

#include "lake/lake.h"

namespace lakestream::iceberg {
namespace {

// As java.net.URLEncoder writes it in UTF-8.
std::string url_encoded(std::string_view text) {
  std::string encoded;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '.' || c == '-' || c == '*' || c == '_') {
      encoded += c;
    } else if (c == ' ') {
      encoded += '+';
    } else {
      fmt::format_to(std::back_inserter(encoded), "%{:02X}", byte);
    }
  }
  return encoded;
}

tl::unexpected<Error> not_ours(const PartitionField& field, std::string_view why) {
  return make_error(ErrorCode::kInvalidTableException,
                    "partition field {} is {} of column {}, {}",
                    field.name,
                    field.transform,
                    field.source_id,
                    why);
}

}  // namespace

std::optional<int32_t> bucket_count_of(std::string_view transform) {
  constexpr std::string_view kBegin = "bucket[";
  if (!transform.starts_with(kBegin) || !transform.ends_with(']')) return std::nullopt;
  transform.remove_prefix(kBegin.size());
  transform.remove_suffix(1);
  int32_t count = 0;
  auto [end, error] = std::from_chars(transform.data(), transform.data() + transform.size(), count);
  if (error != std::errc() || end != transform.data() + transform.size() || count < 1) {
    return std::nullopt;
  }
  return count;
}

Status check_spec(const IcebergPartitionSpec& spec, const IcebergSchema& schema) {
  if (spec.fields.empty()) {
    return make_error(ErrorCode::kInvalidTableException,
                      "the table is not partitioned, and buckets have to be told apart");
  }
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    const PartitionField& field = spec.fields[i];
    const NestedField* source = schema.find(field.source_id);
    if (source == nullptr) return not_ours(field, "which is not there");
    if (i + 1 < spec.fields.size()) {
      if (field.transform != kIdentity || source->type.kind != TypeKind::kString) {
        return not_ours(field, "and has to be the identity of a string");
      }
      continue;
    }
    bool is_bucket = bucket_count_of(field.transform) ||
                     (field.transform == kIdentity && source->name == kLakeBucketColumn);
    if (!is_bucket) return not_ours(field, "and the last one has to tell buckets apart");
  }
  return ok();
}

std::string partition_folder(const IcebergPartitionSpec& spec, const PartitionTuple& tuple) {
  std::string folder;
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    if (!folder.empty()) folder += '/';
    std::string value = i < tuple.values.size() && i + 1 < spec.fields.size()
                            ? url_encoded(tuple.values[i])
                            : std::to_string(tuple.bucket);
    folder += fmt::format("{}={}", url_encoded(spec.fields[i].name), value);
  }
  return folder;
}

void write_partition_fields(const IcebergPartitionSpec& spec, JsonWriter* json) {
  json->begin_array();
  for (const PartitionField& field : spec.fields) {
    json->begin_object()
        .field("name", field.name)
        .field("transform", field.transform)
        .field("source-id", field.source_id)
        .field("field-id", field.field_id)
        .end_object();
  }
  json->end_array();
}

void write_spec(const IcebergPartitionSpec& spec, JsonWriter* json) {
  json->begin_object().field("spec-id", spec.id).key("fields");
  write_partition_fields(spec, json);
  json->end_object();
}

Result<IcebergPartitionSpec> spec_of(const JsonValue& json) {
  IcebergPartitionSpec spec;
  ASSIGN_OR_RETURN(spec.id, json.int32_at("spec-id"));
  ASSIGN_OR_RETURN(JsonValue list, json.at("fields"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, list.items());
  for (const JsonValue& item : items) {
    PartitionField field;
    ASSIGN_OR_RETURN(field.name, item.text_at("name"));
    ASSIGN_OR_RETURN(field.transform, item.text_at("transform"));
    ASSIGN_OR_RETURN(field.source_id, item.int32_at("source-id"));
    ASSIGN_OR_RETURN(field.field_id, item.int32_at("field-id"));
    spec.fields.push_back(std::move(field));
  }
  return spec;
}

void write_sort_order(const SortOrder& order, JsonWriter* json) {
  json->begin_object().field("order-id", order.id).key("fields").begin_array();
  for (const SortField& field : order.fields) {
    json->begin_object()
        .field("transform", field.transform)
        .field("source-id", field.source_id)
        .field("direction", field.direction)
        .field("null-order", field.null_order)
        .end_object();
  }
  json->end_array().end_object();
}

Result<SortOrder> sort_order_of(const JsonValue& json) {
  SortOrder order;
  ASSIGN_OR_RETURN(order.id, json.int32_at("order-id"));
  ASSIGN_OR_RETURN(JsonValue list, json.at("fields"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, list.items());
  for (const JsonValue& item : items) {
    SortField field;
    ASSIGN_OR_RETURN(field.transform, item.text_at("transform"));
    ASSIGN_OR_RETURN(field.source_id, item.int32_at("source-id"));
    ASSIGN_OR_RETURN(field.direction, item.text_at("direction"));
    ASSIGN_OR_RETURN(field.null_order, item.text_at("null-order"));
    order.fields.push_back(std::move(field));
  }
  return order;
}

}  // namespace lakestream::iceberg
