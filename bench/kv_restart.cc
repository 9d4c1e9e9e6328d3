// How soon primary-key tables serve again after a stop, a crash and the loss of their local state,
// and what memory they take: 1,000 buckets of which few are in use, and 256 under load.
//
//   build/release/bench/kv_restart [MIB OF STATE]
//
// Peer: none. Targets: ready within 2 s with 1 GiB of state in 16 buckets; served again within 10 s
// from a remote snapshot and 100 MiB of log; 1,000 buckets with 16 in use ready within 0.5 s and in
// 150 MiB. Memory under load is shown beside what the server counts itself.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "client/lookuper.h"
#include "client/upserter.h"
#include "format/value.h"
#include "support/running.h"
#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr size_t kStateMib = 1024;
constexpr size_t kLateMib = 100;
constexpr size_t kRowBytes = 1024;
constexpr size_t kNumberBytes = 8;
constexpr int32_t kBuckets = 16;
constexpr int32_t kManyBuckets = 256;
constexpr int kIdleTables = 12;
constexpr int32_t kIdleBuckets = 82;
constexpr double kReadyTarget = 2;
constexpr double kSnapshotTarget = 10;
constexpr double kIdleReadyTarget = 0.5;
constexpr double kIdleMibTarget = 150;

using Settings = std::vector<std::string>;

Settings settings_with(Settings more) {
  more.push_back("lakestream.durability=os");
  return more;
}

Task<Status> make_table(std::shared_ptr<client::Connection> connection,
                        TablePath table,
                        int32_t buckets) {
  CO_ASSIGN_OR_RETURN(Schema plain, text_schema());
  SchemaBuilder builder(std::move(plain));
  builder.primary_key({"id"});
  CO_ASSIGN_OR_RETURN(Schema schema, builder.build());
  co_return co_await create_table(connection, table, std::move(schema), buckets);
}

Task<Status> upsert(std::shared_ptr<client::Connection> connection,
                    TablePath table,
                    size_t first,
                    size_t rows,
                    size_t row_bytes) {
  CO_ASSIGN_OR_RETURN(
      auto upserter, co_await client::Upserter::open(connection, table, client::UpserterOptions()));
  std::string text(row_bytes - kNumberBytes, 'x');
  for (size_t i = first; i < first + rows; ++i) {
    CO_RETURN_IF_ERROR(co_await upserter->room());
    std::vector<Value> row{Value::integer(static_cast<int64_t>(i)), Value::bytes(text)};
    auto taken = upserter->upsert_row(row);
    if (!taken) co_return fail(std::move(taken).error());
  }
  co_return co_await upserter->close();
}

// Rows of all buckets; the last ones that were written among them.
Task<Status> look_up(std::shared_ptr<client::Connection> connection, TablePath table, size_t rows) {
  constexpr size_t kLookups = 200;
  CO_ASSIGN_OR_RETURN(auto lookuper,
                      co_await client::Lookuper::open(connection, table, client::LookupOptions()));
  for (size_t i = 0; i < kLookups; ++i) {
    size_t key = i % 2 == 0 ? rows - 1 - i : i;
    std::vector<Value> values{Value::integer(static_cast<int64_t>(key))};
    CO_ASSIGN_OR_RETURN(auto row, co_await lookuper->lookup_row(std::move(values)));
    if (!row) co_return make_error(ErrorCode::kUnknownServerError, "a row is lost");
  }
  co_return ok();
}

Status put(const ServerProcess& server, const TablePath& table, size_t first, size_t rows) {
  ASSIGN_OR_RETURN(auto session, cli::ClientSession::open({server.address()}));
  return session->run(upsert(session->connection(), table, first, rows, kRowBytes));
}

void print(const std::string& what, double value, const char* unit, const std::string& verdict) {
  std::printf("%-62s %9.3f %s%s\n", what.c_str(), value, unit, verdict.c_str());
  std::fflush(stdout);
}

