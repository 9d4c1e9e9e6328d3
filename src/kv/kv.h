#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "format/kv_batch.h"
#include "format/value.h"
#include "kv/engine.h"
#include "kv/kv_table.h"
#include "kv/row_cache.h"

// The state of one primary-key bucket. A KvTablet turns the batches of writers into changelog
// batches, keeps the new rows in the pre-write buffer, and writes them to its engine once the
// changelog is committed; it knows neither the log nor who commits. A put goes so:
//
//   KvLoad load = tablet.begin_load(batches);      // old rows, as far as memory has them
//   if (!load.complete()) on the pool: load.read();
//   tablet.end_load(&load);                        // again from the start when it says so
//   ASSIGN_OR_RETURN(Bytes changelog, tablet.prepare(table, put, load, 0));
//   append it; then tablet.accept(end_offset) or tablet.reject()
//
// and, whenever the log is committed further:
//
//   KvApply apply = tablet.begin_apply(high_watermark);
//   Status status = apply.run();  // on the pool
//   tablet.end_apply(std::move(apply), status);
//
// Puts of a bucket go one after the other, so that each sees what those before it did. Lookups see
// applied rows alone:
//
//   KvLookup lookup = tablet.begin_lookup(keys);  // as far as memory has them
//   if (!lookup.complete()) on the pool: lookup.read();
//   tablet.end_lookup(&lookup);                   // lookup.rows()
//
// Thread rule: shard-local; KvLookup::read(), KvLoad::read() and KvApply::run() on the pool. One
// load and one apply at a time, and any number of lookups.
namespace lakestream {

class RowMerger;

// One batch of a writer.
struct KvPut {
  KvBatchView batch;  // validated
  std::vector<int32_t> target_columns = {};
  bool overwrite = false;
};

// The applied rows of some keys.
class KvLookup {
 public:
  bool complete() const { return blocked_.empty(); }
  // Waits for the disk. Errors: kKvStorageException.
  Status read();
  // In the order of the keys.
  std::span<KvRead> rows() { return rows_; }

 private:
  friend class KvTablet;
  KvEngine* engine_ = nullptr;
  uint64_t applies_ = 0;
  std::vector<std::string_view> keys_;
  std::vector<KvRead> rows_;
  std::vector<size_t> blocked_;
  std::vector<size_t> was_blocked_;
};

// The rows that the keys of some batches have in the engine.
class KvLoad {
 public:
  bool complete() const { return lookup_.complete(); }
  // Waits for the disk. Errors: kKvStorageException.
  Status read() { return lookup_.read(); }

 private:
  friend class KvTablet;
  uint64_t generation_ = 0;
  std::vector<size_t> first_of_batch_;
  KvLookup lookup_;  // by batch, then by record
};

// Rows on their way to the engine.
class KvApply {
 public:
  bool empty() const { return batch_count_ == 0; }
  // Errors: kKvStorageException; then nothing was written.
  Status run() const;

 private:
  friend class KvTablet;
  KvEngine* engine_ = nullptr;
  size_t batch_count_ = 0;
  std::vector<KvChange> changes_;
  KvMark mark_;
};

class KvTablet {
 public:
  // `engine` has the state that its mark describes; `cache` may be null.
  explicit KvTablet(std::unique_ptr<KvEngine> engine, std::shared_ptr<RowCache> cache = nullptr);
  KvTablet(const KvTablet&) = delete;
  KvTablet& operator=(const KvTablet&) = delete;
  ~KvTablet();

  KvEngine& engine() { return *engine_; }

  // Whether merging this put needs the rows that are there.
  static Result<bool> needs_old_rows(KvTable& table, const KvPut& put);
  // The keys must outlive the lookup.
  KvLookup begin_lookup(std::span<const std::string_view> keys);
  void end_lookup(const KvLookup& lookup);
  // Between begin_lookup() and read(): the newest rows, applied or not, in place of applied ones.
  // Later they may be applied and gone from the buffer, while the lookup does not have them yet.
  void add_pending(KvLookup* lookup) const;

