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
  auto plan = std::make_shared<KeyPlan>();
  plan->table_ = table.info;
  plan->partitions_ = PartitionNamer(descriptor);
  TableKeyOptions options;
  options.partition_keys = descriptor.partition_keys;
  options.bucket_keys = descriptor.bucket_keys();
  options.lake_format = table.info.options.lake.format;
  options.kv_format_version = table.info.options.kv_format_version.value_or(1);
  ASSIGN_OR_RETURN(plan->keys_, TableKeys::of(descriptor.schema, options));
  auto physical = plan->keys_.primary_key()->columns();
  std::vector<size_t> columns(physical.begin(), physical.end());
  if (descriptor.is_partitioned()) {
    columns.clear();
    for (const std::string& name : descriptor.schema.primary_key()) {
      columns.push_back(*descriptor.schema.index_of(name));
    }
  }
  ASSIGN_OR_RETURN(plan->key_, part_of(descriptor.schema, columns));
  if (const auto& prefix = plan->keys_.prefix_key()) {
    std::vector<size_t> all = plan->partitions_.columns();
    all.insert(all.end(), prefix->columns().begin(), prefix->columns().end());
    ASSIGN_OR_RETURN(plan->prefix_, part_of(descriptor.schema, all));
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

Result<BucketId> KeyPlan::bucket_of(std::span<const uint8_t> bucket_key,
                                    size_t bucket_count) const {
  return lakestream::bucket_of(keys_.bucketing(), bucket_key, static_cast<int32_t>(bucket_count));
}

Result<KeyPlace> KeyPlan::place_of_row(std::span<const Value> row, KeyScratch* scratch) const {
  scratch->key.clear();
  RETURN_IF_ERROR(keys_.primary_key()->encode(row, &scratch->key));
  KeyPlace place{scratch->key.span(), scratch->key.span(), row};
  if (!keys_.bucket_key_is_primary_key()) {
    ASSIGN_OR_RETURN(place.bucket_key, encode_bucket_key(row, scratch));
  }
  return place;
}

Result<std::span<const uint8_t>> KeyPlan::encode_bucket_key(std::span<const Value> row,
                                                            KeyScratch* scratch) const {
  scratch->bucket_key.clear();
  RETURN_IF_ERROR(keys_.bucket_key()->encode(row, &scratch->bucket_key));
  return scratch->bucket_key.span();
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
  KeyPlace place{scratch->key.span(), {}, scratch->row};
  ASSIGN_OR_RETURN(place.bucket_key, encode_bucket_key(scratch->row, scratch));
  return place;
}

}  // namespace lakestream::client
