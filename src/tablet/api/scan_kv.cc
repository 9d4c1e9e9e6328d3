#include "base/endian.h"
#include "format/kv_value.h"
#include "tablet/api/at_homes.h"
#include "tablet/api/tablet_apis.h"

namespace lakestream {
namespace {

// A scanner's name says where it is, so that any connection finds it: table, partition (-1 for
// none), bucket and the number of the session there, little-endian.
constexpr size_t kScannerNameBytes = 28;
constexpr int64_t kNoPartition = -1;

struct ScannerName {
  TableBucket bucket;
  uint64_t scanner = 0;
};

Bytes encode_name(const ScannerName& name) {
  MutableBytes bytes = MutableBytes::allocate(kScannerNameBytes);
  store_le<int64_t>(bytes.data(), name.bucket.table.value());
  store_le<int64_t>(bytes.data() + 8,
                    name.bucket.partition ? name.bucket.partition->value() : kNoPartition);
  store_le<int32_t>(bytes.data() + 16, name.bucket.bucket.value());
  store_le<uint64_t>(bytes.data() + 20, name.scanner);
  return std::move(bytes).freeze();
}

Result<ScannerName> decode_name(const Bytes& bytes) {
  if (bytes.size() != kScannerNameBytes) {
    return make_error(ErrorCode::kUnknownScannerId,
                      "a scanner_id of {} bytes is none of this server; open a scanner first",
                      bytes.size());
  }
  ScannerName name;
  name.bucket.table = TableId(load_le<int64_t>(bytes.data()));
  int64_t partition = load_le<int64_t>(bytes.data() + 8);
  if (partition != kNoPartition) name.bucket.partition = PartitionId(partition);
  name.bucket.bucket = BucketId(load_le<int32_t>(bytes.data() + 16));
  name.scanner = load_le<uint64_t>(bytes.data() + 20);
  return name;
}

struct Page {
  KvScanPage page;
  std::optional<Offset> log_offset;  // of a first page
  bool has_scanner = true;
};

Task<Result<Page>> open_scan(ShardTablets* tablets,
                             TableBucket bucket,
                             std::optional<int64_t> limit,
                             size_t page_bytes) {
  CO_ASSIGN_OR_RETURN(std::shared_ptr<Replica> replica, tablets->leader(bucket));
  CO_ASSIGN_OR_RETURN(std::shared_ptr<TableContext> table, tablets->table(bucket.table));
  CO_RETURN_IF_ERROR(table->kv());
  CO_ASSIGN_OR_RETURN(KvScanStart start,
                      co_await replica->kv()->open_scan(std::move(table), limit, page_bytes));
  Page first;
  first.page = std::move(start.page);
  first.log_offset = start.log_offset;
  first.has_scanner = !start.is_empty;
  co_return first;
}

Task<Result<Page>> next_page(ShardTablets* tablets,
                             ScannerName name,
                             int32_t sequence,
                             size_t page_bytes) {
  auto replica = tablets->leader(name.bucket);
  if (!replica && replica.error().code() != ErrorCode::kNotLeaderOrFollower) {
    co_return make_error(ErrorCode::kUnknownScannerId,
                         "the bucket of scanner {:016x} is not on this server; open a new one",
                         name.scanner);
  }
  if (!replica) co_return fail(std::move(replica).error());
  if ((*replica)->kv() == nullptr) {
    co_return make_error(ErrorCode::kUnknownScannerId, "scanner {:016x} is not open", name.scanner);
  }
  Page page;
  CO_ASSIGN_OR_RETURN(page.page,
                      co_await (*replica)->kv()->next_page(name.scanner, sequence, page_bytes));
  co_return page;
}

bool close_scan(ShardTablets* tablets, const ScannerName& name) {
  auto replica = tablets->find(name.bucket);
  if (replica && (*replica)->kv() != nullptr) (*replica)->kv()->scans().close(name.scanner);
  return true;
}

Status check_request(const wire::ScanKvRequest& request) {
  bool opens = request.bucket_scan_req.has_value();
  if (opens == request.scanner_id.has_value()) {
    return make_error(
        ErrorCode::kInvalidScanRequest,
        "a scan request has either bucket_scan_req, to open a scanner, or scanner_id, "
        "to go on");
  }
  if (request.close_scanner.value_or(false)) {
    if (!opens) return ok();
    return make_error(ErrorCode::kInvalidScanRequest, "close_scanner needs a scanner_id");
  }
  if (request.batch_size_bytes.value_or(0) <= 0) {
    return make_error(ErrorCode::kInvalidScanRequest,
                      "batch_size_bytes is {}; it must be positive",
                      request.batch_size_bytes.value_or(0));
  }
  if (!request.call_seq_id) {
    return make_error(ErrorCode::kInvalidScanRequest,
                      "call_seq_id is missing; count the calls of a scanner from 0 on");
  }
  if (!opens || *request.call_seq_id == 0) return ok();
  return make_error(ErrorCode::kInvalidScanRequest,
                    "call_seq_id of the first call is {}; it must be 0",
                    *request.call_seq_id);
}

// The bucket of a new scan, or that of a scanner.
Result<ScannerName> name_of(const wire::ScanKvRequest& request) {
  RETURN_IF_ERROR(check_request(request));
  if (request.scanner_id) return decode_name(*request.scanner_id);
  const wire::PbScanReqForBucket& scan = *request.bucket_scan_req;
  ScannerName name;
  name.bucket = {TableId(scan.table_id), partition_of(scan.partition_id), BucketId(scan.bucket_id)};
  return name;
}

Task<Result<Page>> run(TabletApiContext* tablets,
                       const wire::ScanKvRequest* request,
                       Shard* here,
                       const ScannerName* name) {
  Shard& home = tablets->replicas.home(name->bucket);
  ShardTablets* on = &tablets->replicas.on(home);
  ScannerName at = *name;
  if (request->close_scanner.value_or(false)) {
    auto job = [on, at] { return close_scan(on, at); };
    co_await call_on(*here, home, std::move(job));
    co_return Page{};
  }
  auto page_bytes = static_cast<size_t>(*request->batch_size_bytes);
  if (request->scanner_id) {
    int32_t sequence = *request->call_seq_id;
    auto job = [on, at, sequence, page_bytes] { return next_page(on, at, sequence, page_bytes); };
    co_return co_await call_on(*here, home, std::move(job));
  }
  std::optional<int64_t> limit = request->bucket_scan_req->limit;
  if (limit && *limit <= 0) limit.reset();  // none, says the protocol
  auto job = [on, at, limit, page_bytes] { return open_scan(on, at.bucket, limit, page_bytes); };
  co_return co_await call_on(*here, home, std::move(job));
}

}  // namespace

Task<Result<wire::ScanKvResponse>> scan_kv(TabletApiContext* tablets,
                                           wire::ScanKvRequest request,
                                           rpc::RequestContext context) {
  Result<ScannerName> name = name_of(request);
  Result<Page> page = Page{};
  if (name) {
    CO_RETURN_IF_ERROR(check_readable(*tablets, context, name->bucket.table));
    page = co_await run(tablets, &request, context.shard, &*name);
  } else {
    page = fail(std::move(name).error());
  }
  wire::ScanKvResponse response;
  if (!page) {
    bool closes = request.close_scanner.value_or(false) && request.scanner_id.has_value();
    if (!closes) set_error(response, page.error());
    if (closes) response.has_more_results = false;
    co_return response;
  }
  response.has_more_results = page->page.more;
  if (page->log_offset) response.log_offset = page->log_offset->value();
  if (request.close_scanner.value_or(false)) co_return response;
  name->scanner = page->page.scanner;
  if (page->has_scanner) response.scanner_id = encode_name(*name);
  if (!page->page.rows.empty()) response.records = BytesChain(std::move(page->page.rows));
  co_return response;
}

}  // namespace lakestream
