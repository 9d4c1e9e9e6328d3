#include "client/scanner.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "client/fake_cluster_for_tests.h"
#include "format/batch_builder.h"
#include "format/kv_value.h"
#include "format/rows.h"
#include "io/object_store.h"
#include "io/sim/sim_disk.h"

namespace lakestream::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TablePath kTable{"d", "t"};
constexpr TimestampMs kTime{1000};

std::vector<int64_t> range(int64_t begin, int64_t end) {
  std::vector<int64_t> ids(static_cast<size_t>(end - begin));
  std::iota(ids.begin(), ids.end(), begin);
  return ids;
}

// The ids of a batch, checked against its offsets: in these tests id and offset are the same.
std::vector<int64_t> ids_of(const ScanBatch& batch) {
  std::vector<int64_t> ids;
  auto column = batch.rows->GetColumnByName("id");
  const auto& values = static_cast<const arrow::Int64Array&>(*column);
  for (int64_t i = 0; i < values.length(); ++i) {
    ids.push_back(values.Value(i));
    EXPECT_EQ(ids.back(), batch.base_offset.value() + i);
  }
  return ids;
}

class ScannerTest : public testing::Test {
 protected:
  ScannerTest() { options_.bucket_bytes_max = 4000; }

  void SetUp() override {
    auto opened = run(Connection::open(
        client_.env(), client_.shard(0), {cluster_.address(0)}, ConnectionOptions{}));
    ASSERT_TRUE(opened) << opened.error().to_string();
    connection_ = *opened;
  }
  void TearDown() override {
    scanner_.reset();
    ASSERT_TRUE(run(connection_->close()));
    cluster_.stop();
  }

  template <typename T>
  T run(Task<T> task) {
    return world_.run(client_.shard(0), std::move(task));
  }
  FakeTable& table() { return cluster_.table(kTable); }

  // Buckets of `count` rows in batches of ten; ids are offsets.
  void fill(int32_t buckets, int64_t count, Properties properties = {}) {
    cluster_.add_table(kTable, numbers_table(buckets, {}, std::move(properties)));
    for (size_t bucket = 0; bucket < table().buckets.size(); ++bucket) {
      for (int64_t id = 0; id < count; id += 10) {
        add_numbers(table(), bucket, id, std::min(id + 10, count), TimestampMs(1000 + id));
      }
    }
  }
  void open() {
    auto opened = run(LogScanner::open(connection_, kTable, options_));
    ASSERT_TRUE(opened) << opened.error().to_string();
    scanner_ = *std::move(opened);
  }
  // Polls until the scan is finished or nothing comes for a while; ids by bucket.
  std::map<int32_t, std::vector<int64_t>> read_all() {
    std::map<int32_t, std::vector<int64_t>> ids;
    while (!scanner_->is_finished()) {
      auto batches = run(scanner_->poll(seconds(5)));
      if (!batches) {
        error_ = batches.error().to_string();
        break;
      }
      if (batches->empty()) break;
      for (const ScanBatch& batch : *batches) {
        std::vector<int64_t>& all = ids[batch.bucket.bucket.value()];
        for (int64_t id : ids_of(batch)) all.push_back(id);
      }
    }
    return ids;
  }

  SimWorld world_{7};
  FakeCluster cluster_{world_, 2};
  SimNode& client_ = world_.add_node("client");
  std::shared_ptr<Connection> connection_;
  ScannerOptions options_;
  std::unique_ptr<LogScanner> scanner_;
  std::string error_;
};

// Leaves out the batches that do not begin at one of the offsets, as a server with statistics.
void leave_out(wire::FetchLogResponse* response, const std::set<int64_t>& kept) {
  for (auto& table : response->tables_resp) {
    for (auto& bucket : table.buckets_resp) {
      if (!bucket.records || bucket.records->empty()) continue;
      BytesChain records;
      for (const Bytes& part : parts_of(*bucket.records)) {
        auto batch = BatchView::parse(part);
        bucket.filtered_end_offset = batch->next_offset().value();
        if (kept.contains(batch->base_offset().value())) records.append(part);
      }
      bucket.records = std::move(records);
    }
  }
}

