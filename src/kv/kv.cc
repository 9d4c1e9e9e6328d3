#include "kv/kv.h"

#include <algorithm>
#include <functional>

#include "base/endian.h"
#include "kv/byte_view.h"
#include "kv/merge/merger.h"
#include "kv/merge_put.h"

namespace lakestream {

Status KvLoad::read() {
  std::vector<std::string_view> keys;
  keys.reserve(blocked_.size());
  for (size_t index : blocked_) keys.push_back(keys_[index]);
  std::vector<KvRead> rows(keys.size());
  RETURN_IF_ERROR(engine_->get(keys, rows));
  for (size_t i = 0; i < rows.size(); ++i) rows_[blocked_[i]] = std::move(rows[i]);
  blocked_.clear();
  return ok();
}

Status KvApply::run() const { return engine_->write(changes_, mark_); }

KvTablet::KvTablet(std::unique_ptr<KvEngine> engine)
    : engine_(std::move(engine)), applied_(engine_->mark()) {
  if (applied_.applied == Offset(0)) applied_.row_count = 0;
  ids_ = applied_.ids;
}

KvTablet::~KvTablet() = default;

Result<bool> KvTablet::needs_old_rows(KvTable& table, const KvPut& put) {
  ASSIGN_OR_RETURN(const RowMerger* merger, table.merger(put.target_columns, put.overwrite));
  if (table.logs_old_rows() || !merger->replaces() || table.auto_increment()) return true;
  KvReader reader(put.batch);
  while (!reader.at_end()) {
    ASSIGN_OR_RETURN(KvRecord record, reader.next());
    if (!record.row) return true;
  }
  return false;
}

KvLoad KvTablet::begin_load(std::span<const KvBatchView* const> batches) {
  CHECK(!loading_, "one load at a time");
  loading_ = true;
  KvLoad load;
  load.engine_ = engine_.get();
  load.generation_ = generation_;
  for (const KvBatchView* batch : batches) {
    load.first_of_batch_.push_back(load.keys_.size());
    KvReader reader(*batch);
    while (!reader.at_end()) {
      auto record = reader.next();
      if (!record) break;  // prepare() meets it again and says so
      load.keys_.push_back(to_view(record->key));
    }
  }
  load.rows_.resize(load.keys_.size());
  // Keys in the buffer keep their place there until the load is forgotten.
  std::vector<std::string_view> keys;
  std::vector<size_t> places;
  for (size_t i = 0; i < load.keys_.size(); ++i) {
    if (find(load.keys_[i]) != nullptr) continue;
    keys.push_back(load.keys_[i]);
    places.push_back(i);
  }
  std::vector<KvRead> rows(keys.size());
  engine_->try_get(keys, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].state == KvRead::State::kWouldBlock) load.blocked_.push_back(places[i]);
    load.rows_[places[i]] = std::move(rows[i]);
  }
  return load;
}

bool KvTablet::end_load(const KvLoad& load) {
  if (load.generation_ == generation_) return true;
  forget_load();
  return false;
}

void KvTablet::forget_load() {
  loading_ = false;
  evict_applied();
}

Result<Bytes> KvTablet::prepare(KvTable& table,
                                const KvPut& put,
                                const KvLoad* load,
                                size_t position) {
  CHECK(prepared_ == nullptr, "the put before was not settled");
  ASSIGN_OR_RETURN(const RowMerger* merger, table.merger(put.target_columns, put.overwrite));
  prepared_ = std::make_unique<Batch>();
  Merge merge(*this, table, put, *merger);
  if (load != nullptr) merge.use(*load, position);
  Status merged = merge.run();
  if (merged) {
    auto changelog = table.changelog().finish({put.batch.writer_id(), put.batch.batch_sequence()});
    if (changelog) return changelog;
    merged = fail(std::move(changelog).error());
  }
  table.reset_changelog();
  reject();
  return fail(std::move(merged).error());
}

void KvTablet::accept(Offset end) {
  CHECK(prepared_ != nullptr, "nothing is prepared");
  prepared_->mark.applied = end;
  prepared_->mark.ids = ids_;
  pending_bytes_ += bytes_of(*prepared_);
  batches_.push_back(std::move(prepared_));
}

