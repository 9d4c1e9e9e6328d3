#include "cli/bench_load.h"

#include <algorithm>
#include <string>
#include <vector>

#include <arrow/record_batch.h>

#include "client/scanner.h"
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
  ASSIGN_OR_RETURN(Schema schema, load_schema());
  ArrowAppender rows(schema);
  std::string text(plan.row_bytes > kNumberBytes ? plan.row_bytes - kNumberBytes : 0, ' ');
  for (size_t i = 0; i < count; ++i) {
    for (char& c : text) c = "0123456789abcdef"[random->below(16)];
    Value row[] = {Value::integer(static_cast<int64_t>(i)), Value::bytes(text)};
    RETURN_IF_ERROR(rows.append(row));
  }
  return rows.finish();
}

// Appends on their way, of one flow.
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

Task<Status> append_all(Env* env,
                        Shard* shard,
                        client::Appender* appender,
                        LoadPlan plan,
                        std::shared_ptr<Window> window,
                        std::shared_ptr<arrow::RecordBatch> rows) {
  uint64_t left = plan.rows;
  while (left > 0 && !window->error) {
    while (window->count >= plan.in_flight) co_await window->room.wait();
    auto count = std::min<uint64_t>(left, static_cast<uint64_t>(rows->num_rows()));
    std::shared_ptr<arrow::RecordBatch> piece = rows->Slice(0, static_cast<int64_t>(count));
    Duration begin = env->clock.monotonic();
    CO_ASSIGN_OR_RETURN(client::Delivery delivery, co_await appender->append(std::move(piece)));
    ++window->count;
    ++window->result.calls;
    shard->spawn(watch(window, &env->clock, std::move(delivery), begin));
    left -= count;
  }
  Status flushed = co_await appender->flush();
  while (window->count > 0) co_await window->room.wait();
  co_return flushed;
}

}  // namespace

Result<Schema> load_schema() {
  return SchemaBuilder()
      .column("id", DataType::bigint().not_null())
      .column("payload", DataType::string())
      .build();
}

Task<Result<FlowResult>> append_flow(Env* env,
                                     Shard* shard,
                                     std::shared_ptr<client::Connection> connection,
                                     LoadPlan plan,
                                     uint64_t seed) {
  Random random(seed);
  size_t batch_rows = std::max<size_t>(1, plan.batch_bytes / std::max<size_t>(1, plan.row_bytes));
  batch_rows = std::min<size_t>(batch_rows, std::max<uint64_t>(1, plan.rows));
  CO_ASSIGN_OR_RETURN(auto rows, random_rows(plan, batch_rows, &random));

  client::AppenderOptions options;
  options.acks = plan.acks;
  options.batch_bytes = 2 * plan.batch_bytes;  // an append is a batch
  options.batch_timeout = Duration(0);
  options.delivery_timeout = plan.timeout;
  options.no_key_assigner = client::NoKeyAssigner::kRoundRobin;
  CO_ASSIGN_OR_RETURN(auto appender,
                      co_await client::Appender::open(connection, plan.table, options));
  auto window = std::make_shared<Window>();
  Status appended = co_await append_all(env, shard, appender.get(), plan, window, std::move(rows));
  Status closed = co_await appender->close();
  client::AppenderCounters counters = appender->counters();
  if (window->error) co_return fail(*window->error);
  CO_RETURN_IF_ERROR(std::move(appended));
  CO_RETURN_IF_ERROR(std::move(closed));
  window->result.rows = counters.rows_acknowledged;
  window->result.wire_bytes = counters.bytes_sent;
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

}  // namespace lakestream::cli