// Proves that all buckets of all servers come whole and in order, that a bounded scan ends, and
// that each server has one fetch at a time.
TEST_F(ScannerTest, ReadsEverythingOnce) {
  fill(4, 500);
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  ASSERT_TRUE(run(scanner_->stop_at_latest()));
  auto ids = read_all();
  EXPECT_TRUE(scanner_->is_finished()) << error_;
  for (int32_t bucket = 0; bucket < 4; ++bucket) EXPECT_EQ(ids[bucket], range(0, 500)) << bucket;
  EXPECT_EQ(scanner_->counters().rows, 2000U);
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::latest())));
  EXPECT_TRUE(run(scanner_->poll(seconds(2)))->empty());
  EXPECT_EQ(cluster_.fetches_at_once, (std::map<int, int>{{0, 1}, {1, 1}}));
}

// Proves that a condition is told to the server, that gaps in its answers are no damage and move
// the scanner on, and that the rows that come are those that match.
TEST_F(ScannerTest, AConditionLeavesOutRows) {
  fill(1, 300);
  const Schema schema = numbers_table(1, {}, {}).schema;
  auto is = [&](LeafFunction function, int64_t id) {
    return Predicate::leaf(function, schema.column(0), {Value::integer(id)});
  };
  options_.condition = Predicate::any_of(
      {Predicate::all_of({is(LeafFunction::kGreater, 104), is(LeafFunction::kLess, 115)}),
       is(LeafFunction::kEqual, 202),
       is(LeafFunction::kEqual, 204)});
  options_.columns = {"text"};
  cluster_.on_fetch_answer = [](wire::FetchLogResponse* response) {
    leave_out(response, {100, 110, 200});
  };
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  ASSERT_TRUE(run(scanner_->stop_at_latest()));
  std::vector<int64_t> offsets;
  while (!scanner_->is_finished()) {
    auto batches = run(scanner_->poll(seconds(5)));
    ASSERT_TRUE(batches) << batches.error().to_string();
    for (const ScanBatch& batch : *batches) {
      EXPECT_EQ(batch.rows->num_columns(), 1);
      auto column = batch.rows->GetColumnByName("text");
      const auto& values = static_cast<const arrow::StringArray&>(*column);
      for (int64_t i = 0; i < values.length(); ++i) {
        offsets.push_back(batch.offset_of(i).value());
        EXPECT_EQ(values.GetString(i), fmt::format("row {}", offsets.back()));
      }
    }
  }
  std::vector<int64_t> expected = range(105, 115);
  expected.insert(expected.end(), {202, 204});
  EXPECT_EQ(offsets, expected);
  const auto& asked = cluster_.fetches.front().tables_req.front();
  ASSERT_TRUE(asked.filter_predicate);
  EXPECT_EQ(asked.filter_predicate->compound->children.size(), 3U);
  EXPECT_EQ(asked.filter_schema_id, 1);
  EXPECT_FALSE(asked.projection_pushdown_enabled);  // both columns are needed
  // The same without decoding: whole batches.
  options_.columns = {};
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  ASSERT_TRUE(run(scanner_->stop_at_latest()));
  std::vector<int64_t> begins;
  while (!scanner_->is_finished()) {
    auto raw = run(scanner_->poll_raw(seconds(5)));
    ASSERT_TRUE(raw) << raw.error().to_string();
    for (const RawBatches& batches : *raw) {
      for (const Bytes& part : parts_of(BytesChain(batches.records))) {
        begins.push_back(BatchView::parse(part)->base_offset().value());
      }
    }
  }
  EXPECT_EQ(begins, (std::vector<int64_t>{100, 110, 200}));
  EXPECT_FALSE(run(scanner_->poll(seconds(0)))->size());
}

// Proves that every log format is read, with and without chosen columns, and that only ARROW tables
// leave the choice to the server.
TEST_F(ScannerTest, EveryFormatAndProjection) {
  for (const char* format : {"ARROW", "INDEXED", "COMPACTED"}) {
    for (bool some : {false, true}) {
      fill(1, 100, {{"table.log.format", format}});
      options_.columns = some ? std::vector<std::string>{"id"} : std::vector<std::string>{};
      cluster_.fetches.clear();
      open();
      ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
      ASSERT_TRUE(run(scanner_->stop_at_latest()));
      EXPECT_EQ(read_all()[0], range(0, 100)) << error_;
      EXPECT_EQ(scanner_->schema().size(), some ? 1U : 2U);
      bool pushed = cluster_.fetches[0].tables_req[0].projection_pushdown_enabled;
      EXPECT_EQ(pushed, some && std::string_view(format) == "ARROW");
    }
  }
}