// Starts the server and looks rows up.
Result<std::unique_ptr<ServerProcess>> serve_again(const std::string& data,
                                                   const TablePath& table,
                                                   size_t rows,
                                                   const std::string& after) {
  ASSIGN_OR_RETURN(auto server, ServerProcess::start(data, settings_with({})));
  double ready = server->seconds_to_ready();
  print("ready after " + after, ready, "s", at_most(ready, kReadyTarget, " s"));
  ASSIGN_OR_RETURN(auto session, cli::ClientSession::open({server->address()}));
  double begin = seconds_now();
  RETURN_IF_ERROR(session->run(look_up(session->connection(), table, rows)));
  print("  then rows of all buckets looked up in", seconds_now() - begin, "s", "");
  return server;
}

Status restart(size_t mib) {
  ScratchDirectory scratch;
  std::string data = scratch.path() + "/data";
  TablePath table{"fluss", "state"};
  size_t rows = (mib << 20) / kRowBytes;
  ASSIGN_OR_RETURN(auto server, ServerProcess::start(data, settings_with({})));
  {
    ASSIGN_OR_RETURN(auto session, cli::ClientSession::open({server->address()}));
    RETURN_IF_ERROR(session->run(make_table(session->connection(), table, kBuckets)));
  }
  RETURN_IF_ERROR(put(*server, table, 0, rows));
  double begin = seconds_now();
  server.reset();
  print("stop", seconds_now() - begin, "s", "");
  std::string state = fmt::format("{} MiB in {} buckets", mib, kBuckets);
  ASSIGN_OR_RETURN(server, serve_again(data, table, rows, "a stop, " + state));
  size_t late = (kLateMib << 20) / kRowBytes;
  RETURN_IF_ERROR(put(*server, table, rows, late));
  server->kill_now();
  ASSIGN_OR_RETURN(server, serve_again(data, table, rows + late, "kill -9 behind 100 MiB of puts"));
  return ok();
}

void remove_states(const std::string& data) {
  std::vector<std::filesystem::path> states;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data + "/fluss")) {
    if (entry.path().filename().string().starts_with("kv-")) states.push_back(entry.path());
  }
  for (const auto& state : states) std::filesystem::remove_all(state);
}

Status restore(size_t mib) {
  ScratchDirectory scratch;
  std::string data = scratch.path() + "/data";
  TablePath table{"fluss", "state"};
  size_t rows = (mib << 20) / kRowBytes;
  size_t late = (kLateMib << 20) / kRowBytes;
  ASSIGN_OR_RETURN(auto server,
                   ServerProcess::start(data, settings_with({"kv.snapshot.interval=1s"})));
  {
    ASSIGN_OR_RETURN(auto session, cli::ClientSession::open({server->address()}));
    RETURN_IF_ERROR(session->run(make_table(session->connection(), table, kBuckets)));
  }
  RETURN_IF_ERROR(put(*server, table, 0, rows));
  sleep(2);  // at least one snapshot begins behind the last put
  auto idle = server->cpu_seconds_when_idle();
  if (!idle) return fail(std::move(idle).error());
  server.reset();
  ASSIGN_OR_RETURN(server, ServerProcess::start(data, settings_with({})));
  RETURN_IF_ERROR(put(*server, table, rows, late));
  server->kill_now();
  remove_states(data);
  double begin = seconds_now();
  ASSIGN_OR_RETURN(server,
                   serve_again(data, table, rows + late, "kill -9 and loss of the local state"));
  double seconds = seconds_now() - begin;
  std::string what = fmt::format("served from a snapshot of {} MiB, 100 MiB of log", mib);
  print(what, seconds, "s", at_most(seconds, kSnapshotTarget, " s"));
  return ok();
}

