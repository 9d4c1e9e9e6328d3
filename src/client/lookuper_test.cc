#include "client/lookuper.h"

#include <algorithm>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "client/fake_cluster_for_tests.h"
#include "client/scanner.h"
#include "client/table_scanner.h"
#include "client/upserter.h"
#include "format/arrow_schema.h"

namespace lakestream::client {
namespace {

using std::chrono::seconds;

const TablePath kTable{"d", "t"};

struct Model {
  SimWorld world{1};
  FakeCluster cluster{world, 2};
  SimNode& client = world.add_node("client");
};

using Job = Task<Status> (*)(Model* m, std::shared_ptr<Connection> connection);

Task<Status> with_connection(Model* m, Job job) {
  std::vector<Address> bootstrap(1, m->cluster.address(0));
  auto connection = co_await Connection::open(
      m->client.env(), m->client.shard(0), std::move(bootstrap), ConnectionOptions());
  if (!connection) co_return fail(std::move(connection).error());
  Status done = co_await job(m, *connection);
  (void)co_await (*connection)->close();
  co_return done;
}

Task<Status> fill(std::shared_ptr<Connection> connection,
                  std::shared_ptr<arrow::RecordBatch> rows) {
  CO_ASSIGN_OR_RETURN(auto upserter,
                      co_await Upserter::open(connection, kTable, UpserterOptions()));
  CO_ASSIGN_OR_RETURN(Delivery delivery, co_await upserter->upsert(rows));
  co_return co_await upserter->close();
}

class LookuperTest : public testing::Test {
 protected:
  void TearDown() override { model_.cluster.stop(); }

  void run(Job job) {
    Status done = model_.world.run(model_.client.shard(0), with_connection(&model_, job));
    EXPECT_TRUE(done) << done.error().to_string();
  }

