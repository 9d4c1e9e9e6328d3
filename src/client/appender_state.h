#pragma once

#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "client/appender.h"
#include "client/batch_sender.h"
#include "client/write_plan.h"

// The inside of an Appender: chooses the bucket of each row, and sends batches as produce requests.
//
// Thread rule: shard-local.
//
//   auto state = std::make_shared<AppenderState>(session, metadata, plan, options, writer);
//   auto delivery = state->append_row(row);
namespace lakestream::client::internal {

class AppenderState : public BatchSender {
 public:
  AppenderState(std::shared_ptr<Session> session,
                std::shared_ptr<const TableMetadata> metadata,
                std::shared_ptr<const WritePlan> plan,
                const AppenderOptions& options,
                WriterId writer);

  Result<Delivery> append_row(std::span<const Value> row);

  // The tasks keep the state alive.
  static Task<Result<Delivery>> append(std::shared_ptr<AppenderState> self,
                                       std::shared_ptr<arrow::RecordBatch> rows);
  static Task<Result<Delivery>> append_encoded(std::shared_ptr<AppenderState> self,
                                               BucketId bucket,
                                               Bytes batch);

 private:
  std::unique_ptr<Gather> make_gather() const override;
  void gather_ended(size_t bucket) override;
  Task<Result<std::vector<Answer>>> send(ServerId leader, Items items) override;

  Result<size_t> choose_bucket(size_t place, std::span<const Value> row);
  size_t& current_of(size_t place);
  bool is_sticky() const { return !plan_->has_bucket_key() && assigner_ == NoKeyAssigner::kSticky; }
  size_t next_in_turn(size_t place);
  void change_sticky_bucket(size_t place);
  RowGather& row_gather_of(size_t bucket) { return static_cast<RowGather&>(gather_of(bucket)); }
  Status take_row(std::span<const Value> row, Delivery* delivery);
  static Task<Status> append_columns(std::shared_ptr<AppenderState> self,
                                     std::shared_ptr<arrow::RecordBatch> rows,
                                     Delivery* delivery);
  static Task<Status> append_rows(std::shared_ptr<AppenderState> self,
                                  std::shared_ptr<arrow::RecordBatch> rows,
                                  Delivery* delivery);
  wire::ProduceLogRequest request_of(ServerId leader, const Items& items);

  std::shared_ptr<const WritePlan> plan_;
  NoKeyAssigner assigner_;
  std::vector<size_t> current_;  // of each place, of the assigner for rows without key
  ByteWriter key_;               // of the row at hand
};

}  // namespace lakestream::client::internal
