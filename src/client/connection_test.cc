#include "client/connection.h"

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "client/admin.h"
#include "client/appender.h"
#include "client/fake_cluster_for_tests.h"
#include "client/scanner.h"
#include "table/json.h"

namespace lakestream::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::ApiKey;

const TablePath kTable{"d", "t"};

Task<void> close_connection(Connection* connection) { (void)co_await connection->close(); }

class ConnectionTest : public testing::Test {
 protected:
  void TearDown() override {
    if (connection_) {
      ASSERT_TRUE(run(connection_->close()));
    }
    cluster_.stop();
  }
  template <typename T>
  T run(Task<T> task) {
    return world_.run(client_.shard(0), std::move(task));
  }
  Status open(std::vector<Address> bootstrap) {
    auto opened = run(Connection::open(
        client_.env(), client_.shard(0), std::move(bootstrap), ConnectionOptions{}));
    if (!opened) return fail(opened.error());
    connection_ = *opened;
    return ok();
  }

  SimWorld world_{3};
  FakeCluster cluster_{world_, 2};
  SimNode& client_ = world_.add_node("client");
  std::shared_ptr<Connection> connection_;
};

// Proves that the first bootstrap server that answers is enough, and that none is an error in time.
TEST_F(ConnectionTest, Bootstrap) {
  EXPECT_EQ(open({}).error().code(), ErrorCode::kInvalidConfigException);
  EXPECT_EQ(open({{"nowhere", 1}}).error().code(), ErrorCode::kNetworkException);
  EXPECT_LT(world_.now(), seconds(5));
  Status opened = open({{"nowhere", 1}, cluster_.address(1)});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(connection_->nodes().tablet_servers.size(), 2U);
  EXPECT_EQ(connection_->nodes().coordinator->address, cluster_.address(0));
}

// Proves that metadata is kept until it is refreshed, that callers at the same time share a
// request, and that a server that went away is replaced by another.
TEST_F(ConnectionTest, TableMetadata) {
  cluster_.add_table(kTable, numbers_table(3, {}, {}));
  ASSERT_TRUE(open({cluster_.address(0)}));
  EXPECT_EQ(run(connection_->table({"d", "none"})).error().code(), ErrorCode::kTableNotExist);
  int before = cluster_.metadata_requests;
  auto table = run(connection_->table(kTable));
  ASSERT_TRUE(table);
  EXPECT_EQ((*table)->buckets.size(), 3U);
  EXPECT_EQ((*table)->buckets[1].leader, ServerId(1));
  (void)run(connection_->table(kTable));
  EXPECT_EQ(cluster_.metadata_requests, before + 1);
  struct Twice {
    static Task<void> once(Connection* connection, int* done) {
      auto refreshed = co_await connection->refresh_table(kTable);
      if (refreshed) ++*done;
    }
  };
  int done = 0;
  for (int i = 0; i < 3; ++i) client_.shard(0).spawn(Twice::once(connection_.get(), &done));
  world_.run_until([&] { return done == 3; }, seconds(1));
  EXPECT_EQ(cluster_.metadata_requests, before + 2);
  for (int server : {0, 1}) {
    cluster_.kill(server);
    EXPECT_TRUE(run(connection_->refresh_table(kTable))) << server;
    cluster_.restart(server);
  }
}

