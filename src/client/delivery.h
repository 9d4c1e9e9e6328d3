#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "client/types.h"
#include "io/clock.h"
#include "io/task.h"

// What those who write rows (Appender, Upserter) have in common: how they send batches, and how the
// rows of one call ended.
//
// Thread rule: shard-local.
//
//   CO_ASSIGN_OR_RETURN(Delivery delivery, co_await appender->append(rows));
//   CO_ASSIGN_OR_RETURN(auto places, co_await delivery.wait());
namespace lakestream::client {

struct WriteOptions {
  Acks acks = Acks::kAll;
  size_t batch_bytes = size_t{2} << 20;                     // of rows before compression
  Duration batch_timeout = std::chrono::milliseconds(100);  // 0: each call leaves at once
  size_t request_bytes_max = size_t{10} << 20;              // of one request
  size_t in_flight_max = 5;                                 // batches of one bucket, at most 5
  size_t memory_bytes_max = size_t{64} << 20;               // rows not acknowledged yet
  // Batches from this size on are encoded and compressed by the pool, beside the shard.
  size_t pool_bytes_min = size_t{64} << 10;
  bool idempotence = true;
  int32_t retries_max = std::numeric_limits<int32_t>::max();  // of one batch
  Duration delivery_timeout = Duration(0);                    // of one batch; 0: none
};

// Rows of one call that went to one bucket.
struct Delivered {
  BucketId bucket;
  std::optional<PartitionId> partition = std::nullopt;
  // Of an append, where the first row is; absent when the server knew only that it has the rows.
  std::optional<Offset> offset = std::nullopt;
  int32_t row_count = 0;
  // Of upserts and removals, where the changelog ends behind them; absent likewise.
  std::optional<Offset> log_end = std::nullopt;
};

struct WriteCounters {
  uint64_t rows_taken = 0;
  uint64_t rows_acknowledged = 0;
  uint64_t rows_failed = 0;
  uint64_t batches_sent = 0;  // with repetitions
  uint64_t batches_retried = 0;
  uint64_t bytes_sent = 0;  // encoded batches, with repetitions
  uint64_t requests_sent = 0;
};

namespace internal {
class BatchSender;
struct BatchOutcome;
}  // namespace internal

// Tells how a call ended. May be dropped, waited for several times, and outlive the writer.
class Delivery {
 public:
  Delivery() = default;

  bool is_done() const;
  // In the order of the rows within each bucket. Errors: of the first batch that failed; rows of
  // other batches of the call may have arrived.
  Task<Result<std::vector<Delivered>>> wait() const;

 private:
  friend class internal::BatchSender;
  struct Part {
    std::shared_ptr<internal::BatchOutcome> batch;
    int32_t first_row = 0;
    int32_t row_count = 0;
  };
  void add(Part part);

  // Most calls are a single part.
  Part first_;
  std::vector<Part> more_;
};

}  // namespace lakestream::client