// Proves that columns come in the order of their naming, and that unknown or repeated names are
// refused.
TEST_F(ScannerTest, ColumnsInTheOrderAsked) {
  fill(1, 10);
  options_.columns = {"text", "id"};
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  auto batches = run(scanner_->poll(seconds(1)));
  ASSERT_TRUE(batches && batches->size() == 1U);
  EXPECT_EQ(batches->front().rows->column_name(0), "text");
  EXPECT_EQ(batches->front().rows->column_name(1), "id");
  EXPECT_EQ(ids_of(batches->front()), range(0, 10));
  for (const char* wrong : {"none", "id"}) {
    options_.columns = {"id", wrong};
    auto opened = run(LogScanner::open(connection_, kTable, options_));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code(), ErrorCode::kInvalidColumnProjection);
  }
}

// Proves where a subscription begins (inside of a batch, at a time, at the end) and where it stops
// (inside of a batch, before it began).
TEST_F(ScannerTest, BeginsAndStopsAnywhere) {
  fill(1, 100);
  open();
  ASSERT_TRUE(run(scanner_->subscribe(BucketId(0), OffsetSpec::exact(Offset(37)))));
  scanner_->stop_at(BucketId(0), Offset(72));
  EXPECT_EQ(read_all()[0], range(37, 72));
  EXPECT_TRUE(scanner_->is_finished());

  ASSERT_TRUE(run(scanner_->subscribe(BucketId(0), OffsetSpec::at_time(TimestampMs(1055)))));
  ASSERT_TRUE(run(scanner_->stop_at_latest()));
  EXPECT_EQ(read_all()[0], range(60, 100));

  ASSERT_TRUE(run(scanner_->subscribe(BucketId(0), OffsetSpec::latest())));
  EXPECT_EQ(scanner_->position(BucketId(0)), Offset(100));
  add_numbers(table(), 0, 100, 105, kTime);
  EXPECT_EQ(read_all()[0], range(100, 105));
  EXPECT_EQ(scanner_->position(BucketId(0)), Offset(105));
  EXPECT_EQ(scanner_->high_watermark(BucketId(0)), Offset(105));

  ASSERT_TRUE(run(scanner_->subscribe(BucketId(0), OffsetSpec::exact(Offset(50)))));
  scanner_->stop_at(BucketId(0), Offset(50));
  EXPECT_TRUE(scanner_->is_finished());
  EXPECT_FALSE(run(scanner_->subscribe(BucketId(3), OffsetSpec::earliest())));
  EXPECT_FALSE(run(scanner_->subscribe(BucketId(0), OffsetSpec::exact(Offset(-1)))));
}

// Proves that ranges are read as they are, each of its bucket, that empty ones are none, and that a
// bucket that is not there is named.
TEST_F(ScannerTest, Ranges) {
  fill(4, 100);
  open();
  auto of = [&](int32_t bucket, int64_t begin, int64_t end) {
    TableBucket id{scanner_->table().id, std::nullopt, BucketId(bucket)};
    return LogRange{id, Offset(begin), Offset(end)};
  };
  ASSERT_TRUE(run(scanner_->subscribe_ranges({of(0, 0, 100), of(2, 37, 72), of(3, 50, 50)})));
  EXPECT_EQ(scanner_->position(of(2, 0, 0).bucket), Offset(37));
  auto ids = read_all();
  EXPECT_TRUE(scanner_->is_finished()) << error_;
  EXPECT_EQ(ids.size(), 2U);
  EXPECT_EQ(ids[0], range(0, 100));
  EXPECT_EQ(ids[2], range(37, 72));
  EXPECT_FALSE(scanner_->position(of(2, 0, 0).bucket));

  Status refused = run(scanner_->subscribe_ranges({of(4, 0, 10)}));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("bucket 4"), std::string::npos);
}