// Proves that buckets which are not numbered from 0 without gaps, or a table document that is none,
// are refused.
TEST_F(ConnectionTest, ImpossibleMetadata) {
  ASSERT_TRUE(open({cluster_.address(0)}));
  wire::MetadataResponse good;
  good.tablet_servers.push_back({.node_id = 0, .host = "server0", .port = 9123});
  good.table_metadata.resize(1);
  good.table_metadata[0].table_path = {"d", "t"};
  good.table_metadata[0].schema_id = 1;
  good.table_metadata[0].table_json = Bytes::copy_of(to_json(numbers_table(2, {}, {})));
  good.table_metadata[0].bucket_metadata.resize(2);
  good.table_metadata[0].bucket_metadata[1].bucket_id = 1;
  std::vector<wire::MetadataResponse> wrong(5, good);
  wrong[0].table_metadata[0].bucket_metadata[1].bucket_id = 2;
  wrong[1].table_metadata[0].bucket_metadata[1].bucket_id = 0;
  wrong[2].table_metadata[0].table_json = Bytes::copy_of("{");
  wrong[3].table_metadata[0].schema_id = 70'000;
  wrong[4].tablet_servers[0].port = 70'000;
  wire::MetadataResponse now = good;
  for (int server : {0, 1}) {
    cluster_.apis(server).add<ApiKey::kGetMetadata>(
        [&now](wire::MetadataRequest, rpc::RequestContext) {
          return answer_now(Result<wire::MetadataResponse>(now));
        });
  }
  EXPECT_TRUE(run(connection_->refresh_table(kTable)));
  for (const wire::MetadataResponse& answer : wrong) {
    now = answer;
    EXPECT_EQ(run(connection_->refresh_table(kTable)).error().code(),
              ErrorCode::kUnknownServerError);
  }
  now = good;
}

// Proves that a client of the same process needs no listener, and that each produce request has
// memory of its own, because the server stamps it and keeps it.
TEST_F(ConnectionTest, LocalServer) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  rpc::ApiTable& apis = cluster_.apis(0);
  std::vector<Bytes> kept;
  int64_t end = 0;
  apis.add<ApiKey::kProduceLog>([&](wire::ProduceLogRequest request, rpc::RequestContext context) {
    EXPECT_EQ(context.shard, &client_.shard(0));
    Bytes records = request.buckets_req[0].records;
    for (const Bytes& other : kept) EXPECT_NE(other.data(), records.data());
    auto view = BatchView::parse(records);
    EXPECT_TRUE(view->validate());
    stamp_batch(records.exclusive_data(), {Offset(end), TimestampMs(5), kNoLeaderEpoch});
    kept.push_back(records);
    wire::ProduceLogResponse response;
    response.buckets_resp.resize(1);
    if (kept.size() < 3) {
      response.buckets_resp[0].error_code = static_cast<int32_t>(ErrorCode::kRequestTimeOut);
    } else {
      response.buckets_resp[0].base_offset = end;
      end += view->record_count();
    }
    return answer_now(Result<wire::ProduceLogResponse>(std::move(response)));
  });
  ConnectionOptions options;
  options.local_servers.push_back({&apis, &client_.shard(0), {}});
  auto opened = run(Connection::open(client_.env(), client_.shard(0), {}, options));
  ASSERT_TRUE(opened) << opened.error().to_string();
  connection_ = *opened;
  auto appender = run(Appender::open(connection_, kTable, AppenderOptions{}));
  ASSERT_TRUE(appender) << appender.error().to_string();
  ASSERT_TRUE(run((*appender)->append(number_rows(0, 10))));
  ASSERT_TRUE(run((*appender)->close()));
  EXPECT_EQ(kept.size(), 3U);

  // Reading, too: the long poll ends when the client is closed.
  add_numbers(cluster_.table(kTable), 0, 0, 10, TimestampMs(1));
  ScannerOptions some;
  some.columns = {"id"};
  auto scanner = run(LogScanner::open(connection_, kTable, some));
  ASSERT_TRUE(run((*scanner)->subscribe_all(OffsetSpec::earliest())));
  auto batches = run((*scanner)->poll(seconds(1)));
  ASSERT_TRUE(batches && batches->size() == 1U);
  EXPECT_EQ(batches->front().rows->num_rows(), 10);
  EXPECT_EQ(batches->front().rows->num_columns(), 1);
  ASSERT_TRUE(run((*scanner)->close()));
}

