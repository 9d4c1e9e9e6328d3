#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "client/bucket_queue.h"
#include "client/delivery.h"
#include "client/notice.h"
#include "client/partition_namer.h"
#include "client/session.h"
#include "client/write_plan.h"
#include "io/backoff.h"
#include "wire/messages.h"

// The inside of those who write: rows are gathered by bucket (batch_sender_gather.cc), and one
// task, the sender, ends gathers that are old, sends what may be sent and takes in the answers
// (batch_sender.cc). The partitions of a table are looked up, or made, when the first row for them
// comes (batch_sender_places.cc). What is gathered and which request carries it is up to the
// derived class. Held by shared pointers, because requests on their way outlast the writer.
//
// Thread rule: shard-local.
//
//   class AppenderState : public BatchSender { … };
//   auto state = std::make_shared<AppenderState>(…);
//   state->start();
namespace lakestream::client::internal {

// Errors: kInvalidConfigException, which names `who`.
Status check_options(const WriteOptions& options, std::string_view who);

class BatchSender : public std::enable_shared_from_this<BatchSender> {
 public:
  virtual ~BatchSender() = default;
  BatchSender(const BatchSender&) = delete;
  BatchSender& operator=(const BatchSender&) = delete;

  void start();
  // Everything that is not settled fails.
  void abandon();

  const TableInfo& table() const { return opened_->info; }
  Session& session() { return *session_; }
  const WriteCounters& counters() const { return counters_; }
  size_t memory_bytes() const { return memory_bytes_; }

  // The tasks keep the state alive.
  static Task<Status> room(std::shared_ptr<BatchSender> self);
  static Task<Status> flush(std::shared_ptr<BatchSender> self);
  static Task<Status> close(std::shared_ptr<BatchSender> self);

 protected:
  struct Item {
    size_t bucket;
    std::shared_ptr<PendingBatch> batch;
  };
  using Items = std::vector<Item>;
  // What a server says of one batch.
  struct Answer {
    std::optional<Error> error = std::nullopt;
    std::optional<Offset> base_offset = std::nullopt;
    std::optional<Offset> log_end = std::nullopt;
    float pressure = 0;  // of the server's storage, 0 to 1
  };

  // `who` is "appender" or the like, for messages.
  BatchSender(std::shared_ptr<Session> session,
              std::shared_ptr<const TableMetadata> metadata,
              const WriteOptions& options,
              NumberedWriter writer,
              std::string_view who);

  // Where rows go: the table, or one of its partitions. Its buckets follow each other.
  struct Place {
    std::shared_ptr<const TableMetadata> opened;    // as it was at the beginning
    std::shared_ptr<const TableMetadata> metadata;  // as it is known now
    size_t first = 0;
    std::optional<Error> error;  // it is gone
    bool refreshing = false;

    size_t bucket_count() const { return opened->buckets.size(); }
  };

  virtual std::unique_ptr<Gather> make_gather() const = 0;
  // A batch of the bucket was ended. Buckets are numbered over all places here.
  virtual void gather_ended(size_t /*bucket*/) {}
  // Sends the batches in one request. One answer a batch; an error stands for all. The state is
  // kept alive until it ends.
  virtual Task<Result<std::vector<Answer>>> send(ServerId leader, Items items) = 0;

  // ---- for the derived classes
  Status check_open() const;
  // check_open(), and that a row may be taken without waiting.
  Status check_room();
  // Where a row of all columns goes. Errors: kStorageBackpressureException while the partition is
  // looked up or made, and once what came of it when it failed.
  Result<size_t> place_of(const PartitionNamer& partitions, std::span<const Value> row);
  static bool is_room_wanted(const Status& taken) {
    return !taken && taken.error().code() == ErrorCode::kStorageBackpressureException;
  }
  const Place& place(size_t index) const { return places_[index]; }
  size_t place_count() const { return places_.size(); }
  size_t place_of_bucket(size_t bucket) const { return buckets_[bucket].place; }
  bool has_leader(size_t bucket) const { return leader_of(bucket).has_value(); }
  Gather& gather_of(size_t bucket);
  // Books rows that have been added to the gather of a bucket.
  void took(size_t bucket, size_t bytes_before, int32_t row_count, Delivery* delivery);
  void end_gather(size_t bucket);
  void end_all_gathers();
  // At the end of a call that took rows.
  void call_ended() {
    if (options_.batch_timeout == Duration(0)) end_all_gathers();
  }
  // A batch that the caller has encoded goes behind what the bucket has gathered so far.
  void push_foreign(size_t bucket, Bytes bytes, int32_t row_count, Delivery* delivery);
  const WriteOptions& options() const { return options_; }

