#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/logging.h"
#include "format/byte_writer.h"
#include "format/kv_batch.h"
#include "format/rows.h"
#include "machine.h"
#include "table/json.h"
#include "table/table.h"

// One machine loses power (or its process is killed) at any moment while idempotent writers upsert
// and delete, and now and then its key-value databases are gone afterwards. Every key then has what
// a plain map says that was fed with the acknowledged batches, each once: sums of an aggregation
// table show a batch that was applied twice.
//
// Seeds as in machine.h.
namespace lakestream {
namespace {

constexpr int32_t kBuckets = 3;
constexpr int kWritersPerBucket = 2;
constexpr int64_t kKeysOfWriter = 8;
const TablePath kPath{"sim", "t"};

enum class Kind { kLastRow, kNewImages, kSums, kFirstRow };

Schema key_and_value(Kind kind) {
  Column value;
  value.name = "v";
  value.type = DataType::bigint();
  if (kind == Kind::kSums) value.agg = AggFunction{AggType::kSum, {}};
  SchemaBuilder builder;
  builder.column("k", DataType::bigint()).column(std::move(value)).primary_key({"k"});
  return *builder.build();
}

Properties properties_of(Kind kind) {
  switch (kind) {
    case Kind::kLastRow:
      return {};
    case Kind::kNewImages:
      return {{"table.changelog.image", "WAL"}};
    case Kind::kSums:
      return {{"table.merge-engine", "aggregation"}, {"table.delete.behavior", "ALLOW"}};
    case Kind::kFirstRow:
      return {{"table.merge-engine", "first_row"}};
  }
  return {};
}

Bytes encode_key(int64_t key) {
  const size_t key_column[] = {0};
  RowCodec codec(RowFormat::kCompacted, key_and_value(Kind::kLastRow), key_column);
  ByteWriter bytes;
  Value values[] = {Value::integer(key)};
  CHECK(codec.encode_key(values, &bytes).has_value());
  return std::move(bytes).finish();
}

// What the rows of the keys must be.
class Model {
 public:
  explicit Model(Kind kind) : kind_(kind) {}

  void upsert(int64_t key, int64_t value) {
    auto [row, is_new] = rows_.emplace(key, value);
    if (is_new || kind_ == Kind::kFirstRow) return;
    row->second = kind_ == Kind::kSums ? row->second + value : value;
  }
  void remove(int64_t key) {
    if (kind_ != Kind::kFirstRow) rows_.erase(key);
  }
  std::optional<int64_t> find(int64_t key) const {
    auto found = rows_.find(key);
    return found == rows_.end() ? std::nullopt : std::optional(found->second);
  }
  size_t size() const { return rows_.size(); }

 private:
  Kind kind_;
  std::map<int64_t, int64_t> rows_;
};

Task<bool> create_table(Machine* machine, Kind kind) {
  PatientChannel channel(machine->client(), machine->world().random().fork());
  wire::CreateDatabaseRequest database;
  database.database_name = kPath.database;
  database.ignore_if_exists = true;
  auto made = co_await channel.call<wire::ApiKey::kCreateDatabase>(std::move(database));
  TableDescriptor descriptor;
  descriptor.schema = key_and_value(kind);
  descriptor.distribution = Distribution{kBuckets, {"k"}};
  descriptor.properties = properties_of(kind);
  wire::CreateTableRequest table;
  table.table_path.database_name = kPath.database;
  table.table_path.table_name = kPath.table;
  table.table_json = Bytes::copy_of(to_json(descriptor));
  auto created = co_await channel.call<wire::ApiKey::kCreateTable>(std::move(table));
  co_await channel.reset();
  co_return made.has_value() && created.has_value();
}

// The rows of keys, asked for until the server answers.
class Reader {
 public:
  Reader(Machine& machine, BucketId bucket)
      : bucket_(bucket), channel_(machine.client(), machine.world().random().fork()) {}

  Task<Result<std::vector<std::optional<int64_t>>>> lookup(std::vector<int64_t> keys) {
    wire::LookupRequest request;
    request.buckets_req.emplace_back();
    request.buckets_req[0].bucket_id = bucket_.value();
    for (int64_t key : keys) {
      request.buckets_req[0].keys.push_back(encode_key(key));
    }
    for (;;) {
      CO_ASSIGN_OR_RETURN(auto answer, co_await channel_.call<wire::ApiKey::kLookup>(request));
      const auto& bucket = answer.buckets_resp.at(0);
      if (bucket.error_code) {
        ErrorCode code = error_code_of(*bucket.error_code);
        if (!is_retriable(code)) co_return make_error(code, "{}", *bucket.error_message);
        co_await channel_.reset();
        continue;
      }
      co_return values_of(bucket);
    }
  }