// Proves that what waits ends with an error when the connection is closed under it.
TEST_F(ConnectionTest, CloseEndsEverything) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  ASSERT_TRUE(open({cluster_.address(0)}));
  auto appender = run(Appender::open(connection_, kTable, AppenderOptions{}));
  auto scanner = run(LogScanner::open(connection_, kTable, ScannerOptions{}));
  ASSERT_TRUE(run((*scanner)->subscribe_all(OffsetSpec::earliest())));
  cluster_.produce_delay = [](int) { return seconds(20); };
  auto delivery = run((*appender)->append(number_rows(0, 10)));
  Timer close = client_.env().clock.start_timer(client_.shard(0), seconds(1), [this] {
    client_.shard(0).spawn(close_connection(connection_.get()));
  });
  auto read = run((*scanner)->poll(seconds(30)));
  ASSERT_TRUE(read && read->size() == 1U);  // they are in the log, only the answer is not here
  read = run((*scanner)->poll(seconds(30)));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::kNetworkException);
  EXPECT_FALSE(run(delivery->wait()));
  EXPECT_FALSE(run((*appender)->flush()));
  EXPECT_LT(world_.now(), seconds(3));
  EXPECT_FALSE(run(connection_->refresh_table(kTable)));
  EXPECT_FALSE(run((*appender)->append(number_rows(0, 1))));
}

class AdminTest : public ConnectionTest {
 protected:
  // When all handlers are there: a client learns at the beginning which APIs a server has.
  Admin connect() {
    EXPECT_TRUE(open({cluster_.address(0)}));
    return Admin(connection_);
  }
  // Answers `key` on the server with what `make` says; counts.
  template <ApiKey key, typename Make>
  void on(int server, Make make) {
    using Request = typename wire::ApiTraits<key>::Request;
    cluster_.apis(server).template add<key>([this, make](Request request, rpc::RequestContext) {
      ++calls_;
      return answer_now(make(request));
    });
  }
  int calls_ = 0;
};

// Proves that what the caller says about databases reaches the coordinator, field by field.
TEST_F(AdminTest, Databases) {
  on<ApiKey::kCreateDatabase>(0, [](const wire::CreateDatabaseRequest& request) {
    EXPECT_EQ(request.database_name, "d");
    EXPECT_TRUE(request.ignore_if_exists);
    EXPECT_EQ(request.database_json->view(),
              R"({"version":1,"comment":"c","custom_properties":{"k":"v"}})");
    return Result<wire::CreateDatabaseResponse>(wire::CreateDatabaseResponse{});
  });
  on<ApiKey::kAlterDatabase>(0, [](const wire::AlterDatabaseRequest& request) {
    EXPECT_FALSE(request.ignore_if_not_exists);
    EXPECT_EQ(request.config_changes,
              (std::vector<wire::PbAlterConfig>{{"a", "1", 0}, {"b", std::nullopt, 1}}));
    EXPECT_EQ(request.comment, "");
    return Result<wire::AlterDatabaseResponse>(wire::AlterDatabaseResponse{});
  });
  on<ApiKey::kDropDatabase>(0, [](const wire::DropDatabaseRequest& request) {
    EXPECT_TRUE(request.cascade && request.ignore_if_not_exists);
    return Result<wire::DropDatabaseResponse>(wire::DropDatabaseResponse{});
  });
  for (int server : {0, 1}) {
    on<ApiKey::kListDatabases>(server, [](const wire::ListDatabasesRequest& request) {
      wire::ListDatabasesResponse response;
      if (request.include_summary.value_or(false)) {
        response.database_summary.push_back({"d", 77, 3});
      } else {
        response.database_name = {"d", "e"};
      }
      return Result<wire::ListDatabasesResponse>(response);
    });
    on<ApiKey::kGetDatabaseInfo>(server, [](const wire::GetDatabaseInfoRequest& request) {
      EXPECT_EQ(request.database_name, "d");
      wire::GetDatabaseInfoResponse response;
      response.database_json = Bytes::copy_of(R"({"version":1,"comment":"c"})");
      response.created_time = 5;
      response.modified_time = 6;
      return Result<wire::GetDatabaseInfoResponse>(response);
    });
  }
  Admin admin = connect();
  DatabaseDescriptor descriptor{"c", {{"k", "v"}}};
  EXPECT_TRUE(run(admin.create_database("d", descriptor, IfExists::kKeep)));
  DatabaseChange change{{{"a", "1"}}, {"b"}, ""};
  EXPECT_TRUE(run(admin.alter_database("d", change, IfAbsent::kFail)));
  EXPECT_TRUE(run(admin.drop_database("d", IfAbsent::kIgnore, DropContent::kCascade)));
  EXPECT_EQ(calls_, 3);
  EXPECT_EQ(*run(admin.list_databases()), (std::vector<std::string>{"d", "e"}));
  EXPECT_EQ(run(admin.list_database_summaries())->at(0).table_count, 3);
  EXPECT_EQ(run(admin.database_info("d"))->descriptor.comment, "c");
}

