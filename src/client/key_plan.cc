#include "client/key_plan.h"

#include <algorithm>

#include "client/row_check.h"

namespace lakestream::client {

Result<KeyPlan::Part> KeyPlan::part_of(const Schema& schema, std::span<const size_t> positions) {
  Part part;
  SchemaBuilder builder;
  for (size_t position : positions) {
    builder.column_with_ids(schema.column(position));
    part.types.push_back(schema.column(position).type);
    part.positions.push_back(position);
  }
  ASSIGN_OR_RETURN(part.schema, builder.build());
  return part;
}

Result<std::shared_ptr<const KeyPlan>> KeyPlan::make(const TableMetadata& table) {
  const TableDescriptor& descriptor = table.info.descriptor;
  const TablePath& path = table.info.path;
  if (!descriptor.has_primary_key()) {
    return make_error(ErrorCode::kNonPrimaryKeyTableException,
                      "table {} has no primary key, its rows can only be appended and read in the "
                      "order of the log",
                      path);
  }
  if (descriptor.is_partitioned()) {
    return make_error(ErrorCode::kInvalidTableException,
                      "table {} is partitioned, which this client does not support",
                      path);
  }
  if (table.buckets.empty()) {
    return make_error(ErrorCode::kUnknownServerError, "table {} has no buckets", path);
  }
  auto plan = std::make_shared<KeyPlan>();
  plan->table_ = table.info;
  plan->bucket_count_ = table.buckets.size();
  TableKeyOptions options;
  options.bucket_keys = descriptor.bucket_keys();
  options.lake_format = table.info.options.lake.format;
  options.kv_format_version = table.info.options.kv_format_version.value_or(1);
  ASSIGN_OR_RETURN(plan->keys_, TableKeys::of(descriptor.schema, options));
  ASSIGN_OR_RETURN(plan->key_, part_of(descriptor.schema, plan->keys_.primary_key()->columns()));
  if (const auto& prefix = plan->keys_.prefix_key()) {
    ASSIGN_OR_RETURN(plan->prefix_, part_of(descriptor.schema, prefix->columns()));
  }
  return std::shared_ptr<const KeyPlan>(std::move(plan));
}

// Puts the values into a row of all columns, whose others are null.
Status KeyPlan::spread(const Part& part, std::span<const Value> values, KeyScratch* scratch) const {
  auto checked = check_row(part.types, values);
  if (!checked) return fail(std::move(checked).error().with_context("key"));
  scratch->row.assign(table_.descriptor.schema.size(), Value::null());
  for (size_t i = 0; i < values.size(); ++i) scratch->row[part.positions[i]] = values[i];
  return ok();
}

Result<BucketId> KeyPlan::bucket_of(std::span<const Value> row, KeyScratch* scratch) const {
  scratch->bucket_key.clear();
  RETURN_IF_ERROR(keys_.bucket_key()->encode(row, &scratch->bucket_key));
  return lakestream::bucket_of(
      keys_.bucketing(), scratch->bucket_key.span(), static_cast<int32_t>(bucket_count_));
}

Result<KeyPlace> KeyPlan::place_of_row(std::span<const Value> row, KeyScratch* scratch) const {
  scratch->key.clear();
  RETURN_IF_ERROR(keys_.primary_key()->encode(row, &scratch->key));
  KeyPlace place{BucketId(0), scratch->key.span()};
  if (keys_.bucket_key_is_primary_key()) {
    ASSIGN_OR_RETURN(
        place.bucket,
        lakestream::bucket_of(keys_.bucketing(), place.key, static_cast<int32_t>(bucket_count_)));
  } else {
    ASSIGN_OR_RETURN(place.bucket, bucket_of(row, scratch));
  }
  return place;
}

Result<KeyPlace> KeyPlan::place_of_key(std::span<const Value> key, KeyScratch* scratch) const {
  RETURN_IF_ERROR(spread(key_, key, scratch));
  return place_of_row(scratch->row, scratch);
}

Result<KeyPlace> KeyPlan::place_of_prefix(std::span<const Value> prefix,
                                          KeyScratch* scratch) const {
  RETURN_IF_ERROR(spread(*prefix_, prefix, scratch));
  scratch->key.clear();
  RETURN_IF_ERROR(keys_.prefix_key()->encode(scratch->row, &scratch->key));
  ASSIGN_OR_RETURN(BucketId bucket, bucket_of(scratch->row, scratch));
  return KeyPlace{bucket, scratch->key.span()};
}

}  // namespace lakestream::client
