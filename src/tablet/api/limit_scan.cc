#include <algorithm>

#include "format/kv_value.h"
#include "tablet/api/at_homes.h"
#include "tablet/api/tablet_apis.h"

namespace lakestream {
namespace {

constexpr size_t kChunkBytes = 4 << 20;
// A client asks for few rows.
constexpr size_t kAnswerBytesMax = 64 << 20;

// Whole batches from the last `limit` offsets on; the client trims.
Task<Result<BytesChain>> last_batches(std::shared_ptr<Replica> replica, int32_t limit) {
  if (limit < 0) {
    co_return make_error(
        ErrorCode::kLogOffsetOutOfRangeException, "limit {} of a limit scan is negative", limit);
  }
  Offset end = replica->high_watermark();
  Offset start = replica->log().start_offset();
  if (end.value() - limit < start.value()) {
    CO_ASSIGN_OR_RETURN(start, co_await replica->start_offset());
  }
  int64_t first = std::max(start.value(), end.value() - limit);
  BytesChain rows;
  for (Offset from(first); from < end;) {
    ReadRequest request{from, end, kChunkBytes, true};
    CO_ASSIGN_OR_RETURN(LogRead read, co_await replica->read(request));
    if (read.end_offset <= from) break;
    from = read.end_offset;
    rows.append(std::move(read.records));
    if (rows.size() > kAnswerBytesMax) {
      co_return make_error(ErrorCode::kInvalidScanRequest,
                           "the last {} rows take more than {} bytes; ask for fewer",
                           limit,
                           kAnswerBytesMax);
    }
  }
  co_return rows;
}

struct Rows {
  bool is_log = true;
  BytesChain records;
};

// The first rows in the order of the keys, as a value batch.
Task<Result<BytesChain>> first_values(ShardTablets* tablets,
                                      std::shared_ptr<Replica> replica,
                                      int32_t limit) {
  CO_ASSIGN_OR_RETURN(std::shared_ptr<TableContext> table, tablets->table(replica->bucket().table));
  size_t count = static_cast<size_t>(std::max(limit, 0));
  CO_ASSIGN_OR_RETURN(
      std::vector<Bytes> values,
      co_await replica->kv()->scan_prefix(std::move(table), Bytes(), count, kAnswerBytesMax));
  ValueBatchBuilder batch;
  for (const Bytes& value : values) batch.append(value.span());
  co_return BytesChain(batch.finish());
}

Task<Result<Rows>> scan(ShardTablets* tablets, TableBucket bucket, int32_t limit) {
  CO_ASSIGN_OR_RETURN(std::shared_ptr<Replica> replica, tablets->leader(bucket));
  Rows rows;
  rows.is_log = replica->kv() == nullptr;
  if (rows.is_log) {
    CO_ASSIGN_OR_RETURN(rows.records, co_await last_batches(std::move(replica), limit));
  } else {
    CO_ASSIGN_OR_RETURN(rows.records, co_await first_values(tablets, std::move(replica), limit));
  }
  co_return rows;
}

}  // namespace

Task<Result<wire::LimitScanResponse>> limit_scan(TabletApiContext* tablets,
                                                 wire::LimitScanRequest request,
                                                 rpc::RequestContext context) {
  TableBucket bucket{
      TableId(request.table_id), partition_of(request.partition_id), BucketId(request.bucket_id)};
  Shard& home = tablets->replicas.home(bucket);
  ShardTablets* on = &tablets->replicas.on(home);
  int32_t limit = request.limit;
  auto job = [on, bucket, limit] { return scan(on, bucket, limit); };
  Result<Rows> rows = co_await call_on(*context.shard, home, std::move(job));
  wire::LimitScanResponse response;
  if (rows) {
    response.is_log_table = rows->is_log;
    response.records = std::move(rows->records);
  } else {
    set_error(response, rows.error());
  }
  co_return response;
}

}  // namespace lakestream