// Proves that changes of tables are sent as the protocol says.
TEST_F(AdminTest, TableChanges) {
  std::vector<wire::AlterTableRequest> requests;
  on<ApiKey::kAlterTable>(0, [&](const wire::AlterTableRequest& request) {
    requests.push_back(request);
    return Result<wire::AlterTableResponse>(wire::AlterTableResponse{});
  });
  Admin admin = connect();
  TablePath path{"d", "t"};
  TableChange options{{{"table.log.ttl", "1 d"}}, {"b"}, {}};
  EXPECT_TRUE(run(admin.alter_table(path, options, IfAbsent::kIgnore)));
  Column column;
  column.name = "c";
  column.type = DataType::bigint();
  column.comment = "new";
  column.agg = AggFunction{AggType::kListagg, {{"delimiter", ";"}}};
  TableChange columns;
  columns.columns = {{{"a", "b"}}, {"d"}, {column}};
  EXPECT_TRUE(run(admin.alter_table(path, columns, IfAbsent::kFail)));
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0],
            (wire::AlterTableRequest{
                .table_path = {"d", "t"},
                .ignore_if_not_exists = true,
                .config_changes = {{"table.log.ttl", "1 d", 0}, {"b", std::nullopt, 1}}}));
  EXPECT_EQ(requests[1],
            (wire::AlterTableRequest{
                .table_path = {"d", "t"},
                .add_columns = {{.column_name = "c",
                                 .data_type_json = Bytes::copy_of(R"({"type":"BIGINT"})"),
                                 .comment = "new",
                                 .agg_function_type = "listagg",
                                 .agg_function_params = {{"delimiter", ";"}}}},
                .drop_columns = {{"d"}},
                .rename_columns = {{"a", "b"}}}));
}

// Proves that tables are made and described as the protocol's documents say.
TEST_F(AdminTest, Tables) {
  TableDescriptor descriptor = numbers_table(2, {"id"}, {{"table.log.format", "INDEXED"}});
  on<ApiKey::kCreateTable>(0, [&](const wire::CreateTableRequest& request) {
    EXPECT_EQ(request.table_path.table_name, "t");
    EXPECT_EQ(*table_from_json(request.table_json.view()), descriptor);
    return Result<wire::CreateTableResponse>(wire::CreateTableResponse{});
  });
  for (int server : {0, 1}) {
    on<ApiKey::kGetTableInfo>(server, [&](const wire::GetTableInfoRequest&) {
      wire::GetTableInfoResponse response;
      response.table_id = 9;
      response.schema_id = 4;
      response.table_json = Bytes::copy_of(to_json(descriptor));
      response.created_time = 5;
      return Result<wire::GetTableInfoResponse>(response);
    });
    on<ApiKey::kGetClusterHealth>(server, [](const wire::GetClusterHealthRequest&) {
      return Result<wire::GetClusterHealthResponse>(wire::GetClusterHealthResponse{4, 3, 2, 2, 1});
    });
    on<ApiKey::kGetTableStats>(server, [server](const wire::GetTableStatsRequest& request) {
      wire::GetTableStatsResponse response;
      for (const auto& bucket : request.buckets_req) {
        auto& answer = response.buckets_resp.emplace_back();
        answer.bucket_id = bucket.bucket_id;
        answer.row_count = 10 * server;
        EXPECT_EQ(bucket.bucket_id % 2, server);  // only its leader is asked
      }
      return Result<wire::GetTableStatsResponse>(response);
    });
  }
  Admin admin = connect();
  EXPECT_TRUE(run(admin.create_table(kTable, descriptor, IfExists::kFail)));
  auto info = run(admin.table_info(kTable));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->id, TableId(9));
  EXPECT_EQ(info->schema_id, SchemaId(4));
  EXPECT_EQ(info->descriptor, descriptor);
  EXPECT_EQ(info->options.log_format, LogFormat::kIndexed);
  EXPECT_EQ(run(admin.cluster_health())->status, ClusterHealth::Status::kYellow);
  cluster_.add_table(kTable, numbers_table(4, {}, {}));
  auto stats = run(admin.table_stats(kTable));
  ASSERT_TRUE(stats && stats->size() == 4U);
  EXPECT_EQ((*stats)[3].row_count, 10);
  EXPECT_EQ(run(admin.table_schema(kTable, std::nullopt))->schema, descriptor.schema);
  EXPECT_EQ(run(admin.table_buckets(kTable))->size(), 4U);
}