// Proves that a poll ends with nothing after its time or a wakeup, at the latest, and with rows as
// soon as they come.
TEST_F(ScannerTest, PollWaits) {
  fill(1, 0);
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  Duration before = world_.now();
  EXPECT_TRUE(run(scanner_->poll(seconds(3)))->empty());
  EXPECT_EQ(world_.now() - before, seconds(3));

  before = world_.now();
  Timer wake = client_.env().clock.start_timer(
      client_.shard(0), milliseconds(200), [this] { scanner_->wakeup(); });
  EXPECT_TRUE(run(scanner_->poll(seconds(3)))->empty());
  EXPECT_LT(world_.now() - before, milliseconds(210));
  scanner_->wakeup();
  before = world_.now();
  EXPECT_TRUE(run(scanner_->poll(seconds(3)))->empty());
  EXPECT_LT(world_.now() - before, milliseconds(1));

  Timer add = client_.env().clock.start_timer(
      client_.shard(0), milliseconds(1700), [this] { add_numbers(table(), 0, 0, 3, kTime); });
  before = world_.now();
  EXPECT_EQ(run(scanner_->poll(seconds(30)))->size(), 1U);
  EXPECT_LT(world_.now() - before, milliseconds(1720));
}

// Proves that old batches are shown under the latest schema, with nulls for what they lack, also
// when the server can not choose columns of them.
TEST_F(ScannerTest, OldSchemas) {
  for (bool some : {false, true}) {
    fill(1, 20);
    table().schemas.push_back(
        *SchemaBuilder(table().schemas[0]).column("more", DataType::integer()).build());
    table().descriptor.schema = table().schemas[1];
    BatchOptions options;
    options.schema_id = SchemaId(2);
    options.append_only = true;
    BatchBuilder builder(table().schemas[1], options);
    std::vector<Value> row{Value::integer(20), Value::null(), Value::integer(5)};
    ASSERT_TRUE(builder.append(ChangeType::kAppend, row));
    ASSERT_TRUE(table().buckets[0].append(*builder.finish({}), kTime));
    options_.columns = some ? std::vector<std::string>{"more", "id"} : std::vector<std::string>{};
    open();
    ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
    ASSERT_TRUE(run(scanner_->stop_at_latest()));
    int64_t rows = 0;
    int64_t nulls = 0;
    while (!scanner_->is_finished()) {
      auto batches = run(scanner_->poll(seconds(5)));
      ASSERT_TRUE(batches) << batches.error().to_string();
      for (const ScanBatch& batch : *batches) {
        EXPECT_EQ(batch.rows->num_columns(), some ? 2 : 3);
        rows += static_cast<int64_t>(ids_of(batch).size());
        nulls += batch.rows->GetColumnByName("more")->null_count();
      }
    }
    EXPECT_EQ(rows, 21);
    EXPECT_EQ(nulls, 20);
  }
}

// Proves that changes keep their kind when a batch is cut, and that empty batches are passed over.
TEST_F(ScannerTest, ChangesAndEmptyBatches) {
  TableDescriptor keyed = numbers_table(1, {"id"}, {});
  keyed.schema = *SchemaBuilder(keyed.schema).primary_key({"id"}).build();
  cluster_.add_table(kTable, keyed);
  BatchOptions options;
  options.schema_id = SchemaId(1);
  BatchBuilder builder(keyed.schema, options);
  const ChangeType changes[] = {ChangeType::kInsert,
                                ChangeType::kUpdateBefore,
                                ChangeType::kUpdateAfter,
                                ChangeType::kDelete};
  for (int64_t i = 0; i < 4; ++i) {
    std::vector<Value> row{Value::integer(i + 2), Value::null()};
    ASSERT_TRUE(builder.append(changes[i], row));
  }
  FakeBucket& bucket = table().buckets[0];
  BatchHeader empty;
  empty.schema_id = SchemaId(1);
  ASSERT_TRUE(bucket.append(build_empty_batch(empty), kTime));
  ASSERT_TRUE(bucket.append(build_empty_batch(empty), kTime));
  ASSERT_TRUE(bucket.append(*builder.finish({}), kTime));
  ASSERT_TRUE(bucket.append(build_empty_batch(empty), kTime));
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::exact(Offset(3)))));
  auto batches = run(scanner_->poll(seconds(1)));
  ASSERT_TRUE(batches && batches->size() == 1U);
  EXPECT_EQ(batches->front().base_offset, Offset(3));
  EXPECT_EQ(batches->front().changes,
            (std::vector<ChangeType>{changes[1], changes[2], changes[3]}));
  EXPECT_EQ(scanner_->position(BucketId(0)), Offset(7));

  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  ASSERT_TRUE(run(scanner_->stop_at_latest()));
  EXPECT_EQ(read_all()[0], range(2, 6));
  EXPECT_TRUE(scanner_->is_finished());
}

