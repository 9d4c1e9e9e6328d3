#include "client/appender.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "client/fake_cluster_for_tests.h"
#include "format/batch_builder.h"

namespace lakestream::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TablePath kTable{"d", "t"};

std::vector<int64_t> up_to(int64_t count) {
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

std::vector<Value> row_of(Value id, Value text) { return {id, text}; }

std::vector<std::vector<Value>> wrong_rows() {
  return {
      {Value::integer(1)},
      {Value::null(), Value::null()},
      {Value::bytes("x"), Value::null()},
      {Value::integer(1), Value::bytes("\xff")},
      {Value::integer(1), Value::integer(1)},
  };
}

Task<Result<std::shared_ptr<Connection>>> connect(SimNode* client, Address address) {
  std::vector<Address> bootstrap(1, address);
  return Connection::open(
      client->env(), client->shard(0), std::move(bootstrap), ConnectionOptions{});
}

struct Outcome {
  Status connected = ok();
  Status flushed = ok();
  WriteCounters counters;
  std::vector<Result<std::vector<Delivered>>> deliveries;
  std::string refused;  // the last error of an append
};

struct Load {
  int64_t rows = 0;
  int64_t rows_at_once = 10;
  bool row_by_row = false;
  Duration pause{0};  // between appends
};

// Appends ids 0, 1, 2, … and waits for everything.
Task<Outcome> append_numbers(SimNode* client,
                             std::vector<Address> bootstrap,
                             ConnectionOptions connection_options,
                             AppenderOptions options,
                             Load load) {
  Outcome outcome;
  Shard& here = client->shard(0);
  auto connection =
      co_await Connection::open(client->env(), here, std::move(bootstrap), connection_options);
  if (!connection) {
    outcome.connected = fail(connection.error());
    co_return outcome;
  }
  auto appender = co_await Appender::open(*connection, kTable, options);
  if (!appender) {
    outcome.connected = fail(appender.error());
    (void)co_await (*connection)->close();
    co_return outcome;
  }
  std::vector<Delivery> deliveries;
  for (int64_t id = 0; id < load.rows; id += load.rows_at_once) {
    int64_t end = std::min(id + load.rows_at_once, load.rows);
    if (load.row_by_row) {
      for (int64_t i = id; i < end; ++i) {
        (void)co_await (*appender)->room();
        std::string text = fmt::format("row {}", i);
        auto delivery = (*appender)->append_row(row_of(Value::integer(i), Value::bytes(text)));
        if (delivery) deliveries.push_back(*std::move(delivery));
        if (!delivery) outcome.refused = delivery.error().to_string();
      }
    } else {
      std::shared_ptr<arrow::RecordBatch> rows = number_rows(id, end);
      auto delivery = co_await (*appender)->append(rows);
      if (delivery) deliveries.push_back(*std::move(delivery));
      if (!delivery) outcome.refused = delivery.error().to_string();
    }
    if (load.pause > Duration(0)) co_await sleep_for(client->env().clock, here, load.pause);
  }
  outcome.flushed = co_await (*appender)->close();
  for (const Delivery& delivery : deliveries) {
    outcome.deliveries.push_back(co_await delivery.wait());
  }
  outcome.counters = (*appender)->counters();
  EXPECT_EQ((*appender)->memory_bytes(), 0U);
  (void)co_await (*connection)->close();
  co_return outcome;
}

class AppenderTest : public testing::Test {
 protected:
  explicit AppenderTest(uint64_t seed = 1) : world_(seed), cluster_(world_, 2) {}
  void TearDown() override { cluster_.stop(); }

  Outcome run(Load load) {
    Outcome outcome =
        world_.run(client_.shard(0),
                   append_numbers(&client_, {cluster_.address(0)}, connection_, options_, load));
    if (!outcome.connected) outcome.flushed = fail(outcome.connected.error());
    return outcome;
  }
  FakeTable& table() { return cluster_.table(kTable); }

  SimWorld world_;
  FakeCluster cluster_;
  SimNode& client_ = world_.add_node("client");
  ConnectionOptions connection_;
  AppenderOptions options_;
};

// Proves that columns are cut into batches that arrive whole, in order, and that a delivery names
// the place of every row.
TEST_F(AppenderTest, ColumnsArriveInOrder) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  options_.batch_bytes = 400;
  Outcome outcome = run({.rows = 1000, .rows_at_once = 70});
  ASSERT_TRUE(outcome.flushed) << outcome.flushed.error().to_string();
  ASSERT_EQ(outcome.refused, "");
  EXPECT_EQ(ids_in(table(), 0), up_to(1000));
  EXPECT_GT(table().buckets[0].batches.size(), 10U);
  int64_t next = 0;
  for (const auto& delivery : outcome.deliveries) {
    ASSERT_TRUE(delivery);
    for (const Delivered& place : *delivery) {
      ASSERT_TRUE(place.offset);
      EXPECT_EQ(place.offset->value(), next);
      next += place.row_count;
    }
  }
  EXPECT_EQ(next, 1000);
  EXPECT_EQ(outcome.counters.rows_acknowledged, 1000U);
  EXPECT_EQ(outcome.counters.batches_retried, 0U);
}

