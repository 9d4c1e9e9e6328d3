#include <gtest/gtest.h>

#include "client/fake_cluster_for_tests.h"
#include "format/batch_builder.h"
#include "format/kv_batch.h"
#include "format/kv_value.h"
#include "format/rows.h"
#include "table/options.h"

// Primary-key tables of the simulated cluster: a map by key whose changes go to the log, without a
// merge engine.
namespace lakestream::client {
namespace {

std::string text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename Message>
void set_error(Message* message, const Error& error) {
  message->error_code = static_cast<int32_t>(error.code());
  message->error_message = error.message();
}

class PutRun {
 public:
  PutRun(const FakeTable& table, const wire::PutKvRequest& request)
      : schema_(table.schemas.back()),
        schema_id_(static_cast<int16_t>(table.schemas.size())),
        codec_(RowFormat::kCompacted, schema_),
        targets_(request.target_columns) {}

  // The changes of the records, to `values` and as a log batch of the same writer.
  Result<Bytes> apply(const Bytes& records, std::map<std::string, Bytes>* values) {
    ASSIGN_OR_RETURN(KvBatchView batch, KvBatchView::parse(records));
    RETURN_IF_ERROR(batch.validate());
    BatchOptions options;
    options.schema_id = schema_id_;
    BatchBuilder changes(schema_, options);
    KvReader reader(batch);
    while (!reader.at_end()) {
      ASSIGN_OR_RETURN(KvRecord record, reader.next());
      RETURN_IF_ERROR(apply_one(record, values, &changes));
    }
    return changes.finish({batch.writer_id(), batch.batch_sequence()});
  }

 private:
  Status apply_one(const KvRecord& record,
                   std::map<std::string, Bytes>* values,
                   BatchBuilder* changes) {
    std::string key = text_of(record.key);
    auto found = values->find(key);
    Arena arena;
    std::vector<Value> old;
    if (found != values->end()) {
      ASSIGN_OR_RETURN(StoredValue stored, parse_value(ValueLayout::kPlain, found->second.span()));
      ASSIGN_OR_RETURN(std::span<const Value> row, codec_.decode(stored.row, &arena));
      old.assign(row.begin(), row.end());
    }
    if (!record.row) {
      if (old.empty()) return ok();
      RETURN_IF_ERROR(changes->append(ChangeType::kDelete, old));
      values->erase(key);
      return ok();
    }
    ASSIGN_OR_RETURN(std::span<const Value> row, codec_.decode(*record.row, &arena));
    std::vector<Value> merged(row.begin(), row.end());
    if (!targets_.empty() && !old.empty()) {
      merged = old;
      for (int32_t i : targets_) merged[static_cast<size_t>(i)] = row[static_cast<size_t>(i)];
    }
    if (!old.empty()) RETURN_IF_ERROR(changes->append(ChangeType::kUpdateBefore, old));
    RETURN_IF_ERROR(
        changes->append(old.empty() ? ChangeType::kInsert : ChangeType::kUpdateAfter, merged));
    ByteWriter encoded;
    RETURN_IF_ERROR(codec_.encode(merged, &encoded));
    ByteWriter value;
    put_value(ValueLayout::kPlain, {.schema_id = schema_id_, .row = encoded.span()}, &value);
    (*values)[key] = Bytes::copy_of(value.view());
    return ok();
  }