// Proves that an offset outside of the log is an error that names both bounds and passes when the
// caller begins elsewhere, and that "earliest" follows a log whose beginning has just moved.
TEST_F(ScannerTest, OutOfRange) {
  fill(1, 100);
  table().buckets[0].start = Offset(30);
  open();
  for (int64_t wrong : {10, 200}) {
    ASSERT_TRUE(run(scanner_->subscribe(BucketId(0), OffsetSpec::exact(Offset(wrong)))));
    auto batches = run(scanner_->poll(seconds(1)));
    ASSERT_FALSE(batches);
    EXPECT_EQ(batches.error().to_string(),
              fmt::format("LOG_OFFSET_OUT_OF_RANGE_EXCEPTION: bucket 0 of table d.t: offset {} is "
                          "outside of the log, which holds [30, 100)",
                          wrong));
  }
  ASSERT_TRUE(run(scanner_->subscribe(BucketId(0), OffsetSpec::earliest())));
  EXPECT_EQ(scanner_->position(BucketId(0)), Offset(30));
  table().buckets[0].start = Offset(50);
  ASSERT_TRUE(run(scanner_->stop_at_latest()));
  EXPECT_EQ(read_all()[0], range(50, 100)) << error_;
}

// Proves that damage is found, after the batches before it were given, and that the scan can go on
// behind it; with check_crc off it is not looked for.
TEST_F(ScannerTest, DamageIsFound) {
  fill(1, 50);
  Bytes& bytes = table().buckets[0].batches[2].bytes;
  bytes = Bytes::copy_of(bytes.view());
  bytes.exclusive_data()[bytes.size() - 1] ^= 1;  // padding
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  EXPECT_EQ(read_all()[0], range(0, 20));
  EXPECT_NE(error_.find("CORRUPT_RECORD"), std::string::npos) << error_;
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::exact(Offset(30)))));
  EXPECT_EQ(read_all()[0], range(30, 50));
  options_.check_crc = false;
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  EXPECT_EQ(read_all()[0], range(0, 50));
}

// Proves that errors which may pass are waited out and others reach the caller.
TEST_F(ScannerTest, ServerErrors) {
  fill(2, 100);
  int refusals = 0;
  cluster_.before_fetch = [this, &refusals](int, BucketId bucket) -> std::optional<Error> {
    if (bucket != BucketId(1) || ++refusals > 5) return std::nullopt;
    const ErrorCode codes[] = {ErrorCode::kNotLeaderOrFollower,
                               ErrorCode::kUnknownTableOrBucketException,
                               ErrorCode::kStorageException,
                               ErrorCode::kFencedLeaderEpochException,
                               ErrorCode::kInvalidBucketRouting};
    if (refusals == 1) table().buckets[1].leader = 0;
    return Error(codes[refusals - 1], "made up");
  };
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  ASSERT_TRUE(run(scanner_->stop_at_latest()));
  auto ids = read_all();
  EXPECT_EQ(ids[0], range(0, 100));
  EXPECT_EQ(ids[1], range(0, 100)) << error_;

  cluster_.before_fetch = [](int, BucketId) -> std::optional<Error> {
    return Error(ErrorCode::kAuthorizationException, "not for you");
  };
  ASSERT_TRUE(run(scanner_->subscribe(BucketId(0), OffsetSpec::earliest())));
  auto refused = run(scanner_->poll(seconds(1)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kAuthorizationException);
  cluster_.before_fetch = nullptr;
  EXPECT_EQ(read_all()[0], range(0, 100));  // it stayed where it was
}

// Proves that a bucket which fails for too long reaches the caller, that one which recovers in time
// does not, and that the scan goes on afterwards.
TEST_F(ScannerTest, RetryTimeout) {
  fill(1, 100);
  options_.retry_timeout = seconds(3);
  Duration until = world_.now() + seconds(2);
  cluster_.before_fetch = [this, &until](int, BucketId) -> std::optional<Error> {
    if (world_.now() >= until) return std::nullopt;
    return Error(ErrorCode::kNotLeaderOrFollower, "made up");
  };
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  EXPECT_EQ(read_all()[0], range(0, 100)) << error_;

  until = world_.now() + seconds(60);
  Duration begin = world_.now();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
  auto refused = run(scanner_->poll(seconds(30)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kRequestTimeOut);
  EXPECT_EQ(
      refused.error().message(),
      "bucket 0 of table d.t: could not be read for 3 s (the last attempt: made up); see that "
      "the server runs, or allow more time");
  EXPECT_LT(world_.now() - begin, seconds(5));
  cluster_.before_fetch = nullptr;
  EXPECT_EQ(read_all()[0], range(0, 100)) << error_;
}

// Proves that raw batches come undecoded, whole and in a row, with the offsets they cover.
TEST_F(ScannerTest, RawBatches) {
  fill(1, 95);
  open();
  ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::exact(Offset(15)))));
  ASSERT_TRUE(run(scanner_->stop_at_latest()));
  int64_t next = 15;
  while (!scanner_->is_finished()) {
    auto raw = run(scanner_->poll_raw(seconds(1)));
    ASSERT_TRUE(raw) << raw.error().to_string();
    ASSERT_FALSE(raw->empty());
    for (const RawBatches& part : *raw) {
      EXPECT_EQ(part.from.value(), next);
      EXPECT_EQ(part.high_watermark, Offset(95));
      auto batches = parse_batches(part.records);
      ASSERT_TRUE(batches);
      EXPECT_LE(batches->front().base_offset().value(), next);
      EXPECT_EQ(batches->back().next_offset(), part.end_offset);
      next = part.end_offset.value();
    }
  }
  EXPECT_EQ(next, 95);
}

