#include "query/ddl_runner.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/admin.h"

namespace lakestream::query {
namespace {

using client::Admin;
using client::IfAbsent;
using client::IfExists;

DdlOutcome said(std::string message) {
  return {std::move(message), std::nullopt, std::nullopt, {}};
}

Result<DdlOutcome> shown(std::vector<std::string> columns) {
  SchemaBuilder builder;
  for (std::string& column : columns) builder.column(std::move(column), DataType::string());
  DdlOutcome outcome;
  ASSIGN_OR_RETURN(outcome.schema, builder.build());
  return outcome;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_lake(const TableDescriptor& table) {
  auto enabled = table.properties.find("table.datalake.enabled");
  return enabled != table.properties.end() && enabled->second == "true";
}

std::string keys_of(const TableDescriptor& table, const std::string& column) {
  std::vector<std::string_view> roles;
  if (has(table.schema.primary_key(), column)) roles.emplace_back("primary");
  if (has(table.bucket_keys(), column)) roles.emplace_back("bucket");
  if (has(table.partition_keys, column)) roles.emplace_back("partition");
  return fmt::format("{}", fmt::join(roles, ", "));
}

std::string text_of(const PartitionSpec& spec) {
  std::string text;
  for (const auto& [key, value] : spec) {
    text += fmt::format("{}{}={}", text.empty() ? "" : "/", key, value);
  }
  return text;
}

// The statement's own part; one function each.
class Runner {
 public:
  Runner(std::shared_ptr<client::Connection> connection, std::string database)
      : admin_(std::move(connection)), database_(std::move(database)) {}

  Task<Result<DdlOutcome>> run(CreateDatabase statement) {
    bool was_there = false;
    if (statement.if_not_exists) {
      CO_ASSIGN_OR_RETURN(was_there, co_await admin_.database_exists(statement.name));
    }
    IfExists if_exists = statement.if_not_exists ? IfExists::kKeep : IfExists::kFail;
    CO_RETURN_IF_ERROR(co_await admin_.create_database(
        statement.name, std::move(statement.descriptor), if_exists));
    co_return said(made("database", statement.name, was_there));
  }

  Task<Result<DdlOutcome>> run(DropDatabase statement) {
    bool was_there = true;
    if (statement.if_exists) {
      CO_ASSIGN_OR_RETURN(was_there, co_await admin_.database_exists(statement.name));
    }
    IfAbsent if_absent = statement.if_exists ? IfAbsent::kIgnore : IfAbsent::kFail;
    auto content = statement.cascade ? client::DropContent::kCascade : client::DropContent::kRefuse;
    CO_RETURN_IF_ERROR(co_await admin_.drop_database(statement.name, if_absent, content));
    co_return said(dropped("database", statement.name, was_there));
  }

  Task<Result<DdlOutcome>> run(ShowDatabases) {
    CO_ASSIGN_OR_RETURN(DdlOutcome outcome, shown({"database"}));
    CO_ASSIGN_OR_RETURN(auto names, co_await admin_.list_databases());
    for (std::string& name : names) outcome.rows.push_back({std::move(name)});
    co_return outcome;
  }

  Task<Result<DdlOutcome>> run(UseDatabase statement) {
    CO_ASSIGN_OR_RETURN(bool exists, co_await admin_.database_exists(statement.name));
    if (!exists) {
      co_return make_error(ErrorCode::kDatabaseNotExist,
                           "database {} does not exist; SHOW DATABASES lists those there are, "
                           "CREATE DATABASE makes one",
                           statement.name);
    }
    DdlOutcome outcome = said(fmt::format("using database {}", statement.name));
    outcome.database = std::move(statement.name);
    co_return outcome;
  }

  Task<Result<DdlOutcome>> run(CreateTable statement) {
    TablePath path = path_of(statement.name);
    return create_table(std::move(path), std::move(statement.descriptor), statement.if_not_exists);
  }

  Task<Result<DdlOutcome>> run(CreateTableLike statement) {
    CO_ASSIGN_OR_RETURN(client::TableInfo info,
                        co_await admin_.table_info(path_of(statement.source)));
    info.descriptor.schema = info.descriptor.schema.visible();
    CO_ASSIGN_OR_RETURN(TableDescriptor descriptor,
                        apply_with(std::move(info.descriptor), statement.with));
    TablePath path = path_of(statement.name);
    co_return co_await create_table(
        std::move(path), std::move(descriptor), statement.if_not_exists);
  }

  Task<Result<DdlOutcome>> run(DropTable statement) {
    TablePath path = path_of(statement.name);
    // What is known of the table says whether something of it stays.
    auto info = co_await admin_.table_info(path);
    bool is_missing = !info && info.error().code() == ErrorCode::kTableNotExist;
    if (!info && !is_missing) co_return fail(std::move(info).error());
    IfAbsent if_absent = statement.if_exists ? IfAbsent::kIgnore : IfAbsent::kFail;
    CO_RETURN_IF_ERROR(co_await admin_.drop_table(path, if_absent));
    std::string message = dropped("table", fmt::format("{}", path), !is_missing);
    if (info && has_lake(info->descriptor)) message += "; its lake table is kept";
    co_return said(std::move(message));
  }

  Task<Result<DdlOutcome>> run(ShowTables statement) {
    CO_ASSIGN_OR_RETURN(DdlOutcome outcome, shown({"table"}));
    CO_ASSIGN_OR_RETURN(auto names,
                        co_await admin_.list_tables(statement.database.value_or(database_)));
    for (std::string& name : names) outcome.rows.push_back({std::move(name)});
    co_return outcome;
  }

  Task<Result<DdlOutcome>> run(DescribeTable statement) {
    CO_ASSIGN_OR_RETURN(DdlOutcome outcome,
                        shown({"column", "type", "nullable", "key", "comment"}));
    CO_ASSIGN_OR_RETURN(client::TableInfo info,
                        co_await admin_.table_info(path_of(statement.name)));
    Schema columns = info.descriptor.schema.visible();
    for (const Column& column : columns.columns()) {
      outcome.rows.push_back({column.name,
                              column.type.with_nullable(true).to_string(),
                              column.type.nullable() ? "YES" : "NO",
                              keys_of(info.descriptor, column.name),
                              column.comment});
    }
    co_return outcome;
  }

  Task<Result<DdlOutcome>> run(ShowCreateTable statement) {
    CO_ASSIGN_OR_RETURN(DdlOutcome outcome, shown({"statement"}));
    CO_ASSIGN_OR_RETURN(client::TableInfo info,
                        co_await admin_.table_info(path_of(statement.name)));
    TableName name{info.path.database, info.path.table};
    outcome.rows.push_back({show_create_table(name, std::move(info.descriptor))});
    co_return outcome;
  }

  Task<Result<DdlOutcome>> run(AddColumns statement) {
    client::TableChange change;
    change.columns.add = std::move(statement.columns);
    return alter(path_of(statement.name), std::move(change));
  }

  Task<Result<DdlOutcome>> run(DropColumn statement) {
    client::TableChange change;
    change.columns.drop.push_back(std::move(statement.column));
    return alter(path_of(statement.name), std::move(change));
  }

  Task<Result<DdlOutcome>> run(RenameColumn statement) {
    client::TableChange change;
    change.columns.rename.push_back({std::move(statement.column), std::move(statement.new_name)});
    return alter(path_of(statement.name), std::move(change));
  }

  Task<Result<DdlOutcome>> run(SetOptions statement) {
    client::TableChange change;
    for (auto& [key, value] : statement.options) change.set[key] = value;
    return alter(path_of(statement.name), std::move(change));
  }

  Task<Result<DdlOutcome>> run(ResetOptions statement) {
    client::TableChange change;
    change.reset = std::move(statement.keys);
    return alter(path_of(statement.name), std::move(change));
  }

  Task<Result<DdlOutcome>> run(AddPartition statement) {
    TablePath path = path_of(statement.name);
    std::string partition = text_of(statement.partition);
    IfExists if_exists = statement.if_not_exists ? IfExists::kKeep : IfExists::kFail;
    CO_RETURN_IF_ERROR(
        co_await admin_.create_partition(path, std::move(statement.partition), if_exists));
    co_return said(fmt::format("added partition {} to table {}", partition, path));
  }

  Task<Result<DdlOutcome>> run(DropPartition statement) {
    TablePath path = path_of(statement.name);
    std::string partition = text_of(statement.partition);
    IfAbsent if_absent = statement.if_exists ? IfAbsent::kIgnore : IfAbsent::kFail;
    CO_RETURN_IF_ERROR(
        co_await admin_.drop_partition(path, std::move(statement.partition), if_absent));
    co_return said(fmt::format("dropped partition {} of table {}", partition, path));
  }

  Task<Result<DdlOutcome>> run(ShowPartitions statement) {
    CO_ASSIGN_OR_RETURN(DdlOutcome outcome, shown({"partition"}));
    CO_ASSIGN_OR_RETURN(
        auto partitions,
        co_await admin_.list_partitions(path_of(statement.name), std::move(statement.partition)));
    for (const client::PartitionInfo& partition : partitions) {
      outcome.rows.push_back({text_of(partition.spec)});
    }
    co_return outcome;
  }

 private:
  TablePath path_of(const TableName& name) const {
    return {name.database.value_or(database_), name.table};
  }

  static std::string made(std::string_view kind, std::string_view name, bool was_there) {
    if (was_there) return fmt::format("kept {} {}, which was there already", kind, name);
    return fmt::format("created {} {}", kind, name);
  }

  static std::string dropped(std::string_view kind, std::string_view name, bool was_there) {
    return fmt::format("{} {} {}", was_there ? "dropped" : "there was no", kind, name);
  }

  Task<Result<DdlOutcome>> create_table(TablePath path,
                                        TableDescriptor descriptor,
                                        bool if_not_exists) {
    bool was_there = false;
    if (if_not_exists) {
      CO_ASSIGN_OR_RETURN(was_there, co_await admin_.table_exists(path));
    }
    IfExists if_exists = if_not_exists ? IfExists::kKeep : IfExists::kFail;
    CO_RETURN_IF_ERROR(co_await admin_.create_table(path, std::move(descriptor), if_exists));
    co_return said(made("table", fmt::format("{}", path), was_there));
  }

  Task<Result<DdlOutcome>> alter(TablePath path, client::TableChange change) {
    CO_RETURN_IF_ERROR(co_await admin_.alter_table(path, std::move(change), IfAbsent::kFail));
    co_return said(fmt::format("altered table {}", path));
  }

  Admin admin_;
  std::string database_;
};

}  // namespace

Task<Result<DdlOutcome>> run_ddl(std::shared_ptr<client::Connection> connection,
                                 Statement statement,
                                 std::string database) {
  Runner runner(std::move(connection), std::move(database));
  auto run = [&runner](auto part) { return runner.run(std::move(part)); };
  co_return co_await std::visit(run, std::move(statement));
}

}  // namespace lakestream::query
