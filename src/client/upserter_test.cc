#include "client/upserter.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "client/fake_cluster_for_tests.h"
#include "client/scanner.h"
#include "client/table_scanner.h"
#include "format/arrow_schema.h"

namespace lakestream::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TablePath kTable{"d", "t"};

using Rows = std::map<int64_t, std::string>;  // text by id; "-" for null

// The rows of (id, text) in columns of any schema that has both.
void add_rows(const arrow::RecordBatch& batch, Rows* rows) {
  const auto& ids = static_cast<const arrow::Int64Array&>(*batch.GetColumnByName("id"));
  const auto& texts = static_cast<const arrow::StringArray&>(*batch.GetColumnByName("text"));
  for (int64_t i = 0; i < batch.num_rows(); ++i) {
    (*rows)[ids.Value(i)] = texts.IsNull(i) ? "-" : texts.GetString(i);
  }
}

// What a test does with an open upserter.
using Job = std::function<Task<Status>(Upserter*)>;

struct Outcome {
  Status status = ok();
  WriteCounters counters;
  Rows rows;                         // by a scan
  std::vector<std::string> changes;  // by the log: "+I 7 seven"
};

std::string_view sign(ChangeType change) {
  constexpr std::string_view kSigns[] = {"+A", "+I", "-U", "+U", "-D"};
  return kSigns[static_cast<size_t>(change)];
}

Task<Status> read_changes(std::shared_ptr<Connection> connection,
                          std::vector<std::string>* changes) {
  CO_ASSIGN_OR_RETURN(auto scanner,
                      co_await LogScanner::open(connection, kTable, ScannerOptions()));
  CO_RETURN_IF_ERROR(co_await scanner->subscribe_all(OffsetSpec::earliest()));
  CO_RETURN_IF_ERROR(co_await scanner->stop_at_latest());
  while (!scanner->is_finished()) {
    CO_ASSIGN_OR_RETURN(auto batches, co_await scanner->poll(seconds(1)));
    for (const ScanBatch& batch : batches) {
      for (int64_t i = 0; i < batch.rows->num_rows(); ++i) {
        Rows row;
        add_rows(*batch.rows->Slice(i, 1), &row);
        changes->push_back(fmt::format("{} {} {}",
                                       sign(batch.changes.at(static_cast<size_t>(i))),
                                       row.begin()->first,
                                       row.begin()->second));
      }
    }
  }
  co_return co_await scanner->close();
}

Task<Status> read_rows(std::shared_ptr<Connection> connection, Rows* rows) {
  CO_ASSIGN_OR_RETURN(auto scanner,
                      co_await TableScanner::open(connection, kTable, TableScanOptions()));
  for (;;) {
    CO_ASSIGN_OR_RETURN(std::optional<ScanBatch> batch, co_await scanner->next());
    if (!batch) co_return ok();
    add_rows(*batch->rows, rows);
  }
}

Task<Status> write(std::shared_ptr<Connection> connection,
                   UpserterOptions options,
                   Job job,
                   WriteCounters* counters) {
  CO_ASSIGN_OR_RETURN(auto upserter, co_await Upserter::open(connection, kTable, options));
  Status done = co_await job(upserter.get());
  Status closed = co_await upserter->close();
  *counters = upserter->counters();
  EXPECT_EQ(upserter->memory_bytes(), 0U);
  co_return done ? closed : done;
}

Task<Outcome> run_job(SimNode* client, Address server, UpserterOptions options, Job job) {
  Outcome outcome;
  std::vector<Address> bootstrap(1, server);
  auto connection = co_await Connection::open(
      client->env(), client->shard(0), std::move(bootstrap), ConnectionOptions());
  outcome.status = co_await write(*connection, options, std::move(job), &outcome.counters);
  if (outcome.status) outcome.status = co_await read_rows(*connection, &outcome.rows);
  if (outcome.status) outcome.status = co_await read_changes(*connection, &outcome.changes);
  (void)co_await (*connection)->close();
  co_return outcome;
}

class UpserterTest : public testing::Test {
 protected:
  UpserterTest() : cluster_(world_, 2) {}
  void TearDown() override { cluster_.stop(); }

  Outcome run(Job job) {
    return world_.run(client_.shard(0),
                      run_job(&client_, cluster_.address(0), options_, std::move(job)));
  }

  SimWorld world_{1};
  FakeCluster cluster_;
  SimNode& client_ = world_.add_node("client");
  UpserterOptions options_;
};

Status put(Upserter* upserter, int64_t id, std::string_view text) {
  std::vector<Value> row{Value::integer(id), Value::bytes(text)};
  auto taken = upserter->upsert_row(row);
  return taken ? ok() : fail(taken.error());
}

Status drop(Upserter* upserter, int64_t id) {
  std::vector<Value> key{Value::integer(id)};
  auto taken = upserter->remove_row(key);
  return taken ? ok() : fail(taken.error());
}

