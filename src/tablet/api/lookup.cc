#include <algorithm>

#include "format/keys.h"
#include "format/kv_batch.h"
#include "tablet/api/at_homes.h"
#include "tablet/api/key_version.h"
#include "tablet/api/tablet_apis.h"

namespace lakestream {
namespace {

constexpr int32_t kAcksMissing = 2;
constexpr size_t kInsertBytesMax = 64 << 20;
// Of the rows of all buckets that go to one shard. Clients ask for at most 128 keys at once.
constexpr size_t kAnswerBytesMax = 256 << 20;
constexpr size_t kKeysAtOnce = 128;

using Values = std::vector<std::optional<Bytes>>;

// The rows of absent keys, with nothing but the key set, as one batch.
Result<Bytes> build_key_rows(KvTable& table,
                             const std::vector<Bytes>& keys,
                             const std::vector<size_t>& absent) {
  const KeyEncoder& encoder = *table.keys().primary_key();
  KvBatchBuilder batch(table.schema_id());
  Arena arena;
  ByteWriter encoded;
  for (size_t index : absent) {
    arena.clear();
    encoded.clear();
    ASSIGN_OR_RETURN(std::span<const Value> key, encoder.decode(keys[index].span(), &arena));
    std::span<Value> row = arena.values(table.schema().size());
    for (size_t i = 0; i < key.size(); ++i) row[encoder.columns()[i]] = key[i];
    RETURN_IF_ERROR(table.encode_row(row, &encoded));
    if (batch.size() + encoded.size() > kInsertBytesMax) {
      return make_error(ErrorCode::kRecordTooLargeException,
                        "table {}: the rows of {} keys that are not there take more than {} bytes; "
                        "look up fewer at once",
                        table.name(),
                        absent.size(),
                        kInsertBytesMax);
    }
    batch.upsert(keys[index].span(), encoded.span());
  }
  return batch.finish({});
}

std::vector<int32_t> key_columns(const KvTable& table) {
  std::vector<int32_t> columns;
  for (size_t index : table.schema().primary_key_indexes()) {
    columns.push_back(static_cast<int32_t>(index));
  }
  return columns;
}

Task<Result<Values>> look_up(std::shared_ptr<Replica> replica,
                             std::shared_ptr<TableContext> table,
                             std::vector<Bytes> keys,
                             KvReplica::Rows which,
                             size_t* bytes_left) {
  Values values;
  values.reserve(keys.size());
  for (auto begin = keys.begin(); begin != keys.end();) {
    auto end = begin + std::min<std::ptrdiff_t>(kKeysAtOnce, keys.end() - begin);
    std::vector<Bytes> some(begin, end);
    begin = end;
    CO_ASSIGN_OR_RETURN(Values found,
                        co_await replica->kv()->lookup(table, std::move(some), which));
    size_t bytes = 0;
    for (std::optional<Bytes>& value : found) {
      if (value) bytes += value->size();
      values.push_back(std::move(value));
    }
    if (bytes > *bytes_left) {
      co_return make_error(ErrorCode::kRecordTooLargeException,
                           "the rows of the keys take more than {} bytes; look up fewer at once",
                           kAnswerBytesMax);
    }
    *bytes_left -= bytes;
  }
  co_return values;
}

Task<Result<Values>> insert_absent(std::shared_ptr<Replica> replica,
                                   std::shared_ptr<TableContext> table,
                                   std::vector<Bytes> keys,
                                   std::vector<size_t> absent,
                                   Duration timeout,
                                   bool waits,
                                   size_t* bytes_left) {
  CO_ASSIGN_OR_RETURN(KvTable * kv, table->kv());
  KvPutRequest put;
  CO_ASSIGN_OR_RETURN(put.records, build_key_rows(*kv, keys, absent));
  put.target_columns = key_columns(*kv);
  put.table = table;
  put.epoch = replica->leader_epoch();
  auto started = replica->kv()->start_put(std::move(put));
  CO_ASSIGN_OR_RETURN(Appended appended, co_await started->appended.get());
  if (waits) CO_RETURN_IF_ERROR(co_await replica->committed(appended, timeout));
  co_return co_await look_up(
      std::move(replica), std::move(table), std::move(keys), KvReplica::Rows::kNewest, bytes_left);
}

Task<Result<Values>> lookup_one(ShardTablets* tablets,
                                const wire::LookupRequest* request,
                                size_t position,
                                size_t* bytes_left) {
  const wire::PbLookupReqForBucket& bucket = request->buckets_req[position];
  CO_RETURN_IF_ERROR(check_not_historical(bucket.original_partition_name));
  TableId table_id(request->table_id);
  TableBucket id{table_id, partition_of(bucket.partition_id), BucketId(bucket.bucket_id)};
  CO_ASSIGN_OR_RETURN(std::shared_ptr<Replica> replica, tablets->leader(id));
  CO_ASSIGN_OR_RETURN(std::shared_ptr<TableContext> table, tablets->table(table_id));
  CO_RETURN_IF_ERROR(table->kv());
  bool inserts = request->insert_if_not_exists.value_or(false);
  CO_ASSIGN_OR_RETURN(
      Values values,
      co_await look_up(replica, table, bucket.keys, KvReplica::Rows::kApplied, bytes_left));
  if (!inserts) co_return values;
  std::vector<size_t> absent;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) absent.push_back(i);
  }
  if (absent.empty()) co_return values;
  CO_RETURN_IF_ERROR(tablets->check_writable());
  // Puts see the table in the order of its changes, and it may have changed meanwhile.
  CO_ASSIGN_OR_RETURN(table, tablets->table(table_id));
  Duration timeout = std::chrono::milliseconds(*request->timeout_ms);
  bool waits = *request->acks != 0;
  co_return co_await insert_absent(std::move(replica),
                                   std::move(table),
                                   bucket.keys,
                                   std::move(absent),
                                   timeout,
                                   waits,
                                   bytes_left);
}

