#include <algorithm>
#include <memory>
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
#include "table/ddl.h"

namespace lakestream::cli {
namespace {

using client::Admin;
using Connected = std::shared_ptr<client::Connection>;
using Json = nlohmann::ordered_json;

struct Options {
  ServerAccess server;
  OutputFormat format = OutputFormat::kTable;
  TablePath table;
  std::string database = kDefaultDatabase;
  bool if_exists = false;
  PartitionSpec partitions;
};

// ---- list

Task<Status> list(Connected connection, std::shared_ptr<Options> options) {
  Admin admin(connection);
  CO_ASSIGN_OR_RETURN(auto names, co_await admin.list_tables(options->database));
  Json document = Json::array();
  TextTable table({"table", "kind", "columns", "buckets", "created"});
  for (const std::string& name : names) {
    TablePath path{options->database, name};
    auto info = co_await admin.table_info(path);
    // Dropped in between.
    if (!info && info.error().code() == ErrorCode::kTableNotExist) continue;
    if (!info) co_return fail(std::move(info).error());
    const TableDescriptor& descriptor = info->descriptor;
    std::string kind = descriptor.has_primary_key() ? "primary key" : "log";
    size_t columns = descriptor.schema.size();
    int32_t buckets = descriptor.bucket_count().value_or(0);
    std::string created = time_text(info->created);
    document.push_back({{"table", name},
                        {"kind", kind},
                        {"columns", columns},
                        {"buckets", buckets},
                        {"created", created}});
    table.add({name, kind, std::to_string(columns), std::to_string(buckets), created});
  }
  if (options->format == OutputFormat::kJson) {
    print_json(document);
  } else {
    table.print();
  }
  co_return ok();
}

// ---- describe

std::vector<int32_t> numbers_of(const std::vector<ServerId>& servers) {
  std::vector<int32_t> numbers;
  for (ServerId server : servers) numbers.push_back(server.value());
  return numbers;
}

std::string key_of(const TableDescriptor& descriptor, const std::string& column) {
  auto has = [&column](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), column) != names.end();
  };
  std::vector<std::string> roles;
  if (has(descriptor.schema.primary_key())) roles.emplace_back("primary");
  if (has(descriptor.bucket_keys())) roles.emplace_back("bucket");
  if (has(descriptor.partition_keys)) roles.emplace_back("partition");
  return fmt::format("{}", fmt::join(roles, ", "));
}

std::string ddl_of(const client::TableInfo& info) {
  return show_create_table({info.path.database, info.path.table}, info.descriptor);
}

Json json_of(const client::TableInfo& info, const std::vector<client::BucketInfo>& buckets) {
  const TableDescriptor& descriptor = info.descriptor;
  Json columns = Json::array();
  for (const Column& column : descriptor.schema.columns()) {
    if (is_dropped(column)) continue;
    columns.push_back({{"name", column.name},
                       {"type", column.type.with_nullable(true).to_string()},
                       {"nullable", column.type.nullable()},
                       {"comment", column.comment ? Json(*column.comment) : Json()}});
  }
  Json places = Json::array();
  for (const client::BucketInfo& bucket : buckets) {
    places.push_back({{"bucket", bucket.id.value()},
                      {"leader", bucket.leader ? Json(bucket.leader->value()) : Json()},
                      {"leader_epoch", bucket.leader_epoch.value()},
                      {"replicas", numbers_of(bucket.replicas)},
                      {"in_sync", numbers_of(bucket.in_sync)}});
  }
  return {{"database", info.path.database},
          {"table", info.path.table},
          {"id", info.id.value()},
          {"schema_id", info.schema_id.value()},
          {"comment", descriptor.comment ? Json(*descriptor.comment) : Json()},
          {"created", time_text(info.created)},
          {"modified", time_text(info.modified)},
          {"columns", columns},
          {"primary_key", descriptor.schema.primary_key()},
          {"bucket_keys", descriptor.bucket_keys()},
          {"bucket_count", descriptor.bucket_count().value_or(0)},
          {"partition_keys", descriptor.partition_keys},
          {"properties", descriptor.properties},
          {"custom_properties", descriptor.custom_properties},
          {"buckets", places},
          {"ddl", ddl_of(info)}};
}

