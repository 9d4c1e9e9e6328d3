#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/session.h"
#include "client/admin.h"
#include "client/lake_admin.h"

namespace lakestream::cli {
namespace {

using client::Admin;
using client::LakeAdmin;
using client::OffsetSpec;
using Connected = std::shared_ptr<client::Connection>;
using Json = nlohmann::ordered_json;

struct Options {
  ServerAccess server;
  OutputFormat format = OutputFormat::kTable;
};

struct Row {
  client::TieringStatus status;
  Duration freshness{0};
  std::string format = {};  // of the lake
  std::optional<int64_t> snapshot = std::nullopt;
  int64_t tiered = 0;  // records of all logs that are in the lake
  int64_t behind = 0;  // and that are not
};

// The records of a table or partition that are, and are not, below the offsets of the lake.
Task<Status> count_place(Connected connection,
                         PhysicalTablePath path,
                         TableBucket place,
                         const LakeOffsets* offsets,
                         Row* row) {
  Admin admin(connection);
  std::vector<BucketId> all;
  CO_ASSIGN_OR_RETURN(auto ends, co_await admin.list_offsets(path, OffsetSpec::latest(), all));
  for (const client::BucketOffset& end : ends) {
    place.bucket = end.bucket;
    auto found = offsets->find(place);
    int64_t tiered = found == offsets->end() ? 0 : found->second.value();
    row->tiered += tiered;
    row->behind += std::max<int64_t>(0, end.offset.value() - tiered);
  }
  co_return ok();
}

Task<Status> count_records(Connected connection, Row* row) {
  Admin admin(connection);
  LakeAdmin lake(connection);
  const TablePath path = row->status.path;
  CO_ASSIGN_OR_RETURN(client::TableInfo info, co_await admin.table_info(path));
  row->freshness = info.options.lake.freshness;
  if (info.options.lake.format) row->format = name_of(*info.options.lake.format);
  LakeOffsets offsets;
  auto snapshot = co_await lake.latest_snapshot(path);
  if (snapshot) {
    row->snapshot = snapshot->id.value();
    offsets = std::move(snapshot->offsets);
  } else if (snapshot.error().code() != ErrorCode::kLakeSnapshotNotExist) {
    co_return fail(std::move(snapshot).error());
  }
  TableBucket place{info.id, std::nullopt, BucketId(0)};
  if (!info.descriptor.is_partitioned()) {
    PhysicalTablePath whole{path, std::nullopt};
    co_return co_await count_place(connection, std::move(whole), place, &offsets, row);
  }
  PartitionSpec all;
  CO_ASSIGN_OR_RETURN(auto partitions, co_await admin.list_partitions(path, std::move(all)));
  for (client::PartitionInfo& partition : partitions) {
    place.partition = partition.id;
    PhysicalTablePath part{path, std::move(partition.name)};
    Status counted = co_await count_place(connection, std::move(part), place, &offsets, row);
    // It was dropped in between.
    if (!counted && counted.error().code() == ErrorCode::kPartitionNotExists) continue;
    if (!counted) co_return counted;
  }
  co_return ok();
}

Task<Result<std::vector<Row>>> gather(Connected connection) {
  LakeAdmin lake(connection);
  CO_ASSIGN_OR_RETURN(auto statuses, co_await lake.tiering_statuses());
  std::vector<Row> rows;
  for (client::TieringStatus& status : statuses) {
    Row row;
    row.status = std::move(status);
    Status counted = co_await count_records(connection, &row);
    if (!counted && counted.error().code() == ErrorCode::kTableNotExist) continue;
    if (!counted) co_return fail(std::move(counted).error());
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.status.path < b.status.path;
  });
  co_return rows;
}

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

// Why the table is behind, as far as somebody can do something about it.
std::string reason_of(const Row& row) {
  if (!row.status.failure.empty()) {
    return fmt::format(
        "failed {}: {}",
        row.status.failures <= 1 ? "once" : fmt::format("{} times", row.status.failures),
        row.status.failure);
  }
  bool is_late = row.status.state == "pending" && row.status.in_state > row.freshness;
  if (is_late && row.behind > 0) return "waits for a worker; is one running, and are they enough?";
  return "";
}

void print_as_json(const std::vector<Row>& rows) {
  Json document = Json::array();
  for (const Row& row : rows) {
    Json& entry = document.emplace_back();
    entry["table"] = fmt::to_string(row.status.path);
    entry["format"] = row.format;
    entry["state"] = row.status.state;
    entry["in_state_seconds"] = seconds_of(row.status.in_state);
    entry["freshness_seconds"] = seconds_of(row.freshness);
    entry["snapshot"] = row.snapshot ? Json(*row.snapshot) : Json();
    entry["in_lake"] = row.tiered;
    entry["behind"] = row.behind;
    entry["failures"] = row.status.failures;
    entry["reason"] = reason_of(row);
  }
  print_json(document);
}

void print_as_table(const std::vector<Row>& rows) {
  TextTable table({"table",
                   "format",
                   "state",
                   "since",
                   "freshness",
                   "snapshot",
                   "in lake",
                   "behind",
                   "reason"});
  for (const Row& row : rows) {
    table.add({fmt::to_string(row.status.path),
               row.format,
               row.status.state,
               fmt::format("{:.1f} s", seconds_of(row.status.in_state)),
               fmt::format("{:g} s", seconds_of(row.freshness)),
               row.snapshot ? std::to_string(*row.snapshot) : "",
               std::to_string(row.tiered),
               std::to_string(row.behind),
               reason_of(row)});
  }
  table.print();
}

Task<Status> show(Connected connection, std::shared_ptr<Options> options) {
  CO_ASSIGN_OR_RETURN(std::vector<Row> rows, co_await gather(std::move(connection)));
  options->format == OutputFormat::kJson ? print_as_json(rows) : print_as_table(rows);
  co_return ok();
}

std::function<int()> declare_status(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_server_options(app, &options->server);
  add_format_option(app, &options->format);
  app.footer(
      "Counted are records of the log: of a primary-key table its changes. A table is copied again "
      "when its freshness has passed (table.datalake.freshness).");
  return [options] {
    return run_with_session(
        "tiering status", options->server, options->format, [options](Connected connection) {
          return show(std::move(connection), options);
        });
  };
}

constexpr Command kTieringCommands[] = {
    {"status", "show how far each table is in the lake, and why one lags", declare_status},
};

}  // namespace

std::function<int()> declare_tiering(CLI::App& app) {
  return declare_commands(app, kTieringCommands);
}

}  // namespace lakestream::cli
