#include <utility>

#include "base/logging.h"
#include "coordinator/coordinator.h"

namespace lakestream::coordinator {

Task<Status> Coordinator::alter_configs(std::vector<ConfigChange> changes) {
  if (options_.configs == nullptr) {
    co_return make_error(ErrorCode::kUnsupportedVersion,
                         "the options of this server do not change while it runs");
  }
  std::optional<Gate::Pass> pass = gate_.enter();
  if (!pass || !started_) {
    co_return make_error(ErrorCode::kNotCoordinatorLeaderException,
                         "the coordinator is not running; ask again later");
  }
  std::optional<EventQueue::Turn> turn = co_await config_turns_.enter();
  if (!turn) {
    co_return make_error(ErrorCode::kRequestTimeOut,
                         "too many changes of options wait already; ask again later");
  }
  co_return co_await options_.configs->alter(std::move(changes));
}

Task<Status> Coordinator::write_configs(ConfigPlan plan) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  Bytes value = encode(ClusterConfigRecord{std::move(plan.configs)});
  MetaStore* store = &store_;
  auto find = [store] { return store->get(paths::kClusterConfig); };
  Result<std::optional<MetaNode>> known =
      co_await run_on_pool(env_.pool, control_, std::move(find));
  if (!known) co_return fail(std::move(known).error());
  std::vector<MetaOp> ops;
  ops.push_back(*known ? MetaOp::put(paths::kClusterConfig, std::move(value), kAnyVersion)
                       : MetaOp::create(paths::kClusterConfig, std::move(value)));
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  options_.rules = plan.rules;
  options_.lake = std::move(plan.lake);
  if (plan.remote_data_dirs != options_.remote_data_dirs) {
    options_.remote_data_dirs = plan.remote_data_dirs;
    remote_dirs_ = RemoteDirs(std::move(plan.remote_data_dirs));
  }
  follow_lakes();
  co_return ok();
}

}  // namespace lakestream::coordinator