// Proves that answers which can not be are errors, never rows: offsets that jump, repeat or are
// missing, a bucket that is left out, remote segments that this client does not read.
TEST_F(ScannerTest, ImpossibleAnswers) {
  fill(1, 50);
  auto first_answer = [](wire::FetchLogResponse* response) -> wire::PbFetchLogRespForBucket& {
    return response->tables_resp[0].buckets_resp[0];
  };
  std::vector<std::function<void(wire::FetchLogResponse*)>> lies;
  lies.push_back([](wire::FetchLogResponse* response) { response->tables_resp.clear(); });
  lies.push_back([&](wire::FetchLogResponse* response) {
    first_answer(response).records.reset();
    first_answer(response).remote_log_fetch_info.emplace();
  });
  lies.push_back([&](wire::FetchLogResponse* response) {
    std::vector<Bytes> parts = parts_of(*first_answer(response).records);
    first_answer(response).records = BytesChain(parts[1]);
  });
  lies.push_back([&](wire::FetchLogResponse* response) {
    std::vector<Bytes> parts = parts_of(*first_answer(response).records);
    BytesChain chain(parts[0]);
    chain.append(parts[2]);
    first_answer(response).records = chain;
  });
  lies.push_back([&](wire::FetchLogResponse* response) {
    std::vector<Bytes> parts = parts_of(*first_answer(response).records);
    BytesChain chain(parts[0]);
    chain.append(parts[0]);
    first_answer(response).records = chain;
  });
  lies.push_back([&](wire::FetchLogResponse* response) {
    std::vector<Bytes> parts = parts_of(*first_answer(response).records);
    Bytes copy = Bytes::copy_of(parts[0].view());
    store_le<int64_t>(copy.exclusive_data(), INT64_MAX);
    first_answer(response).records = BytesChain(copy);
  });
  for (size_t i = 0; i < lies.size(); ++i) {
    open();
    cluster_.on_fetch_answer = lies[i];
    ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
    std::vector<int64_t> ids = read_all()[0];
    EXPECT_NE(error_, "") << i;
    EXPECT_EQ(ids, range(0, static_cast<int64_t>(ids.size()))) << i;
    error_.clear();
    cluster_.on_fetch_answer = nullptr;
  }
}

// Puts what a server answers into a segment file in front of it, and tells where that is instead.
void move_away(Disk& disk, const std::string& folder, wire::PbFetchLogRespForBucket& answer) {
  Bytes records = answer.records->flatten();
  std::vector<BatchView> batches = parse_batches(records).value();
  wire::PbRemoteLogFetchInfo info;
  info.remote_log_tablet_dir = folder;
  wire::PbRemoteLogSegment& segment = info.remote_log_segments.emplace_back();
  segment.remote_log_segment_id = "id";
  segment.remote_log_start_offset = batches.front().base_offset().value();
  segment.remote_log_end_offset = batches.back().next_offset().value();
  segment.segment_size_in_bytes = static_cast<int32_t>(records.size());
  info.first_start_pos = 0;
  answer.records.reset();
  answer.remote_log_fetch_info = std::move(info);
  std::string path = fmt::format(
      "{}/id/{:020}.log", local_path_of(folder).value_or(""), segment.remote_log_start_offset);
  if (path[0] != '/') return;
  ASSERT_TRUE(disk.create_directories(path.substr(0, path.find_last_of('/'))));
  ASSERT_TRUE(write_file_atomically(disk, path, records));
}

