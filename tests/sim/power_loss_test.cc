#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "base/logging.h"
#include "format/batch_builder.h"
#include "machine.h"
#include "table/json.h"
#include "table/table.h"

// One machine loses power (or its process is killed) at any moment while idempotent writers append.
// What was acknowledged is there afterwards, once, at the offset that was told, and in the writer's
// order; nothing is there that was not sent, in remote storage included. The record of it is kept
// by the writers, outside of the server.
//
//   LAKESTREAM_SIM_SEED=17 sim_test      one seed
//   LAKESTREAM_SIM_SEEDS=100:400 sim_test   a range, the end excluded
namespace lakestream {
namespace {

constexpr int32_t kBuckets = 3;
constexpr int kWritersPerBucket = 2;
const TablePath kPath{"sim", "t"};

Schema two_longs() {
  SchemaBuilder builder;
  builder.column("writer", DataType::bigint()).column("number", DataType::bigint());
  return *builder.build();
}

struct Row {
  int64_t writer;
  int64_t number;
  friend auto operator<=>(const Row&, const Row&) = default;
};

// Outlives the processes: what the writers sent and what they were told.
struct Record {
  std::set<Row> sent;
  std::map<Row, Offset> acknowledged;
  std::optional<std::string> violation;
};

Task<bool> create_table(Machine* machine) {
  PatientChannel channel(machine->client(), machine->world().random().fork());
  wire::CreateDatabaseRequest database;
  database.database_name = kPath.database;
  database.ignore_if_exists = true;
  auto made = co_await channel.call<wire::ApiKey::kCreateDatabase>(std::move(database));
  TableDescriptor descriptor;
  descriptor.schema = two_longs();
  descriptor.distribution = Distribution{kBuckets, {}};
  descriptor.properties["table.log.format"] = "INDEXED";
  wire::CreateTableRequest table;
  table.table_path.database_name = kPath.database;
  table.table_path.table_name = kPath.table;
  table.table_json = Bytes::copy_of(to_json(descriptor));
  auto created = co_await channel.call<wire::ApiKey::kCreateTable>(std::move(table));
  co_await channel.reset();
  co_return made.has_value() && created.has_value();
}

class Writer {
 public:
  Writer(Machine& machine, Record& record, int64_t number, BucketId bucket)
      : record_(record),
        number_(number),
        bucket_(bucket),
        random_(machine.world().random().fork()),
        channel_(machine.client(), machine.world().random().fork()) {}

  Task<void> run() {
    wire::InitWriterRequest request;
    auto id = co_await channel_.call<wire::ApiKey::kInitWriter>(request);
    if (!id) {
      violate(id.error().to_string());
    } else {
      writer_id_ = WriterId(id->writer_id);
      while (!stopping_ && !record_.violation) co_await append_batch();
    }
    co_await channel_.reset();
    ended_ = true;
  }

  void stop() { stopping_ = true; }
  bool has_ended() const { return ended_; }

 private:
  Task<void> append_batch() {
    std::vector<Row> rows;
    auto count = static_cast<int64_t>(1 + random_.below(5));
    for (int64_t i = 0; i < count; ++i) rows.push_back({number_, next_row_++});
    BatchBuilder builder(
        schema_, {.format = LogFormat::kIndexed, .schema_id = SchemaId(1), .append_only = true});
    for (const Row& row : rows) {
      Value values[] = {Value::integer(row.writer), Value::integer(row.number)};
      CHECK(builder.append(ChangeType::kAppend, values).has_value());
      record_.sent.insert(row);
    }
    auto batch = builder.finish({writer_id_, next_sequence_++});
    wire::ProduceLogRequest request;
    request.acks = random_.chance(1, 2) ? -1 : 1;
    request.timeout_ms = 2000;
    request.buckets_req.emplace_back();
    request.buckets_req[0].bucket_id = bucket_.value();
    request.buckets_req[0].records = *batch;
    for (;;) {
      auto answer = co_await channel_.call<wire::ApiKey::kProduceLog>(request);
      if (!answer) {
        violate(answer.error().to_string());
        co_return;
      }
      const auto& bucket = answer->buckets_resp.at(0);
      if (!bucket.error_code) {
        for (size_t i = 0; i < rows.size(); ++i) {
          record_.acknowledged[rows[i]] = Offset(*bucket.base_offset + static_cast<int64_t>(i));
        }
        co_return;
      }
      ErrorCode code = error_code_of(*bucket.error_code);
      if (!is_retriable(code)) {
        violate(fmt::format("{}: {}", error_name(code), bucket.error_message.value_or("")));
        co_return;
      }
      co_await channel_.reset();
    }
  }

  void violate(std::string what) {
    if (!record_.violation) record_.violation = fmt::format("writer {}: {}", number_, what);
  }