// Proves that offsets come in the order of the buckets, that a bucket which moved is asked for
// again, and that one without a leader ends in time.
TEST_F(AdminTest, Offsets) {
  Admin admin = connect();
  FakeTable& table = cluster_.add_table(kTable, numbers_table(3, {}, {}));
  for (size_t i = 0; i < 3; ++i) {
    table.buckets[i].start = Offset(static_cast<int64_t>(i));
    table.buckets[i].end = Offset(static_cast<int64_t>(10 + i));
  }
  auto offsets = [&](OffsetSpec spec, std::vector<BucketId> buckets) {
    std::vector<int64_t> values;
    auto answer = run(admin.list_offsets(kTable, spec, std::move(buckets)));
    EXPECT_TRUE(answer) << answer.error().to_string();
    for (const BucketOffset& offset : *answer) values.push_back(offset.offset.value());
    return values;
  };
  EXPECT_EQ(offsets(OffsetSpec::earliest(), {}), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(offsets(OffsetSpec::latest(), {BucketId(2), BucketId(0)}),
            (std::vector<int64_t>{10, 12}));
  EXPECT_FALSE(run(admin.list_offsets(kTable, OffsetSpec::latest(), {BucketId(7)})));
  cluster_.kill(1);
  table.buckets[1].leader = 0;
  EXPECT_EQ(offsets(OffsetSpec::latest(), {}), (std::vector<int64_t>{10, 11, 12}));
  table.buckets[1].leader.reset();
  (void)run(connection_->refresh_table(kTable));
  Duration before = world_.now();
  auto none = run(admin.list_offsets(kTable, OffsetSpec::latest(), {}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::kLeaderNotAvailableException);
  EXPECT_LT(world_.now() - before, seconds(35));
}

// Proves which errors are worth another attempt, and that there is an end of them.
TEST_F(AdminTest, Repetition) {
  ErrorCode code = ErrorCode::kNone;
  int failures = 0;
  for (int server : {0, 1}) {
    on<ApiKey::kDropTable>(server, [&](const wire::DropTableRequest&) {
      if (calls_ > failures) return Result<wire::DropTableResponse>(wire::DropTableResponse{});
      return Result<wire::DropTableResponse>(make_error(code, "made up"));
    });
  }
  Admin admin = connect();
  struct Case {
    ErrorCode code;
    int failures;
    int calls;
    bool succeeds;
  };
  for (const Case& c : {Case{ErrorCode::kTableNotExist, 1, 1, false},
                        Case{ErrorCode::kNetworkException, 2, 3, true},
                        Case{ErrorCode::kNotCoordinatorLeaderException, 1, 2, true},
                        Case{ErrorCode::kStorageException, 100, 4, false}}) {
    code = c.code;
    failures = c.failures;
    calls_ = 0;
    Status dropped = run(admin.drop_table(kTable, IfAbsent::kFail));
    EXPECT_EQ(dropped.has_value(), c.succeeds);
    EXPECT_EQ(calls_, c.calls);
    if (!dropped) {
      EXPECT_EQ(dropped.error().code(), c.code);
    }
  }
  EXPECT_EQ(run(admin.describe_configs()).error().code(), ErrorCode::kUnsupportedVersion);
}

}  // namespace
}  // namespace lakestream::client
