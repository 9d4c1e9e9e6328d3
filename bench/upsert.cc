// How fast rows of a primary-key table are written, acknowledged by all replicas, and what they
// cost the server: unseen keys, ascending and random, then updates of known ones in another order;
// and whether a reader of the changelog keeps up.
//
//   build/release/bench/upsert [PART OF A NAME]

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "base/endian.h"
#include "client/scanner.h"
#include "client/upserter.h"
#include "format/arrow_error.h"
#include "format/arrow_schema.h"
#include "support/running.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr size_t kNumberBytes = 8;
constexpr size_t kBatchBytes = 1'000'000;
// CPU seconds per million rows of 100 bytes.
constexpr double kAscendingTarget = 3;
constexpr double kRandomTarget = 6;

struct Case {
  const char* durability;
  size_t row_bytes;
  int32_t buckets;
  size_t rows;
};

std::string title_of(const Case& c) {
  return fmt::format("{}, {} B rows, {} bucket(s)", c.durability, c.row_bytes, c.buckets);
}

// The key of the row at a position.
using KeyOf = std::function<int64_t(size_t)>;

int64_t ascending(size_t position) { return static_cast<int64_t>(position); }

// A permutation of all numbers, so that keys are random, distinct and known again.
int64_t scattered(size_t position) {
  uint64_t number = position;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return static_cast<int64_t>(number ^ (number >> 31));
}

Result<std::shared_ptr<arrow::RecordBatch>> rows_of(
    const Schema& schema, size_t row_bytes, size_t first, size_t rows, const KeyOf& key_of) {
  arrow::Int64Builder ids;
  arrow::StringBuilder texts;
  // No two rows are alike, as in life.
  std::string text(row_bytes - kNumberBytes, 'x');
  for (size_t i = first; i < first + rows; ++i) {
    store_le(text.data(), static_cast<uint32_t>(i) & 0x7f7f7f7f);
    RETURN_IF_ERROR(from_arrow(ids.Append(key_of(i))));
    RETURN_IF_ERROR(from_arrow(texts.Append(text)));
  }
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> id, from_arrow(ids.Finish()));
  ASSIGN_OR_RETURN(std::shared_ptr<arrow::Array> payload, from_arrow(texts.Finish()));
  std::vector<std::shared_ptr<arrow::Array>> columns{id, payload};
  return arrow::RecordBatch::Make(
      arrow_schema_of(schema), static_cast<int64_t>(rows), std::move(columns));
}

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

// Reads the changelog as it grows, until it has all of it after stop().
class Follower {
 public:
  static Task<Result<std::shared_ptr<Follower>>> start(
      Shard* shard, std::shared_ptr<client::Connection> connection, TablePath table) {
    auto follower = std::make_shared<Follower>();
    client::ScannerOptions options;
    CO_ASSIGN_OR_RETURN(follower->scanner_,
                        co_await client::LogScanner::open(connection, table, options));
    CO_RETURN_IF_ERROR(co_await follower->scanner_->subscribe_all(client::OffsetSpec::latest()));
    shard->spawn(follow(follower));
    co_return follower;
  }
  // How long it takes to read what there is.
  Task<Result<double>> stop() {
    double begin = seconds_now();
    CO_RETURN_IF_ERROR(co_await scanner_->stop_at_latest());
    stopping_ = true;
    scanner_->wakeup();
    co_await done_.wait();
    if (error_) co_return fail(*error_);
    co_return seconds_now() - begin;
  }

 private:
  static Task<void> follow(std::shared_ptr<Follower> self) {
    while (!self->stopping_ || !self->scanner_->is_finished()) {
      auto batches = co_await self->scanner_->poll_raw(std::chrono::seconds(1));
      if (batches) continue;
      self->error_ = std::move(batches).error();
      break;
    }
    self->done_.wake();
  }

  std::unique_ptr<client::LogScanner> scanner_;
  bool stopping_ = false;
  std::optional<Error> error_;
  Waiter done_;
};

struct Pass {
  double seconds = 0;  // from the first row to the last acknowledgement
  double behind = 0;   // then until a reader of the changelog had it all
};

