#include "client/partitions.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "client/metadata.h"

namespace lakestream::client {

wire::PbPartitionSpec to_message(const PartitionSpec& spec) {
  wire::PbPartitionSpec message;
  for (const auto& [key, value] : spec) message.partition_key_values.push_back({key, value});
  return message;
}

Task<Result<std::vector<PartitionInfo>>> list_partitions(std::shared_ptr<Session> session,
                                                         TablePath path,
                                                         PartitionSpec spec) {
  wire::ListPartitionInfosRequest request;
  request.table_path = to_message(path);
  if (!spec.empty()) request.partial_partition_spec = to_message(spec);
  auto answer =
      co_await session->ask<wire::ApiKey::kListPartitionInfos>(Role::kTablet, std::move(request));
  if (!answer) co_return fail(std::move(answer).error());
  std::vector<PartitionInfo> partitions;
  for (wire::PbPartitionInfo& message : answer->partitions_info) {
    PartitionInfo& partition = partitions.emplace_back();
    partition.id = PartitionId(message.partition_id);
    ResolvedPartitionSpec resolved;
    for (wire::PbKeyValue& entry : message.partition_spec.partition_key_values) {
      resolved.values.push_back(entry.value);
      partition.spec.emplace_back(std::move(entry.key), std::move(entry.value));
    }
    partition.name = resolved.name();
  }
  std::sort(partitions.begin(), partitions.end(), [](const auto& a, const auto& b) {
    return a.name < b.name;
  });
  co_return partitions;
}

Status check_partition_filter(const TableInfo& table, const PartitionSpec& spec) {
  const std::vector<std::string>& keys = table.descriptor.partition_keys;
  if (keys.empty()) {
    return make_error(ErrorCode::kTableNotPartitionedException,
                      "table {} is not partitioned; leave out the partition",
                      table.path);
  }
  for (const auto& [key, value] : spec) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    return make_error(ErrorCode::kPartitionSpecInvalidException,
                      "'{}' is no partition key of table {}, those are {}",
                      key,
                      table.path,
                      fmt::join(keys, ", "));
  }
  return ok();
}

Task<Result<std::vector<std::shared_ptr<const TableMetadata>>>> open_places(
    std::shared_ptr<Session> session,
    std::shared_ptr<const TableMetadata> table,
    PartitionSpec spec) {
  std::vector<std::shared_ptr<const TableMetadata>> places;
  if (!spec.empty()) CO_RETURN_IF_ERROR(check_partition_filter(table->info, spec));
  if (!table->info.descriptor.is_partitioned()) {
    places.push_back(std::move(table));
    co_return places;
  }
  CO_ASSIGN_OR_RETURN(auto partitions,
                      co_await list_partitions(session, table->info.path, std::move(spec)));
  for (const PartitionInfo& partition : partitions) {
    PhysicalTablePath path{table->info.path, partition.name};
    auto place = co_await session->refresh_place(std::move(path));
    if (!place && place.error().code() == ErrorCode::kPartitionNotExists) continue;
    if (!place) co_return fail(std::move(place).error());
    places.push_back(*std::move(place));
  }
  co_return places;
}

Task<Status> create_partition(std::shared_ptr<Session> session,
                              TablePath path,
                              PartitionSpec spec,
                              bool ignore_if_exists) {
  wire::CreatePartitionRequest request;
  request.table_path = to_message(path);
  request.partition_spec = to_message(spec);
  request.ignore_if_not_exists = ignore_if_exists;  // the field's name says something else
  auto answer =
      co_await session->ask<wire::ApiKey::kCreatePartition>(Role::kCoordinator, std::move(request));
  if (!answer) co_return fail(std::move(answer).error());
  co_return ok();
}

Task<Result<std::shared_ptr<const TableMetadata>>> open_partition(std::shared_ptr<Session> session,
                                                                  TablePath path,
                                                                  ResolvedPartitionSpec spec,
                                                                  IfMissing if_missing) {
  PhysicalTablePath place{path, spec.name()};
  auto known = co_await session->refresh_place(place);
  bool missing = !known && known.error().code() == ErrorCode::kPartitionNotExists;
  if (!missing || if_missing == IfMissing::kFail) co_return known;
  PartitionSpec wanted;
  for (size_t i = 0; i < spec.keys.size(); ++i) {
    wanted.emplace_back(spec.keys[i], spec.values[i]);
  }
  Status made = co_await create_partition(session, std::move(path), std::move(wanted), true);
  if (!made) co_return fail(std::move(made).error());
  co_return co_await session->refresh_place(std::move(place));
}

}  // namespace lakestream::client
