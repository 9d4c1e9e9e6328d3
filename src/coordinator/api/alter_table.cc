#include <algorithm>
#include <utility>

#include "coordinator/api/write_apis.h"
#include "table/json.h"

namespace lakestream::coordinator {
namespace {

constexpr int32_t kPositionLast = 0;

// One change may name a key several times: the last one counts.
Result<OptionChanges> to_options(std::vector<wire::PbAlterConfig> configs) {
  OptionChanges changes;
  for (wire::PbAlterConfig& config : configs) {
    auto op = static_cast<AlterOp>(config.op_type);
    if (op == AlterOp::kSet && config.config_value) {
      std::erase(changes.reset, config.config_key);
      changes.set[std::move(config.config_key)] = std::move(*config.config_value);
    } else if (op == AlterOp::kDelete) {
      changes.set.erase(config.config_key);
      changes.reset.push_back(std::move(config.config_key));
    } else {
      return make_error(ErrorCode::kUnknownServerError,
                        "change of option '{}' with operation {}: options of a table are set (0, "
                        "with a value) or deleted (1)",
                        config.config_key,
                        config.op_type);
    }
  }
  return changes;
}

Result<std::optional<AggFunction>> to_agg(wire::PbAddColumn& column) {
  std::optional<AggFunction> function;
  if (!column.agg_function_type) return function;
  std::optional<AggType> type = agg_type_of(*column.agg_function_type);
  if (!type) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "column '{}': there is no aggregate function '{}'",
                      column.column_name,
                      *column.agg_function_type);
  }
  function.emplace().type = *type;
  for (wire::PbKeyValue& parameter : column.agg_function_params) {
    function->parameters[std::move(parameter.key)] = std::move(parameter.value);
  }
  return function;
}

Result<Column> to_column(wire::PbAddColumn column) {
  if (column.column_position_type != kPositionLast) {
    return make_error(ErrorCode::kUnknownServerError,
                      "column '{}' at position {}: a new column comes last (0)",
                      column.column_name,
                      column.column_position_type);
  }
  Column made;
  ASSIGN_OR_RETURN(made.agg, to_agg(column));
  Result<DataType> type = data_type_from_json(column.data_type_json.view());
  if (!type) {
    return fail(
        std::move(type).error().with_context(fmt::format("column '{}'", column.column_name)));
  }
  made.type = std::move(*type);
  made.name = std::move(column.column_name);
  made.comment = std::move(column.comment);
  return made;
}

Status check_kinds(const wire::AlterTableRequest& request) {
  bool columns = !request.add_columns.empty() || !request.drop_columns.empty() ||
                 !request.rename_columns.empty() || !request.modify_columns.empty();
  int kinds = (request.config_changes.empty() ? 0 : 1) + (columns ? 1 : 0) +
              (request.modify_bucket_count ? 1 : 0);
  if (kinds > 1) {
    return make_error(ErrorCode::kInvalidAlterTableException,
                      "one change of a table is one of its options, of its columns or of its "
                      "bucket count; make two");
  }
  if (request.modify_columns.empty()) return ok();
  return make_error(ErrorCode::kUnknownServerError,
                    "columns are not modified; add one of the new type and drop the old one");
}

Result<TableChange> to_change(wire::AlterTableRequest request) {
  RETURN_IF_ERROR(check_kinds(request));
  TableChange change;
  if (request.modify_bucket_count) {
    change.bucket_count = request.modify_bucket_count->new_bucket_count;
  }
  ASSIGN_OR_RETURN(change.options, to_options(std::move(request.config_changes)));
  for (wire::PbRenameColumn& rename : request.rename_columns) {
    change.columns.rename.push_back(
        {std::move(rename.old_column_name), std::move(rename.new_column_name)});
  }
  for (wire::PbDropColumn& drop : request.drop_columns) {
    change.columns.drop.push_back(std::move(drop.column_name));
  }
  for (wire::PbAddColumn& column : request.add_columns) {
    ASSIGN_OR_RETURN(Column made, to_column(std::move(column)));
    change.columns.add.push_back(std::move(made));
  }
  return change;
}

}  // namespace

Task<Result<wire::AlterTableResponse>> alter_table_api(wire::AlterTableRequest request,
                                                       rpc::RequestContext call,
                                                       Coordinator* coordinator) {
  TablePath path{.database = std::move(request.table_path.database_name),
                 .table = std::move(request.table_path.table_name)};
  bool ignore = request.ignore_if_not_exists;
  CO_ASSIGN_OR_RETURN(TableChange change, to_change(std::move(request)));
  auto alter = [coordinator, path = std::move(path), change = std::move(change), ignore]() mutable {
    return coordinator->alter_table(std::move(path), std::move(change), ignore);
  };
  CO_RETURN_IF_ERROR(co_await call_on(*call.shard, coordinator->shard(), std::move(alter)));
  co_return wire::AlterTableResponse{};
}

}  // namespace lakestream::coordinator
