#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "client/key_plan.h"
#include "client/lookuper.h"
#include "client/notice.h"
#include "client/row_reader.h"
#include "client/session.h"
#include "io/backoff.h"
#include "wire/messages.h"

// The inside of Lookuper and PrefixLookuper: the partitions of the keys are looked up first
// (lookup_places.cc), then keys wait by bucket; at the end of the shard's turn
// they leave, grouped by leader, and those that a server refuses for the moment wait again. Held by
// shared pointers, because requests on their way outlast the lookuper.
//
// Thread rule: shard-local.
//
//   auto state = std::make_shared<LookupState>(session, metadata, keys, reader, kind, options);
//   auto found = co_await LookupState::lookup(state, keys);
namespace lakestream::client::internal {

enum class LookupKind : uint8_t { kKey, kPrefix };

class LookupState : public std::enable_shared_from_this<LookupState> {
 public:
  LookupState(std::shared_ptr<Session> session,
              std::shared_ptr<const TableMetadata> metadata,
              std::shared_ptr<const KeyPlan> keys,
              std::shared_ptr<RowReader> reader,
              LookupKind kind,
              LookupOptions options);
  static Task<Result<std::shared_ptr<LookupState>>> open(std::shared_ptr<Session> session,
                                                         TablePath path,
                                                         LookupKind kind,
                                                         LookupOptions options);

  // What waits fails.
  void stop();

  const RowReader& reader() const { return *reader_; }
  const KeyPlan& keys() const { return *keys_; }
  // Of what is looked up.
  const Schema& key_schema() const;
  const LookupCounters& counters() const { return counters_; }

  // The tasks keep the state alive.
  static Task<Result<LookedUp>> lookup(std::shared_ptr<LookupState> self,
                                       std::shared_ptr<arrow::RecordBatch> keys);
  static Task<Result<std::optional<StoredRow>>> lookup_row(std::shared_ptr<LookupState> self,
                                                           std::vector<Value> key);

 private:
  // The keys that somebody waits for together.
  struct Call {
    struct Slot {
      Bytes key;
      std::vector<Bytes> values;
    };
    std::vector<Slot> slots;
    std::set<std::string> absent;  // partitions that are not there
    size_t left = 0;               // slots without an answer
    std::optional<Error> error;
    Duration created{0};
    Waiter done;
  };
  struct Item {
    size_t bucket;
    std::shared_ptr<Call> call;
    size_t slot;
  };
  using Items = std::vector<Item>;
  // What has the keys: the table, or one of its partitions. Its buckets follow each other.
  struct Place {
    std::shared_ptr<const TableMetadata> opened;    // as it was at the beginning
    std::shared_ptr<const TableMetadata> metadata;  // as it is known now
    size_t first = 0;
    bool is_gone = false;
    bool refreshing = false;
  };
  struct Bucket {
    Bucket(size_t of, Backoff waits) : place(of), backoff(waits) {}
    size_t place;
    std::deque<Item> queue;
    Backoff backoff;
    Duration not_before{0};
  };
  struct Answer {
    std::optional<PartitionId> partition;
    BucketId bucket;
    Result<std::vector<std::vector<Bytes>>> values;  // by key
  };

  // ---- places (lookup_places.cc)
  size_t add_place(std::shared_ptr<const TableMetadata> metadata);
  void drop_place(size_t index, std::optional<Error> error);
  static Task<Status> open_place(std::shared_ptr<LookupState> self,
                                 std::shared_ptr<Call> call,
                                 ResolvedPartitionSpec partition);
  const std::optional<ServerId>& leader_of(size_t bucket) const;
  TableBucket id_of(size_t bucket) const;
  void refresh_later(size_t place);
  static Task<void> refresh(std::shared_ptr<LookupState> self, size_t place);

  // The partition that has to be opened first, if there is one.
  Result<std::optional<ResolvedPartitionSpec>> add_key(Call* call,
                                                       std::span<const Value> key,
                                                       std::vector<size_t>* buckets);
  static Task<Status> open_and_add_key(std::shared_ptr<LookupState> self,
                                       std::shared_ptr<Call> call,
                                       std::vector<Value> key,
                                       ResolvedPartitionSpec partition,
                                       std::vector<size_t>* buckets);
  static Task<Status> ask(std::shared_ptr<LookupState> self,
                          std::shared_ptr<Call> call,
                          std::vector<size_t> buckets);
  void schedule();
  void send_ready();
  void fail_waiting(const Error& error);
  void collect(size_t index, std::map<ServerId, std::vector<Items>>* rounds);
  void wake_at(Duration time);
  static Task<void> exchange(std::shared_ptr<LookupState> self, ServerId leader, Items items);
  static Task<Result<std::vector<Answer>>> call_server(std::shared_ptr<LookupState> self,
                                                       ServerId leader,
                                                       Items items);
  template <typename BucketRequest>
  void add_keys(const Items& items, std::vector<BucketRequest>* requests) const;
  wire::LookupRequest lookup_request(const Items& items) const;
  wire::PrefixLookupRequest prefix_request(const Items& items) const;
  void take_answers(const Items& items, Result<std::vector<Answer>> answers);
  void take_values(const Items& items, std::vector<std::vector<Bytes>> values);
  void refuse(const Items& items, Error error);
  void settle(Call& call);

  std::shared_ptr<Session> session_;
  std::shared_ptr<const KeyPlan> keys_;
  std::shared_ptr<RowReader> reader_;
  LookupKind kind_;
  LookupOptions options_;
  KeyScratch scratch_;
  std::deque<Place> places_;
  std::map<std::string, size_t, std::less<>> partitions_;  // places by partition
  std::deque<Bucket> buckets_;                             // of all places
  std::set<size_t> waiting_;                               // buckets with a queue
  size_t in_flight_ = 0;
  LookupCounters counters_;
  std::optional<Error> fatal_;
  bool scheduled_ = false;
  Timer timer_;
};

}  // namespace lakestream::client::internal