  Model model_;
};

std::shared_ptr<arrow::RecordBatch> keys(int64_t begin, int64_t end) {
  return *number_rows(begin, end)->SelectColumns({0});
}

std::string text_at(const arrow::RecordBatch& rows, int64_t i) {
  return static_cast<const arrow::StringArray&>(*rows.GetColumnByName("text")).GetString(i);
}

// Proves that many keys share requests, at most 128 in each, and that rows come in the order of
// their keys, those that are absent left out.
TEST_F(LookuperTest, ManyKeys) {
  model_.cluster.add_table(kTable, keyed_table(3, {}));
  run([](Model* m, std::shared_ptr<Connection> connection) -> Task<Status> {
    CO_RETURN_IF_ERROR(co_await fill(connection, number_rows(0, 1000)));
    CO_ASSIGN_OR_RETURN(auto lookuper,
                        co_await Lookuper::open(connection, kTable, LookupOptions()));
    CO_ASSIGN_OR_RETURN(LookedUp found, co_await lookuper->lookup(keys(900, 1100)));
    EXPECT_EQ(found.rows->num_rows(), 100);
    EXPECT_EQ(text_at(*found.rows, 7), "row 907");
    EXPECT_EQ(found.counts.size(), 200U);
    EXPECT_EQ(found.counts[99], 1);
    EXPECT_EQ(found.counts[100], 0);
    EXPECT_LE(lookuper->counters().requests, 3U);
    for (const wire::LookupRequest& request : m->cluster.lookups) {
      size_t count = 0;
      for (const auto& bucket : request.buckets_req) count += bucket.keys.size();
      EXPECT_LE(count, 128U);
      EXPECT_FALSE(request.insert_if_not_exists);
    }
    co_return ok();
  });
}

Task<void> look_up(Lookuper* lookuper, int64_t id, int64_t* found, size_t* left) {
  std::vector<Value> key{Value::integer(id)};
  auto row = co_await lookuper->lookup_row(key);
  if (row && *row) *found += (*row)->values()[0].as_integer();
  --*left;
}

// Proves that lookups which are started in one turn go out together.
TEST_F(LookuperTest, LookupsAtTheSameTime) {
  model_.cluster.add_table(kTable, keyed_table(1, {}));
  run([](Model* m, std::shared_ptr<Connection> connection) -> Task<Status> {
    CO_RETURN_IF_ERROR(co_await fill(connection, number_rows(0, 500)));
    LookupOptions options;
    options.in_flight_max = 2;
    CO_ASSIGN_OR_RETURN(auto lookuper, co_await Lookuper::open(connection, kTable, options));
    int64_t sum = 0;
    size_t left = 500;
    Shard& here = m->client.shard(0);
    for (int64_t i = 0; i < 500; ++i) here.spawn(look_up(lookuper.get(), i, &sum, &left));
    while (left > 0) co_await sleep_for(m->client.env().clock, here, std::chrono::milliseconds(1));
    EXPECT_EQ(sum, 499 * 500 / 2);
    EXPECT_EQ(lookuper->counters().requests, 4U);
    co_return ok();
  });
}

// Proves that a new leader is found, that errors which pass are waited out until the time limit,
// and that others are told at once.
TEST_F(LookuperTest, Failures) {
  model_.cluster.add_table(kTable, keyed_table(1, {}));
  run([](Model* m, std::shared_ptr<Connection> connection) -> Task<Status> {
    CO_RETURN_IF_ERROR(co_await fill(connection, number_rows(0, 10)));
    CO_ASSIGN_OR_RETURN(auto lookuper,
                        co_await Lookuper::open(connection, kTable, LookupOptions()));
    m->cluster.table(kTable).buckets[0].leader = 1;
    CO_ASSIGN_OR_RETURN(LookedUp found, co_await lookuper->lookup(keys(3, 4)));
    EXPECT_EQ(found.rows->num_rows(), 1);
    EXPECT_EQ(lookuper->counters().keys_retried, 1U);

    Duration begin = m->world.now();
    m->cluster.before_lookup = [](int, BucketId) {
      return std::optional<Error>(Error(ErrorCode::kKvStorageException, "not now"));
    };
    auto late = co_await lookuper->lookup(keys(3, 4));
    EXPECT_FALSE(late);
    EXPECT_GE(m->world.now() - begin, seconds(30));
    EXPECT_LE(m->world.now() - begin, seconds(32));

    begin = m->world.now();
    m->cluster.before_lookup = [](int, BucketId) {
      return std::optional<Error>(Error(ErrorCode::kAuthorizationException, "not for you"));
    };
    auto refused = co_await lookuper->lookup(keys(3, 4));
    EXPECT_EQ(refused.error().code(), ErrorCode::kAuthorizationException);
    EXPECT_LE(m->world.now() - begin, seconds(1));
    co_return ok();
  });
}

// Proves that rows of an older schema are shown under the latest, and chosen columns alone.
TEST_F(LookuperTest, OlderSchemas) {
  model_.cluster.add_table(kTable, keyed_table(1, {}));
  run([](Model* m, std::shared_ptr<Connection> connection) -> Task<Status> {
    CO_RETURN_IF_ERROR(co_await fill(connection, number_rows(0, 10)));
    FakeTable& table = m->cluster.table(kTable);
    table.schemas.push_back(
        *SchemaBuilder(table.schemas[0]).column("n", DataType::integer()).build());
    table.descriptor.schema = table.schemas.back();
    CO_ASSIGN_OR_RETURN(auto lookuper,
                        co_await Lookuper::open(connection, kTable, LookupOptions()));
    CO_ASSIGN_OR_RETURN(LookedUp found, co_await lookuper->lookup(keys(3, 5)));
    EXPECT_EQ(found.rows->num_columns(), 3);
    EXPECT_EQ(found.rows->num_rows(), 2);
    EXPECT_EQ(found.rows->column(2)->null_count(), 2);
    LookupOptions options;
    options.columns = {"n", "text"};
    options.insert_if_not_exists = true;
    CO_ASSIGN_OR_RETURN(auto some, co_await Lookuper::open(connection, kTable, options));
    std::vector<Value> key{Value::integer(5)};
    CO_ASSIGN_OR_RETURN(std::optional<StoredRow> row, co_await some->lookup_row(key));
    EXPECT_EQ(row->values().size(), 2U);
    EXPECT_TRUE(row->values()[0].is_null());
    EXPECT_EQ(row->values()[1].as_bytes(), "row 5");
    co_return ok();
  });
  EXPECT_EQ(model_.cluster.lookups.back().insert_if_not_exists, true);
  EXPECT_EQ(model_.cluster.lookups.back().acks, -1);
}

// A table of the key (area, id), bucketed by area.
TableDescriptor area_table() {
  TableDescriptor table;
  table.schema = *SchemaBuilder()
                      .column("area", DataType::integer().not_null())
                      .column("id", DataType::bigint().not_null())
                      .column("text", DataType::string())
                      .primary_key({"area", "id"})
                      .build();
  table.distribution = Distribution{3, {"area"}};
  table.properties["table.kv.format-version"] = "2";
  return table;
}

std::shared_ptr<arrow::RecordBatch> area_rows(int64_t areas, int64_t ids) {
  ArrowAppender rows(area_table().schema);
  for (int64_t area = 0; area < areas; ++area) {
    for (int64_t id = 0; id < ids; ++id) {
      std::string text = fmt::format("{}/{}", area, id);
      std::vector<Value> row{Value::integer(area), Value::integer(id), Value::bytes(text)};
      CHECK(rows.append(row).has_value(), "a row of the table");
    }
  }
  return *rows.finish();
}

// Proves that a prefix finds all rows of its bucket key, and that tables without prefixes say so.
TEST_F(LookuperTest, Prefixes) {
  model_.cluster.add_table(kTable, area_table());
  run([](Model* m, std::shared_ptr<Connection> connection) -> Task<Status> {
    CO_RETURN_IF_ERROR(co_await fill(connection, area_rows(20, 5)));
    CO_ASSIGN_OR_RETURN(auto lookuper,
                        co_await PrefixLookuper::open(connection, kTable, LookupOptions()));
    EXPECT_EQ(lookuper->prefix_schema().size(), 1U);
    ArrowAppender areas(lookuper->prefix_schema());
    for (int64_t area : {7, 99, 8}) {
      std::vector<Value> row{Value::integer(area)};
      CO_RETURN_IF_ERROR(areas.append(row));
    }
    CO_ASSIGN_OR_RETURN(auto prefixes, areas.finish());
    CO_ASSIGN_OR_RETURN(LookedUp found, co_await lookuper->lookup(prefixes));
    EXPECT_EQ(found.counts, (std::vector<int64_t>{5, 0, 5}));
    EXPECT_EQ(text_at(*found.rows, 2), "7/2");
    EXPECT_EQ(text_at(*found.rows, 9), "8/4");
    m->cluster.add_table(kTable, keyed_table(1, {}));
    auto none = co_await PrefixLookuper::open(connection, kTable, LookupOptions());
    EXPECT_EQ(none.error().code(), ErrorCode::kInvalidTableException);
    co_return ok();
  });
}

Task<Result<std::vector<int64_t>>> scan(std::shared_ptr<Connection> connection,
                                        TableScanOptions options) {
  std::vector<int64_t> ids;
  CO_ASSIGN_OR_RETURN(auto scanner, co_await TableScanner::open(connection, kTable, options));
  for (;;) {
    CO_ASSIGN_OR_RETURN(std::optional<ScanBatch> batch, co_await scanner->next());
    if (!batch) break;
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->rows->column(0));
    for (int64_t i = 0; i < column.length(); ++i) ids.push_back(column.Value(i));
  }
  std::sort(ids.begin(), ids.end());
  co_return ids;
}

// Proves that a scan gives every row once, over sessions and without them, keeps its limit, and
// leaves no session behind.
TEST_F(LookuperTest, ScansOfTheTable) {
  model_.cluster.add_table(kTable, keyed_table(3, {}));
  run([](Model* m, std::shared_ptr<Connection> connection) -> Task<Status> {
    TableScanOptions options;
    CO_ASSIGN_OR_RETURN(auto none, co_await scan(connection, options));
    EXPECT_TRUE(none.empty());
    CO_RETURN_IF_ERROR(co_await fill(connection, number_rows(0, 50)));
    m->cluster.table(kTable).buckets[1].leader = 0;
    for (bool sessions : {true, false}) {
      m->cluster.has_scan_sessions = sessions;
      options.limit.reset();
      CO_ASSIGN_OR_RETURN(auto all, co_await scan(connection, options));
      EXPECT_EQ(all.size(), 50U);
      EXPECT_EQ(all.back(), 49);
      options.limit = 7;
      CO_ASSIGN_OR_RETURN(auto some, co_await scan(connection, options));
      EXPECT_EQ(some.size(), 7U);
    }
    CO_ASSIGN_OR_RETURN(auto first, co_await limit_scan(connection, kTable, 5));
    int64_t count = 0;
    for (const ScanBatch& batch : first) count += batch.rows->num_rows();
    EXPECT_EQ(count, 5);
    co_return ok();
  });
  EXPECT_TRUE(model_.cluster.scans.empty());
}

// Proves that a scan whose session is lost in the middle says so instead of giving rows of two
// moments.
TEST_F(LookuperTest, ScanThatBreaksOff) {
  model_.cluster.add_table(kTable, keyed_table(1, {}));
  run([](Model* m, std::shared_ptr<Connection> connection) -> Task<Status> {
    CO_RETURN_IF_ERROR(co_await fill(connection, number_rows(0, 50)));
    CO_ASSIGN_OR_RETURN(auto scanner,
                        co_await TableScanner::open(connection, kTable, TableScanOptions()));
    CO_ASSIGN_OR_RETURN(auto first, co_await scanner->next());
    EXPECT_EQ(scanner->log_offset(BucketId(0)), Offset(50));
    m->cluster.scans.clear();
    auto second = co_await scanner->next();
    EXPECT_EQ(second.error().code(), ErrorCode::kUnknownScannerId);
    co_return ok();
  });
}

}  // namespace
}  // namespace lakestream::client