  Record& record_;
  int64_t number_;
  BucketId bucket_;
  Random random_;
  PatientChannel channel_;
  Schema schema_ = two_longs();
  WriterId writer_id_;
  int32_t next_sequence_ = 0;
  int64_t next_row_ = 0;
  bool stopping_ = false;
  bool ended_ = false;
};

// Reads a whole bucket; the row format is taken apart by hand.
Task<Result<std::vector<Row>>> read_bucket(Machine* machine, BucketId bucket) {
  PatientChannel channel(machine->client(), machine->world().random().fork());
  std::vector<Row> rows;
  for (;;) {
    wire::FetchLogRequest request;
    request.follower_server_id = -1;
    request.max_bytes = 1 << 20;
    request.read_preference = 2;  // the server reads what is in remote storage
    request.tables_req.emplace_back();
    request.tables_req[0].buckets_req.emplace_back();
    request.tables_req[0].buckets_req[0].bucket_id = bucket.value();
    request.tables_req[0].buckets_req[0].fetch_offset = static_cast<int64_t>(rows.size());
    request.tables_req[0].buckets_req[0].max_fetch_bytes = 1 << 20;
    CO_ASSIGN_OR_RETURN(auto answer, co_await channel.call<wire::ApiKey::kFetchLog>(request));
    const auto& read = answer.tables_resp.at(0).buckets_resp.at(0);
    if (read.error_code) {
      co_return make_error(error_code_of(*read.error_code), "{}", *read.error_message);
    }
    if (static_cast<int64_t>(rows.size()) >= *read.high_watermark) break;
    BatchReader reader(read.records->flatten());
    for (;;) {
      CO_ASSIGN_OR_RETURN(std::optional<BatchView> batch, reader.next());
      if (!batch) break;
      CO_RETURN_IF_ERROR(batch->validate());
      int64_t expected = batch->base_offset().value();
      if (expected != static_cast<int64_t>(rows.size())) {
        co_return make_error(ErrorCode::kUnknownServerError,
                             "a batch starts at {} where {} is due",
                             expected,
                             rows.size());
      }
      const uint8_t* at = batch->records().data();
      for (int32_t i = 0; i < batch->record_count(); ++i) {
        // i32 size, change type, null bits, two longs
        rows.push_back({load_le<int64_t>(at + 6), load_le<int64_t>(at + 14)});
        at += 4 + load_le<int32_t>(at);
      }
    }
  }
  co_await channel.reset();
  co_return rows;
}

void check_bucket(const std::vector<Row>& rows,
                  BucketId bucket,
                  const Record& record,
                  std::map<Row, Offset>* found) {
  std::map<int64_t, int64_t> last_of_writer;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    EXPECT_TRUE(record.sent.contains(row))
        << "bucket " << bucket.value() << " offset " << i << " was never sent";
    auto [place, fresh] = found->emplace(row, Offset(static_cast<int64_t>(i)));
    EXPECT_TRUE(fresh) << "writer " << row.writer << " row " << row.number << " is there twice";
    auto [last, first] = last_of_writer.emplace(row.writer, row.number);
    if (!first) {
      EXPECT_LT(last->second, row.number) << "writer " << row.writer << " is out of order";
      last->second = row.number;
    }
  }
}

void run_seed(uint64_t seed) {
  bool power = seed % 4 != 0;  // else kill -9 in mode os, which keeps the page cache
  // In every other run, the log goes to remote storage while it is written.
  TextMap remote{{"remote.data.dir", "/remote"}, {"remote.log.task-interval-duration", "60 ms"}};
  Machine machine(seed, power, seed % 2 == 0 ? TextMap() : remote);
  SimWorld& world = machine.world();
  Record record;
  machine.begin_start();
  ASSERT_TRUE(world.run(machine.client().shard(0), create_table(&machine)));

  std::vector<std::unique_ptr<Writer>> writers;
  for (int32_t bucket = 0; bucket < kBuckets; ++bucket) {
    for (int i = 0; i < kWritersPerBucket; ++i) {
      auto number = static_cast<int64_t>(writers.size());
      writers.push_back(std::make_unique<Writer>(machine, record, number, BucketId(bucket)));
      machine.client().shard(0).spawn(writers.back()->run());
    }
  }
  auto lives = 1 + world.random().below(4);
  for (uint64_t life = 0; life < lives; ++life) {
    world.run_for(std::chrono::microseconds(world.random().below(1'500'000)));
    power ? machine.lose_power() : machine.kill();
    machine.power_on();
    machine.begin_start();
  }
  world.run_for(std::chrono::milliseconds(200));
  // Short lives may have seen nothing acknowledged; the last one gets on.
  auto gets_on = [&] { return !record.acknowledged.empty() || record.violation; };
  ASSERT_TRUE(world.run_until(gets_on, std::chrono::seconds(20))) << "nothing is acknowledged";
  for (auto& writer : writers) writer->stop();
  ASSERT_TRUE(writers_end(world, writers)) << "writers hang";
  ASSERT_FALSE(record.violation) << *record.violation;

  power ? machine.lose_power() : machine.kill();
  machine.power_on();
  machine.begin_start();
  ASSERT_TRUE(world.run_until([&] { return machine.is_started(); }, std::chrono::minutes(1)));
  ASSERT_TRUE(machine.server()) << machine.server().error().to_string();
  std::map<Row, Offset> found;
  for (int32_t bucket = 0; bucket < kBuckets; ++bucket) {
    auto rows = world.run(machine.client().shard(0), read_bucket(&machine, BucketId(bucket)));
    ASSERT_TRUE(rows) << rows.error().to_string();
    check_bucket(*rows, BucketId(bucket), record, &found);
  }
  for (const auto& [row, offset] : record.acknowledged) {
    auto place = found.find(row);
    ASSERT_NE(place, found.end()) << "writer " << row.writer << " row " << row.number << " is lost";
    EXPECT_EQ(place->second, offset) << "writer " << row.writer << " row " << row.number;
  }
  EXPECT_FALSE(record.acknowledged.empty());
  machine.kill();  // the last life is abandoned like the others
}

// Proves that acknowledged rows survive, once and in order, over the seeds.
TEST(PowerLoss, AcknowledgedRowsSurvive) {
  set_log_level(LogLevel::kError);
  run_seeds(300, run_seed);
}

}  // namespace
}  // namespace lakestream
