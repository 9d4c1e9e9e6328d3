#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/bytes.h"
#include "client/connection.h"
#include "client/types.h"
#include "format/batch.h"
#include "io/sim/sim_world.h"
#include "rpc/api_table.h"
#include "rpc/server.h"
#include "table/table.h"
#include "wire/messages.h"

// A cluster in the simulated world for the tests of this module: real connections and frames,
// servers with hand-written handlers over one plain model of the logs, which remembers the last
// five batches of each writer as the protocol says. The model outlives the servers, so that they
// can be killed.
//
// Thread rule: the thread of the world.
//
//   FakeCluster cluster(world, 2);
//   cluster.add_table({"d", "t"}, descriptor);
//   cluster.before_append = [](int server, BucketId bucket) { return std::optional<Error>(); };
namespace lakestream::client {

// A handler that does not wait.
template <typename Response>
Task<Result<Response>> answer_now(Result<Response> response) {
  co_return response;
}

struct FakeBatch {
  Bytes bytes;
  Offset base;
  Offset next;
};

// A scan session of a bucket: what it has still to give.
struct FakeScan {
  int server = 0;
  std::deque<Bytes> values;
  int32_t calls = 0;
};

struct FakeBucket {
  std::optional<int> leader;
  Offset start;
  Offset end;
  std::vector<FakeBatch> batches;
  struct Retained {
    int32_t sequence;
    Offset base;
  };
  std::map<int64_t, std::deque<Retained>> writers;
  // Of a primary-key table: stored values by key, whose changes are the batches.
  std::map<std::string, Bytes> values;

  // What a leader does with a batch: 14, 31, or the offset; a repetition gets its first offset.
  Result<Offset> append(const Bytes& batch, TimestampMs now);
};

struct FakeTable {
  TableId id;
  TablePath path;
  std::vector<Schema> schemas;  // ids from 1 on
  TableDescriptor descriptor;
  std::vector<FakeBucket> buckets;
};

class FakeCluster {
 public:
  FakeCluster(SimWorld& world, int servers);
  ~FakeCluster();

  FakeTable& add_table(TablePath path, TableDescriptor descriptor);
  FakeTable& table(const TablePath& path);
  FakeBucket* bucket_of(int64_t table, int32_t bucket);

  Address address(int server) const;
  // What metadata says instead of the true address.
  void advertise(int server, Address address) { servers_[index(server)].advertised = address; }
  rpc::ApiTable& apis(int server) { return servers_[index(server)].apis; }
  SimNode& node(int server) { return *servers_[index(server)].node; }
  void kill(int server);
  void restart(int server);
  void stop();

  // Hooks. An error is what the bucket is answered; after the append it stands for a lost answer.
  std::function<std::optional<Error>(int server, BucketId)> before_append;
  std::function<std::optional<Error>(int server, BucketId)> after_append;
  std::function<std::optional<Error>(int server, BucketId)> before_fetch;
  std::function<void(wire::FetchLogResponse*)> on_fetch_answer;
  std::function<void(wire::LimitScanResponse*)> on_limit_scan;
  // Of lookups and scan sessions. An error is what the bucket is answered.
  std::function<std::optional<Error>(int server, BucketId)> before_lookup;
  std::function<std::optional<Error>(int server)> before_scan;
  // How far the storage of the bucket is behind, after a put.
  std::function<float(BucketId)> pressure;
  std::vector<wire::PutKvRequest> puts;
  std::vector<wire::LookupRequest> lookups;
  std::map<std::string, FakeScan> scans;  // open ones, by scanner
  bool has_scan_sessions = true;
  // How long a produce request takes after it has been applied.
  std::function<Duration(int server)> produce_delay;
  std::vector<wire::FetchLogRequest> fetches;
  std::map<int, int> fetches_now;  // by server, those that wait for their answer
  std::map<int, int> fetches_at_once;
  int64_t next_writer = 100;
  int metadata_requests = 0;
  int writer_requests = 0;
  int produce_requests = 0;

