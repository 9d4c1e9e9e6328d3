#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/endian.h"
#include "format/batch_builder.h"
#include "machine.h"
#include "table/json.h"
#include "table/table.h"

// Idempotent writers of a log table on a Machine that may go down at any moment, the record of what
// they sent and were told, and what is in the table's logs afterwards.
//
// Thread rule: one thread.
//
//   Writer writer(machine, record, 0, BucketId(0));
//   machine.client().shard(0).spawn(writer.run());
namespace lakestream {

inline constexpr int32_t kBuckets = 3;
inline constexpr int kWritersPerBucket = 2;
inline const TablePath kPath{"sim", "t"};

inline Schema two_longs() {
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

// Of the table that create_table() makes, with further properties.
inline TableDescriptor described(Properties properties) {
  TableDescriptor descriptor;
  descriptor.schema = two_longs();
  descriptor.distribution = Distribution{kBuckets, {}};
  descriptor.properties = std::move(properties);
  descriptor.properties["table.log.format"] = "INDEXED";
  return descriptor;
}

inline Task<bool> create_table(Machine* machine, Properties properties) {
  PatientChannel channel(machine->client(), machine->world().random().fork());
  wire::CreateDatabaseRequest database;
  database.database_name = kPath.database;
  database.ignore_if_exists = true;
  auto made = co_await channel.call<wire::ApiKey::kCreateDatabase>(std::move(database));
  TableDescriptor descriptor = described(std::move(properties));
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
inline Task<Result<std::vector<Row>>> read_bucket(Machine* machine, BucketId bucket) {
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

inline std::vector<std::unique_ptr<Writer>> start_writers(Machine& machine, Record& record) {
  std::vector<std::unique_ptr<Writer>> writers;
  for (int32_t bucket = 0; bucket < kBuckets; ++bucket) {
    for (int i = 0; i < kWritersPerBucket; ++i) {
      auto number = static_cast<int64_t>(writers.size());
      writers.push_back(std::make_unique<Writer>(machine, record, number, BucketId(bucket)));
      machine.client().shard(0).spawn(writers.back()->run());
    }
  }
  return writers;
}

}  // namespace lakestream