// Proves that every log format and compression can be written, row by row and in columns.
TEST_F(AppenderTest, EveryFormat) {
  for (const char* format : {"ARROW", "INDEXED", "COMPACTED"}) {
    for (const char* compression : {"NONE", "LZ4_FRAME", "ZSTD"}) {
      for (bool row_by_row : {false, true}) {
        cluster_.add_table(kTable,
                           numbers_table(1,
                                         {},
                                         {{"table.log.format", format},
                                          {"table.log.arrow.compression.type", compression},
                                          {"table.statistics.columns", "*"}}));
        Outcome outcome = run({.rows = 50, .rows_at_once = 7, .row_by_row = row_by_row});
        ASSERT_TRUE(outcome.flushed) << outcome.flushed.error().to_string();
        ASSERT_EQ(outcome.refused, "");
        ASSERT_EQ(outcome.refused, "");
        EXPECT_EQ(ids_in(table(), 0), up_to(50)) << format << compression;
        auto view = BatchView::parse(table().buckets[0].batches[0].bytes);
        EXPECT_EQ(view->magic(), std::string_view(format) == "ARROW" ? 1 : 0);
      }
    }
  }
}

// Proves that rows with a bucket key go to the bucket of the key, which is where the hash of the
// protocol puts them: each bucket keeps its order, all rows are there.
TEST_F(AppenderTest, KeyedRowsGoToTheirBucket) {
  cluster_.add_table(kTable, numbers_table(3, {"id"}, {}));
  Outcome outcome = run({.rows = 300, .rows_at_once = 50});
  ASSERT_TRUE(outcome.flushed) << outcome.flushed.error().to_string();
  ASSERT_EQ(outcome.refused, "");
  std::set<int64_t> all;
  for (size_t bucket = 0; bucket < 3; ++bucket) {
    std::vector<int64_t> ids = ids_in(table(), bucket);
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    EXPECT_GT(ids.size(), 50U);
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(all.size(), 300U);
  // The bucket of the key is a pure function: a second run goes the same ways.
  std::vector<int64_t> before = ids_in(table(), 1);
  cluster_.add_table(kTable, numbers_table(3, {"id"}, {}));
  (void)run({.rows = 300, .rows_at_once = 1, .row_by_row = true});
  EXPECT_EQ(ids_in(table(), 1), before);
}

// Proves what the two assigners do with rows without a key: sticky fills one batch and goes on to
// another bucket, round robin changes with each append; buckets without a leader get nothing.
TEST_F(AppenderTest, AssignersSpreadRows) {
  cluster_.add_table(kTable, numbers_table(4, {}, {}));
  table().buckets[2].leader.reset();
  options_.batch_bytes = 500;
  ASSERT_TRUE(run({.rows = 2000}).flushed);
  for (size_t bucket : {0, 1, 3}) EXPECT_GT(ids_in(table(), bucket).size(), 100U) << bucket;
  EXPECT_TRUE(ids_in(table(), 2).empty());

  cluster_.add_table(kTable, numbers_table(4, {}, {}));
  table().buckets[2].leader.reset();
  options_.no_key_assigner = NoKeyAssigner::kRoundRobin;
  ASSERT_TRUE(run({.rows = 300, .rows_at_once = 10}).flushed);
  for (size_t bucket : {0, 1, 3}) EXPECT_EQ(ids_in(table(), bucket).size(), 100U) << bucket;
}

// Proves that a batch leaves when it is old enough, though it is not full.
TEST_F(AppenderTest, LingerEnds) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  Outcome outcome =
      run({.rows = 5, .rows_at_once = 1, .row_by_row = true, .pause = milliseconds(60)});
  ASSERT_TRUE(outcome.flushed);
  EXPECT_EQ(ids_in(table(), 0), up_to(5));
  EXPECT_EQ(table().buckets[0].batches.size(), 3U);  // two rows within 100 ms, each time
}

