#include "cli/bench_load.h"

#include <algorithm>
#include <string>
#include <vector>

#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "client/appender.h"
#include "client/lookuper.h"
#include "client/scanner.h"
#include "client/upserter.h"
#include "format/arrow_error.h"
#include "format/arrow_schema.h"
#include "format/value.h"

namespace lakestream::cli {
namespace {

constexpr size_t kNumberBytes = 8;
constexpr Duration kPollTimeout = std::chrono::seconds(1);

// Rows whose text has 4 bits of chance a character, so that compression has something to do.
Result<std::shared_ptr<arrow::RecordBatch>> random_rows(const LoadPlan& plan,
                                                        size_t count,
                                                        Random* random) {
  ASSIGN_OR_RETURN(Schema schema, load_schema(false));
  ArrowAppender rows(schema);
  std::string text(plan.row_bytes > kNumberBytes ? plan.row_bytes - kNumberBytes : 0, ' ');
  for (size_t i = 0; i < count; ++i) {
    for (char& c : text) c = "0123456789abcdef"[random->below(16)];
    Value row[] = {Value::integer(static_cast<int64_t>(i)), Value::bytes(text)};
    RETURN_IF_ERROR(rows.append(row));
  }
  return rows.finish();
}

// The same rows under the keys from `first` on.
Result<std::shared_ptr<arrow::RecordBatch>> with_keys(
    const std::shared_ptr<arrow::RecordBatch>& rows, uint64_t first) {
  arrow::Int64Builder keys;
  RETURN_IF_ERROR(from_arrow(keys.Reserve(rows->num_rows())));
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    keys.UnsafeAppend(static_cast<int64_t>(first) + i);
  }
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> column, from_arrow(keys.Finish()));
  return from_arrow(rows->SetColumn(0, rows->schema()->field(0), column));
}

// Calls on their way, of one flow.
struct Window {
  size_t count = 0;
  Waiter room;
  std::optional<Error> error;
  FlowResult result;
};

// Task parameters by value; the shared pointer keeps the window.
Task<void> watch(std::shared_ptr<Window> window,
                 Clock* clock,
                 client::Delivery delivery,
                 Duration begin) {
  auto places = co_await delivery.wait();
  window->result.latency.add(clock->monotonic() - begin);
  if (!places && !window->error) window->error = std::move(places).error();
  --window->count;
  window->room.wake();
}

// One call of a writer.
Task<Result<client::Delivery>> write_one(client::Appender* writer,
                                         std::shared_ptr<arrow::RecordBatch> rows,
                                         uint64_t /*first_key*/) {
  return writer->append(std::move(rows));
}

Task<Result<client::Delivery>> write_one(client::Upserter* writer,
                                         std::shared_ptr<arrow::RecordBatch> rows,
                                         uint64_t first_key) {
  CO_ASSIGN_OR_RETURN(auto keyed, with_keys(rows, first_key));
  co_return co_await writer->upsert(std::move(keyed));
}

template <typename Writer>
Task<Status> write_all(Env* env,
                       Shard* shard,
                       Writer* writer,
                       LoadPlan plan,
                       std::shared_ptr<Window> window,
                       std::shared_ptr<arrow::RecordBatch> rows) {
  uint64_t left = plan.rows;
  while (left > 0 && !window->error) {
    while (window->count >= plan.in_flight) co_await window->room.wait();
    auto count = std::min<uint64_t>(left, static_cast<uint64_t>(rows->num_rows()));
    std::shared_ptr<arrow::RecordBatch> piece = rows->Slice(0, static_cast<int64_t>(count));
    uint64_t first_key = plan.first_key + plan.rows - left;
    Duration begin = env->clock.monotonic();
    CO_ASSIGN_OR_RETURN(client::Delivery delivery,
                        co_await write_one(writer, std::move(piece), first_key));
    ++window->count;
    ++window->result.calls;
    shard->spawn(watch(window, &env->clock, std::move(delivery), begin));
    left -= count;
  }
  Status flushed = co_await writer->flush();
  while (window->count > 0) co_await window->room.wait();
  co_return flushed;
}

template <typename Writer>
Task<Result<FlowResult>> write_flow(
    Env* env, Shard* shard, std::unique_ptr<Writer> writer, LoadPlan plan, uint64_t seed) {
  Random random(seed);
  size_t batch_rows = std::max<size_t>(1, plan.batch_bytes / std::max<size_t>(1, plan.row_bytes));
  batch_rows = std::min<size_t>(batch_rows, std::max<uint64_t>(1, plan.rows));
  CO_ASSIGN_OR_RETURN(auto rows, random_rows(plan, batch_rows, &random));
  auto window = std::make_shared<Window>();
  Status written = co_await write_all(env, shard, writer.get(), plan, window, std::move(rows));
  Status closed = co_await writer->close();
  client::WriteCounters counters = writer->counters();
  if (window->error) co_return fail(*window->error);
  CO_RETURN_IF_ERROR(std::move(written));
  CO_RETURN_IF_ERROR(std::move(closed));
  window->result.rows = counters.rows_acknowledged;
  window->result.wire_bytes = counters.bytes_sent;
  co_return std::move(window->result);
}

