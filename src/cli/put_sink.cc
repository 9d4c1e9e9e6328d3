#include "cli/put_sink.h"

#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/appender.h"
#include "client/upserter.h"
#include "format/arrow_schema.h"

namespace lakestream::cli {
namespace {

using client::Appender;
using client::Upserter;
using client::WriteCounters;

// ---- on the shard

// The pointers outlive the tasks: the main thread waits for their end.
Task<Result<WriteCounters>> append_rows(Appender* appender,
                                        std::shared_ptr<arrow::RecordBatch> rows) {
  CO_ASSIGN_OR_RETURN(client::Delivery delivery, co_await appender->append(std::move(rows)));
  co_return appender->counters();
}

Task<Result<WriteCounters>> append_batch(Appender* appender, BucketId bucket, Bytes batch) {
  CO_ASSIGN_OR_RETURN(client::Delivery delivery,
                      co_await appender->append_encoded(bucket, std::move(batch)));
  co_return appender->counters();
}

Task<Result<WriteCounters>> upsert_rows(Upserter* upserter,
                                        std::shared_ptr<arrow::RecordBatch> rows,
                                        bool remove) {
  if (remove) {
    CO_ASSIGN_OR_RETURN(client::Delivery removal, co_await upserter->remove(std::move(rows)));
  } else {
    CO_ASSIGN_OR_RETURN(client::Delivery delivery, co_await upserter->upsert(std::move(rows)));
  }
  co_return upserter->counters();
}

template <typename Writer>
Task<Status> close_writer(Writer* writer, WriteCounters* counters) {
  Status closed = co_await writer->close();
  *counters = writer->counters();
  co_return closed;
}

// ---- on the main thread

// A batch of the rows, for a bucket that the user chose.
Result<Bytes> encode(const client::TableInfo& table,
                     const std::shared_ptr<arrow::RecordBatch>& rows) {
  const Schema& schema = table.descriptor.schema;
  BatchOptions options = client::batch_options_of(table);
  if (options.format == LogFormat::kArrow) {
    return build_arrow_batch(*rows, {}, schema, options, BatchWriter{});
  }
  BatchBuilder builder(schema, options);
  ASSIGN_OR_RETURN(ArrowRows cells, ArrowRows::make(rows, schema));
  Arena arena;
  for (int64_t i = 0; i < cells.size(); ++i) {
    arena.clear();
    ASSIGN_OR_RETURN(std::span<const Value> row, cells.row(i, &arena));
    RETURN_IF_ERROR(builder.append(ChangeType::kAppend, row));
  }
  return builder.finish(BatchWriter{});
}

Status check_bucket(const client::TableInfo& table, int32_t bucket) {
  std::vector<std::string> keys = table.descriptor.bucket_keys();
  if (!keys.empty()) {
    return make_error(ErrorCode::kInvalidTableException,
                      "table {} has the bucket key {}, so its rows go to the bucket of their key; "
                      "leave out --bucket",
                      table.path,
                      fmt::join(keys, ", "));
  }
  int32_t count = table.descriptor.bucket_count().value_or(1);
  if (bucket < count) return ok();
  return make_error(ErrorCode::kUnknownTableOrBucketException,
                    "bucket {}: table {} has the buckets 0 to {}",
                    bucket,
                    table.path,
                    count - 1);
}

class LogSink : public PutSink {
 public:
  LogSink(ClientSession* session, std::unique_ptr<Appender> appender, std::optional<int32_t> bucket)
      : session_(session), appender_(std::move(appender)), bucket_(bucket) {}
  ~LogSink() override {
    if (appender_ != nullptr) session_->release(std::move(appender_));
  }

  const Schema& schema() const override { return appender_->table().descriptor.schema; }
  Result<WriteCounters> send(std::shared_ptr<arrow::RecordBatch> rows) override {
    if (!bucket_) return session_->run(append_rows(appender_.get(), std::move(rows)));
    ASSIGN_OR_RETURN(Bytes batch, encode(appender_->table(), rows));
    return session_->run(append_batch(appender_.get(), BucketId(*bucket_), std::move(batch)));
  }
  Status close(WriteCounters* counters) override {
    return session_->run(close_writer(appender_.get(), counters));
  }

 private:
  ClientSession* session_;
  std::unique_ptr<Appender> appender_;
  std::optional<int32_t> bucket_;
};

class KeyedSink : public PutSink {
 public:
  KeyedSink(ClientSession* session, std::unique_ptr<Upserter> upserter, bool remove)
      : session_(session), upserter_(std::move(upserter)), remove_(remove) {}
  ~KeyedSink() override {
    if (upserter_ != nullptr) session_->release(std::move(upserter_));
  }

  const Schema& schema() const override {
    return remove_ ? upserter_->key_schema() : upserter_->schema();
  }
  Result<WriteCounters> send(std::shared_ptr<arrow::RecordBatch> rows) override {
    return session_->run(upsert_rows(upserter_.get(), std::move(rows), remove_));
  }
  Status close(WriteCounters* counters) override {
    return session_->run(close_writer(upserter_.get(), counters));
  }

 private:
  ClientSession* session_;
  std::unique_ptr<Upserter> upserter_;
  bool remove_;
};

Result<std::unique_ptr<PutSink>> open_keyed(ClientSession& session, const SinkOptions& options) {
  client::UpserterOptions writer;
  static_cast<client::WriteOptions&>(writer) = options.write;
  if (!options.remove) writer.columns = options.columns;
  if (options.overwrite) writer.mode = client::MergeMode::kOverwrite;
  ASSIGN_OR_RETURN(auto upserter,
                   session.run(Upserter::open(session.connection(), options.table, writer)));
  return std::make_unique<KeyedSink>(&session, std::move(upserter), options.remove);
}

}  // namespace

Result<std::unique_ptr<PutSink>> open_sink(ClientSession& session, const SinkOptions& options) {
  ASSIGN_OR_RETURN(auto table, session.run(session.connection()->table(options.table)));
  if (options.bucket) RETURN_IF_ERROR(check_bucket(table->info, *options.bucket));
  if (table->info.descriptor.has_primary_key()) return open_keyed(session, options);
  if (!options.keyed_option.empty()) {
    return make_error(
        ErrorCode::kNonPrimaryKeyTableException,
        "table {} has no primary key, so its rows stay as they were put; leave out {}",
        options.table,
        options.keyed_option);
  }
  client::AppenderOptions writer;
  static_cast<client::WriteOptions&>(writer) = options.write;
  ASSIGN_OR_RETURN(auto appender,
                   session.run(Appender::open(session.connection(), options.table, writer)));
  return std::make_unique<LogSink>(&session, std::move(appender), options.bucket);
}

}  // namespace lakestream::cli
