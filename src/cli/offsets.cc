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
#include "cli/start_position.h"
#include "client/admin.h"

namespace lakestream::cli {
namespace {

using client::Admin;
using client::OffsetSpec;
using Connected = std::shared_ptr<client::Connection>;

struct Options {
  ServerAccess server;
  OutputFormat format = OutputFormat::kTable;
  TablePath table;
  std::optional<TimestampMs> time;
  PartitionSpec partitions;
};

struct Row {
  std::optional<std::string> partition = std::nullopt;
  int32_t bucket = 0;
  int64_t earliest = 0;
  int64_t latest = 0;
  int64_t rows = 0;
  std::optional<int64_t> at_time = std::nullopt;
};

Task<Status> gather_place(Connected connection,
                          std::shared_ptr<Options> options,
                          PhysicalTablePath path,
                          std::vector<Row>* rows) {
  Admin admin(connection);
  std::vector<BucketId> all;
  CO_ASSIGN_OR_RETURN(auto earliest,
                      co_await admin.list_offsets(path, OffsetSpec::earliest(), all));
  CO_ASSIGN_OR_RETURN(auto latest, co_await admin.list_offsets(path, OffsetSpec::latest(), all));
  CO_ASSIGN_OR_RETURN(auto stats, co_await admin.table_stats(path));
  std::vector<client::BucketOffset> at_time;
  if (options->time) {
    OffsetSpec spec = OffsetSpec::at_time(*options->time);
    CO_ASSIGN_OR_RETURN(at_time, co_await admin.list_offsets(path, spec, all));
  }
  size_t count = std::min({earliest.size(), latest.size(), stats.size()});
  for (size_t i = 0; i < count; ++i) {
    Row& row = rows->emplace_back();
    row.partition = path.partition;
    row.bucket = earliest[i].bucket.value();
    row.earliest = earliest[i].offset.value();
    row.latest = latest[i].offset.value();
    row.rows = stats[i].row_count;
    if (i < at_time.size()) row.at_time = at_time[i].offset.value();
  }
  co_return ok();
}

Task<Result<std::vector<Row>>> gather(Connected connection, std::shared_ptr<Options> options) {
  std::vector<Row> rows;
  CO_ASSIGN_OR_RETURN(auto table, co_await connection->table(options->table));
  std::vector<PhysicalTablePath> places;
  if (table->info.descriptor.is_partitioned() || !options->partitions.empty()) {
    Admin admin(connection);
    CO_ASSIGN_OR_RETURN(auto partitions,
                        co_await admin.list_partitions(options->table, options->partitions));
    for (auto& partition : partitions) {
      places.push_back({options->table, std::move(partition.name)});
    }
  } else {
    places.push_back({options->table, std::nullopt});
  }
  for (PhysicalTablePath& place : places) {
    bool is_partition = place.partition.has_value();
    Status done = co_await gather_place(connection, options, std::move(place), &rows);
    // It was dropped in between.
    if (!done && is_partition && done.error().code() == ErrorCode::kPartitionNotExists) continue;
    if (!done) co_return fail(std::move(done).error());
  }
  co_return rows;
}

void print_as_json(const std::vector<Row>& rows, bool has_time) {
  auto document = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    auto& entry = document.emplace_back();
    if (row.partition) entry["partition"] = *row.partition;
    entry["bucket"] = row.bucket;
    entry["earliest"] = row.earliest;
    entry["latest"] = row.latest;
    entry["rows"] = row.rows;
    if (has_time && row.at_time) entry["at_time"] = *row.at_time;
  }
  print_json(document);
}

void print_as_table(const std::vector<Row>& rows, const std::optional<TimestampMs>& time) {
  bool has_partitions = !rows.empty() && rows.front().partition.has_value();
  std::vector<std::string> header{"bucket", "earliest", "latest", "rows"};
  if (has_partitions) header.insert(header.begin(), "partition");
  if (time) header.push_back(fmt::format("at {}", time_text(*time)));
  TextTable table(header);
  int64_t total = 0;
  for (const Row& row : rows) {
    std::vector<std::string> cells{std::to_string(row.bucket),
                                   std::to_string(row.earliest),
                                   std::to_string(row.latest),
                                   std::to_string(row.rows)};
    if (has_partitions) cells.insert(cells.begin(), row.partition.value_or(""));
    if (time) cells.push_back(row.at_time ? std::to_string(*row.at_time) : "");
    table.add(std::move(cells));
    total += row.rows;
  }
  if (rows.size() > 1) {
    std::vector<std::string> cells{"all", "", "", std::to_string(total)};
    if (has_partitions) cells.insert(cells.begin() + 1, "");
    if (time) cells.emplace_back();
    table.add(std::move(cells));
  }
  table.print();
}

Task<Status> show(Connected connection, std::shared_ptr<Options> options) {
  CO_ASSIGN_OR_RETURN(std::vector<Row> rows, co_await gather(std::move(connection), options));
  if (options->format == OutputFormat::kJson) {
    print_as_json(rows, options->time.has_value());
  } else {
    print_as_table(rows, options->time);
  }
  co_return ok();
}

}  // namespace

std::function<int()> declare_offsets(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_table_argument(app, &options->table);
  app.add_option_function<std::string>(
         "--timestamp",
         [options](const std::string& text) { options->time = parse_time(text); },
         "also the first offset of this time or later")
      ->type_name("TIME")
      ->check(time_rule());
  add_partition_option(app, &options->partitions);
  add_server_options(app, &options->server);
  add_format_option(app, &options->format);
  app.footer("TIME is ISO 8601 as 2024-05-31T13:45:30Z (without a zone: UTC), or milliseconds.");
  return [options] {
    return run_with_session(
        "offsets", options->server, options->format, [options](Connected connection) {
          return show(std::move(connection), options);
        });
  };
}

}  // namespace lakestream::cli
