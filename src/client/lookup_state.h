#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "client/backoff.h"
#include "client/key_plan.h"
#include "client/lookuper.h"
#include "client/notice.h"
#include "client/row_reader.h"
#include "client/session.h"
#include "wire/messages.h"

// The inside of Lookuper and PrefixLookuper: keys wait by bucket; at the end of the shard's turn
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
    size_t left = 0;  // slots without an answer
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
  struct Bucket {
    explicit Bucket(Backoff waits) : backoff(waits) {}
    std::deque<Item> queue;
    Backoff backoff;
    Duration not_before{0};
  };
  struct Answer {
    BucketId bucket;
    Result<std::vector<std::vector<Bytes>>> values;  // by key
  };

  Status add_key(Call* call, std::span<const Value> key, std::vector<BucketId>* buckets);
  static Task<Status> ask(std::shared_ptr<LookupState> self,
                          std::shared_ptr<Call> call,
                          std::vector<BucketId> buckets);
  void schedule();
  void send_ready();
  void fail_waiting(const Error& error);
  void collect(size_t index, std::map<ServerId, std::vector<Items>>* rounds);
  void wake_at(Duration time);
  static Task<void> exchange(std::shared_ptr<LookupState> self, ServerId leader, Items items);
  static Task<Result<std::vector<Answer>>> call_server(std::shared_ptr<LookupState> self,
                                                       ServerId leader,
                                                       Items items);
  wire::LookupRequest lookup_request(const Items& items) const;
  wire::PrefixLookupRequest prefix_request(const Items& items) const;
  void take_answers(const Items& items, Result<std::vector<Answer>> answers);
  void take_values(const Items& items, std::vector<std::vector<Bytes>> values);
  void refuse(const Items& items, Error error);
  void settle(Call& call);
  void refresh_later();
  static Task<void> refresh(std::shared_ptr<LookupState> self);

  std::shared_ptr<Session> session_;
  std::shared_ptr<const TableMetadata> metadata_;
  std::shared_ptr<const KeyPlan> keys_;
  std::shared_ptr<RowReader> reader_;
  LookupKind kind_;
  LookupOptions options_;
  KeyScratch scratch_;
  std::vector<Bucket> buckets_;
  std::set<size_t> waiting_;  // buckets with a queue
  size_t in_flight_ = 0;
  LookupCounters counters_;
  std::optional<Error> fatal_;
  bool scheduled_ = false;
  bool refreshing_ = false;
  Timer timer_;
};

}  // namespace lakestream::client::internal