// Proves that segments in remote storage are read where this machine sees them, and by the server
// where not: one that is no file here, and one that is gone.
TEST_F(ScannerTest, RemoteSegments) {
  fill(2, 500);
  for (const char* folder : {"file:///seen", "s3://elsewhere", "file:///gone"}) {
    cluster_.fetches.clear();
    cluster_.on_fetch_answer = [&](wire::FetchLogResponse* response) {
      if (cluster_.fetches.back().read_preference == 2) return;
      for (auto& answer : response->tables_resp[0].buckets_resp) {
        if (!answer.records || answer.records->empty()) continue;
        if (parse_batches(answer.records->flatten())->front().base_offset() >= Offset(300))
          continue;
        move_away(client_.disk(), folder, answer);
        if (std::string_view(folder) == "file:///gone") {
          ASSERT_TRUE(client_.disk().remove_all("/gone"));
        }
      }
    };
    open();
    ASSERT_TRUE(run(scanner_->subscribe_all(OffsetSpec::earliest())));
    ASSERT_TRUE(run(scanner_->stop_at_latest()));
    auto ids = read_all();
    EXPECT_EQ(error_, "") << folder;
    for (int32_t bucket = 0; bucket < 2; ++bucket) EXPECT_EQ(ids[bucket], range(0, 500)) << folder;
    bool by_server = cluster_.fetches.back().read_preference == 2;
    EXPECT_EQ(by_server, std::string_view(folder) != "file:///seen");
    cluster_.on_fetch_answer = nullptr;
  }
}

// Proves that limit_scan gives the newest rows of a log table, from as many buckets as it takes.
TEST_F(ScannerTest, LimitScanOfALogTable) {
  fill(2, 25);
  struct Case {
    int32_t limit;
    std::vector<int64_t> first;
    std::vector<int64_t> second;
  };
  for (const Case& c : {Case{0, {}, {}},
                        Case{7, range(18, 25), {}},
                        Case{30, range(0, 25), range(20, 25)},
                        Case{1000, range(0, 25), range(0, 25)}}) {
    auto batches = run(limit_scan(connection_, kTable, c.limit));
    ASSERT_TRUE(batches) << batches.error().to_string();
    std::map<int32_t, std::vector<int64_t>> ids;
    for (const ScanBatch& batch : *batches) {
      for (int64_t id : ids_of(batch)) ids[batch.bucket.bucket.value()].push_back(id);
    }
    EXPECT_EQ(ids[0], c.first);
    EXPECT_EQ(ids[1], c.second);
  }
  EXPECT_FALSE(run(limit_scan(connection_, {"d", "none"}, 1)));
}

// Proves that the values of a primary-key table are decoded, whatever the schema they were stored
// under.
TEST_F(ScannerTest, LimitScanOfAKeyTable) {
  TableDescriptor keyed = numbers_table(1, {"id"}, {});
  keyed.schema = *SchemaBuilder(keyed.schema).primary_key({"id"}).build();
  cluster_.add_table(kTable, keyed);
  table().schemas.push_back(
      *SchemaBuilder(table().schemas[0]).column("more", DataType::integer()).build());
  table().descriptor.schema = table().schemas[1];
  ValueBatchBuilder values;
  for (int64_t i = 0; i < 6; ++i) {
    bool old = i < 3;
    RowCodec codec(RowFormat::kCompacted, table().schemas[old ? 0 : 1]);
    std::vector<Value> row{Value::integer(i), Value::null()};
    if (!old) row.push_back(Value::integer(9));
    ByteWriter encoded;
    ASSERT_TRUE(codec.encode(row, &encoded));
    ByteWriter value;
    put_value(ValueLayout::kPlain, {0, SchemaId(old ? 1 : 2), encoded.span()}, &value);
    values.append(value.span());
  }
  Bytes records = values.finish();
  cluster_.on_limit_scan = [records](wire::LimitScanResponse* response) {
    response->is_log_table = false;
    response->records = BytesChain(records);
  };
  auto batches = run(limit_scan(connection_, kTable, 5));
  ASSERT_TRUE(batches) << batches.error().to_string();
  ASSERT_EQ(batches->size(), 1U);
  EXPECT_EQ((*batches)[0].rows->num_rows(), 5);
  EXPECT_EQ((*batches)[0].rows->GetColumnByName("more")->null_count(), 3);
}