  Task<Result<int64_t>> row_count() {
    wire::GetTableStatsRequest request;
    request.buckets_req.emplace_back();
    request.buckets_req[0].bucket_id = bucket_.value();
    CO_ASSIGN_OR_RETURN(auto answer, co_await channel_.call<wire::ApiKey::kGetTableStats>(request));
    const auto& bucket = answer.buckets_resp.at(0);
    if (bucket.error_code) {
      co_return make_error(error_code_of(*bucket.error_code), "{}", *bucket.error_message);
    }
    co_return *bucket.row_count;
  }

  PatientChannel& channel() { return channel_; }

 private:
  std::vector<std::optional<int64_t>> values_of(const wire::PbLookupRespForBucket& bucket) {
    std::vector<std::optional<int64_t>> rows;
    for (const auto& value : bucket.values) {
      rows.emplace_back();
      if (!value.values) continue;
      Arena arena;
      auto row = codec_.decode(value.values->span().subspan(2), &arena);
      CHECK(row.has_value(), "a stored row is whole");
      rows.back() = (*row)[1].as_integer();
    }
    return rows;
  }

  BucketId bucket_;
  PatientChannel channel_;
  RowCodec codec_{RowFormat::kCompacted, key_and_value(Kind::kLastRow)};
};

Task<Result<std::vector<std::optional<int64_t>>>> lookup_once(Machine* machine,
                                                              BucketId bucket,
                                                              std::vector<int64_t> keys) {
  Reader reader(*machine, bucket);
  auto rows = co_await reader.lookup(std::move(keys));
  co_await reader.channel().reset();
  co_return rows;
}

Task<Result<int64_t>> count_once(Machine* machine, BucketId bucket) {
  Reader reader(*machine, bucket);
  auto count = co_await reader.row_count();
  co_await reader.channel().reset();
  co_return count;
}

class Writer {
 public:
  Writer(Machine& machine, Kind kind, int64_t number, BucketId bucket)
      : number_(number),
        bucket_(bucket),
        random_(machine.world().random().fork()),
        model_(kind),
        reader_(machine, bucket) {}

  Task<void> run() {
    wire::InitWriterRequest request;
    auto id = co_await reader_.channel().call<wire::ApiKey::kInitWriter>(request);
    if (!id) {
      violate(id.error().to_string());
    } else {
      writer_id_ = WriterId(id->writer_id);
      while (!stopping_ && !violation_) co_await put_batch();
    }
    co_await reader_.channel().reset();
    ended_ = true;
  }

  void stop() { stopping_ = true; }
  bool has_ended() const { return ended_; }
  const std::optional<std::string>& violation() const { return violation_; }
  const Model& model() const { return model_; }
  BucketId bucket() const { return bucket_; }

  std::vector<int64_t> keys() const {
    std::vector<int64_t> keys;
    for (int64_t i = 0; i < kKeysOfWriter; ++i) keys.push_back(number_ * kKeysOfWriter + i);
    return keys;
  }

  void check(const Result<std::vector<std::optional<int64_t>>>& rows) {
    if (!rows) return violate(rows.error().to_string());
    std::vector<int64_t> mine = keys();
    for (size_t i = 0; i < mine.size(); ++i) {
      std::optional<int64_t> expected = model_.find(mine[i]);
      if ((*rows)[i] == expected) continue;
      violate(fmt::format("key {} has {} and must have {}",
                          mine[i],
                          (*rows)[i] ? fmt::to_string(*(*rows)[i]) : "no row",
                          expected ? fmt::to_string(*expected) : "no row"));
    }
  }

 private:
  Bytes make_batch() {
    KvBatchBuilder builder(SchemaId(1));
    for (uint64_t i = 1 + random_.below(5); i-- > 0;) {
      int64_t key = number_ * kKeysOfWriter + static_cast<int64_t>(random_.below(kKeysOfWriter));
      auto value = static_cast<int64_t>(random_.below(1000));
      Bytes encoded = encode_key(key);
      if (random_.chance(1, 4)) {
        builder.remove(encoded.span());
        model_.remove(key);
        continue;
      }
      ByteWriter row;
      Value values[] = {Value::integer(key), Value::integer(value)};
      CHECK(codec_.encode(values, &row).has_value());
      builder.upsert(encoded.span(), row.span());
      model_.upsert(key, value);
    }
    return builder.finish({writer_id_, next_sequence_++});
  }