// Proves that memory is bounded: with a slow server append waits and never holds more than the
// limit and what one call may add.
TEST_F(AppenderTest, MemoryIsBounded) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  options_.batch_bytes = 2000;
  options_.memory_bytes_max = 10'000;
  cluster_.produce_delay = [](int) { return milliseconds(50); };
  struct Run {
    static Task<size_t> most(SimNode* client, Address address, AppenderOptions options) {
      auto connection = co_await connect(client, address);
      auto appender = co_await Appender::open(*connection, kTable, options);
      size_t most = 0;
      for (int i = 0; i < 100; ++i) {
        std::shared_ptr<arrow::RecordBatch> rows = number_rows(i * 100, i * 100 + 100);
        (void)co_await (*appender)->append(rows);
        most = std::max(most, (*appender)->memory_bytes());
      }
      std::string text(20'000, 'x');
      Status room = co_await (*appender)->room();
      EXPECT_TRUE(room);
      std::vector<Value> row = row_of(Value::integer(0), Value::bytes(text));
      EXPECT_TRUE((*appender)->append_row(row));
      auto refused = (*appender)->append_row(row);
      EXPECT_FALSE(refused);
      if (!refused) {
        EXPECT_EQ(refused.error().code(), ErrorCode::kStorageBackpressureException);
      }
      Status closed = co_await (*appender)->close();
      EXPECT_TRUE(closed);
      (void)co_await (*connection)->close();
      co_return most;
    }
  };
  size_t most = world_.run(client_.shard(0), Run::most(&client_, cluster_.address(0), options_));
  EXPECT_LT(most, 13'000U);
  EXPECT_EQ(ids_in(table(), 0).size(), 10'001U);
}

// Proves that wrong rows are refused before anything of them is taken, and harm no others.
TEST_F(AppenderTest, WrongRowsAreRefused) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  struct Run {
    static Task<bool> task(SimNode* client, Address address) {
      auto connection = co_await connect(client, address);
      AppenderOptions options;
      auto appender = co_await Appender::open(*connection, kTable, options);
      EXPECT_TRUE((*appender)->append_row(row_of(Value::integer(0), Value::null())));
      for (const auto& row : wrong_rows()) EXPECT_FALSE((*appender)->append_row(row));
      std::shared_ptr<arrow::RecordBatch> narrow = number_rows(0, 1)->RemoveColumn(1).ValueOrDie();
      auto refused = co_await (*appender)->append(narrow);
      EXPECT_FALSE(refused);
      auto encoded = co_await (*appender)->append_encoded(BucketId(0), Bytes::copy_of("no batch"));
      EXPECT_FALSE(encoded);
      EXPECT_TRUE((*appender)->append_row(row_of(Value::integer(1), Value::null())));
      Status closed = co_await (*appender)->close();
      EXPECT_TRUE(closed);
      EXPECT_FALSE((*appender)->append_row(row_of(Value::integer(1), Value::null())));
      (void)co_await (*connection)->close();
      co_return true;
    }
  };
  world_.run(client_.shard(0), Run::task(&client_, cluster_.address(0)));
  EXPECT_EQ(ids_in(table(), 0), up_to(2));
}

// Proves that encoded batches are sent as they are, behind what was gathered.
TEST_F(AppenderTest, EncodedBatchesPassThrough) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  struct Run {
    static Task<bool> task(SimNode* client, Address address) {
      auto connection = co_await connect(client, address);
      AppenderOptions appender_options;
      auto appender = co_await Appender::open(*connection, kTable, appender_options);
      std::shared_ptr<arrow::RecordBatch> first = number_rows(0, 3);
      auto taken = co_await (*appender)->append(first);
      EXPECT_TRUE(taken);
      BatchOptions options;
      options.schema_id = SchemaId(1);
      options.append_only = true;
      Bytes batch = *build_arrow_batch(
          *number_rows(3, 9), {}, (*appender)->table().descriptor.schema, options, BatchWriter{});
      auto delivery = co_await (*appender)->append_encoded(BucketId(0), batch);
      auto places = co_await delivery->wait();
      EXPECT_TRUE(places);
      if (places) {
        EXPECT_EQ(places->front().offset->value(), 3);
      }
      Status closed = co_await (*appender)->close();
      EXPECT_TRUE(closed);
      (void)co_await (*connection)->close();
      co_return true;
    }
  };
  world_.run(client_.shard(0), Run::task(&client_, cluster_.address(0)));
  EXPECT_EQ(ids_in(table(), 0), up_to(9));
  EXPECT_EQ(BatchView::parse(table().buckets[0].batches[1].bytes)->writer_id(), kNoWriter);
}

