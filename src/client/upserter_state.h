#pragma once

#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "client/batch_sender.h"
#include "client/upsert_plan.h"
#include "client/upserter.h"

// The inside of an Upserter: makes records of rows and keys, and sends batches as put requests.
//
// Thread rule: shard-local.
//
//   auto state = std::make_shared<UpserterState>(session, metadata, plan, options, writer);
//   auto delivery = state->take(row, UpserterState::Change::kUpsert);
namespace lakestream::client::internal {

class UpserterState : public BatchSender {
 public:
  enum class Change : uint8_t { kUpsert, kRemove };

  UpserterState(std::shared_ptr<Session> session,
                std::shared_ptr<const TableMetadata> metadata,
                std::shared_ptr<const UpsertPlan> plan,
                const UpserterOptions& options,
                WriterId writer);

  const UpsertPlan& plan() const { return *plan_; }

  Result<Delivery> take_one(std::span<const Value> row, Change change);
  // The task keeps the state alive.
  static Task<Result<Delivery>> take_all(std::shared_ptr<UpserterState> self,
                                         std::shared_ptr<arrow::RecordBatch> rows,
                                         Change change);

 private:
  std::unique_ptr<Gather> make_gather() const override;
  Task<Result<std::vector<Answer>>> send(ServerId leader, Items items) override;
  Status take_row(std::span<const Value> row, Change change, Delivery* delivery);

  std::shared_ptr<const UpsertPlan> plan_;
  MergeMode mode_;
  UpsertScratch scratch_;
};

}  // namespace lakestream::client::internal
