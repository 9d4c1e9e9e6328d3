#include <algorithm>
#include <utility>

#include "base/logging.h"
#include "base/server_config.h"
#include "base/server_options.h"
#include "io/pool.h"
#include "meta/records.h"
#include "server/lake_options.h"
#include "server/parts.h"
#include "server/remote_root.h"
#include "server/roles.h"

// Options that change while the server runs. The tiering worker holds the lake, so a lake is
// replaced in this order: the worker stops, the change is written down, the coordinator takes the
// new lake, a new worker starts.

namespace lakestream {
namespace {

// What a lake is made of; two that are equal are one lake.
TextMap lake_texts(const TextMap& texts) {
  TextMap lake;
  for (const auto& [key, value] : texts) {
    if (key.starts_with("datalake.")) lake[key] = value;
  }
  return lake;
}

// None when tables have no lake.
Result<std::shared_ptr<LakeFormat>> open_lake(const Server::Parts& parts,
                                              const ConfigMap& options,
                                              const TextMap& texts) {
  if (!has_lake(options)) return std::shared_ptr<LakeFormat>();
  ASSIGN_OR_RETURN(std::unique_ptr<LakeFormat> made,
                   make_lake(lake_formats(options, texts), parts.env, *parts.objects));
  return std::shared_ptr<LakeFormat>(std::move(made));
}

// Options as they would count, with all that is made of them.
struct Candidate {
  ConfigMap options;
  std::vector<coordinator::RemoteDir> remote_dirs;
  ListenerUsers users;
  std::shared_ptr<LakeFormat> lake;  // the one that there is, when it stays
};

Result<Candidate> try_options(const Server::Parts& parts, const DynamicTexts& dynamic) {
  const TextMap& started_with = parts.setup.texts;
  ASSIGN_OR_RETURN(ServerConfig config, parse_dynamic(started_with, dynamic));
  ASSIGN_OR_RETURN(auto dirs, ::lakestream::remote_dirs(config.options, parts.remote_root));
  TextMap texts = effective_texts(started_with, dynamic);
  ASSIGN_OR_RETURN(ListenerUsers users, listener_users(config.options, texts));
  std::shared_ptr<LakeFormat> lake = parts.lake;
  bool stays = lake_texts(texts) == lake_texts(effective_texts(started_with, parts.dynamic));
  if (lake == nullptr || !stays) {
    ASSIGN_OR_RETURN(lake, open_lake(parts, config.options, texts));
  }
  return Candidate{std::move(config.options), std::move(dirs), std::move(users), std::move(lake)};
}

// As many of the options as fit what the server was started with.
DynamicTexts usable(const Server::Parts& parts, DynamicTexts dynamic) {
  while (!dynamic.empty()) {
    Result<Candidate> next = try_options(parts, dynamic);
    if (next) return dynamic;
    auto is_culprit = [&](const auto& entry) {
      DynamicTexts others = dynamic;
      others.erase(entry.first);
      return try_options(parts, others).has_value();
    };
    auto culprit = std::find_if(dynamic.begin(), dynamic.end(), is_culprit);
    if (culprit == dynamic.end()) culprit = dynamic.begin();
    LOG_WARN("server",
             "an option that was set while the server ran is left out",
             KV("option", culprit->first),
             KV("reason", next.error().message()));
    dynamic.erase(culprit);
  }
  return dynamic;
}

// Tells the read APIs what the options are.
void publish_options(Server::Parts* parts) {
  ClusterState state;
  state.remote = parts->remote;
  for (const auto& [key, value] : parts->setup.texts) {
    if (parts->dynamic.contains(key)) continue;
    auto reference = parts->setup.references.find(key);  // shown in the place of what it stands for
    bool is_written = reference == parts->setup.references.end();
    state.configs.push_back({key, is_written ? value : reference->second, false});
  }
  for (const auto& [key, value] : parts->dynamic) state.configs.push_back({key, value, true});
  if (parts->lake != nullptr) {
    TextMap texts = effective_texts(parts->setup.texts, parts->dynamic);
    for (const auto& [format, lake] : lake_formats(parts->setup.options, texts)) {
      state.lake_properties.merge(lake_properties_of(name_of(format), lake.catalog));
    }
  }
  parts->reads.cluster.publish(std::make_shared<const ClusterState>(std::move(state)));
}

void publish_users(Server::Parts* parts, const ListenerUsers& users) {
  if (!parts->rpc) return;
  for (const auto& [listener, known] : users) parts->rpc->set_users(listener, known);
}

}  // namespace

LogLevel log_level_of(const ConfigMap& options) {
  switch (options.get(server_options::kLakestreamLogLevel)) {
    case LogLevelChoice::kDebug:
      return LogLevel::kDebug;
    case LogLevelChoice::kInfo:
      return LogLevel::kInfo;
    case LogLevelChoice::kWarn:
      return LogLevel::kWarn;
    case LogLevelChoice::kError:
      break;
  }
  return LogLevel::kError;
}

Result<DynamicTexts> read_dynamic_options(MetaStore& store) {
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(paths::kClusterConfig));
  if (!node) return DynamicTexts();
  ASSIGN_OR_RETURN(ClusterConfigRecord record, decode_cluster_config(node->value));
  return std::move(record.configs);
}

