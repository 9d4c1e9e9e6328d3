#include "tiering/round_writers.h"

#include <utility>

#include <arrow/record_batch.h>

#include "base/failpoint.h"
#include "io/pool.h"

namespace lakestream::tiering {

Status RoundWriters::write_rows(LakeTable& table, Slot& slot) {
  if (slot.writer == nullptr) {
    ASSIGN_OR_RETURN(slot.writer, table.open_writer(slot.bucket));
  }
  for (const LakeRows& rows : slot.rows) RETURN_IF_ERROR(slot.writer->write(rows));
  slot.rows.clear();
  slot.work = slot.writer->take_work();
  return failpoint("tiering.after_rows");
}

Status RoundWriters::finish_file(LakeTable&, Slot& slot) {
  ASSIGN_OR_RETURN(slot.files, slot.writer->finish());
  slot.writer.reset();
  return failpoint("tiering.after_file");
}

Task<void> RoundWriters::run_one(std::shared_ptr<RoundWriters> self, Slot* slot, Job job) {
  auto work = [table = self->table_, slot, job] { return job(*table, *slot); };
  self->took(co_await run_on_pool(self->env_.pool, self->shard_, std::move(work)));
  if (!slot->work.empty()) {
    // One piece after the other; a writer that is faster than the store waits.
    while (slot->is_storing) co_await slot->stored.wait();
    slot->is_storing = true;
    self->shard_.spawn(store(self, slot));
  }
  if (--self->running_ == 0) self->settled_.wake();
}

Task<void> RoundWriters::store(std::shared_ptr<RoundWriters> self, Slot* slot) {
  auto job = [work = std::exchange(slot->work, {})]() mutable -> Status {
    for (LakeWork& piece : work) RETURN_IF_ERROR(piece());
    return ok();
  };
  self->took(co_await run_on_pool(self->env_.pool, self->shard_, std::move(job)));
  slot->is_storing = false;
  slot->stored.wake();
}

void RoundWriters::took(Status outcome) {
  if (!outcome && outcome_) outcome_ = std::move(outcome);
}

void RoundWriters::run_all(const std::shared_ptr<RoundWriters>& self,
                           const std::vector<Slot*>& slots,
                           Job job) {
  self->running_ = slots.size();
  for (Slot* slot : slots) self->shard_.spawn(run_one(self, slot, job));
}

Task<Status> RoundWriters::settle() {
  while (running_ > 0) co_await settled_.wait();
  held_bytes_ = 0;
  for (const auto& [bucket, slot] : slots_) {
    if (slot.writer) held_bytes_ += slot.writer->held_bytes();
  }
  co_return std::exchange(outcome_, ok());
}

Task<Status> RoundWriters::settle_all() {
  Status written = co_await settle();
  for (auto& [bucket, slot] : slots_) {
    while (slot.is_storing) co_await slot.stored.wait();
  }
  Status stored = co_await settle();
  co_return written ? std::move(stored) : std::move(written);
}

Task<Status> RoundWriters::write(std::shared_ptr<RoundWriters> self,
                                 std::vector<Portion> portions) {
  CO_RETURN_IF_ERROR(co_await self->settle());
  std::vector<Slot*> slots;
  for (Portion& portion : portions) {
    Slot& slot = self->slots_[portion.bucket];
    if (slot.rows.empty()) slots.push_back(&slot);
    slot.bucket = std::move(portion.bucket);
    self->rows_ += static_cast<uint64_t>(portion.rows.rows->num_rows());
    slot.rows.push_back(std::move(portion.rows));
  }
  if (!slots.empty()) run_all(self, slots, &write_rows);
  co_return ok();
}

Task<Status> RoundWriters::finish(std::shared_ptr<RoundWriters> self,
                                  std::vector<LakeFiles>* files) {
  CO_RETURN_IF_ERROR(co_await self->settle_all());
  std::vector<Slot*> slots;
  for (auto& [bucket, slot] : self->slots_) slots.push_back(&slot);
  if (!slots.empty()) run_all(self, slots, &finish_file);
  Status done = co_await self->settle();
  for (Slot* slot : slots) {
    if (!slot->files) continue;
    self->bytes_ += slot->files->bytes();
    files->push_back(*std::move(slot->files));
  }
  self->slots_.clear();
  co_return done;
}

Task<Status> RoundWriters::drop(std::shared_ptr<RoundWriters> self) {
  (void)co_await self->settle_all();
  auto work = [slots = std::move(self->slots_)]() mutable {
    slots.clear();
    return true;
  };
  self->slots_.clear();
  co_await run_on_pool(self->env_.pool, self->shard_, std::move(work));
  co_return ok();
}

}  // namespace lakestream::tiering