void KvTablet::reject() {
  CHECK(prepared_ != nullptr, "nothing is prepared");
  bool wrote = !prepared_->writes.empty();
  prepared_.reset();
  if (wrote) rebuild_buffer();
}

void KvTablet::lose_from(Offset from) {
  CHECK(prepared_ == nullptr, "a put is prepared");
  if (batches_.size() == applied_count_ || batches_.back()->mark.applied <= from) return;
  while (batches_.size() > applied_count_ && batches_.back()->mark.applied > from) {
    pending_bytes_ -= bytes_of(*batches_.back());
    batches_.pop_back();
  }
  rebuild_buffer();
  ++generation_;
}

KvApply KvTablet::begin_apply(Offset limit) {
  KvApply apply;
  apply.engine_ = engine_.get();
  std::vector<const Write*> writes;
  for (size_t i = applied_count_; i < batches_.size(); ++i) {
    const Batch& batch = *batches_[i];
    if (batch.mark.applied > limit) break;
    for (const Write& write : batch.writes) writes.push_back(&write);
    apply.mark_ = batch.mark;
    ++apply.batch_count_;
  }
  auto by_key = [](const Write* a, const Write* b) { return a->key < b->key; };
  std::stable_sort(writes.begin(), writes.end(), by_key);
  apply.changes_.reserve(writes.size());
  for (size_t i = 0; i < writes.size(); ++i) {
    bool last_of_key = i + 1 == writes.size() || writes[i + 1]->key != writes[i]->key;
    if (last_of_key) {
      apply.changes_.push_back({writes[i]->key, writes[i]->removed, writes[i]->value});
    }
  }
  return apply;
}

void KvTablet::end_apply(const KvApply& apply, const Status& status) {
  if (!status || apply.batch_count_ == 0) return;
  applied_ = apply.mark_;
  applied_count_ += apply.batch_count_;
  if (!loading_) evict_applied();
}

void KvTablet::evict_applied() {
  for (; applied_count_ > 0; --applied_count_) {
    const Batch& batch = *batches_.front();
    for (const Write& write : batch.writes) {
      auto found = newest_.find(write.key);
      if (found != newest_.end() && found->write == &write) newest_.erase(found);
    }
    pending_bytes_ -= bytes_of(batch);
    batches_.pop_front();
  }
}

void KvTablet::try_get_latest(std::span<const std::string_view> keys, std::span<KvRead> reads) {
  engine_->try_get(keys, reads);
  for (size_t i = 0; i < keys.size(); ++i) {
    const Write* write = find(keys[i]);
    if (write == nullptr) continue;
    if (write->removed) {
      reads[i] = {};
      continue;
    }
    MutableBytes value = MutableBytes::allocate(write->value[0].size() + write->value[1].size());
    uint8_t* at = value.data();
    for (std::string_view part : write->value) at = std::copy(part.begin(), part.end(), at);
    reads[i] = {KvRead::State::kFound, std::move(value).freeze()};
  }
}

int64_t KvTablet::ids_left() const {
  int64_t left = 0;
  for (const IdRange& range : ids_) left += range.end - range.start + 1;
  return left;
}

void KvTablet::add_ids(IdRange range) { ids_.push_back(range); }

const KvTablet::Write* KvTablet::find(std::string_view key) const {
  auto found = newest_.find(key);
  return found == newest_.end() ? nullptr : found->write;
}

void KvTablet::remember(const Write& write) {
  auto [place, is_new] = newest_.insert(Newest{&write});
  if (!is_new) place->write = &write;
}

const KvMark& KvTablet::newest_mark() const {
  return batches_.empty() ? applied_ : batches_.back()->mark;
}

void KvTablet::rebuild_buffer() {
  newest_.clear();
  for (const auto& batch : batches_) {
    for (const Write& write : batch->writes) remember(write);
  }
}

size_t KvTablet::bytes_of(const Batch& batch) {
  return batch.source.size() + batch.writes.size() * (sizeof(Write) + sizeof(Newest));
}

}  // namespace lakestream
