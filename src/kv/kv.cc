#include "kv/kv.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/endian.h"
#include "kv/byte_view.h"
#include "kv/merge/merger.h"
#include "kv/merge_put.h"

namespace lakestream {
namespace {

// More than that is applied in several rounds: they are sorted on the shard.
constexpr size_t kApplyBytesMax = 8 << 20;

}  // namespace

Status KvLookup::read() {
  std::vector<std::string_view> keys;
  keys.reserve(blocked_.size());
  for (size_t place : blocked_) keys.push_back(keys_[place]);
  std::vector<KvRead> rows(keys.size());
  RETURN_IF_ERROR(engine_->get(keys, rows));
  for (size_t i = 0; i < rows.size(); ++i) rows_[blocked_[i]] = std::move(rows[i]);
  was_blocked_ = std::exchange(blocked_, {});
  return ok();
}

Status KvApply::run() const { return engine_->write(changes_, mark_); }

KvTablet::KvTablet(std::unique_ptr<KvEngine> engine, std::shared_ptr<RowCache> cache)
    : engine_(std::move(engine)), applied_(engine_->mark()), cache_(std::move(cache)) {
  if (cache_ != nullptr) cached_as_ = cache_->new_bucket();
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

KvLookup KvTablet::begin_lookup(std::span<const std::string_view> keys) {
  KvLookup lookup;
  lookup.keys_.assign(keys.begin(), keys.end());
  std::vector<size_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  look_up(&lookup, places);
  return lookup;
}

// What was applied while the pool read may be newer than what it read.
void KvTablet::end_lookup(const KvLookup& lookup) {
  if (lookup.applies_ != applies_) return;
  for (size_t place : lookup.was_blocked_) cache_read(lookup, place);
}

void KvTablet::add_pending(KvLookup* lookup) const {
  for (size_t i = 0; i < lookup->keys_.size(); ++i) {
    const Write* write = find(lookup->keys_[i]);
    if (write == nullptr) continue;
    if (write->removed) {
      lookup->rows_[i] = {};
      continue;
    }
    MutableBytes value = MutableBytes::allocate(write->value[0].size() + write->value[1].size());
    uint8_t* at = value.data();
    for (std::string_view part : write->value) at = std::copy(part.begin(), part.end(), at);
    lookup->rows_[i] = {KvRead::State::kFound, std::move(value).freeze()};
  }
  std::erase_if(lookup->blocked_, [lookup](size_t place) {
    return lookup->rows_[place].state != KvRead::State::kWouldBlock;
  });
}

// Reads the keys at `places` from memory.
void KvTablet::look_up(KvLookup* lookup, std::span<const size_t> places) {
  lookup->engine_ = engine_.get();
  lookup->applies_ = applies_;
  lookup->rows_.resize(lookup->keys_.size());
  std::vector<size_t> left;
  read_cache(lookup, places, &left);
  if (left.empty()) return;
  std::vector<std::string_view> keys;
  keys.reserve(left.size());
  for (size_t place : left) keys.push_back(lookup->keys_[place]);
  std::vector<KvRead> rows(keys.size());
  engine_->try_get(keys, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    lookup->rows_[left[i]] = std::move(rows[i]);
    if (lookup->rows_[left[i]].state == KvRead::State::kWouldBlock) {
      lookup->blocked_.push_back(left[i]);
    } else {
      cache_read(*lookup, left[i]);
    }
  }
}

// The rows that are found are copied to one piece of memory, as the next put may move them.
void KvTablet::read_cache(KvLookup* lookup,
                          std::span<const size_t> places,
                          std::vector<size_t>* left) {
  if (cache_ == nullptr) {
    left->assign(places.begin(), places.end());
    return;
  }
  std::vector<std::string_view> keys;
  keys.reserve(places.size());
  for (size_t place : places) keys.push_back(lookup->keys_[place]);
  std::vector<std::string_view> values(keys.size());
  cache_->find(cached_as_, keys, values);
  size_t size = 0;
  for (std::string_view value : values) size += value.size();
  MutableBytes memory = MutableBytes::allocate(size);
  uint8_t* to = memory.data();
  for (std::string_view value : values) to = std::copy(value.begin(), value.end(), to);
  Bytes whole = std::move(memory).freeze();
  size_t at = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].data() == nullptr) {
      left->push_back(places[i]);
      continue;
    }
    lookup->rows_[places[i]] = {KvRead::State::kFound, whole.slice(at, values[i].size())};
    at += values[i].size();
  }
}

void KvTablet::cache_read(const KvLookup& lookup, size_t place) {
  const KvRead& row = lookup.rows_[place];
  if (cache_ == nullptr || row.state != KvRead::State::kFound) return;
  std::string_view key = lookup.keys_[place];
  cache_->put(cached_as_, key, {row.value.view(), {}}, RowCache::Room::kMake);
}

KvLoad KvTablet::begin_load(std::span<const KvBatchView* const> batches) {
  CHECK(!loading_, "one load at a time");
  loading_ = true;
  KvLoad load;
  load.generation_ = generation_;
  std::vector<std::string_view>& keys = load.lookup_.keys_;
  for (const KvBatchView* batch : batches) {
    load.first_of_batch_.push_back(keys.size());
    KvReader reader(*batch);
    while (!reader.at_end()) {
      auto record = reader.next();
      if (!record) break;  // prepare() meets it again and says so
      keys.push_back(to_view(record->key));
    }
  }
  // Keys in the buffer keep their place there until the load is forgotten.
  std::vector<size_t> places;
  places.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (find(keys[i]) == nullptr) places.push_back(i);
  }
  look_up(&load.lookup_, places);
  return load;
}

bool KvTablet::end_load(const KvLoad& load) {
  if (load.generation_ != generation_) {
    forget_load();
    return false;
  }
  for (size_t place : load.lookup_.was_blocked_) {
    if (find(load.lookup_.keys_[place]) == nullptr) cache_read(load.lookup_, place);
  }
  return true;
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
  prepared_->replaced = {};
  pending_bytes_ += bytes_of(*prepared_);
  batches_.push_back(std::move(prepared_));
}

void KvTablet::reject() {
  CHECK(prepared_ != nullptr, "nothing is prepared");
  for (size_t i = prepared_->writes.size(); i-- > 0;) {
    auto found = newest_.find(prepared_->writes[i].key);
    if (prepared_->replaced[i] == nullptr) {
      newest_.erase(found);
    } else {
      found->write = prepared_->replaced[i];
    }
  }
  prepared_.reset();
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
  size_t bytes = 0;
  for (size_t i = applied_count_; i < batches_.size() && bytes < kApplyBytesMax; ++i) {
    const Batch& batch = *batches_[i];
    if (batch.mark.applied > limit) break;
    bytes += bytes_of(batch);
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
  ++applies_;
  applied_count_ += apply.batch_count_;
  if (cache_ != nullptr) {
    for (const KvChange& change : apply.changes_) {
      if (change.removed) {
        cache_->erase(cached_as_, change.key);
      } else {
        cache_->put(cached_as_, change.key, change.value, RowCache::Room::kIfFree);
      }
    }
  }
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

const KvTablet::Write* KvTablet::remember(const Write& write) {
  auto [place, is_new] = newest_.insert(Newest{&write});
  return is_new ? nullptr : std::exchange(place->write, &write);
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
  return batch.source.size() + batch.row_bytes +
         batch.writes.size() * (sizeof(Write) + sizeof(Newest));
}

}  // namespace lakestream
