#include <algorithm>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "client/fake_cluster_for_tests.h"
#include "format/arrow_schema.h"
#include "format/batch_builder.h"
#include "format/decode.h"
#include "format/kv_value.h"
#include "format/project.h"
#include "table/json.h"
#include "table/options.h"

namespace lakestream::client {
namespace {

constexpr size_t kRetained = 5;
constexpr uint16_t kPort = 9123;

template <typename Message>
void set_error(Message* message, const Error& error) {
  message->error_code = static_cast<int32_t>(error.code());
  message->error_message = error.message();
}

}  // namespace

Result<Offset> FakeBucket::append(const Bytes& bytes, TimestampMs now) {
  ASSIGN_OR_RETURN(BatchView view, BatchView::parse(Bytes::copy_of(bytes.view())));
  RETURN_IF_ERROR(view.validate());
  int64_t writer = view.writer_id().value();
  if (writer >= 0) {
    std::deque<Retained>& known = writers[writer];
    for (const Retained& batch : known) {
      if (batch.sequence == view.batch_sequence()) return batch.base;
    }
    int32_t last = known.empty() ? -1 : known.back().sequence;
    int32_t expected = last == INT32_MAX ? 0 : last + 1;
    if (view.batch_sequence() != expected) {
      return make_error(ErrorCode::kOutOfOrderSequenceException,
                        "writer {}: sequence {} where {} comes",
                        writer,
                        view.batch_sequence(),
                        expected);
    }
    known.push_back({view.batch_sequence(), end});
    if (known.size() > kRetained) known.pop_front();
  }
  stamp_batch(view.bytes().exclusive_data(), {end, now, kNoLeaderEpoch});
  Offset base = end;
  end = Offset(base.value() + view.last_offset_delta() + 1);
  batches.push_back({view.bytes(), base, end});
  return base;
}

FakeCluster::FakeCluster(SimWorld& world, int servers) : world_(world) {
  for (int i = 0; i < servers; ++i) {
    Server& server = servers_.emplace_back();
    server.node = &world.add_node(fmt::format("server{}", i));
    add_handlers(i);
    listen(i);
  }
}

FakeCluster::~FakeCluster() = default;

void FakeCluster::listen(int server) {
  Server& place = servers_[index(server)];
  place.server = std::make_shared<rpc::Server>(place.node->env(),
                                               std::vector<Shard*>{&place.node->shard(0)},
                                               place.apis,
                                               rpc::ServerOptions{});
  auto bound = place.server->listen(address(server), {.name = "FLUSS"});
  CHECK(bound.has_value(), "the port is free");
  place.server->serve();
  place.alive = true;
}

Address FakeCluster::address(int server) const {
  return {fmt::format("server{}", server), static_cast<uint16_t>(kPort + server)};
}

void FakeCluster::kill(int server) {
  Server& place = servers_[index(server)];
  if (!place.alive) return;
  place.alive = false;
  place.node->kill(std::exchange(place.server, nullptr));
}

void FakeCluster::restart(int server) {
  Server& place = servers_[index(server)];
  if (place.alive) return;
  place.node->restart();
  listen(server);
}

void FakeCluster::stop() {
  struct Run {
    static Task<bool> stop(std::shared_ptr<rpc::Server> server) {
      co_await server->stop();
      co_return true;
    }
  };
  for (Server& server : servers_) {
    if (server.alive) world_.run(server.node->shard(0), Run::stop(server.server));
  }
}

FakeTable& FakeCluster::add_table(TablePath path, TableDescriptor descriptor) {
  FakeTable& table = tables_[path];
  table = FakeTable();
  table.id = TableId(next_table_++);
  table.path = path;
  table.schemas.push_back(descriptor.schema);
  table.buckets.resize(static_cast<size_t>(descriptor.bucket_count().value_or(1)));
  table.descriptor = std::move(descriptor);
  for (size_t i = 0; i < table.buckets.size(); ++i) {
    table.buckets[i].leader = static_cast<int>(i % servers_.size());
  }
  return table;
}

FakeTable& FakeCluster::table(const TablePath& path) { return tables_.at(path); }

FakeBucket* FakeCluster::bucket_of(int64_t id, int32_t bucket) {
  for (auto& [path, table] : tables_) {
    if (table.id.value() != id) continue;
    if (bucket < 0 || static_cast<size_t>(bucket) >= table.buckets.size()) return nullptr;
    return &table.buckets[static_cast<size_t>(bucket)];
  }
  return nullptr;
}

Result<wire::MetadataResponse> FakeCluster::metadata(const wire::MetadataRequest& request) {
  ++metadata_requests;
  wire::MetadataResponse response;
  for (size_t i = 0; i < servers_.size(); ++i) {
    wire::PbServerNode node;
    Address at = servers_[i].advertised.value_or(address(static_cast<int>(i)));
    node.node_id = static_cast<int32_t>(i);
    node.host = at.host;
    node.port = at.port;
    if (i == 0) response.coordinator_server = node;
    response.tablet_servers.push_back(node);
  }
  for (const wire::PbTablePath& path : request.table_path) {
    auto found = tables_.find({path.database_name, path.table_name});
    if (found == tables_.end()) {
      return make_error(ErrorCode::kTableNotExist, "table {} does not exist", path.table_name);
    }
    const FakeTable& table = found->second;
    wire::PbTableMetadata& message = response.table_metadata.emplace_back();
    message.table_path = path;
    message.table_id = table.id.value();
    message.schema_id = static_cast<int32_t>(table.schemas.size());
    message.table_json = Bytes::copy_of(to_json(table.descriptor));
    for (size_t i = 0; i < table.buckets.size(); ++i) {
      wire::PbBucketMetadata& bucket = message.bucket_metadata.emplace_back();
      bucket.bucket_id = static_cast<int32_t>(i);
      bucket.leader_id = table.buckets[i].leader;
    }
  }
  return response;
}

wire::PbProduceLogRespForBucket FakeCluster::produce(
    int server, int64_t table, const wire::PbProduceLogReqForBucket& request) {
  wire::PbProduceLogRespForBucket answer;
  answer.bucket_id = request.bucket_id;
  BucketId id(request.bucket_id);
  FakeBucket* bucket = bucket_of(table, request.bucket_id);
  std::optional<Error> error;
  if (bucket == nullptr) {
    error = Error(ErrorCode::kUnknownTableOrBucketException, "no such bucket");
  } else if (bucket->leader != server) {
    error = Error(ErrorCode::kNotLeaderOrFollower, "not the leader");
  } else if (before_append) {
    error = before_append(server, id);
  }
  if (!error) {
    Result<Offset> base = bucket->append(request.records, world_.wall_now());
    if (base) {
      answer.base_offset = base->value();
      if (after_append) error = after_append(server, id);
    } else {
      error = base.error();
    }
  }
  if (error) set_error(&answer, *error);
  return answer;
}

Task<Result<wire::ProduceLogResponse>> FakeCluster::handle_produce(FakeCluster* self,
                                                                   int server,
                                                                   wire::ProduceLogRequest request,
                                                                   rpc::RequestContext context) {
  ++self->produce_requests;
  wire::ProduceLogResponse response;
  for (const auto& bucket : request.buckets_req) {
    response.buckets_resp.push_back(self->produce(server, request.table_id, bucket));
  }
  if (self->produce_delay) {
    Duration delay = self->produce_delay(server);
    if (delay > Duration(0)) {
      co_await sleep_for(self->node(server).env().clock, *context.shard, delay);
    }
  }
  co_return response;
}

void FakeCluster::fetch_bucket(int server,
                               const wire::PbFetchLogReqForTable& table,
                               const wire::PbFetchLogReqForBucket& request,
                               wire::PbFetchLogRespForBucket* answer) {
  answer->bucket_id = request.bucket_id;
  FakeBucket* bucket = bucket_of(table.table_id, request.bucket_id);
  std::optional<Error> error;
  if (bucket == nullptr) {
    error = Error(ErrorCode::kUnknownTableOrBucketException, "no such bucket");
  } else if (bucket->leader != server) {
    error = Error(ErrorCode::kNotLeaderOrFollower, "not the leader");
  } else if (request.fetch_offset < bucket->start.value() ||
             request.fetch_offset > bucket->end.value()) {
    error = Error(ErrorCode::kLogOffsetOutOfRangeException, "out of range");
  } else if (before_fetch) {
    error = before_fetch(server, BucketId(request.bucket_id));
  }
  if (error) {
    set_error(answer, *error);
    return;
  }
  answer->high_watermark = bucket->end.value();
  answer->log_start_offset = bucket->start.value();
  answer->records.emplace();
  for (const FakeBatch& batch : bucket->batches) {
    if (batch.next.value() <= request.fetch_offset) continue;
    BytesChain bytes(batch.bytes);
    if (table.projection_pushdown_enabled) {
      auto view = BatchView::parse(batch.bytes);
      const std::vector<Schema>& schemas = schemas_of(table.table_id);
      const Schema& written = schemas.at(static_cast<size_t>(view->schema_id().value() - 1));
      auto projection = Projection::make(schemas.back(), written, table.projected_fields);
      if (!projection) {
        *answer = wire::PbFetchLogRespForBucket();
        answer->bucket_id = request.bucket_id;
        set_error(answer, projection.error());
        return;
      }
      bytes = *projection->apply(*view);
    }
    bool fits =
        answer->records->size() + bytes.size() <= static_cast<size_t>(request.max_fetch_bytes);
    if (!fits && !answer->records->empty()) break;
    answer->records->append(std::move(bytes));
  }
}

const std::vector<Schema>& FakeCluster::schemas_of(int64_t id) const {
  for (const auto& [path, table] : tables_) {
    if (table.id.value() == id) return table.schemas;
  }
  CHECK(false, "a table of the model");
}

wire::FetchLogResponse FakeCluster::fetch_now(int server,
                                              const wire::FetchLogRequest& request,
                                              bool* any) {
  wire::FetchLogResponse response;
  for (const auto& table : request.tables_req) {
    wire::PbFetchLogRespForTable& answers = response.tables_resp.emplace_back();
    answers.table_id = table.table_id;
    for (const auto& bucket : table.buckets_req) {
      wire::PbFetchLogRespForBucket& answer = answers.buckets_resp.emplace_back();
      fetch_bucket(server, table, bucket, &answer);
      if (answer.error_code || !answer.records->empty()) *any = true;
    }
  }
  return response;
}

Task<Result<wire::FetchLogResponse>> FakeCluster::handle_fetch(FakeCluster* self,
                                                               int server,
                                                               wire::FetchLogRequest request,
                                                               rpc::RequestContext context) {
  self->fetches.push_back(request);
  int now = ++self->fetches_now[server];
  self->fetches_at_once[server] = std::max(self->fetches_at_once[server], now);
  bool any = false;
  wire::FetchLogResponse response = self->fetch_now(server, request, &any);
  Clock& clock = self->node(server).env().clock;
  Duration deadline =
      clock.monotonic() + std::chrono::milliseconds(request.max_wait_ms.value_or(0));
  while (!any && clock.monotonic() < deadline) {
    co_await sleep_for(clock, *context.shard, std::chrono::milliseconds(5));
    response = self->fetch_now(server, request, &any);
  }
  --self->fetches_now[server];
  if (self->on_fetch_answer) self->on_fetch_answer(&response);
  co_return response;
}

wire::ListOffsetsResponse FakeCluster::list_offsets(const wire::ListOffsetsRequest& request) {
  wire::ListOffsetsResponse response;
  for (int32_t id : request.bucket_id) {
    wire::PbListOffsetsRespForBucket& answer = response.buckets_resp.emplace_back();
    answer.bucket_id = id;
    FakeBucket* bucket = bucket_of(request.table_id, id);
    if (bucket == nullptr) {
      answer.error_code = static_cast<int32_t>(ErrorCode::kUnknownTableOrBucketException);
    } else if (request.offset_type == 0) {
      answer.offset = bucket->start.value();
    } else if (request.offset_type == 1) {
      answer.offset = bucket->end.value();
    } else {
      answer.offset = bucket->end.value();
      for (const FakeBatch& batch : bucket->batches) {
        auto view = BatchView::parse(batch.bytes);
        if (view->commit_timestamp().value() < *request.start_timestamp) continue;
        answer.offset = batch.base.value();
        break;
      }
    }
  }
  return response;
}

wire::LimitScanResponse FakeCluster::limit_scan(const wire::LimitScanRequest& request) {
  wire::LimitScanResponse response;
  FakeBucket* bucket = bucket_of(request.table_id, request.bucket_id);
  response.records.emplace();
  if (table_of(request.table_id).descriptor.has_primary_key()) {
    ValueBatchBuilder first;
    for (const auto& [key, value] : bucket->values) {
      if (first.record_count() < request.limit) first.append(value.span());
    }
    response.records->append(first.finish());
    if (on_limit_scan) on_limit_scan(&response);
    return response;
  }
  response.is_log_table = true;
  for (const FakeBatch& batch : bucket->batches) {
    if (batch.next.value() > bucket->end.value() - request.limit) {
      response.records->append(batch.bytes);
    }
  }
  if (on_limit_scan) on_limit_scan(&response);
  return response;
}

void FakeCluster::add_handlers(int server) {
  using wire::ApiKey;
  rpc::ApiTable& apis = servers_[index(server)].apis;
  apis.add<ApiKey::kGetMetadata>([this](wire::MetadataRequest request, rpc::RequestContext) {
    return answer_now(metadata(request));
  });
  apis.add<ApiKey::kInitWriter>([this](wire::InitWriterRequest, rpc::RequestContext) {
    ++writer_requests;
    return answer_now(Result<wire::InitWriterResponse>(wire::InitWriterResponse{next_writer++}));
  });
  apis.add<ApiKey::kProduceLog>(
      [this, server](wire::ProduceLogRequest request, rpc::RequestContext context) {
        return handle_produce(this, server, std::move(request), std::move(context));
      });
  apis.add<ApiKey::kFetchLog>(
      [this, server](wire::FetchLogRequest request, rpc::RequestContext context) {
        return handle_fetch(this, server, std::move(request), std::move(context));
      });
  apis.add<ApiKey::kListOffsets>([this](wire::ListOffsetsRequest request, rpc::RequestContext) {
    return answer_now(Result<wire::ListOffsetsResponse>(list_offsets(request)));
  });
  apis.add<ApiKey::kLimitScan>([this](wire::LimitScanRequest request, rpc::RequestContext) {
    return answer_now(Result<wire::LimitScanResponse>(limit_scan(request)));
  });
  add_kv_handlers(server);
  apis.add<ApiKey::kGetTableSchema>([this](wire::GetTableSchemaRequest request,
                                           rpc::RequestContext) {
    FakeTable& found = table({request.table_path.database_name, request.table_path.table_name});
    auto id = request.schema_id.value_or(static_cast<int32_t>(found.schemas.size()));
    wire::GetTableSchemaResponse response;
    response.schema_id = id;
    response.schema_json = Bytes::copy_of(to_json(found.schemas.at(static_cast<size_t>(id - 1))));
    return answer_now(Result<wire::GetTableSchemaResponse>(std::move(response)));
  });
}

FakeTable& FakeCluster::table_of(int64_t id) {
  for (auto& [path, table] : tables_) {
    if (table.id.value() == id) return table;
  }
  CHECK(false, "a table of the model");
}

TableDescriptor numbers_table(int32_t buckets,
                              std::vector<std::string> bucket_keys,
                              Properties properties) {
  TableDescriptor table;
  table.schema = *SchemaBuilder()
                      .column("id", DataType::bigint().not_null())
                      .column("text", DataType::string())
                      .build();
  table.distribution = Distribution{buckets, std::move(bucket_keys)};
  table.properties = std::move(properties);
  return table;
}

TableDescriptor keyed_table(int32_t buckets, Properties properties) {
  TableDescriptor table = numbers_table(buckets, {"id"}, std::move(properties));
  table.schema = *SchemaBuilder(table.schema).primary_key({"id"}).build();
  return table;
}

std::vector<int64_t> ids_in(const FakeTable& table, size_t bucket) {
  std::vector<int64_t> ids;
  auto options = *parse_stored_table_options(table.descriptor.properties);
  for (const FakeBatch& batch : table.buckets[bucket].batches) {
    auto view = BatchView::parse(batch.bytes);
    const Schema& schema = table.schemas.at(static_cast<size_t>(view->schema_id().value() - 1));
    auto decoded = BatchDecoder(options.log_format, schema).decode(*view);
    CHECK(decoded.has_value(), "a batch that can be read");
    const auto& column = static_cast<const arrow::Int64Array&>(*decoded->rows->column(0));
    for (int64_t i = 0; i < column.length(); ++i) ids.push_back(column.Value(i));
  }
  return ids;
}

void add_numbers(FakeTable& table, size_t bucket, int64_t begin, int64_t end, TimestampMs time) {
  BatchOptions options;
  options.format = parse_stored_table_options(table.descriptor.properties)->log_format;
  options.schema_id = SchemaId(1);
  options.append_only = true;
  BatchBuilder builder(table.schemas[0], options);
  for (int64_t id = begin; id < end; ++id) {
    std::string text = fmt::format("row {}", id);
    std::vector<Value> row{Value::integer(id), Value::bytes(text)};
    CHECK(builder.append(ChangeType::kAppend, row).has_value(), "a row of the table");
  }
  CHECK(table.buckets[bucket].append(*builder.finish({}), time).has_value(), "a batch");
}

std::vector<Bytes> parts_of(const BytesChain& records) {
  std::vector<Bytes> parts;
  auto batches = parse_batches(records.flatten());
  CHECK(batches.has_value(), "whole batches");
  for (const BatchView& batch : *batches) parts.push_back(batch.bytes());
  return parts;
}

std::shared_ptr<arrow::RecordBatch> number_rows(int64_t begin, int64_t end) {
  ArrowAppender rows(numbers_table(1, {}, {}).schema);
  for (int64_t id = begin; id < end; ++id) {
    std::string text = fmt::format("row {}", id);
    std::vector<Value> row{Value::integer(id), Value::bytes(text)};
    CHECK(rows.append(row).has_value(), "a row of the table");
  }
  return *rows.finish();
}

struct BreakingProxy::Link {
  std::unique_ptr<Stream> client;
  std::unique_ptr<Stream> server;
  size_t left;
};

BreakingProxy::BreakingProxy(SimWorld& world, std::string name, uint16_t port, Address target)
    : world_(world), node_(world.add_node(name)), address_{name, port}, target_(std::move(target)) {
  auto listener = node_.env().network.listen(node_.shard(0), address_);
  CHECK(listener.has_value(), "the port is free");
  listener_ = *std::move(listener);
  node_.shard(0).spawn(accept_all(this));
}

void BreakingProxy::stop() {
  listener_->close();
  for (const std::weak_ptr<Link>& weak : links_) {
    std::shared_ptr<Link> link = weak.lock();
    if (link == nullptr) continue;
    link->client->close();
    link->server->close();
  }
  world_.run_for(std::chrono::seconds(1));
}

Task<void> BreakingProxy::accept_all(BreakingProxy* self) {
  Shard& here = self->node_.shard(0);
  for (;;) {
    auto client = co_await self->listener_->accept(here);
    if (!client) co_return;
    auto server =
        co_await self->node_.env().network.connect(here, self->target_, std::chrono::seconds(5));
    if (!server) continue;
    auto link = std::make_shared<Link>();
    link->client = *std::move(client);
    link->server = *std::move(server);
    link->left = SIZE_MAX;
    self->links_.push_back(link);
    if (!self->budgets.empty()) {
      link->left = self->budgets.front();
      self->budgets.pop_front();
    }
    here.spawn(pump(self, link, true));
    here.spawn(pump(self, link, false));
  }
}

Task<void> BreakingProxy::pump(BreakingProxy* self, std::shared_ptr<Link> link, bool to_server) {
  Stream& from = to_server ? *link->client : *link->server;
  Stream& to = to_server ? *link->server : *link->client;
  std::vector<uint8_t> buffer(1024);
  for (;;) {
    auto count = co_await from.read_some(buffer);
    if (!count || *count == 0) break;
    size_t size = std::min(*count, link->left);
    if (!to_server) {
      size_t from_here = self->damaged_byte.value_or(SIZE_MAX) - self->sent_to_client_;
      if (self->damaged_byte && from_here < size) buffer[from_here] ^= self->damage;
      self->sent_to_client_ += size;
    }
    link->left -= size;
    if (size > 0) (void)co_await to.write(BytesChain(Bytes::copy_of(buffer.data(), size)));
    if (link->left == 0) break;
  }
  link->client->close();
  link->server->close();
}

namespace {

// Proves that the model of the server keeps the rules of writer sequences: repetitions of the last
// five get their first offset, gaps and older ones are out of order.
TEST(FakeClusterTest, RemembersFiveBatches) {
  FakeBucket bucket;
  auto batch = [](int32_t sequence) {
    BatchOptions options;
    options.schema_id = SchemaId(1);
    options.append_only = true;
    return *build_arrow_batch(
        *number_rows(0, 2), {}, numbers_table(1, {}, {}).schema, options, {WriterId(7), sequence});
  };
  for (int32_t i = 0; i < 7; ++i)
    EXPECT_EQ(bucket.append(batch(i), TimestampMs(1))->value(), 2 * i);
  EXPECT_EQ(bucket.append(batch(2), TimestampMs(1))->value(), 4);
  EXPECT_EQ(bucket.append(batch(6), TimestampMs(1))->value(), 12);
  EXPECT_EQ(bucket.append(batch(1), TimestampMs(1)).error().code(),
            ErrorCode::kOutOfOrderSequenceException);
  EXPECT_EQ(bucket.append(batch(8), TimestampMs(1)).error().code(),
            ErrorCode::kOutOfOrderSequenceException);
  EXPECT_EQ(bucket.end.value(), 14);
}

}  // namespace
}  // namespace lakestream::client
