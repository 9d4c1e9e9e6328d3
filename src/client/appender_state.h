#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "client/appender.h"
#include "client/backoff.h"
#include "client/bucket_queue.h"
#include "client/notice.h"
#include "client/session.h"
#include "client/write_plan.h"
#include "wire/messages.h"

// The inside of an Appender: rows are gathered by bucket (appender_state.cc), and one task, the
// sender, ends gathers that are old, sends what may be sent and takes in the answers
// (appender_sender.cc). Held by shared pointers, because requests on their way outlast the
// appender.
//
// Thread rule: shard-local.
namespace lakestream::client::internal {

class AppenderState : public std::enable_shared_from_this<AppenderState> {
 public:
  AppenderState(std::shared_ptr<Session> session,
                std::shared_ptr<const TableMetadata> metadata,
                std::shared_ptr<const WritePlan> plan,
                AppenderOptions options,
                WriterId writer);

  void start();
  // Everything that is not settled fails.
  void abandon();

  const WritePlan& plan() const { return *plan_; }
  Session& session() { return *session_; }
  const AppenderCounters& counters() const { return counters_; }
  size_t memory_bytes() const { return memory_bytes_; }

  Result<Delivery> append_row(std::span<const Value> row);
  Status check_open() const;
  bool has_room() const { return memory_bytes_ < options_.memory_bytes_max; }

  // The tasks keep the state alive.
  static Task<Result<Delivery>> append(std::shared_ptr<AppenderState> self,
                                       std::shared_ptr<arrow::RecordBatch> rows);
  static Task<Result<Delivery>> append_encoded(std::shared_ptr<AppenderState> self,
                                               BucketId bucket,
                                               Bytes batch);
  static Task<Status> room(std::shared_ptr<AppenderState> self);
  static Task<Status> flush(std::shared_ptr<AppenderState> self);
  static Task<Status> close(std::shared_ptr<AppenderState> self);

 private:
  struct Bucket {
    Bucket(size_t in_flight_max, WriterId writer, Backoff waits)
        : queue(in_flight_max, writer), backoff(waits) {}

    std::optional<RowGather> gather;
    std::shared_ptr<BatchOutcome> outcome;  // of the gather
    Duration gathered_since{0};
    BucketQueue queue;
    Backoff backoff;
    Duration not_before{0};
    bool restarting = false;
  };
  struct Item {
    size_t bucket;
    std::shared_ptr<PendingBatch> batch;
  };
  using Items = std::vector<Item>;

  // ---- gathering (appender_state.cc)
  Result<size_t> choose_bucket(std::span<const Value> row);
  bool is_sticky() const {
    return !plan_->has_bucket_key() && options_.no_key_assigner == NoKeyAssigner::kSticky;
  }
  size_t next_in_turn();
  void change_sticky_bucket();
  RowGather& gather_of(size_t bucket);
  Status take_row(std::span<const Value> row, Delivery* delivery);
  void took(size_t bucket, size_t bytes_before, int32_t row_count, Delivery* delivery);
  void end_gather(size_t bucket);
  void end_all_gathers();
  static Task<void> encode_on_pool(std::shared_ptr<AppenderState> self,
                                   size_t bucket,
                                   std::shared_ptr<PendingBatch> batch,
                                   RowGather gather);
  void encoded(size_t bucket,
               const std::shared_ptr<PendingBatch>& batch,
               const BatchWriter& writer,
               Result<Bytes> bytes);
  static Task<Status> append_columns(std::shared_ptr<AppenderState> self,
                                     std::shared_ptr<arrow::RecordBatch> rows,
                                     Delivery* delivery);
  static Task<Status> append_rows(std::shared_ptr<AppenderState> self,
                                  std::shared_ptr<arrow::RecordBatch> rows,
                                  Delivery* delivery);

  // ---- sending (appender_sender.cc)
  void wake_sender();
  static Task<void> run(std::shared_ptr<AppenderState> self);
  // How long nothing is due.
  Duration end_old_gathers();
  Duration send_ready();
  void collect(size_t index, Duration now, std::map<ServerId, std::vector<Items>>* rounds);
  void expire(Bucket& bucket, Duration now);
  Error too_late(const PendingBatch& batch) const;
  void delay(Bucket& bucket, const Error& error);
  static Task<void> exchange(std::shared_ptr<AppenderState> self, ServerId leader, Items items);
  wire::ProduceLogRequest request_of(ServerId leader, const Items& items);
  void take_answer(const Items& items, const wire::ProduceLogResponse& response);
  void refuse(const Item& item, Error error);
  void settled(const PendingBatch& batch);
  void refresh_later();
  static Task<void> refresh(std::shared_ptr<AppenderState> self);
  static Task<void> restart_writer(std::shared_ptr<AppenderState> self, size_t bucket);
  void fail_all(const Error& error);

  std::shared_ptr<Session> session_;
  std::shared_ptr<const TableMetadata> metadata_;
  std::shared_ptr<const WritePlan> plan_;
  AppenderOptions options_;
  std::vector<Bucket> buckets_;
  size_t current_ = 0;  // of the assigner for rows without key
  ByteWriter key_;      // of the row at hand
  size_t memory_bytes_ = 0;
  AppenderCounters counters_;
  std::optional<Error> failure_;  // first since the last flush
  std::optional<Error> fatal_;    // nothing can be appended any more
  bool closing_ = false;
  bool stopped_ = false;
  bool refreshing_ = false;
  bool work_wanted_ = false;
  Notice work_;
  Notice room_;
};

}  // namespace lakestream::client::internal
