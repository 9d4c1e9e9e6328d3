#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/fetched.h"
#include "client/notice.h"
#include "client/row_reader.h"
#include "client/scanner.h"
#include "client/session.h"
#include "io/backoff.h"
#include "wire/messages.h"

// The inside of a LogScanner: one task, the fetcher, keeps a fetch on its way to each server that
// leads a bucket with room for more (scanner_fetch.cc, scanner_remote.cc); poll takes what has
// arrived (scanner_state.cc). Buckets are subscribed by place, a table or a partition of it
// (scanner_places.cc). Held by shared pointers, because fetches on their way outlast the scanner.
//
// Thread rule: shard-local.
//
//   auto state = std::make_shared<ScannerState>(session, metadata, reader, options);
//   auto batches = co_await ScannerState::poll(state, timeout);
namespace lakestream::client::internal {

// Where a bucket goes on in remote storage.
struct RemoteSource {
  std::string path;  // of a segment
  uint64_t position = 0;
  uint64_t size = 0;
  uint64_t bytes_wanted = 0;
  Offset next;
};

class ScannerState : public std::enable_shared_from_this<ScannerState> {
 public:
  ScannerState(std::shared_ptr<Session> session,
               std::shared_ptr<const TableMetadata> metadata,
               std::shared_ptr<RowReader> reader,
               ScannerOptions options);

  void start();
  void stop();

  const RowReader& reader() const { return *reader_; }
  int32_t bucket_count() const;
  TableBucket of_table(BucketId id) const { return {reader_->table().id, std::nullopt, id}; }
  const ScannerCounters& counters() const { return counters_; }

  void unsubscribe(const TableBucket& bucket);
  void stop_at(const TableBucket& bucket, Offset end);
  bool is_finished() const { return buckets_.empty(); }
  std::optional<Offset> position(const TableBucket& bucket) const;
  std::optional<Offset> high_watermark(const TableBucket& bucket) const;
  void wakeup();

  // The tasks keep the state alive.
  // All buckets when none is given; of partitions those that are not known yet, with `only_new`.
  static Task<Status> subscribe_places(std::shared_ptr<ScannerState> self,
                                       std::optional<BucketId> bucket,
                                       OffsetSpec from,
                                       bool only_new);
  static Task<Status> subscribe_ranges(std::shared_ptr<ScannerState> self,
                                       std::vector<LogRange> ranges);
  static Task<Status> stop_at_latest(std::shared_ptr<ScannerState> self);
  static Task<Result<std::vector<ScanBatch>>> poll(std::shared_ptr<ScannerState> self,
                                                   Duration timeout);
  static Task<Result<std::vector<RawBatches>>> poll_raw(std::shared_ptr<ScannerState> self,
                                                        Duration timeout);
  static Task<Status> close(std::shared_ptr<ScannerState> self);

 private:
  struct Bucket {
    explicit Bucket(Backoff waits) : backoff(waits) {}

    uint64_t subscription = 0;   // answers for an older one are dropped
    Offset position;             // where the next poll goes on
    Offset next;                 // where the next fetch goes on
    bool from_earliest = false;  // and nothing has come yet
    std::optional<Offset> stop;
    std::optional<Offset> high_watermark;
    std::deque<FetchedBatch> ready;
    size_t ready_bytes = 0;
    bool in_flight = false;
    bool settling = false;  // its bounds are being asked for
    bool reading_remote = false;
    std::optional<Error> error;  // for the next poll
    std::optional<Duration> failing_since;
    Backoff backoff;
    Duration not_before{0};
  };
  struct Place {
    std::shared_ptr<const TableMetadata> opened;    // as it was at the beginning
    std::shared_ptr<const TableMetadata> metadata;  // as it is known now
    bool refreshing = false;
  };
  struct Item {
    TableBucket bucket;
    uint64_t subscription;
    Offset from;
  };
  using Items = std::vector<Item>;
  // How a fetch was asked for.
  struct Asked {
    bool projected = false;
    bool at_server = false;  // the server reads remote storage
  };