Status check_insert(const wire::LookupRequest& request) {
  if (!request.insert_if_not_exists.value_or(false)) return ok();
  int32_t acks = request.acks.value_or(kAcksMissing);
  if (acks < -1 || acks > 1) {
    return make_error(ErrorCode::kInvalidRequiredAcks,
                      "a lookup that inserts needs acks: -1 (all), 0 or 1");
  }
  if (request.timeout_ms) return ok();
  return make_error(ErrorCode::kUnknownServerError, "a lookup that inserts needs a timeout_ms");
}

Task<std::vector<Result<Values>>> lookup_all(ShardTablets* tablets,
                                             const wire::LookupRequest* request,
                                             std::vector<size_t> positions) {
  std::vector<Result<Values>> found;
  found.reserve(positions.size());
  size_t bytes_left = kAnswerBytesMax;
  for (size_t position : positions) {
    found.push_back(co_await lookup_one(tablets, request, position, &bytes_left));
  }
  co_return found;
}

}  // namespace

Task<Result<wire::LookupResponse>> lookup(TabletApiContext* tablets,
                                          wire::LookupRequest request,
                                          rpc::RequestContext context) {
  CO_RETURN_IF_ERROR(check_key_version(
      tablets->replicas.catalog(), *context.shard, TableId(request.table_id), context.api_version));
  CO_RETURN_IF_ERROR(check_insert(request));
  std::vector<TableBucket> buckets = buckets_of(request.table_id, request.buckets_req);
  const wire::LookupRequest* shared = &request;
  HomeJob<Result<Values>> job = [shared](ShardTablets& on, std::vector<size_t> positions) {
    return lookup_all(&on, shared, std::move(positions));
  };
  auto found = co_await at_homes<Result<Values>>(
      *context.shard, tablets->replicas, std::move(buckets), std::move(job));
  wire::LookupResponse response;
  response.buckets_resp.reserve(found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    wire::PbLookupRespForBucket& answer = response.buckets_resp.emplace_back();
    answer.partition_id = request.buckets_req[i].partition_id;
    answer.bucket_id = request.buckets_req[i].bucket_id;
    answer.original_partition_name = request.buckets_req[i].original_partition_name;
    if (!found[i]) {
      set_error(answer, found[i].error());
      continue;
    }
    answer.values.reserve(found[i]->size());
    for (std::optional<Bytes>& value : *found[i]) answer.values.push_back({std::move(value)});
  }
  co_return response;
}

}  // namespace lakestream