  Task<void> put_batch() {
    wire::PutKvRequest request;
    request.acks = random_.chance(1, 2) ? -1 : 1;
    request.timeout_ms = 2000;
    request.buckets_req.emplace_back();
    request.buckets_req[0].bucket_id = bucket_.value();
    request.buckets_req[0].records = make_batch();
    for (;;) {
      auto answer = co_await reader_.channel().call<wire::ApiKey::kPutKv>(request);
      if (!answer) {
        violate(answer.error().to_string());
        co_return;
      }
      const auto& bucket = answer->buckets_resp.at(0);
      if (!bucket.error_code) break;
      ErrorCode code = error_code_of(*bucket.error_code);
      if (!is_retriable(code)) {
        violate(fmt::format("{}: {}", error_name(code), bucket.error_message.value_or("")));
        co_return;
      }
      co_await reader_.channel().reset();
    }
    // What was acknowledged is seen at once.
    if (random_.chance(1, 4)) check(co_await reader_.lookup(keys()));
  }

  void violate(std::string what) {
    if (!violation_) violation_ = fmt::format("writer {}: {}", number_, what);
  }

  int64_t number_;
  BucketId bucket_;
  Random random_;
  Model model_;
  Reader reader_;
  RowCodec codec_{RowFormat::kCompacted, key_and_value(Kind::kLastRow)};
  WriterId writer_id_;
  int32_t next_sequence_ = 0;
  std::optional<std::string> violation_;
  bool stopping_ = false;
  bool ended_ = false;
};

// As if the disk that has them were replaced.
void remove_databases(Machine& machine) {
  const std::string database = "/data/" + kPath.database;
  auto tables = machine.disk().list(database);
  if (!tables) return;
  for (const DirectoryEntry& table : *tables) {
    for (int32_t bucket = 0; bucket < kBuckets; ++bucket) {
      auto directory = fmt::format("{}/{}/kv-{}", database, table.name, bucket);
      ASSERT_TRUE(machine.disk().remove_all(directory));
    }
  }
}

void next_life(Machine& machine, bool power) {
  power ? machine.lose_power() : machine.kill();
  machine.power_on();
  if (machine.world().random().chance(1, 3)) remove_databases(machine);
  machine.begin_start();
}

void check_counts(Machine& machine, const std::vector<std::unique_ptr<Writer>>& writers) {
  for (int32_t bucket = 0; bucket < kBuckets; ++bucket) {
    size_t expected = 0;
    for (const auto& writer : writers) {
      if (writer->bucket() == BucketId(bucket)) expected += writer->model().size();
    }
    auto count =
        machine.world().run(machine.client().shard(0), count_once(&machine, BucketId(bucket)));
    ASSERT_TRUE(count) << count.error().to_string();
    EXPECT_EQ(static_cast<size_t>(*count), expected) << "bucket " << bucket;
  }
}

void run_seed(uint64_t seed) {
  bool power = seed % 4 != 0;  // else kill -9 in mode os, which keeps the page cache
  auto kind = static_cast<Kind>(seed / 4 % 4);
  Machine machine(seed, power, {{"kv.snapshot.interval", "300 ms"}});
  SimWorld& world = machine.world();
  machine.begin_start();
  ASSERT_TRUE(world.run(machine.client().shard(0), create_table(&machine, kind)));

  std::vector<std::unique_ptr<Writer>> writers;
  for (int32_t bucket = 0; bucket < kBuckets; ++bucket) {
    for (int i = 0; i < kWritersPerBucket; ++i) {
      auto number = static_cast<int64_t>(writers.size());
      writers.push_back(std::make_unique<Writer>(machine, kind, number, BucketId(bucket)));
      machine.client().shard(0).spawn(writers.back()->run());
    }
  }
  auto lives = 1 + world.random().below(4);
  for (uint64_t life = 0; life < lives; ++life) {
    world.run_for(std::chrono::microseconds(world.random().below(1'500'000)));
    next_life(machine, power);
  }
  world.run_for(std::chrono::milliseconds(200));
  for (auto& writer : writers) writer->stop();
  ASSERT_TRUE(writers_end(world, writers)) << "writers hang";

  next_life(machine, power);
  ASSERT_TRUE(world.run_until([&] { return machine.is_started(); }, std::chrono::minutes(1)));
  ASSERT_TRUE(machine.server()) << machine.server().error().to_string();
  for (auto& writer : writers) {
    writer->check(world.run(machine.client().shard(0),
                            lookup_once(&machine, writer->bucket(), writer->keys())));
    ASSERT_FALSE(writer->violation()) << *writer->violation();
  }
  if (kind != Kind::kNewImages) check_counts(machine, writers);
  machine.kill();  // the last life is abandoned like the others
}

// Proves that each key has what the acknowledged batches made of it, over the seeds.
TEST(KvPowerLoss, StateIsThatOfTheAcknowledgedBatches) {
  set_log_level(LogLevel::kError);
  run_seeds(60, run_seed);
}

}  // namespace
}  // namespace lakestream