  // The batches must outlive the load.
  KvLoad begin_load(std::span<const KvBatchView* const> batches);
  // False when accepted puts were lost meanwhile: load again.
  bool end_load(const KvLoad& load);

  // Merges the put and gives its changelog batch, with the writer and sequence of the put. Puts of
  // one load are prepared in its order, each followed by accept() or reject(); `position` is that
  // of the put in the load. Errors: nothing has changed then; kUnknownServerError for rows and keys
  // that break a rule, kSchemaNotExist, kInvalidTargetColumn, kDeletionDisabledException.
  Result<Bytes> prepare(KvTable& table, const KvPut& put, const KvLoad* load, size_t position);
  void accept(Offset end);
  void reject();
  // After the last put of a load.
  void forget_load();

  // Accepted puts whose changelog ends above `from` are undone.
  void lose_from(Offset from);

  // What was accepted with an end at or below `limit`; of very much only the first part.
  KvApply begin_apply(Offset limit);
  void end_apply(const KvApply& apply, const Status& status);
  // What the engine covers.
  const KvMark& applied() const { return applied_; }
  // Memory of rows that are not applied yet.
  size_t pending_bytes() const { return pending_bytes_; }

  // Values for the auto-increment column. prepare() takes as many as it inserts rows, so add some
  // when there are fewer left than the batch has records.
  int64_t ids_left() const;
  void add_ids(IdRange range);

 private:
  struct Write {
    std::string_view key;
    std::array<std::string_view, 2> value = {};  // schema id, row
    bool removed = false;
  };
  // One put: its writes and the memory behind them.
  struct Batch {
    Bytes source;
    Arena rows;            // of merged rows
    size_t row_bytes = 0;  // in `rows`
    std::array<uint8_t, kSchemaIdBytes> source_schema = {};
    std::array<uint8_t, kSchemaIdBytes> table_schema = {};
    std::vector<Write> writes;  // never grows beyond what it reserved: others point into it
    std::vector<const Write*> replaced;  // by them; until the put is accepted
    KvMark mark;                         // after it
  };
  // The newest write of a key, found by the key.
  struct Newest {
    mutable const Write* write;
  };
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
    size_t operator()(const Newest& newest) const { return (*this)(newest.write->key); }
  };
  struct KeyEqual {
    using is_transparent = void;
    static std::string_view key_of(std::string_view key) { return key; }
    static std::string_view key_of(const Newest& newest) { return newest.write->key; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return key_of(a) == key_of(b);
    }
  };
  class Merge;  // of one put

  void look_up(KvLookup* lookup, std::span<const size_t> places);
  void read_cache(KvLookup* lookup, std::span<const size_t> places, std::vector<size_t>* left);
  void cache_read(const KvLookup& lookup, size_t place);
  const Write* find(std::string_view key) const;
  // Gives the write of the key that was the newest before.
  const Write* remember(const Write& write);
  const KvMark& newest_mark() const;
  void rebuild_buffer();
  void evict_applied();
  static size_t bytes_of(const Batch& batch);

  std::unique_ptr<KvEngine> engine_;
  KvMark applied_;
  uint64_t applies_ = 0;  // that ended
  std::shared_ptr<RowCache> cache_;
  uint32_t cached_as_ = 0;
  // The pre-write buffer: what the accepted puts wrote, oldest first. The first applied_count_ of
  // them are in the engine, too, and stay for the load that may have skipped their keys.
  std::deque<std::unique_ptr<Batch>> batches_;
  size_t applied_count_ = 0;
  boost::unordered_flat_set<Newest, KeyHash, KeyEqual> newest_;
  std::unique_ptr<Batch> prepared_;
  size_t pending_bytes_ = 0;
  std::vector<IdRange> ids_;  // reserved and not used
  uint64_t generation_ = 0;   // grows when accepted puts are lost
  bool loading_ = false;
};

}  // namespace lakestream