  // ---- fetching (scanner_fetch.cc)
  void wake_fetcher();
  static Task<void> run(std::shared_ptr<ScannerState> self);
  // How long nothing is due.
  Duration fetch_ready();
  bool wants_more(const Bucket& bucket) const;
  static Task<void> fetch(std::shared_ptr<ScannerState> self, ServerId leader, Items items);
  wire::FetchLogRequest request_of(const Items& items, Asked asked) const;
  // Whether anything came.
  bool take_answer(const Items& items, const wire::FetchLogResponse& response, Asked asked);
  bool take_records(const TableBucket& id,
                    Bucket& bucket,
                    const wire::PbFetchLogRespForBucket& answer,
                    Asked asked);
  // `passed`: nothing below it is wanted.
  bool take_batches(Bucket& bucket,
                    const BytesChain& records,
                    std::optional<Offset> passed,
                    bool projected);
  void take_error(const TableBucket& id, Bucket& bucket, Error error, bool projected);
  void take_transient_error(const TableBucket& id, Bucket& bucket, Error error);
  void delay(Bucket& bucket);
  Bucket* find(const Item& item);
  static Task<void> settle_range(std::shared_ptr<ScannerState> self,
                                 TableBucket id,
                                 uint64_t subscription,
                                 Error error);

  // ---- remote storage (scanner_remote.cc)
  void take_remote(const TableBucket& id,
                   Bucket& bucket,
                   const wire::PbRemoteLogFetchInfo& info,
                   bool at_server);
  static Task<void> read_remote(std::shared_ptr<ScannerState> self, Item item, RemoteSource source);

  // ---- places (scanner_places.cc)
  static Task<Status> subscribe(std::shared_ptr<ScannerState> self,
                                std::shared_ptr<const TableMetadata> place,
                                std::vector<BucketId> buckets,  // none: all
                                OffsetSpec from);
  Bucket& start_bucket(const TableBucket& id, Offset from);
  static Task<Result<std::vector<std::shared_ptr<const TableMetadata>>>> wanted_places(
      std::shared_ptr<ScannerState> self, bool only_new);
  void drop_place(std::optional<PartitionId> partition);
  const std::optional<ServerId>& leader_of(const TableBucket& id) const;
  std::string text_of(const TableBucket& id) const;
  void refresh_later(std::optional<PartitionId> partition);
  static Task<void> refresh(std::shared_ptr<ScannerState> self,
                            std::optional<PartitionId> partition);

  // ---- polling (scanner_state.cc)
  std::optional<SchemaId> missing_schema() const;
  static Task<Status> load_schemas(std::shared_ptr<ScannerState> self);
  Result<std::vector<ScanBatch>> take_rows();
  Status take_rows_of(const TableBucket& id,
                      Bucket& bucket,
                      size_t* budget,
                      std::vector<ScanBatch>* rows);
  std::vector<RawBatches> take_raw();
  RawBatches take_raw_of(const TableBucket& id, Bucket& bucket, size_t* budget);
  void took_front(Bucket& bucket);
  void pass_over(Bucket& bucket);
  std::optional<Error> take_first_error();
  void drop_finished();
  // Ends when something has changed; false when the poll is over.
  static Task<bool> wait_for_change(std::shared_ptr<ScannerState> self, Duration deadline);

  std::shared_ptr<Session> session_;
  std::shared_ptr<const TableMetadata> table_;
  std::shared_ptr<RowReader> reader_;
  ScannerOptions options_;
  std::map<std::optional<PartitionId>, Place> places_;
  std::map<TableBucket, Bucket> buckets_;  // those that are subscribed
  std::map<ServerId, bool> fetching_;      // servers with a fetch on its way
  uint64_t next_subscription_ = 1;
  size_t first_bucket_ = 0;  // whose turn it is to be the first of a fetch
  size_t first_polled_ = 0;  // or of a poll
  ScannerCounters counters_;
  std::optional<Error> fatal_;
  std::optional<wire::PbPredicate> condition_;  // that servers are told
  bool pushdown_;
  bool remote_at_server_ = false;  // the server reads remote storage, as this machine can not
  bool polled_ = false;            // nothing is fetched before the first poll
  bool woken_ = false;
  bool stopped_ = false;
  bool work_wanted_ = false;
  Notice work_;
  Notice changed_;
  Gate gate_;
};

}  // namespace lakestream::client::internal
