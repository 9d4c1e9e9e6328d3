// How long a query over a table takes of which 95 % lie in the lake and the rest in the log, beside
// the engine alone over the files of the lake; the same for a table with a primary key, of which
// some rows were changed since the first files; and when a row that was appended can be queried.
//
//   build/release/bench/union
//
// Peer: DuckDB of this process, with the same query over the same Parquet files, the rest left out;
// of the table with a primary key over one Parquet file of all of its rows.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <unistd.h>

#include "client/appender.h"
#include "client/upserter.h"
#include "format/arrow_schema.h"
#include "query/query.h"
#include "support/lake_server.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

using Connected = std::shared_ptr<client::Connection>;

constexpr int64_t kRows = 10'000'000;
constexpr int64_t kInLake = kRows / 100 * 95;
constexpr int64_t kBatchRows = 10'000;
constexpr int32_t kBuckets = 4;
constexpr int kRuns = 7;
constexpr double kTarget = 1.25;
// Of the table with a primary key: rows, and those that are changed in the lake and in the log.
constexpr int64_t kKeyRows = 5'000'000;
constexpr int64_t kChanged = kKeyRows / 40;
constexpr double kKeyTarget = 2;
constexpr int kAppends = 200;
constexpr double kSeenTargetMs = 50;

Result<Schema> sales(bool has_key) {
  SchemaBuilder builder;
  if (has_key) builder.primary_key({"id"});
  builder.column("id", DataType::bigint());
  builder.column("shop", DataType::integer());
  builder.column("price", DataType::double_());
  builder.column("item", DataType::string());
  return builder.build();
}

// Rows whose numbers go up by `step`.
Result<std::shared_ptr<arrow::RecordBatch>> batch_of(const Schema& schema,
                                                     int64_t first,
                                                     int64_t step = 1) {
  ArrowAppender appender(schema);
  for (int64_t id = first; id < first + kBatchRows * step; id += step) {
    std::string item = fmt::format("item {}", id * 7919 % 5000);
    std::vector<Value> row{Value::integer(id),
                           Value::integer(id * 31 % 200),
                           Value::double_(static_cast<double>(id % 1000) / 8),
                           Value::bytes(item)};
    RETURN_IF_ERROR(appender.append(row));
  }
  return appender.finish();
}

Task<Status> append(
    Connected connection, TablePath table, Schema schema, int64_t first, int64_t end) {
  client::AppenderOptions options;
  options.no_key_assigner = client::NoKeyAssigner::kRoundRobin;
  CO_ASSIGN_OR_RETURN(auto appender, co_await client::Appender::open(connection, table, options));
  for (int64_t id = first; id < end; id += kBatchRows) {
    CO_ASSIGN_OR_RETURN(auto batch, batch_of(schema, id));
    CO_RETURN_IF_ERROR(co_await appender->append(batch));
  }
  co_return co_await appender->close();
}

Task<Status> upsert(
    Connected connection, TablePath table, int64_t first, int64_t end, int64_t step) {
  client::UpserterOptions options;
  CO_ASSIGN_OR_RETURN(auto upserter, co_await client::Upserter::open(connection, table, options));
  for (int64_t id = first; id < end; id += kBatchRows * step) {
    CO_ASSIGN_OR_RETURN(auto batch, batch_of(upserter->schema(), id, step));
    CO_RETURN_IF_ERROR(co_await upserter->upsert(batch));
  }
  co_return co_await upserter->close();
}

Task<Status> append_one(std::shared_ptr<client::Appender> appender, int64_t id) {
  std::vector<Value> row{Value::integer(id)};
  CO_ASSIGN_OR_RETURN(client::Delivery taken, appender->append_row(row));
  (void)taken;
  co_return co_await appender->flush();
}

// The rows of the answer.
Result<int64_t> run_query(query::Session& session, const std::string& text) {
  ASSIGN_OR_RETURN(auto answer, session.execute({text}));
  int64_t rows = 0;
  for (;;) {
    ASSIGN_OR_RETURN(auto batch, answer->next());
    if (batch == nullptr) return rows;
    rows += batch->num_rows();
  }
}

struct Measured {
  Spread seconds;
  double cpu = 0;  // seconds of a run, of this process and the server
};

Result<Measured> measure(LakeServer& place, query::Session& session, const std::string& text) {
  auto cpu_seconds = [&] { return cpu_seconds_of(getpid()) + place.server->cpu_seconds(); };
  std::vector<double> seconds;
  double cpu = cpu_seconds();
  for (int run = 0; run < kRuns; ++run) {
    double begin = seconds_now();
    ASSIGN_OR_RETURN(int64_t rows, run_query(session, text));
    if (rows == 0) return make_error(ErrorCode::kUnknownServerError, "no rows: {}", text);
    seconds.push_back(seconds_now() - begin);
  }
  return Measured{spread_of(seconds), (cpu_seconds() - cpu) / kRuns};
}

// Whose time is at most `target` times that of the peer.
void print_pair(std::string_view peer_name,
                const Measured& peer,
                std::string_view name,
                const Measured& ours,
                double target) {
  auto print = [](std::string_view of, const Measured& made) {
    fmt::print("{:<28} {:8.3f} s median, {:.3f} at best, {:.3f} s of CPU\n",
               of,
               made.seconds.median,
               made.seconds.min,
               made.cpu);
  };
  print(peer_name, peer);
  print(name, ours);
  double ratio = ours.seconds.median / peer.seconds.median;
  fmt::print(
      "  ratio {:.2f}{}; of CPU {:.2f}\n", ratio, at_most(ratio, target, ""), ours.cpu / peer.cpu);
  std::fflush(stdout);
}