Status take_options(Server::Parts* parts, DynamicTexts dynamic) {
  dynamic = usable(*parts, std::move(dynamic));
  ASSIGN_OR_RETURN(Candidate first, try_options(*parts, dynamic));
  parts->setup.options = std::move(first.options);
  parts->dynamic = std::move(dynamic);
  parts->remote_dirs = std::move(first.remote_dirs);
  parts->lake = std::move(first.lake);
  set_log_level(log_level_of(parts->setup.options));
  publish_options(parts);
  publish_users(parts, first.users);
  return ok();
}

TabletSettings tablet_settings(const ConfigMap& options) {
  TabletSettings settings;
  settings.roll_active_segment = options.get(server_options::kLogRetentionRollActiveSegmentEnabled);
  settings.disk_write_limit_ratio = options.get(server_options::kServerDataDiskWriteLimitRatio);
  settings.disk_write_recover_ratio = options.get(server_options::kServerDataDiskWriteRecoverRatio);
  settings.kv_snapshot_interval = options.get(server_options::kKvSnapshotInterval);
  return settings;
}

TableRules table_rules(const ConfigMap& options, const TextMap& texts) {
  TableRules rules;
  rules.lake_format = lake_format(options);
  for (const auto& [format, lake] : lake_formats(options, texts)) {
    if (format != rules.lake_format) rules.more_lake_formats.push_back(format);
  }
  rules.lake_enabled = has_lake(options);
  rules.default_bucket_count = options.get(server_options::kDefaultBucketNumber);
  rules.default_replication_factor = options.get(server_options::kDefaultReplicationFactor);
  rules.bucket_count_max = options.get(server_options::kMaxBucketNum);
  rules.allow_log_tables = options.get(server_options::kAllowCreateLogTables);
  rules.allow_kv_tables = options.get(server_options::kAllowCreateKvTables);
  return rules;
}

Task<Status> start_tiering(Server::Parts* parts) {
  const ConfigMap& options = parts->setup.options;
  CO_ASSIGN_OR_RETURN(Roles roles, roles_of(options));
  CHECK(roles != Roles::kOnlyTiering, "a server");
  bool is_wanted =
      parts->rpc && roles == Roles::kAll && options.get(server_options::kLakestreamTieringEnabled);
  if (!parts->lake || !is_wanted || parts->stopping) co_return ok();
  const ServerShards& shards = parts->shards;
  Shard& background = shards.background != nullptr ? *shards.background : *shards.control;
  Env& env = shards.background_env != nullptr ? *shards.background_env : parts->env;
  EmbeddedTiering::Place place{env, *shards.control, background, *shards.homes[0]};
  auto started = co_await EmbeddedTiering::start(
      place, &parts->apis, parts->lake.get(), tiering_options(options));
  CO_ASSIGN_OR_RETURN(parts->tiering, std::move(started));
  co_return ok();
}

Task<void> stop_tiering(Server::Parts* parts) {
  std::unique_ptr<EmbeddedTiering> tiering = std::move(parts->tiering);
  if (tiering) (void)co_await tiering->stop();
}

Task<Status> Server::Parts::alter(std::vector<ConfigChange> changes) {
  CO_ASSIGN_OR_RETURN(DynamicTexts texts, change_dynamic(setup.texts, dynamic, changes));
  if (texts == dynamic) co_return ok();
  Result<Candidate> next = try_options(*this, texts);
  if (!next) co_return make_error(ErrorCode::kConfigException, "{}", next.error().message());
  bool moves_lake = next->lake != lake;
  if (moves_lake) co_await stop_tiering(this);
  TableRules rules = table_rules(next->options, effective_texts(setup.texts, texts));
  coordinator::ConfigPlan plan{texts, std::move(rules), next->lake, next->remote_dirs};
  Status written = co_await coordinator->write_configs(std::move(plan));
  if (written) {
    setup.options = std::move(next->options);
    dynamic = std::move(texts);
    lake = std::move(next->lake);
    set_log_level(log_level_of(setup.options));
    publish_options(this);
    publish_users(this, next->users);
    co_await replicas->follow(tablet_settings(setup.options));
    LOG_INFO("server", "options changed", KV("set", dynamic.size()), KV("lake", moves_lake));
  }
  if (moves_lake) {
    Status started = co_await start_tiering(this);
    if (written && !started) co_return started;
  }
  co_return written;
}

}  // namespace lakestream