  const Schema& schema_;
  SchemaId schema_id_;
  RowCodec codec_;
  const std::vector<int32_t>& targets_;
};

}  // namespace

Result<FakeBucket*> FakeCluster::led(int server, int64_t table, int32_t bucket) {
  FakeBucket* found = bucket_of(table, bucket);
  if (found == nullptr) {
    return make_error(ErrorCode::kUnknownTableOrBucketException, "no such bucket");
  }
  if (found->leader != server) return make_error(ErrorCode::kNotLeaderOrFollower, "not the leader");
  return found;
}

wire::PbPutKvRespForBucket FakeCluster::put_kv(int server,
                                               const wire::PutKvRequest& request,
                                               const wire::PbPutKvReqForBucket& records) {
  wire::PbPutKvRespForBucket answer;
  answer.bucket_id = records.bucket_id;
  BucketId id(records.bucket_id);
  auto put = [&]() -> Status {
    ASSIGN_OR_RETURN(FakeBucket * bucket, led(server, request.table_id, records.bucket_id));
    if (before_append) {
      if (auto error = before_append(server, id)) return fail(*error);
    }
    std::map<std::string, Bytes> values = bucket->values;
    PutRun run(table_of(request.table_id), request);
    ASSIGN_OR_RETURN(Bytes changes, run.apply(records.records, &values));
    int64_t end = bucket->end.value();
    ASSIGN_OR_RETURN(Offset base, bucket->append(changes, world_.wall_now()));
    // A repetition has changed nothing.
    if (base.value() == end) bucket->values = std::move(values);
    answer.log_end_offset = bucket->end.value();
    if (pressure && pressure(id) > 0) answer.pressure = pressure(id);
    if (after_append) {
      if (auto error = after_append(server, id)) return fail(*error);
    }
    return ok();
  };
  if (Status done = put(); !done) set_error(&answer, done.error());
  return answer;
}

wire::PbLookupRespForBucket FakeCluster::lookup(int server,
                                                const wire::LookupRequest& request,
                                                const wire::PbLookupReqForBucket& keys) {
  wire::PbLookupRespForBucket answer;
  answer.bucket_id = keys.bucket_id;
  auto bucket = led(server, request.table_id, keys.bucket_id);
  std::optional<Error> error;
  if (!bucket) error = bucket.error();
  if (!error && before_lookup) error = before_lookup(server, BucketId(keys.bucket_id));
  if (error) {
    set_error(&answer, *error);
    return answer;
  }
  for (const Bytes& key : keys.keys) {
    auto found = (*bucket)->values.find(std::string(key.view()));
    answer.values.emplace_back();
    if (found != (*bucket)->values.end()) answer.values.back().values = found->second;
  }
  return answer;
}

wire::PbPrefixLookupRespForBucket FakeCluster::prefix_lookup(
    int server, int64_t table, const wire::PbPrefixLookupReqForBucket& prefixes) {
  wire::PbPrefixLookupRespForBucket answer;
  answer.bucket_id = prefixes.bucket_id;
  auto bucket = led(server, table, prefixes.bucket_id);
  if (!bucket) {
    set_error(&answer, bucket.error());
    return answer;
  }
  for (const Bytes& prefix : prefixes.keys) {
    wire::PbValueList& list = answer.value_lists.emplace_back();
    for (const auto& [key, value] : (*bucket)->values) {
      if (key.starts_with(prefix.view())) list.values.push_back(value);
    }
  }
  return answer;
}

// An answer has two values.
wire::ScanKvResponse FakeCluster::scan_kv(int server, const wire::ScanKvRequest& request) {
  constexpr size_t kValues = 2;
  wire::ScanKvResponse response;
  auto scan = [&]() -> Status {
    if (before_scan) {
      if (auto error = before_scan(server)) return fail(*error);
    }
    std::string id;
    if (request.bucket_scan_req) {
      const wire::PbScanReqForBucket& open = *request.bucket_scan_req;
      ASSIGN_OR_RETURN(FakeBucket * bucket, led(server, open.table_id, open.bucket_id));
      id = fmt::format("scan{}", open.bucket_id);
      response.log_offset = bucket->end.value();
      for (const auto& [key, value] : bucket->values) scans[id].values.push_back(value);
    } else {
      id = request.scanner_id->view();
      if (request.close_scanner.value_or(false)) {
        scans.erase(id);
        return ok();
      }
      auto found = scans.find(id);
      if (found == scans.end()) return make_error(ErrorCode::kUnknownScannerId, "no such scanner");
      if (request.call_seq_id != ++found->second.calls) {
        return make_error(ErrorCode::kInvalidScanRequest, "not the next call");
      }
    }
    ValueBatchBuilder values;
    std::deque<Bytes>& left = scans[id].values;
    for (size_t i = 0; i < kValues && !left.empty(); ++i) {
      values.append(left.front().span());
      left.pop_front();
    }
    response.has_more_results = !left.empty();
    if (left.empty()) {
      scans.erase(id);
    } else {
      response.scanner_id = Bytes::copy_of(id);
    }
    response.records = BytesChain(values.finish());
    return ok();
  };
  if (Status done = scan(); !done) set_error(&response, done.error());
  return response;
}

void FakeCluster::add_kv_handlers(int server) {
  using wire::ApiKey;
  rpc::ApiTable& apis = servers_[index(server)].apis;
  apis.add<ApiKey::kPutKv>([this, server](wire::PutKvRequest request, rpc::RequestContext) {
    puts.push_back(request);
    wire::PutKvResponse response;
    for (const auto& bucket : request.buckets_req) {
      response.buckets_resp.push_back(put_kv(server, request, bucket));
    }
    return answer_now(Result<wire::PutKvResponse>(std::move(response)));
  });
  apis.add<ApiKey::kLookup>([this, server](wire::LookupRequest request, rpc::RequestContext) {
    lookups.push_back(request);
    wire::LookupResponse response;
    for (const auto& bucket : request.buckets_req) {
      response.buckets_resp.push_back(lookup(server, request, bucket));
    }
    return answer_now(Result<wire::LookupResponse>(std::move(response)));
  });
  apis.add<ApiKey::kPrefixLookup>(
      [this, server](wire::PrefixLookupRequest request, rpc::RequestContext) {
        wire::PrefixLookupResponse response;
        for (const auto& bucket : request.buckets_req) {
          response.buckets_resp.push_back(prefix_lookup(server, request.table_id, bucket));
        }
        return answer_now(Result<wire::PrefixLookupResponse>(std::move(response)));
      });
  apis.add<ApiKey::kScanKv>([this, server](wire::ScanKvRequest request, rpc::RequestContext) {
    if (!has_scan_sessions) {
      return answer_now(Result<wire::ScanKvResponse>(
          make_error(ErrorCode::kUnsupportedVersion, "ScanKv is not served")));
    }
    return answer_now(Result<wire::ScanKvResponse>(scan_kv(server, request)));
  });
}

namespace {

// Proves that the model of a primary-key table logs what changes and drops repetitions.
TEST(FakeKvTest, ChangesAreLogged) {
  SimWorld world(1);
  FakeCluster cluster(world, 1);
  FakeTable& table = cluster.add_table({"d", "t"}, keyed_table(1, {}));
  wire::PutKvRequest request;
  PutRun run(table, request);
  std::map<std::string, Bytes> values;
  RowCodec codec(RowFormat::kCompacted, table.schemas[0]);
  ByteWriter row;
  std::vector<Value> cells{Value::integer(7), Value::bytes("seven")};
  ASSERT_TRUE(codec.encode(cells, &row));
  KvBatchBuilder batch(SchemaId(1));
  std::string key = "k";
  auto key_bytes = std::span(reinterpret_cast<const uint8_t*>(key.data()), key.size());
  batch.upsert(key_bytes, row.span());
  batch.upsert(key_bytes, row.span());
  batch.remove(key_bytes);
  batch.remove(key_bytes);
  auto changes = run.apply(batch.finish({WriterId(3), 0}), &values);
  ASSERT_TRUE(changes) << changes.error().to_string();
  EXPECT_TRUE(values.empty());
  EXPECT_EQ(BatchView::parse(*changes)->record_count(), 4);  // +I, -U, +U, -D
  cluster.stop();
}

}  // namespace
}  // namespace lakestream::client