void print_text(const client::TableInfo& info, const std::vector<client::BucketInfo>& buckets) {
  const TableDescriptor& descriptor = info.descriptor;
  print_line(fmt::format("table {}, id {}, {}",
                         info.path,
                         info.id,
                         descriptor.has_primary_key() ? "with a primary key" : "a log"));
  if (descriptor.comment) print_line(*descriptor.comment);
  print_line(
      fmt::format("created {}, modified {}\n", time_text(info.created), time_text(info.modified)));

  TextTable columns({"column", "type", "key", "comment"});
  for (const Column& column : descriptor.schema.columns()) {
    if (is_dropped(column)) continue;
    columns.add({column.name,
                 column.type.to_string(),
                 key_of(descriptor, column.name),
                 column.comment.value_or("")});
  }
  columns.print();
  if (!descriptor.properties.empty() || !descriptor.custom_properties.empty()) {
    TextTable properties({"option", "value"});
    for (const auto& [key, value] : descriptor.properties) properties.add({key, value});
    for (const auto& [key, value] : descriptor.custom_properties) properties.add({key, value});
    print_line("");
    properties.print();
  }
  if (!buckets.empty()) {
    TextTable places({"bucket", "leader", "replicas", "in sync"});
    for (const client::BucketInfo& bucket : buckets) {
      places.add({std::to_string(bucket.id.value()),
                  bucket.leader ? std::to_string(bucket.leader->value()) : "none",
                  fmt::format("{}", fmt::join(numbers_of(bucket.replicas), ", ")),
                  fmt::format("{}", fmt::join(numbers_of(bucket.in_sync), ", "))});
    }
    print_line("");
    places.print();
  }
  print_line("");
  print_line(ddl_of(info));
}

Task<Status> describe(Connected connection, std::shared_ptr<Options> options) {
  Admin admin(connection);
  CO_ASSIGN_OR_RETURN(client::TableInfo info, co_await admin.table_info(options->table));
  CO_ASSIGN_OR_RETURN(auto buckets, co_await admin.table_buckets(options->table));
  if (options->format == OutputFormat::kJson) {
    print_json(json_of(info, buckets));
  } else {
    print_text(info, buckets);
  }
  co_return ok();
}

// ---- partitions

Task<Status> show_partitions(Connected connection, std::shared_ptr<Options> options) {
  Admin admin(connection);
  CO_ASSIGN_OR_RETURN(auto partitions,
                      co_await admin.list_partitions(options->table, options->partitions));
  Json document = Json::array();
  TextTable table({"partition", "id", "values"});
  for (const client::PartitionInfo& partition : partitions) {
    Json values = Json::object();
    std::string text;
    for (const auto& [key, value] : partition.spec) {
      values[key] = value;
      text += fmt::format("{}{}={}", text.empty() ? "" : "/", key, value);
    }
    document.push_back(
        {{"partition", partition.name}, {"id", partition.id.value()}, {"values", values}});
    table.add({partition.name, std::to_string(partition.id.value()), text});
  }
  if (options->format == OutputFormat::kJson) {
    print_json(document);
  } else {
    table.print();
  }
  co_return ok();
}

// ---- drop

Task<Status> drop(Connected connection, std::shared_ptr<Options> options) {
  Admin admin(connection);
  std::string action = "dropped";
  if (options->if_exists) {
    CO_ASSIGN_OR_RETURN(bool exists, co_await admin.table_exists(options->table));
    if (!exists) action = "there was no";
  }
  auto if_absent = options->if_exists ? client::IfAbsent::kIgnore : client::IfAbsent::kFail;
  CO_RETURN_IF_ERROR(co_await admin.drop_table(options->table, if_absent));
  if (options->format == OutputFormat::kJson) {
    print_json({{"database", options->table.database},
                {"table", options->table.table},
                {"action", action}});
  } else {
    print_line(fmt::format("{} table {}", action, options->table));
  }
  co_return ok();
}

// ---- what they share

std::shared_ptr<Options> shared_options(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_server_options(app, &options->server);
  add_format_option(app, &options->format);
  return options;
}

template <Task<Status> (*work)(Connected, std::shared_ptr<Options>)>
std::function<int()> action(std::string command, std::shared_ptr<Options> options) {
  return [command = std::move(command), options] {
    return run_with_session(
        command, options->server, options->format, [options](Connected connection) {
          return work(std::move(connection), options);
        });
  };
}

std::function<int()> declare_list(CLI::App& app) {
  auto options = shared_options(app);
  app.add_option("DATABASE", options->database, "the database, fluss by default")->type_name("");
  return action<list>("table list", options);
}

std::function<int()> declare_describe(CLI::App& app) {
  auto options = shared_options(app);
  add_table_argument(app, &options->table);
  return action<describe>("table describe", options);
}

std::function<int()> declare_drop(CLI::App& app) {
  auto options = shared_options(app);
  add_table_argument(app, &options->table);
  app.add_flag("--if-exists", options->if_exists, "do nothing when it does not exist");
  return action<drop>("table drop", options);
}

std::function<int()> declare_partitions(CLI::App& app) {
  auto options = shared_options(app);
  add_table_argument(app, &options->table);
  add_partition_option(app, &options->partitions);
  return action<show_partitions>("table partitions", options);
}

constexpr Command kTableCommands[] = {
    {"create", "create tables from DDL", declare_table_create},
    {"list", "list the tables of a database", declare_list},
    {"describe", "show columns, keys, options and buckets of a table", declare_describe},
    {"alter", "change columns, options and partitions of a table", declare_table_alter},
    {"partitions", "list the partitions of a table", declare_partitions},
    {"drop", "drop a table", declare_drop},
};

}  // namespace

std::function<int()> declare_table(CLI::App& app) { return declare_commands(app, kTableCommands); }

}  // namespace lakestream::cli