Result<std::unique_ptr<query::Session>> open_session(LakeServer& place) {
  cli::ClientSession& session = *place.session;
  return query::Session::open(session.env(), session.shard(), session.connection(), {});
}

std::string select_from(const std::string& table) {
  return fmt::format("SELECT shop, count(*), sum(price), max(item) FROM {} GROUP BY shop", table);
}

Status measure_aggregate(LakeServer& place) {
  TablePath table{"fluss", "sales"};
  ASSIGN_OR_RETURN(Schema schema, sales(false));
  Properties properties{{"table.datalake.enabled", "true"}, {"table.datalake.freshness", "3 s"}};
  Connected connection = place.session->connection();
  RETURN_IF_ERROR(
      place.session->run(create_table(connection, table, schema, kBuckets, properties)));
  RETURN_IF_ERROR(place.session->run(append(connection, table, schema, 0, kInLake)));
  RETURN_IF_ERROR(place.wait_for_rows(table, kInLake));
  RETURN_IF_ERROR(place.set_option(table, "table.datalake.freshness", "1 h"));
  RETURN_IF_ERROR(place.session->run(append(connection, table, schema, kInLake, kRows)));

  ASSIGN_OR_RETURN(auto session, open_session(place));
  std::string files = fmt::format("'{}/fluss.db/sales/bucket-*/*.parquet'", place.warehouse());
  ASSIGN_OR_RETURN(Measured peer, measure(place, *session, select_from(files)));
  ASSIGN_OR_RETURN(Measured ours, measure(place, *session, select_from("sales")));
  ASSIGN_OR_RETURN(int64_t present, place.rows_in_lake(table));
  std::string name = fmt::format("union, {} % of it hot", 100 - present * 100 / kRows);
  print_pair("DuckDB over the files", peer, name, ours, kTarget);
  return ok();
}

// Each change of a row that is there is two of the log.
Status measure_keys(LakeServer& place) {
  TablePath table{"fluss", "stock"};
  ASSIGN_OR_RETURN(Schema schema, sales(true));
  Properties properties{{"table.datalake.enabled", "true"}, {"table.datalake.freshness", "3 s"}};
  Connected connection = place.session->connection();
  RETURN_IF_ERROR(
      place.session->run(create_table(connection, table, schema, kBuckets, properties)));
  auto write = [&](int64_t first, int64_t end, int64_t step) {
    return place.session->run(upsert(connection, table, first, end, step));
  };
  RETURN_IF_ERROR(write(0, kKeyRows, 1));
  RETURN_IF_ERROR(place.wait_for_rows(table, kKeyRows));
  RETURN_IF_ERROR(write(0, kKeyRows, kKeyRows / kChanged));
  RETURN_IF_ERROR(place.wait_for_rows(table, kKeyRows + 2 * kChanged));
  RETURN_IF_ERROR(place.set_option(table, "table.datalake.freshness", "1 h"));
  // Half of them are changed for the second time, half are new.
  RETURN_IF_ERROR(write(kKeyRows / 2, kKeyRows * 3 / 2, kKeyRows / kChanged));

  ASSIGN_OR_RETURN(auto session, open_session(place));
  std::string copy = fmt::format("'{}/stock.parquet'", place.scratch.path());
  RETURN_IF_ERROR(
      run_query(*session, fmt::format("COPY (SELECT * FROM stock ORDER BY id) TO {}", copy)));
  ASSIGN_OR_RETURN(Measured peer, measure(place, *session, select_from(copy)));
  ASSIGN_OR_RETURN(Measured ours, measure(place, *session, select_from("stock")));
  print_pair("DuckDB over a copy by key", peer, "union by key", ours, kKeyTarget);
  return ok();
}

Status measure_seen(LakeServer& place) {
  TablePath table{"fluss", "few"};
  SchemaBuilder builder;
  builder.column("id", DataType::bigint());
  ASSIGN_OR_RETURN(Schema schema, builder.build());
  Properties properties{{"table.datalake.enabled", "true"}, {"table.datalake.freshness", "1 s"}};
  Connected connection = place.session->connection();
  RETURN_IF_ERROR(place.session->run(create_table(connection, table, schema, 1, properties)));
  ASSIGN_OR_RETURN(auto opened, place.session->run(client::Appender::open(connection, table, {})));
  std::shared_ptr<client::Appender> appender = std::move(opened);
  ASSIGN_OR_RETURN(auto session, open_session(place));
  std::vector<double> ms;
  for (int64_t id = 0; id < kAppends; ++id) {
    double begin = seconds_now();
    RETURN_IF_ERROR(place.session->run(append_one(appender, id)));
    ASSIGN_OR_RETURN(int64_t rows,
                     run_query(*session, fmt::format("SELECT id FROM few WHERE id = {}", id)));
    if (rows != 1) return make_error(ErrorCode::kUnknownServerError, "row {} is not there", id);
    ms.push_back((seconds_now() - begin) * 1000);
  }
  RETURN_IF_ERROR(place.session->run(appender->close()));
  std::sort(ms.begin(), ms.end());
  double p99 = ms[ms.size() * 99 / 100];
  std::printf("append, then select the row  %8.1f ms p50, %.1f p99%s\n",
              ms[ms.size() / 2],
              p99,
              at_most(p99, kSeenTargetMs, " ms").c_str());
  return ok();
}

Status run() {
  std::printf("union, %ld rows of 4 columns, os\n", kRows);
  ASSIGN_OR_RETURN(auto place, LakeServer::start());
  RETURN_IF_ERROR(measure_aggregate(*place));
  RETURN_IF_ERROR(measure_keys(*place));
  return measure_seen(*place);
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("union", lakestream::bench::run()); }