// Reads one bucket of 60 rows through the proxy: "" and the ids, or the error.
struct Reading {
  std::string error;
  std::vector<int64_t> ids;
};
Task<Reading> read_through(SimNode* client, std::vector<Address> bootstrap) {
  Reading reading;
  ConnectionOptions options;
  options.attempts_max = 20;
  options.request_timeout = seconds(5);
  auto connection =
      co_await Connection::open(client->env(), client->shard(0), std::move(bootstrap), options);
  if (!connection) {
    reading.error = connection.error().to_string();
    co_return reading;
  }
  ScannerOptions scan;
  scan.bucket_bytes_max = 1000;
  auto scanner = co_await LogScanner::open(*connection, kTable, scan);
  Status subscribed = ok();
  if (scanner) subscribed = co_await (*scanner)->subscribe_all(OffsetSpec::earliest());
  if (scanner && subscribed) (*scanner)->stop_at(BucketId(0), Offset(60));
  if (!scanner) reading.error = scanner.error().to_string();
  if (!subscribed) reading.error = subscribed.error().to_string();
  for (int polls = 0; reading.error.empty() && !(*scanner)->is_finished(); ++polls) {
    auto batches = co_await (*scanner)->poll(seconds(5));
    if (!batches) reading.error = batches.error().to_string();
    if (polls > 100) reading.error = "it does not end";
    if (!batches) break;
    for (const ScanBatch& batch : *batches) {
      for (int64_t id : ids_of(batch)) reading.ids.push_back(id);
    }
  }
  if (scanner) (void)co_await (*scanner)->close();
  (void)co_await (*connection)->close();
  co_return reading;
}

struct ProxiedWorld {
  explicit ProxiedWorld(uint64_t seed) : world(seed) {
    cluster.advertise(0, proxy.address());
    FakeTable& table = cluster.add_table(kTable, numbers_table(1, {}, {}));
    for (int64_t id = 0; id < 60; id += 5) add_numbers(table, 0, id, id + 5, kTime);
  }
  Reading read() {
    Reading reading = world.run(client.shard(0), read_through(&client, {cluster.address(0)}));
    proxy.stop();
    cluster.stop();
    return reading;
  }
  SimWorld world;
  FakeCluster cluster{world, 1};
  BreakingProxy proxy{world, "proxy", 7000, cluster.address(0)};
  SimNode& client = world.add_node("client");
};

// Proves that a connection which breaks at any byte costs no row and doubles none.
TEST(ScannerFaultTest, ConnectionBreaksAtEveryByte) {
  for (size_t first = 1; first < 7000; first += 19) {
    ProxiedWorld proxied(first);
    proxied.proxy.budgets = {first, first / 2, 2 * first};
    Reading reading = proxied.read();
    ASSERT_EQ(reading.error, "") << first;
    ASSERT_EQ(reading.ids, range(0, 60)) << first;
  }
}

// Proves that whatever byte of a server's answers is damaged, the client ends in time with an error
// or goes on; rows that it gives are right.
TEST(ScannerFaultTest, AnyByteDamaged) {
  int errors = 0;
  for (size_t byte = 0; byte < 6000; byte += 11) {
    for (uint8_t damage : {uint8_t{0x01}, uint8_t{0x80}}) {
      ProxiedWorld proxied(byte);
      proxied.proxy.damaged_byte = byte;
      proxied.proxy.damage = damage;
      Reading reading = proxied.read();
      errors += reading.error.empty() ? 0 : 1;
      if (reading.error.empty()) {
        ASSERT_EQ(reading.ids, range(0, 60)) << byte;
      }
      ASSERT_LT(proxied.world.now(), std::chrono::minutes(10)) << byte;
    }
  }
  EXPECT_GT(errors, 50);
}

}  // namespace
}  // namespace lakestream::client
