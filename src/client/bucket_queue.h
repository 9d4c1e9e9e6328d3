#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "client/notice.h"
#include "format/batch_builder.h"
#include "io/clock.h"

// The batches of one bucket on their way: BucketQueue decides which one may be sent and what an
// answer means, so that with an idempotent writer each batch is in the log once and in order.
//
// Batches are numbered. Several may be in flight, but none is sent while an earlier one waits to be
// sent again, and never one that is in_flight_max or more numbers ahead of the first that is not
// acknowledged: so far back the server remembers what it has.
//
//   The answer for number n             What it means
//   an offset, or duplicate             n is in the log
//   out of order, n was acknowledged    n is in the log, the first answer was lost
//   out of order, n is not the first    one before n is missing: again, behind that one
//   out of order, others moved since    the same, seen late: again
//   out of order, a batch before n      the server has neither n nor what follows: these get new
//     failed for good                     numbers under a new writer id
//   out of order otherwise              the server forgot the writer: n fails
//   an error that may pass              again; perhaps it is in the log, then it comes as duplicate
//   another error                       n fails; what follows is sent and tells by "out of order"
//                                         that n is missing
//
// Thread rule: shard-local, plain functions.
//
//   while (std::shared_ptr<PendingBatch> batch = queue.next()) {
//     queue.sent(*batch);
//     ...
//   }
namespace lakestream::client::internal {

// How a batch ended, for those who wait for its rows.
struct BatchOutcome {
  BucketId bucket;
  std::optional<PartitionId> partition;
  bool done = false;
  std::optional<Offset> base_offset;
  std::optional<Offset> log_end;  // of a primary-key table, where its changelog ended then
  std::optional<Error> error;
  Notice settled;
};

struct PendingBatch {
  Bytes bytes;
  std::shared_ptr<BatchOutcome> outcome;
  int32_t row_count = 0;
  bool foreign = false;  // the caller encoded it, with a writer and a number of its own
  Duration created{0};
  int32_t attempts = 0;
  size_t memory_bytes = 0;          // that it is charged for
  std::optional<Error> last_error;  // of the attempts so far

  // Kept by the queue.
  bool encoding = false;  // its bytes are being made
  bool in_flight = false;
  int64_t number = -1;         // does not wrap; -1 without an idempotent writer
  BatchWriter writer;          // with which it has to be encoded
  int64_t acked_at_send = -1;  // the highest acknowledged number when it was sent
};

enum class Verdict : uint8_t { kSettled, kAgain };

// Who writes, and how an encoded batch gets another writer.
struct NumberedWriter {
  WriterId id = kNoWriter;  // without one batches have no numbers
  Bytes (*restamp)(const Bytes& batch, const BatchWriter& writer) = nullptr;
};

class BucketQueue {
 public:
  BucketQueue(size_t in_flight_max, NumberedWriter writer)
      : in_flight_max_(in_flight_max), writer_(writer.id), restamp_(writer.restamp) {}

  bool empty() const { return batches_.empty(); }
  size_t in_flight() const { return in_flight_; }
  const std::deque<std::shared_ptr<PendingBatch>>& batches() const { return batches_; }

  // Gives the batch its place and, unless it is foreign, its writer and number. Without bytes it
  // has to be encoded with them; encoded() brings the bytes.
  void push(std::shared_ptr<PendingBatch> batch);
  void encoded(PendingBatch& batch, const BatchWriter& writer, Bytes bytes);

  // The batch to be sent now, if there is one.
  std::shared_ptr<PendingBatch> next() const;
  void sent(PendingBatch& batch);

  // Both settle the outcome and drop the batch, except for kAgain. Requires: it is in flight.
  void acknowledged(const std::shared_ptr<PendingBatch>& batch, std::optional<Offset> base_offset);
  Verdict refused(const std::shared_ptr<PendingBatch>& batch, Error error, bool may_repeat);
  // Gives up a batch. Requires: it is not in flight.
  void fail(const std::shared_ptr<PendingBatch>& batch, Error error);

  // A new writer id is needed; nothing is sent until restart().
  bool wants_restart() const { return restart_wanted_ && in_flight_ == 0; }
  void restart(WriterId writer);

 private:
  void number(PendingBatch& batch);
  bool is_first_numbered(const PendingBatch& batch) const;
  void settle(std::shared_ptr<PendingBatch> batch);

  size_t in_flight_max_;
  WriterId writer_;
  Bytes (*restamp_)(const Bytes& batch, const BatchWriter& writer);
  int64_t next_number_ = 0;
  int64_t last_acked_ = -1;
  bool gap_ = false;  // a numbered batch of this writer failed for good
  bool restart_wanted_ = false;
  size_t in_flight_ = 0;
  std::deque<std::shared_ptr<PendingBatch>> batches_;
};

}  // namespace lakestream::client::internal
