#include <algorithm>

#include "tablet/api/at_homes.h"
#include "tablet/api/key_version.h"
#include "tablet/api/tablet_apis.h"

namespace lakestream {
namespace {

// An answer is one message, so a prefix of very many rows is for a scan. The bytes are those of all
// prefixes of a request that go to one shard.
constexpr size_t kRowsMax = 1 << 20;
constexpr size_t kBytesMax = 256 << 20;

using ValueLists = std::vector<std::vector<Bytes>>;

Task<Result<ValueLists>> lookup_one(ShardTablets* tablets,
                                    const wire::PrefixLookupRequest* request,
                                    size_t position,
                                    size_t* bytes_left) {
  const wire::PbPrefixLookupReqForBucket& bucket = request->buckets_req[position];
  TableId table_id(request->table_id);
  TableBucket id{table_id, partition_of(bucket.partition_id), BucketId(bucket.bucket_id)};
  CO_ASSIGN_OR_RETURN(std::shared_ptr<Replica> replica, tablets->leader(id));
  CO_ASSIGN_OR_RETURN(std::shared_ptr<TableContext> table, tablets->table(table_id));
  CO_RETURN_IF_ERROR(table->kv());
  ValueLists lists;
  lists.reserve(bucket.keys.size());
  for (const Bytes& prefix : bucket.keys) {
    CO_ASSIGN_OR_RETURN(std::vector<Bytes> values,
                        co_await replica->kv()->scan_prefix(table, prefix, kRowsMax, *bytes_left));
    if (values.size() == kRowsMax) {
      co_return make_error(ErrorCode::kInvalidScanRequest,
                           "{}: more than {} rows have the prefix; scan the bucket instead",
                           id,
                           kRowsMax);
    }
    size_t bytes = sizeof(values);  // very many prefixes without rows take room, too
    for (const Bytes& value : values) bytes += value.size() + sizeof(value);
    *bytes_left -= std::min(bytes, *bytes_left);
    lists.push_back(std::move(values));
  }
  co_return lists;
}

Task<std::vector<Result<ValueLists>>> lookup_all(ShardTablets* tablets,
                                                 const wire::PrefixLookupRequest* request,
                                                 std::vector<size_t> positions) {
  std::vector<Result<ValueLists>> found;
  size_t bytes_left = kBytesMax;
  for (size_t position : positions) {
    found.push_back(co_await lookup_one(tablets, request, position, &bytes_left));
  }
  co_return found;
}

}  // namespace

Task<Result<wire::PrefixLookupResponse>> prefix_lookup(TabletApiContext* tablets,
                                                       wire::PrefixLookupRequest request,
                                                       rpc::RequestContext context) {
  CO_RETURN_IF_ERROR(check_key_version(
      tablets->replicas.catalog(), *context.shard, TableId(request.table_id), context.api_version));
  std::vector<TableBucket> buckets = buckets_of(request.table_id, request.buckets_req);
  const wire::PrefixLookupRequest* shared = &request;
  HomeJob<Result<ValueLists>> job = [shared](ShardTablets& on, std::vector<size_t> positions) {
    return lookup_all(&on, shared, std::move(positions));
  };
  auto found = co_await at_homes<Result<ValueLists>>(
      *context.shard, tablets->replicas, std::move(buckets), std::move(job));
  wire::PrefixLookupResponse response;
  for (size_t i = 0; i < found.size(); ++i) {
    wire::PbPrefixLookupRespForBucket& answer = response.buckets_resp.emplace_back();
    answer.partition_id = request.buckets_req[i].partition_id;
    answer.bucket_id = request.buckets_req[i].bucket_id;
    if (!found[i]) {
      set_error(answer, found[i].error());
      continue;
    }
    for (auto& values : *found[i]) answer.value_lists.push_back({std::move(values)});
  }
  co_return response;
}

}  // namespace lakestream
