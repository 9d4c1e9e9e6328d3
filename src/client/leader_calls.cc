#include "client/leader_calls.h"

#include "client/metadata.h"
#include "table/json.h"

namespace lakestream::client {
namespace {

constexpr int32_t kClientReader = -1;  // in place of the id of a follower

// The numbers of the protocol.
int32_t offset_type_of(OffsetSpec::Kind kind) {
  switch (kind) {
    case OffsetSpec::Kind::kEarliest:
      return 0;
    case OffsetSpec::Kind::kLatest:
      return 1;
    case OffsetSpec::Kind::kTimestamp:
    case OffsetSpec::Kind::kExact:
      return 2;
  }
  return 2;
}

struct AskOffsets {
  OffsetSpec spec;

  Task<Result<BucketAnswers<Offset>>> operator()(std::shared_ptr<Session> session,
                                                 std::shared_ptr<const TableMetadata> table,
                                                 ServerId leader,
                                                 std::vector<BucketId> buckets) const {
    wire::ListOffsetsRequest request;
    request.follower_server_id = kClientReader;
    request.offset_type = offset_type_of(spec.kind());
    request.table_id = table->info.id.value();
    if (table->partition) request.partition_id = table->partition->id.value();
    for (BucketId bucket : buckets) request.bucket_id.push_back(bucket.value());
    if (spec.kind() == OffsetSpec::Kind::kTimestamp) request.start_timestamp = spec.time().value();
    CO_ASSIGN_OR_RETURN(wire::ListOffsetsResponse response,
                        co_await session->ask_server<wire::ApiKey::kListOffsets>(
                            leader, std::move(request), session->options().request_timeout));
    BucketAnswers<Offset> answers;
    for (const auto& bucket : response.buckets_resp) {
      BucketId id(bucket.bucket_id);
      std::optional<Error> error = error_of(bucket);
      if (!error && bucket.offset.value_or(-1) < 0) {
        error = Error(ErrorCode::kUnknownServerError,
                      fmt::format("the server's answer has no offset for bucket {}", id));
      }
      if (error) {
        answers.emplace_back(id, fail(*std::move(error)));
      } else {
        answers.emplace_back(id, Offset(*bucket.offset));
      }
    }
    co_return answers;
  }
};

}  // namespace

Result<std::vector<BucketId>> known_buckets(const TableMetadata& table,
                                            std::vector<BucketId> buckets) {
  if (table.info.descriptor.is_partitioned() && !table.partition) {
    return make_error(ErrorCode::kInvalidTableException,
                      "table {} is partitioned; name one of its partitions, which have the buckets",
                      table.info.path);
  }
  if (buckets.empty()) {
    for (const BucketInfo& bucket : table.buckets) buckets.push_back(bucket.id);
    return buckets;
  }
  for (BucketId bucket : buckets) {
    if (bucket.value() >= 0 && static_cast<size_t>(bucket.value()) < table.buckets.size()) continue;
    return make_error(ErrorCode::kUnknownTableOrBucketException,
                      "table {} has no bucket {}, it has {} of them, from 0 on",
                      table.path(),
                      bucket,
                      table.buckets.size());
  }
  return buckets;
}

LeaderGroups group_by_leader(const TableMetadata& table, const std::vector<BucketId>& buckets) {
  LeaderGroups result;
  for (BucketId bucket : buckets) {
    const BucketInfo& info = table.buckets[static_cast<size_t>(bucket.value())];
    if (info.leader) {
      result.groups[*info.leader].push_back(bucket);
    } else {
      result.leaderless = Error(
          ErrorCode::kLeaderNotAvailableException,
          fmt::format("bucket {} of table {} has no leader at the moment", bucket, table.path()));
    }
  }
  return result;
}

Status check_same_table(const TableMetadata& known, const TableMetadata& fresh) {
  bool same_table = fresh.info.id == known.info.id;
  if (same_table && fresh.partition_id() == known.partition_id() &&
      fresh.buckets.size() == known.buckets.size()) {
    return ok();
  }
  bool is_partition = same_table && known.partition.has_value();
  return make_error(is_partition ? ErrorCode::kPartitionNotExists : ErrorCode::kTableNotExist,
                    "table {} was dropped and created anew, or its buckets changed; open it again",
                    known.path());
}

bool is_transient(ErrorCode code) {
  return is_retriable(code) || code == ErrorCode::kFencedLeaderEpochException;
}

Task<Result<WriterId>> init_writer(std::shared_ptr<Session> session, TablePath path) {
  wire::InitWriterRequest request;
  request.table_path.push_back(to_message(path));
  auto answer = co_await session->ask<wire::ApiKey::kInitWriter>(Role::kTablet, std::move(request));
  if (!answer) co_return fail(std::move(answer).error());
  if (answer->writer_id < 0) {
    co_return make_error(
        ErrorCode::kUnknownServerError, "the server gave writer id {}", answer->writer_id);
  }
  co_return WriterId(answer->writer_id);
}

Task<Result<SchemaInfo>> get_schema(std::shared_ptr<Session> session,
                                    TablePath path,
                                    std::optional<SchemaId> id) {
  wire::GetTableSchemaRequest request;
  request.table_path = to_message(path);
  if (id) request.schema_id = id->value();
  auto answer =
      co_await session->ask<wire::ApiKey::kGetTableSchema>(Role::kTablet, std::move(request));
  if (!answer) co_return fail(std::move(answer).error());
  auto schema = schema_from_json(answer->schema_json.view());
  bool in_range = answer->schema_id >= 0 && answer->schema_id <= INT16_MAX;
  if (!schema || !in_range || (id && answer->schema_id != id->value())) {
    co_return make_error(ErrorCode::kUnknownServerError,
                         "the server's answer can not be: schema {} of table {}: {}",
                         answer->schema_id,
                         path,
                         schema ? "another one was asked for" : schema.error().message());
  }
  co_return SchemaInfo{SchemaId(static_cast<int16_t>(answer->schema_id)), *std::move(schema)};
}

Task<Result<std::vector<BucketOffset>>> list_offsets(std::shared_ptr<Session> session,
                                                     PhysicalTablePath path,
                                                     OffsetSpec spec,
                                                     std::vector<BucketId> buckets) {
  std::vector<BucketOffset> result;
  if (spec.kind() == OffsetSpec::Kind::kExact) {
    CO_ASSIGN_OR_RETURN(auto table, co_await session->place(path));
    CO_ASSIGN_OR_RETURN(std::vector<BucketId> ids, known_buckets(*table, std::move(buckets)));
    for (BucketId bucket : ids) result.push_back({bucket, spec.offset()});
    co_return result;
  }
  AskOffsets ask{spec};
  auto offsets = co_await ask_leaders<Offset, AskOffsets>(session, path, std::move(buckets), ask);
  if (!offsets) co_return fail(std::move(offsets).error());
  for (const auto& [bucket, offset] : *offsets) result.push_back({bucket, offset});
  co_return result;
}

}  // namespace lakestream::client
