#include "support/lake_server.h"

#include <utility>

#include <fmt/format.h>

#include "client/admin.h"
#include "io/clock.h"

namespace lakestream::bench {
namespace {

using Connected = std::shared_ptr<client::Connection>;

Task<Result<int64_t>> count_rows(Connected connection, TablePath table) {
  client::LakeAdmin lake(connection);
  auto snapshot = co_await lake.latest_snapshot(table);
  if (!snapshot && snapshot.error().code() == ErrorCode::kLakeSnapshotNotExist) {
    co_return int64_t{0};
  }
  if (!snapshot) co_return fail(std::move(snapshot).error());
  int64_t rows = 0;
  for (const auto& [bucket, end] : snapshot->offsets) rows += end.value();
  co_return rows;
}

Task<Status> change(Connected connection, TablePath table, std::string key, std::string value) {
  client::Admin admin(connection);
  client::TableChange change;
  change.set.emplace(std::move(key), std::move(value));
  co_return co_await admin.alter_table(table, std::move(change), client::IfAbsent::kFail);
}

Task<Status> ended(Task<void> task) {
  co_await std::move(task);
  co_return ok();
}

}  // namespace

Result<std::unique_ptr<LakeServer>> LakeServer::start(const std::string& format) {
  auto place = std::make_unique<LakeServer>();
  ASSIGN_OR_RETURN(
      place->server,
      ServerProcess::start(place->scratch.path() + "/data",
                           {"lakestream.durability=os",
                            "datalake.format=" + format,
                            fmt::format("datalake.{}.warehouse={}", format, place->warehouse()),
                            "lakestream.tiering.heartbeat-interval=20 ms"}));
  ASSIGN_OR_RETURN(place->session, cli::ClientSession::open({place->server->address()}));
  return place;
}

Status LakeServer::set_option(const TablePath& table,
                              const std::string& key,
                              const std::string& value) {
  return session->run(change(session->connection(), table, key, value));
}

Result<int64_t> LakeServer::rows_in_lake(const TablePath& table) {
  return session->run(count_rows(session->connection(), table));
}

Status LakeServer::wait_for_rows(const TablePath& table, int64_t rows) {
  for (;;) {
    ASSIGN_OR_RETURN(int64_t present, rows_in_lake(table));
    if (present >= rows) return ok();
    RETURN_IF_ERROR(pause());
  }
}

Status LakeServer::pause() {
  auto wait = sleep_for(session->env().clock, session->shard(), std::chrono::milliseconds(5));
  return session->run(ended(std::move(wait)));
}

}  // namespace lakestream::bench