void set_write_options(const LoadPlan& plan, client::WriteOptions* options) {
  options->acks = plan.acks;
  options->batch_bytes = 2 * plan.batch_bytes;  // a call is a batch
  options->batch_timeout = Duration(0);
  options->delivery_timeout = plan.timeout;
}

Task<Result<FlowResult>> append_flow(Env* env,
                                     Shard* shard,
                                     std::shared_ptr<client::Connection> connection,
                                     LoadPlan plan,
                                     uint64_t seed) {
  client::AppenderOptions options;
  set_write_options(plan, &options);
  options.no_key_assigner = client::NoKeyAssigner::kRoundRobin;
  CO_ASSIGN_OR_RETURN(auto appender,
                      co_await client::Appender::open(connection, plan.table, options));
  co_return co_await write_flow(env, shard, std::move(appender), plan, seed);
}

Task<Result<FlowResult>> upsert_flow(Env* env,
                                     Shard* shard,
                                     std::shared_ptr<client::Connection> connection,
                                     LoadPlan plan,
                                     uint64_t seed) {
  client::UpserterOptions options;
  set_write_options(plan, &options);
  CO_ASSIGN_OR_RETURN(auto upserter,
                      co_await client::Upserter::open(connection, plan.table, options));
  co_return co_await write_flow(env, shard, std::move(upserter), plan, seed);
}

// Looks up keys one after the other. Many of them share the window.
Task<void> look_up_keys(Env* env,
                        client::Lookuper* lookuper,
                        std::shared_ptr<Window> window,
                        LoadPlan plan,
                        uint64_t count,
                        uint64_t seed) {
  Random random(seed);
  for (uint64_t i = 0; i < count && !window->error; ++i) {
    std::vector<Value> key{Value::integer(static_cast<int64_t>(random.below(plan.key_count)))};
    Duration begin = env->clock.monotonic();
    auto row = co_await lookuper->lookup_row(std::move(key));
    if (!row) {
      if (!window->error) window->error = std::move(row).error();
      break;
    }
    window->result.latency.add(env->clock.monotonic() - begin);
    ++window->result.calls;
    if (*row) {
      ++window->result.rows;
      window->result.wire_bytes += (*row)->size();
    }
  }
  --window->count;
  window->room.wake();
}

Task<Result<FlowResult>> lookup_flow(Env* env,
                                     Shard* shard,
                                     std::shared_ptr<client::Connection> connection,
                                     LoadPlan plan,
                                     uint64_t seed) {
  client::LookupOptions options;
  options.timeout = plan.timeout;
  CO_ASSIGN_OR_RETURN(auto lookuper,
                      co_await client::Lookuper::open(connection, plan.table, options));
  auto window = std::make_shared<Window>();
  Random random(seed);
  for (size_t i = 0; i < plan.in_flight; ++i) {
    uint64_t count = plan.rows / plan.in_flight + (i < plan.rows % plan.in_flight ? 1 : 0);
    ++window->count;
    shard->spawn(look_up_keys(env, lookuper.get(), window, plan, count, random.next()));
  }
  while (window->count > 0) co_await window->room.wait();
  if (window->error) co_return fail(*window->error);
  co_return std::move(window->result);
}

Task<Result<FlowResult>> read_flow(Env* env,
                                   std::shared_ptr<client::Connection> connection,
                                   LoadPlan plan) {
  FlowResult result;
  client::ScannerOptions options;
  options.retry_timeout = plan.timeout;
  CO_ASSIGN_OR_RETURN(auto scanner,
                      co_await client::LogScanner::open(connection, plan.table, options));
  for (int32_t bucket = plan.flow; bucket < scanner->bucket_count(); bucket += plan.flow_count) {
    CO_RETURN_IF_ERROR(
        co_await scanner->subscribe(BucketId(bucket), client::OffsetSpec::earliest()));
  }
  CO_RETURN_IF_ERROR(co_await scanner->stop_at_latest());
  while (!scanner->is_finished()) {
    Duration begin = env->clock.monotonic();
    CO_ASSIGN_OR_RETURN(auto batches, co_await scanner->poll(kPollTimeout));
    if (batches.empty()) continue;
    result.latency.add(env->clock.monotonic() - begin);
    ++result.calls;
    for (const client::ScanBatch& batch : batches) {
      result.rows += static_cast<uint64_t>(batch.rows->num_rows());
    }
  }
  result.wire_bytes = scanner->counters().bytes;
  co_return result;
}

}  // namespace

Result<Schema> load_schema(bool keyed) {
  SchemaBuilder schema;
  schema.column("id", DataType::bigint().not_null()).column("payload", DataType::string());
  if (keyed) schema.primary_key({"id"});
  return schema.build();
}

Task<Result<FlowResult>> run_load(LoadKind kind,
                                  Env* env,
                                  Shard* shard,
                                  std::shared_ptr<client::Connection> connection,
                                  LoadPlan plan,
                                  uint64_t seed) {
  switch (kind) {
    case LoadKind::kAppend:
      return append_flow(env, shard, std::move(connection), std::move(plan), seed);
    case LoadKind::kUpsert:
      return upsert_flow(env, shard, std::move(connection), std::move(plan), seed);
    case LoadKind::kLookup:
      return lookup_flow(env, shard, std::move(connection), std::move(plan), seed);
    case LoadKind::kRead:
      break;
  }
  return read_flow(env, std::move(connection), std::move(plan));
}

}  // namespace lakestream::cli