// Proves that rows and removals take effect in their order, that the log has every change with its
// type, and that a delivery says where the changelog ends.
TEST_F(UpserterTest, RowsAndRemovalsInOrder) {
  cluster_.add_table(kTable, keyed_table(1, {}));
  Outcome outcome = run([](Upserter* upserter) -> Task<Status> {
    CO_RETURN_IF_ERROR(put(upserter, 1, "one"));
    CO_RETURN_IF_ERROR(put(upserter, 2, "two"));
    CO_RETURN_IF_ERROR(put(upserter, 1, "uno"));
    CO_RETURN_IF_ERROR(drop(upserter, 2));
    CO_RETURN_IF_ERROR(drop(upserter, 3));
    std::vector<Value> row{Value::integer(4), Value::null()};
    CO_ASSIGN_OR_RETURN(Delivery delivery, upserter->upsert_row(row));
    CO_ASSIGN_OR_RETURN(auto places, co_await delivery.wait());
    EXPECT_EQ(places.at(0).row_count, 1);
    EXPECT_EQ(places.at(0).log_end, Offset(6));
    co_return ok();
  });
  ASSERT_TRUE(outcome.status) << outcome.status.error().to_string();
  EXPECT_EQ(outcome.rows, (Rows{{1, "uno"}, {4, "-"}}));
  EXPECT_EQ(outcome.changes,
            (std::vector<std::string>{
                "+I 1 one", "+I 2 two", "-U 1 one", "+U 1 uno", "-D 2 two", "+I 4 -"}));
}

// Proves that columns go to the buckets of their keys, and that keys as columns remove rows.
TEST_F(UpserterTest, ColumnsOverBuckets) {
  FakeTable& table = cluster_.add_table(kTable, keyed_table(3, {}));
  Outcome outcome = run([](Upserter* upserter) -> Task<Status> {
    CO_ASSIGN_OR_RETURN(Delivery all, co_await upserter->upsert(number_rows(0, 300)));
    auto keys = number_rows(100, 300)->SelectColumns({0});
    CO_ASSIGN_OR_RETURN(Delivery removed, co_await upserter->remove(*keys));
    co_return ok();
  });
  ASSERT_TRUE(outcome.status) << outcome.status.error().to_string();
  EXPECT_EQ(outcome.rows.size(), 100U);
  EXPECT_EQ(outcome.rows.at(42), "row 42");
  EXPECT_EQ(outcome.changes.size(), 500U);
  EXPECT_EQ(outcome.counters.rows_acknowledged, 500U);
  for (const FakeBucket& bucket : table.buckets) EXPECT_GT(bucket.values.size(), 10U);
}

// Proves that lost answers and changes of leaders repeat nothing and lose nothing, with several
// batches on their way.
TEST_F(UpserterTest, EachBatchTakesEffectOnce) {
  FakeTable& table = cluster_.add_table(kTable, keyed_table(2, {}));
  options_.batch_bytes = 300;
  int calls = 0;
  cluster_.after_append = [&](int, BucketId bucket) -> std::optional<Error> {
    if (++calls % 3 != 0) return std::nullopt;
    FakeBucket& moved = table.buckets[static_cast<size_t>(bucket.value())];
    if (calls % 2 == 0) moved.leader = 1 - *moved.leader;
    return Error(ErrorCode::kRequestTimeOut, "the answer is lost");
  };
  Outcome outcome = run([](Upserter* upserter) -> Task<Status> {
    for (int64_t i = 0; i < 200; ++i) {
      CO_RETURN_IF_ERROR(put(upserter, i % 50, fmt::format("{}", i)));
    }
    co_return ok();
  });
  ASSERT_TRUE(outcome.status) << outcome.status.error().to_string();
  EXPECT_GT(outcome.counters.batches_retried, 5U);
  EXPECT_EQ(outcome.changes.size(), 50U + 150U * 2);
  for (int64_t id = 0; id < 50; ++id) EXPECT_EQ(outcome.rows[id], fmt::format("{}", 150 + id));
}

