#include "tablet/kv_scans.h"

#include <algorithm>
#include <utility>

#include "format/kv_value.h"
#include "io/pool.h"

namespace lakestream {
namespace {

// At least one row, even when it is larger than the page.
Result<Bytes> fill_page(KvCursor& cursor, std::optional<int64_t>& rows_left, size_t page_bytes) {
  ValueBatchBuilder page;
  while (!cursor.at_end() && rows_left != 0) {
    std::string_view value = cursor.value();
    if (page.record_count() > 0 && page.size() + value.size() > page_bytes) break;
    page.append({reinterpret_cast<const uint8_t*>(value.data()), value.size()});
    if (rows_left) --*rows_left;
    cursor.next();
  }
  RETURN_IF_ERROR(cursor.status());
  return page.finish();
}

}  // namespace

KvScans::KvScans(Env& env,
                 Shard& home,
                 KvScanLimits limits,
                 std::shared_ptr<std::atomic<size_t>> count)
    : env_(env),
      home_(home),
      limits_(limits),
      server_count_(std::move(count)),
      // Names of an earlier run of the server are not met again.
      next_scanner_(static_cast<uint64_t>(env.clock.now().value()) << 16) {}

KvScans::~KvScans() { close_all(); }

Status KvScans::check_room() {
  expire();
  if (scans_.size() >= limits_.per_bucket) {
    return make_error(
        ErrorCode::kTooManyScanners,
        "{} scans of the bucket are open, 'kv.scanner.max-per-bucket' allows no more; "
        "close one",
        scans_.size());
  }
  if (server_count_->load(std::memory_order_relaxed) >= limits_.per_server) {
    return make_error(ErrorCode::kTooManyScanners,
                      "{} scans are open on this server, 'kv.scanner.max-per-server' allows no "
                      "more; close one",
                      limits_.per_server);
  }
  return ok();
}

Task<Result<KvScanPage>> KvScans::open(std::shared_ptr<KvCursor> cursor,
                                       std::optional<int64_t> limit,
                                       size_t page_bytes) {
  CO_RETURN_IF_ERROR(check_room());
  auto scan = std::make_shared<Scan>();
  scan->cursor = std::move(cursor);
  scan->rows_left = limit;
  scan->busy = true;
  uint64_t scanner = next_scanner_++;
  scans_.emplace(scanner, scan);
  server_count_->fetch_add(1, std::memory_order_relaxed);
  co_return co_await read_page(scanner, std::move(scan), page_bytes);
}

Task<Result<KvScanPage>> KvScans::next(uint64_t scanner, int32_t sequence, size_t page_bytes) {
  auto found = scans_.find(scanner);
  if (found == scans_.end()) {
    co_return make_error(ErrorCode::kUnknownScannerId,
                         "scanner {:016x} is not open; it ended or was closed",
                         scanner);
  }
  std::shared_ptr<Scan> scan = found->second;
  bool idle = env_.clock.monotonic() - scan->used > limits_.idle_max;
  if (!scan->busy && (idle || scan->cursor == nullptr)) {
    erase(found);
    co_return make_error(
        ErrorCode::kScannerExpired,
        "scanner {:016x} was idle for longer than 'kv.scanner.ttl'; open a new one",
        scanner);
  }
  if (scan->busy) {
    co_return make_error(ErrorCode::kInvalidScanRequest,
                         "scanner {:016x} is read by another request; ask for one page at a time",
                         scanner);
  }
  if (sequence != scan->next_sequence) {
    co_return make_error(ErrorCode::kInvalidScanRequest,
                         "scanner {:016x}: call_seq_id is {} and must be {}",
                         scanner,
                         sequence,
                         scan->next_sequence);
  }
  scan->busy = true;
  ++scan->next_sequence;
  co_return co_await read_page(scanner, std::move(scan), page_bytes);
}

Task<Result<KvScanPage>> KvScans::read_page(uint64_t scanner,
                                            std::shared_ptr<Scan> scan,
                                            size_t page_bytes) {
  size_t bytes = std::min(page_bytes, limits_.page_bytes_max);
  // Not the pointer that owns it: the pool may let go of its jobs when the database is gone.
  Scan* from = scan.get();
  auto job = [from, bytes] { return fill_page(*from->cursor, from->rows_left, bytes); };
  Result<Bytes> rows = co_await run_on_pool(env_.pool, home_, std::move(job));
  scan->busy = false;
  scan->used = env_.clock.monotonic();
  bool more = rows && !scan->cursor->at_end() && scan->rows_left != 0;
  auto place = scans_.find(scanner);
  if (place != scans_.end() && (!more || scan->closed)) erase(place);
  if (!rows) co_return fail(std::move(rows).error());
  co_return KvScanPage{scanner, std::move(*rows), more};
}

void KvScans::erase(Place place) {
  scans_.erase(place);
  server_count_->fetch_sub(1, std::memory_order_relaxed);
}

void KvScans::close(uint64_t scanner) {
  auto found = scans_.find(scanner);
  if (found == scans_.end()) return;
  if (found->second->busy) {
    found->second->closed = true;
  } else {
    erase(found);
  }
}

// An expired session is remembered for a while, so that its owner hears what happened.
void KvScans::expire() {
  Duration now = env_.clock.monotonic();
  for (auto place = scans_.begin(); place != scans_.end();) {
    auto here = place++;
    if (here->second->busy) continue;
    Duration idle = now - here->second->used;
    if (idle > limits_.idle_max) here->second->cursor.reset();
    if (idle > 2 * limits_.idle_max) erase(here);
  }
}

void KvScans::close_all() {
  while (!scans_.empty()) erase(scans_.begin());
}

}  // namespace lakestream