Task<Result<Pass>> upsert_all(Shard* shard,
                              std::shared_ptr<client::Connection> connection,
                              TablePath table,
                              Batches batches) {
  client::UpserterOptions options;
  options.batch_bytes = kBatchBytes;
  CO_ASSIGN_OR_RETURN(auto follower, co_await Follower::start(shard, connection, table));
  CO_ASSIGN_OR_RETURN(auto upserter, co_await client::Upserter::open(connection, table, options));
  Pass pass;
  double begin = seconds_now();
  for (auto& batch : batches) {
    auto delivery = co_await upserter->upsert(std::move(batch));
    if (!delivery) co_return fail(std::move(delivery).error());
  }
  CO_RETURN_IF_ERROR(co_await upserter->flush());
  pass.seconds = seconds_now() - begin;
  CO_ASSIGN_OR_RETURN(pass.behind, co_await follower->stop());
  CO_RETURN_IF_ERROR(co_await upserter->close());
  co_return pass;
}

Result<Schema> keyed_schema() {
  ASSIGN_OR_RETURN(Schema schema, text_schema());
  return SchemaBuilder(std::move(schema)).primary_key({"id"}).build();
}

Status run_pass(Running& running,
                const Case& c,
                const TablePath& table,
                const Schema& schema,
                const KeyOf& key_of,
                const char* name,
                double target) {
  Batches batches;
  size_t batch_rows = kBatchBytes / c.row_bytes;
  for (size_t first = 0; first < c.rows; first += batch_rows) {
    size_t count = std::min(batch_rows, c.rows - first);
    ASSIGN_OR_RETURN(auto batch, rows_of(schema, c.row_bytes, first, count, key_of));
    batches.push_back(std::move(batch));
  }
  cli::ClientSession& session = *running.session;
  double cpu = running.server->cpu_seconds();
  ASSIGN_OR_RETURN(
      Pass pass,
      session.run(upsert_all(&session.shard(), session.connection(), table, std::move(batches))));
  // What is left to do in the background is part of the cost.
  ASSIGN_OR_RETURN(double end_cpu, running.server->cpu_seconds_when_idle());
  auto rows = static_cast<double>(c.rows);
  cpu = (end_cpu - cpu) / rows * 1e6;
  bool has_target = c.row_bytes == 100 && std::string_view(c.durability) == "os";
  std::printf("%-54s %6.0f %9.0f %8.2f %9.3f %8.0f%s\n",
              fmt::format("{}, {}", name, title_of(c)).c_str(),
              rows * static_cast<double>(c.row_bytes) / pass.seconds / 1e6,
              rows / pass.seconds,
              cpu,
              pass.behind,
              running.server->resident_mib(),
              has_target ? at_most(cpu, target, "").c_str() : "");
  std::fflush(stdout);
  return ok();
}

Status run_case(const Case& c) {
  ASSIGN_OR_RETURN(auto running,
                   Running::start({fmt::format("lakestream.durability={}", c.durability)}));
  ASSIGN_OR_RETURN(Schema schema, keyed_schema());
  cli::ClientSession& session = *running->session;
  TablePath ordered{"fluss", "ordered"};
  TablePath random{"fluss", "random"};
  for (const TablePath& table : {ordered, random}) {
    RETURN_IF_ERROR(session.run(create_table(session.connection(), table, schema, c.buckets)));
  }
  auto again = [&c](size_t i) {
    return scattered(static_cast<uint64_t>(scattered(i + c.rows)) % c.rows);
  };
  RETURN_IF_ERROR(
      run_pass(*running, c, ordered, schema, ascending, "unseen ascending keys", kAscendingTarget));
  RETURN_IF_ERROR(
      run_pass(*running, c, random, schema, scattered, "unseen random keys", kRandomTarget));
  return run_pass(*running, c, random, schema, again, "updates of random keys", kRandomTarget);
}

Status run(std::string_view wanted) {
  std::printf(
      "%-54s %6s %9s %8s %9s %8s\n", "upsert", "MB/s", "rows/s", "cpu s/M", "behind s", "MiB");
  std::vector<Case> cases;
  for (size_t row_bytes : {size_t{100}, size_t{1024}}) {
    size_t rows = row_bytes == 100 ? 1'000'000 : 200'000;
    for (int32_t buckets : {1, 8}) cases.push_back({"os", row_bytes, buckets, rows});
  }
  cases.push_back({"sync", 100, 8, 1'000'000});
  for (const Case& c : cases) {
    if (title_of(c).find(wanted) != std::string::npos) RETURN_IF_ERROR(run_case(c));
  }
  return ok();
}

}  // namespace
}  // namespace lakestream::bench

int main(int argc, char** argv) {
  return lakestream::bench::finish("upsert", lakestream::bench::run(argc > 1 ? argv[1] : ""));
}