// Proves that a partial update names its columns to the server and leaves the others alone.
TEST_F(UpserterTest, PartialUpdate) {
  TableDescriptor descriptor = keyed_table(1, {});
  descriptor.schema = *SchemaBuilder(descriptor.schema).column("n", DataType::integer()).build();
  cluster_.add_table(kTable, std::move(descriptor));
  Outcome whole = run([](Upserter* upserter) -> Task<Status> {
    std::vector<Value> row{Value::integer(1), Value::bytes("one"), Value::integer(11)};
    auto taken = upserter->upsert_row(row);
    co_return taken ? ok() : fail(taken.error());
  });
  ASSERT_TRUE(whole.status) << whole.status.error().to_string();
  options_.columns = {"text", "id"};
  options_.mode = MergeMode::kOverwrite;
  Outcome part = run([](Upserter* upserter) -> Task<Status> {
    EXPECT_EQ(upserter->schema().column(0).name, "text");
    std::vector<Value> row{Value::bytes("uno"), Value::integer(1)};
    auto taken = upserter->upsert_row(row);
    co_return taken ? ok() : fail(taken.error());
  });
  ASSERT_TRUE(part.status) << part.status.error().to_string();
  EXPECT_EQ(part.rows, (Rows{{1, "uno"}}));
  EXPECT_TRUE(cluster_.puts.front().target_columns.empty());
  EXPECT_EQ(cluster_.puts.front().agg_mode, 0);
  EXPECT_EQ(cluster_.puts.back().target_columns, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(cluster_.puts.back().agg_mode, 1);
}

// Proves that columns which can not be written are refused with a reason, before anything is sent.
TEST_F(UpserterTest, ColumnsThatCanNotBeWritten) {
  TableDescriptor descriptor = keyed_table(1, {});
  descriptor.schema =
      *SchemaBuilder(descriptor.schema).column("n", DataType::integer().not_null()).build();
  cluster_.add_table(kTable, std::move(descriptor));
  auto nothing = [](Upserter*) -> Task<Status> { co_return ok(); };
  struct Case {
    std::vector<std::string> columns;
    std::string_view reason;
  };
  for (const Case& c : {Case{{"id", "nope"}, "there is none of this name"},
                        Case{{"id", "text", "id"}, "named twice"},
                        Case{{"text", "n"}, "part of the primary key"},
                        Case{{"id", "text"}, "it is NOT NULL"}}) {
    options_.columns = c.columns;
    Outcome outcome = run(nothing);
    ASSERT_FALSE(outcome.status);
    EXPECT_EQ(outcome.status.error().code(), ErrorCode::kInvalidTargetColumn);
    EXPECT_NE(outcome.status.error().message().find(c.reason), std::string::npos);
  }
  options_.columns = {};
  cluster_.add_table(kTable, numbers_table(1, {}, {}));
  Outcome outcome = run(nothing);
  EXPECT_EQ(outcome.status.error().code(), ErrorCode::kNonPrimaryKeyTableException);
}

// Proves that the pressure of the storage slows down, that a refusal for it is repeated with
// growing waits, and that the delivery timeout ends that.
TEST_F(UpserterTest, StorageThatIsBehind) {
  cluster_.add_table(kTable, keyed_table(1, {}));
  auto two_batches = [](Upserter* upserter) -> Task<Status> {
    CO_RETURN_IF_ERROR(put(upserter, 1, "one"));
    CO_RETURN_IF_ERROR(co_await upserter->flush());
    CO_RETURN_IF_ERROR(put(upserter, 2, "two"));
    co_return co_await upserter->flush();
  };
  std::vector<Duration> times;
  cluster_.before_append = [&](int, BucketId) {
    times.push_back(world_.now());
    return std::optional<Error>();
  };
  cluster_.pressure = [](BucketId) { return 0.5F; };
  ASSERT_TRUE(run(two_batches).status);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_GE(times[1] - times[0], milliseconds(700));  // a quarter of 3 s, less the way

  times.clear();
  cluster_.pressure = nullptr;
  cluster_.before_append = [&](int, BucketId) -> std::optional<Error> {
    times.push_back(world_.now());
    if (times.size() > 6) return std::nullopt;
    return Error(ErrorCode::kStorageBackpressureException, "too much is written");
  };
  ASSERT_TRUE(run(two_batches).status);
  ASSERT_EQ(times.size(), 8U);
  EXPECT_LT(times[1] - times[0], milliseconds(400));
  EXPECT_GT(times[6] - times[5], seconds(2));

  times.clear();
  options_.delivery_timeout = seconds(2);
  Outcome given_up = run(two_batches);
  ASSERT_FALSE(given_up.status);
  EXPECT_EQ(given_up.status.error().code(), ErrorCode::kRequestTimeOut);
}

// Proves that wrong values take nothing with them: the rows beside them arrive.
TEST_F(UpserterTest, WrongValues) {
  cluster_.add_table(kTable, keyed_table(1, {}));
  Outcome outcome = run([](Upserter* upserter) -> Task<Status> {
    CO_RETURN_IF_ERROR(put(upserter, 1, "one"));
    std::vector<Value> no_key{Value::null(), Value::null()};
    std::vector<Value> short_row{Value::integer(1)};
    std::vector<Value> wrong_key{Value::bytes("x")};
    EXPECT_FALSE(upserter->upsert_row(no_key));
    EXPECT_FALSE(upserter->upsert_row(short_row));
    EXPECT_FALSE(upserter->remove_row(wrong_key));
    EXPECT_FALSE(put(upserter, 2, "\xff"));
    co_return ok();
  });
  ASSERT_TRUE(outcome.status) << outcome.status.error().to_string();
  EXPECT_EQ(outcome.rows, (Rows{{1, "one"}}));
}

}  // namespace
}  // namespace lakestream::client