 private:
  struct Server {
    SimNode* node = nullptr;
    rpc::ApiTable apis;
    std::shared_ptr<rpc::Server> server;
    std::optional<Address> advertised;
    bool alive = false;
  };
  size_t index(int server) const { return static_cast<size_t>(server); }
  void add_handlers(int server);
  void add_kv_handlers(int server);  // fake_kv_test.cc
  void listen(int server);
  Result<wire::MetadataResponse> metadata(const wire::MetadataRequest& request);
  wire::PbProduceLogRespForBucket produce(int server,
                                          int64_t table,
                                          const wire::PbProduceLogReqForBucket& request);
  const std::vector<Schema>& schemas_of(int64_t id) const;
  wire::FetchLogResponse fetch_now(int server, const wire::FetchLogRequest& request, bool* any);
  void fetch_bucket(int server,
                    const wire::PbFetchLogReqForTable& table,
                    const wire::PbFetchLogReqForBucket& request,
                    wire::PbFetchLogRespForBucket* answer);
  static Task<Result<wire::ProduceLogResponse>> handle_produce(FakeCluster* self,
                                                               int server,
                                                               wire::ProduceLogRequest request,
                                                               rpc::RequestContext context);
  static Task<Result<wire::FetchLogResponse>> handle_fetch(FakeCluster* self,
                                                           int server,
                                                           wire::FetchLogRequest request,
                                                           rpc::RequestContext context);
  FakeTable& table_of(int64_t id);
  // The bucket, if the server leads it.
  Result<FakeBucket*> led(int server, int64_t table, int32_t bucket);
  wire::PbPutKvRespForBucket put_kv(int server,
                                    const wire::PutKvRequest& request,
                                    const wire::PbPutKvReqForBucket& bucket);
  wire::PbLookupRespForBucket lookup(int server,
                                     const wire::LookupRequest& request,
                                     const wire::PbLookupReqForBucket& bucket);
  wire::PbPrefixLookupRespForBucket prefix_lookup(int server,
                                                  int64_t table,
                                                  const wire::PbPrefixLookupReqForBucket& bucket);
  wire::ScanKvResponse scan_kv(int server, const wire::ScanKvRequest& request);
  wire::ListOffsetsResponse list_offsets(const wire::ListOffsetsRequest& request);
  wire::LimitScanResponse limit_scan(const wire::LimitScanRequest& request);

  SimWorld& world_;
  std::deque<Server> servers_;
  std::map<TablePath, FakeTable> tables_;
  int64_t next_table_ = 1;
};

// A table of (id BIGINT NOT NULL, text STRING) with these buckets and properties.
TableDescriptor numbers_table(int32_t buckets,
                              std::vector<std::string> bucket_keys,
                              Properties properties);
// The ids of all rows of a bucket, in the order of the log.
std::vector<int64_t> ids_in(const FakeTable& table, size_t bucket);
// The same with the primary key (id).
TableDescriptor keyed_table(int32_t buckets, Properties properties);
// Puts one batch of the ids [begin, end) at the end of a bucket, written under the first schema.
void add_numbers(FakeTable& table, size_t bucket, int64_t begin, int64_t end, TimestampMs time);
// Batch by batch.
std::vector<Bytes> parts_of(const BytesChain& records);
// Rows (id, "row <id>") for ids in [begin, end).
std::shared_ptr<arrow::RecordBatch> number_rows(int64_t begin, int64_t end);

// Forwards to another address and breaks each connection after its next number of bytes, both
// directions counted together; connections without a number stay. May damage a byte on the way to
// the client, once.
class BreakingProxy {
 public:
  BreakingProxy(SimWorld& world, std::string name, uint16_t port, Address target);
  Address address() const { return address_; }
  // Closes everything, so that nothing waits any more when the world ends.
  void stop();
  std::deque<size_t> budgets;
  std::optional<size_t> damaged_byte;  // of all that goes to the client
  uint8_t damage = 0x10;               // the bits that are turned

 private:
  struct Link;
  static Task<void> accept_all(BreakingProxy* self);
  static Task<void> pump(BreakingProxy* self, std::shared_ptr<Link> link, bool to_server);

  SimWorld& world_;
  SimNode& node_;
  std::vector<std::weak_ptr<Link>> links_;
  size_t sent_to_client_ = 0;
  Address address_;
  Address target_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace lakestream::client