Status idle() {
  ScratchDirectory scratch;
  std::string data = scratch.path() + "/data";
  TablePath used{"fluss", "used"};
  constexpr size_t kRows = 1'000;
  for (bool again : {false, true}) {
    ASSIGN_OR_RETURN(auto server, ServerProcess::start(data, settings_with({})));
    ASSIGN_OR_RETURN(auto session, cli::ClientSession::open({server->address()}));
    auto connection = session->connection();
    if (!again) {
      RETURN_IF_ERROR(session->run(make_table(connection, used, kBuckets)));
      for (int i = 0; i < kIdleTables; ++i) {
        TablePath table{"fluss", fmt::format("idle_{}", i)};
        RETURN_IF_ERROR(session->run(make_table(connection, std::move(table), kIdleBuckets)));
      }
    }
    RETURN_IF_ERROR(session->run(upsert(connection, used, 0, kRows, kRowBytes)));
    RETURN_IF_ERROR(session->run(look_up(connection, used, kRows)));
    sleep(1);
    if (!again) continue;
    int32_t buckets = kBuckets + kIdleTables * kIdleBuckets;
    double ready = server->seconds_to_ready();
    double mib = server->resident_mib();
    print(fmt::format("ready, {} buckets", buckets),
          ready,
          "s",
          at_most(ready, kIdleReadyTarget, " s"));
    print(fmt::format("resident, {} of them in use", kBuckets),
          mib,
          "MiB",
          at_most(mib, kIdleMibTarget, " MiB"));
  }
  return ok();
}

// Standard error of the children goes to the file as long as it lives.
class ErrorsTo {
 public:
  explicit ErrorsTo(const std::string& file) : kept_(dup(STDERR_FILENO)) {
    int to = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    dup2(to, STDERR_FILENO);
    close(to);
  }
  ~ErrorsTo() {
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }

 private:
  int kept_;
};

// The numbers of the last line about memory.
std::map<std::string, double> counted_mib(const std::string& file) {
  std::map<std::string, double> counted;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("memory of primary-key buckets") == std::string::npos) continue;
    for (const char* name : {"block_cache", "write_buffers", "row_cache", "pending"}) {
      size_t at = line.find(fmt::format(" {}=", name));
      if (at == std::string::npos) continue;
      counted[name] = std::strtod(line.c_str() + line.find('=', at) + 1, nullptr) / (1 << 20);
    }
  }
  return counted;
}

Status loaded() {
  ScratchDirectory scratch;
  std::string errors = scratch.path() + "/errors";
  TablePath table{"fluss", "loaded"};
  constexpr size_t kRows = 500'000;
  double peak = 0;
  {
    ErrorsTo file(errors);
    ASSIGN_OR_RETURN(auto server,
                     ServerProcess::start(scratch.path() + "/data",
                                          settings_with({"lakestream.log-level=info"})));
    double before = server->resident_mib();
    ASSIGN_OR_RETURN(auto session, cli::ClientSession::open({server->address()}));
    RETURN_IF_ERROR(session->run(make_table(session->connection(), table, kManyBuckets)));
    for (int round = 0; round < 3; ++round) {
      auto done = session->run(upsert(session->connection(), table, 0, kRows, 256));
      if (!done) return done;
      peak = std::max(peak, server->resident_mib() - before);
    }
  }
  std::map<std::string, double> counted = counted_mib(errors);
  double sum = 0;
  std::string parts;
  for (const auto& [name, mib] : counted) {
    sum += mib;
    parts += fmt::format(" {} {:.0f}", name, mib);
  }
  print(fmt::format("resident for {} buckets under load", kManyBuckets), peak, "MiB", "");
  print("  as the server counts it (MiB):" + parts, sum, "MiB", "");
  return ok();
}

Status run(size_t mib) {
  RETURN_IF_ERROR(idle());
  RETURN_IF_ERROR(loaded());
  RETURN_IF_ERROR(restart(mib));
  return restore(mib / 4);
}

}  // namespace
}  // namespace lakestream::bench

int main(int argc, char** argv) {
  using namespace lakestream::bench;
  return finish("kv_restart", run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : kStateMib));
}