// Proves that tables of a kind that this client can not write are refused.
TEST_F(AppenderTest, OtherTablesAreRefused) {
  EXPECT_EQ(run({}).connected.error().code(), ErrorCode::kTableNotExist);
  TableDescriptor keyed = numbers_table(1, {"id"}, {});
  keyed.schema = *SchemaBuilder(keyed.schema).primary_key({"id"}).build();
  cluster_.add_table(kTable, keyed);
  EXPECT_EQ(run({}).connected.error().code(), ErrorCode::kInvalidTableException);
}

// Proves that an error that can not pass fails its batch alone, and the rows behind it arrive under
// a new writer: numbers do not go on behind a batch that is missing.
TEST_F(AppenderTest, FatalErrorFailsOneBatch) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  options_.batch_timeout = Duration(0);
  int appends = 0;
  cluster_.before_append = [&appends](int, BucketId) -> std::optional<Error> {
    if (++appends != 3) return std::nullopt;
    return Error(ErrorCode::kRecordTooLargeException, "too large");
  };
  Outcome outcome = run({.rows = 100, .rows_at_once = 10});
  ASSERT_FALSE(outcome.flushed);
  EXPECT_EQ(outcome.flushed.error().code(), ErrorCode::kRecordTooLargeException);
  int failed = 0;
  for (const auto& delivery : outcome.deliveries) failed += delivery ? 0 : 1;
  EXPECT_EQ(failed, 1);
  std::vector<int64_t> ids = ids_in(table(), 0);
  std::vector<int64_t> expected = up_to(100);
  expected.erase(expected.begin() + 20, expected.begin() + 30);
  EXPECT_EQ(ids, expected);
  EXPECT_EQ(cluster_.writer_requests, 2);
}

// Proves that a server which forgot the writer fails the batch that finds out, and the next ones
// arrive.
TEST_F(AppenderTest, ForgottenWriter) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  options_.batch_timeout = Duration(0);
  int appends = 0;
  cluster_.before_append = [this, &appends](int, BucketId) -> std::optional<Error> {
    if (++appends == 5) table().buckets[0].writers.clear();
    return std::nullopt;
  };
  Outcome outcome = run({.rows = 100, .rows_at_once = 10, .pause = milliseconds(20)});
  ASSERT_FALSE(outcome.flushed);
  EXPECT_EQ(outcome.flushed.error().code(), ErrorCode::kOutOfOrderSequenceException);
  std::vector<int64_t> expected = up_to(100);
  expected.erase(expected.begin() + 40, expected.begin() + 50);
  EXPECT_EQ(ids_in(table(), 0), expected);
}

