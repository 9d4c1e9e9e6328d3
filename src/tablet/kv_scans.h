#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/task.h"
#include "kv/engine.h"

// The scan sessions of one primary-key bucket. A session reads the state as it was when the session
// was opened, page by page; it ends with its last page, when it is closed or when nobody asked for
// a page for some time.
//
// Thread rule: shard-local, on the bucket's home.
//
//   CO_ASSIGN_OR_RETURN(KvScanPage first, co_await scans.open(cursor, limit, bytes));
//   CO_ASSIGN_OR_RETURN(KvScanPage next, co_await scans.next(first.scanner, 1, bytes));
namespace lakestream {

struct KvScanLimits {
  Duration idle_max = std::chrono::minutes(10);
  size_t per_bucket = 8;
  size_t per_server = 200;
  size_t page_bytes_max = 10 << 20;
};

struct KvScanPage {
  uint64_t scanner = 0;
  Bytes rows;  // a value batch
  bool more = false;
};

class KvScans {
 public:
  // `server_count` counts the sessions of all buckets.
  KvScans(Env& env, Shard& home, KvScanLimits limits, std::shared_ptr<std::atomic<size_t>> count);
  ~KvScans();
  KvScans(const KvScans&) = delete;
  KvScans& operator=(const KvScans&) = delete;

  // kTooManyScanners.
  Status check_room();
  // The first page. Without more pages there is no session afterwards.
  Task<Result<KvScanPage>> open(std::shared_ptr<KvCursor> cursor,
                                std::optional<int64_t> limit,
                                size_t page_bytes);
  // `sequence` is that of the page before plus one. kUnknownScannerId, kScannerExpired,
  // kInvalidScanRequest.
  Task<Result<KvScanPage>> next(uint64_t scanner, int32_t sequence, size_t page_bytes);
  // Fine when it is unknown.
  void close(uint64_t scanner);
  // Lets go of sessions that nobody asked for.
  void expire();
  // All sessions, when no call is running.
  void close_all();

 private:
  struct Scan {
    std::shared_ptr<KvCursor> cursor;  // empty once it expired
    std::optional<int64_t> rows_left;
    int32_t next_sequence = 1;
    bool busy = false;
    bool closed = false;
    Duration used{0};
  };
  using Place = std::map<uint64_t, std::shared_ptr<Scan>>::iterator;
  void erase(Place place);
  Task<Result<KvScanPage>> read_page(uint64_t scanner,
                                     std::shared_ptr<Scan> scan,
                                     size_t page_bytes);

  Env& env_;
  Shard& home_;
  KvScanLimits limits_;
  std::shared_ptr<std::atomic<size_t>> server_count_;
  std::map<uint64_t, std::shared_ptr<Scan>> scans_;
  uint64_t next_scanner_;
};

}  // namespace lakestream