  template <typename Request>
  void fill_head(Request* request) const {
    auto timeout =
        std::chrono::duration_cast<std::chrono::milliseconds>(session_->options().request_timeout);
    request->acks = static_cast<int32_t>(options_.acks);
    request->table_id = table().id.value();
    request->timeout_ms = static_cast<int32_t>(timeout.count());
  }
  Duration call_timeout() const;
  static Error lacks_bucket() {
    return {ErrorCode::kUnknownServerError, "the server's answer lacks the bucket"};
  }
  // The answer of the item's bucket among those of a response; nullptr when it is not there.
  template <typename BucketAnswer>
  static const BucketAnswer* find_answer(const std::vector<BucketAnswer>& answers,
                                         const Item& item) {
    for (const BucketAnswer& answer : answers) {
      std::optional<PartitionId> partition;
      if (answer.partition_id) partition = PartitionId(*answer.partition_id);
      const BatchOutcome& outcome = *item.batch->outcome;
      if (answer.bucket_id == outcome.bucket.value() && partition == outcome.partition) {
        return &answer;
      }
    }
    return nullptr;
  }

 private:
  struct Bucket {
    Bucket(size_t of, size_t in_flight_max, NumberedWriter writer, Backoff waits, Backoff pauses)
        : place(of), queue(in_flight_max, writer), backoff(waits), throttle(pauses) {}

    size_t place;
    std::unique_ptr<Gather> gather;
    std::shared_ptr<BatchOutcome> outcome;  // of the gather
    Duration gathered_since{0};
    BucketQueue queue;
    Backoff backoff;
    Backoff throttle;  // while the server's storage is behind
    Duration not_before{0};
    bool restarting = false;
  };

  // ---- places (batch_sender_places.cc)
  size_t add_place(std::shared_ptr<const TableMetadata> metadata);
  void drop_place(size_t index, Error error);
  static Task<void> open_place(std::shared_ptr<BatchSender> self, ResolvedPartitionSpec partition);
  bool is_opening() const;
  const std::optional<ServerId>& leader_of(size_t bucket) const;
  const std::optional<Error>& error_of_bucket(const Bucket& bucket) const;
  void refresh_later(size_t place);
  static Task<void> refresh(std::shared_ptr<BatchSender> self, size_t place);

  // ---- gathering (batch_sender_gather.cc)
  void describe(size_t bucket, BatchOutcome* outcome) const;
  bool has_room() const { return memory_bytes_ < options_.memory_bytes_max; }
  static Task<void> encode_on_pool(std::shared_ptr<BatchSender> self,
                                   size_t bucket,
                                   std::shared_ptr<PendingBatch> batch,
                                   std::unique_ptr<Gather> gather);
  void encoded(size_t bucket,
               const std::shared_ptr<PendingBatch>& batch,
               const BatchWriter& writer,
               Result<Bytes> bytes);

  // ---- sending (batch_sender.cc)
  void wake_sender();
  static Task<void> run(std::shared_ptr<BatchSender> self);
  // How long nothing is due.
  Duration end_old_gathers();
  Duration send_ready();
  void collect(size_t index, Duration now, std::map<ServerId, std::vector<Items>>* rounds);
  void expire(Bucket& bucket, Duration now);
  PhysicalTablePath path_of(const PendingBatch& batch) const;
  Error too_late(const PendingBatch& batch) const;
  void delay(Bucket& bucket, const Error& error);
  static Task<void> exchange(std::shared_ptr<BatchSender> self, ServerId leader, Items items);
  void take_answer(const Item& item, const Answer& answer);
  void refuse(const Item& item, Error error);
  void settled(const PendingBatch& batch);
  static Task<void> restart_writer(std::shared_ptr<BatchSender> self, size_t bucket);
  void fail_all(const Error& error);

  std::shared_ptr<Session> session_;
  std::shared_ptr<const TableMetadata> opened_;
  WriteOptions options_;
  NumberedWriter writer_;
  std::string_view who_;
  std::deque<Place> places_;
  std::deque<Bucket> buckets_;
  std::map<std::string, size_t, std::less<>> partitions_;  // places by partition
  // Partitions that are looked up, without an error, or could not be had.
  std::map<std::string, std::optional<Error>, std::less<>> opening_;
  size_t memory_bytes_ = 0;
  WriteCounters counters_;
  std::optional<Error> failure_;  // first since the last flush
  std::optional<Error> fatal_;    // nothing can be written any more
  bool closing_ = false;
  bool stopped_ = false;
  bool work_wanted_ = false;
  Notice work_;
  Notice room_;
};

// Lets other tasks of the shard run.
Task<void> let_others_run(Shard* shard);
// Rows that are taken in without it.
inline constexpr int64_t kRowsAtATime = 1024;

}  // namespace lakestream::client::internal