// Proves that batches give up in time when the bucket has no leader, and say what to do.
TEST_F(AppenderTest, DeliveryTimeout) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  table().buckets[0].leader.reset();
  options_.delivery_timeout = seconds(3);
  Outcome outcome = run({.rows = 10});
  ASSERT_FALSE(outcome.flushed);
  EXPECT_EQ(outcome.flushed.error().code(), ErrorCode::kRequestTimeOut);
  EXPECT_EQ(
      outcome.flushed.error().message(),
      "bucket 0 of table d.t: 10 rows were not acknowledged within the delivery timeout of 3 s "
      "(no server leads the bucket); see that the server runs, or allow more time");
  EXPECT_LT(world_.now(), seconds(5));
}

Task<void> kill_later(SimNode* node, FakeCluster* cluster, int server, Duration delay) {
  co_await sleep_for(node->env().clock, node->shard(0), delay);
  cluster->kill(server);
}

// Proves that batches give up in time when their server is gone, and that those before are there.
TEST_F(AppenderTest, DeliveryTimeoutOfAServerThatIsGone) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  options_.delivery_timeout = seconds(3);
  options_.batch_timeout = Duration(0);
  client_.shard(0).spawn(kill_later(&client_, &cluster_, *table().buckets[0].leader, seconds(1)));
  Outcome outcome = run({.rows = 20, .rows_at_once = 1, .pause = milliseconds(100)});
  ASSERT_FALSE(outcome.flushed);
  EXPECT_EQ(outcome.flushed.error().code(), ErrorCode::kRequestTimeOut);
  std::string_view told = outcome.flushed.error().message();
  EXPECT_NE(told.find("1 row was not acknowledged within the delivery timeout of 3 s (the last "
                      "attempt: "),
            std::string_view::npos)
      << told;
  EXPECT_LT(world_.now(), seconds(8));
  int64_t arrived = 0;
  for (const auto& delivery : outcome.deliveries) arrived += delivery ? 1 : 0;
  EXPECT_GT(arrived, 5);
  EXPECT_LT(arrived, 15);
  EXPECT_EQ(ids_in(table(), 0), up_to(arrived));
}

// Proves that a table which is dropped and created anew ends the appender with an error.
TEST_F(AppenderTest, RecreatedTableEndsIt) {
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  int appends = 0;
  cluster_.before_append = [this, &appends](int, BucketId) -> std::optional<Error> {
    if (++appends != 2) return std::nullopt;
    cluster_.add_table(kTable, numbers_table(1, {}, {}));
    return Error(ErrorCode::kUnknownTableOrBucketException, "gone");
  };
  options_.batch_timeout = Duration(0);
  Outcome outcome = run({.rows = 100, .pause = milliseconds(10)});
  ASSERT_FALSE(outcome.flushed);
  EXPECT_EQ(outcome.flushed.error().code(), ErrorCode::kTableNotExist);
  EXPECT_TRUE(ids_in(table(), 0).empty());
}

// Proves that a lost connection at any byte of the conversation loses no row, doubles none and
// keeps the order, as does one that is lost several times.
TEST(AppenderFaultTest, ConnectionBreaksAtEveryByte) {
  size_t step = 23;
  for (size_t first = 1; first < 9000; first += step) {
    SimWorld world(first);
    FakeCluster cluster(world, 1);
    BreakingProxy proxy(world, "proxy", 7000, cluster.address(0));
    cluster.advertise(0, proxy.address());
    cluster.add_table(kTable, numbers_table(1, {}, {}));
    proxy.budgets = {first, first / 2, 2 * first};
    SimNode& client = world.add_node("client");
    AppenderOptions options;
    options.batch_timeout = Duration(0);
    options.pool_bytes_min = first % 2 == 0 ? 0 : SIZE_MAX;
    ConnectionOptions connection;
    connection.attempts_max = 20;
    Load load{.rows = 60, .rows_at_once = 4};
    Outcome outcome = world.run(
        client.shard(0), append_numbers(&client, {cluster.address(0)}, connection, options, load));
    ASSERT_TRUE(outcome.connected) << first << outcome.connected.error().to_string();
    ASSERT_TRUE(outcome.flushed) << first << outcome.flushed.error().to_string();
    ASSERT_EQ(ids_in(cluster.table(kTable), 0), up_to(60)) << first;
    proxy.stop();
    cluster.stop();
  }
}

// Kills and restarts servers and moves leaders of the three buckets for a while.
Task<void> make_chaos(SimNode* node, FakeCluster* cluster, Random random) {
  Clock& clock = node->env().clock;
  for (int i = 0; i < 12; ++i) {
    co_await sleep_for(clock, node->shard(0), milliseconds(50 + random.below(400)));
    int server = static_cast<int>(random.below(3));
    if (random.chance(1, 2)) {
      cluster->kill(server);
      co_await sleep_for(clock, node->shard(0), milliseconds(random.below(300)));
      cluster->restart(server);
    } else {
      cluster->table(kTable).buckets[random.below(3)].leader = server;
    }
  }
}

// Refusals, answers that are lost or stay away, until `faults` are used up. Both outlive the
// cluster.
void make_faults(FakeCluster* cluster, Random* random, int* faults) {
  auto some_error = [random, faults](int, BucketId) -> std::optional<Error> {
    if (*faults == 0 || !random->chance(1, 4)) return std::nullopt;
    --*faults;
    const ErrorCode codes[] = {ErrorCode::kNotLeaderOrFollower,
                               ErrorCode::kRequestTimeOut,
                               ErrorCode::kCorruptRecordException,
                               ErrorCode::kStorageBackpressureException,
                               ErrorCode::kNotEnoughReplicasAfterAppendException};
    return Error(codes[random->below(5)], "made up");
  };
  cluster->before_append = some_error;
  cluster->after_append = some_error;
  cluster->produce_delay = [random, faults](int) -> Duration {
    if (*faults == 0 || !random->chance(1, 20)) return milliseconds(random->below(20));
    --*faults;
    return seconds(100);
  };
}

// Proves the same for seeds of everything at once: refusals, lost answers, silence, leaders that
// move, servers that are killed.
TEST(AppenderFaultTest, ManyFaultsAtOnce) {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    Random random(seed);
    int faults = 60;
    SimWorld world(seed);
    FakeCluster cluster(world, 3);
    cluster.add_table(kTable, numbers_table(3, {"id"}, {}));
    make_faults(&cluster, &random, &faults);
    SimNode& client = world.add_node("client");
    SimNode& chaos = world.add_node("chaos");
    chaos.shard(0).spawn(make_chaos(&chaos, &cluster, random.fork()));
    AppenderOptions options;
    options.batch_timeout = milliseconds(5);
    options.batch_bytes = 200;
    options.pool_bytes_min = 150;  // some of them
    ConnectionOptions connection;
    connection.attempts_max = 50;
    connection.request_timeout = seconds(2);
    Load load{.rows = 1500, .rows_at_once = 5, .pause = milliseconds(10)};
    std::vector<Address> all_servers{cluster.address(0), cluster.address(1), cluster.address(2)};
    Outcome outcome =
        world.run(client.shard(0), append_numbers(&client, all_servers, connection, options, load));
    ASSERT_TRUE(outcome.connected) << seed << outcome.connected.error().to_string();
    ASSERT_TRUE(outcome.flushed) << seed << " " << outcome.flushed.error().to_string();
    std::vector<int64_t> all;
    for (size_t bucket = 0; bucket < 3; ++bucket) {
      std::vector<int64_t> ids = ids_in(cluster.table(kTable), bucket);
      ASSERT_TRUE(std::is_sorted(ids.begin(), ids.end())) << seed;
      all.insert(all.end(), ids.begin(), ids.end());
    }
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all, up_to(1500)) << seed;
    ASSERT_GT(outcome.counters.batches_retried, 0U);
    world.run_for(seconds(10));  // the chaos ends
    cluster.stop();
  }
}

}  // namespace
}  // namespace lakestream::client
