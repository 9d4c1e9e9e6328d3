#include "server/server.h"

#include "base/logging.h"
#include "base/server_options.h"
#include "catalog/api/access_rules.h"
#include "coordinator/api/api.h"
#include "io/pool.h"
#include "server/client_sessions.h"
#include "server/descriptors.h"
#include "server/parts.h"
#include "server/remote_root.h"

namespace lakestream {

namespace {

LogOptions log_options(const ConfigMap& options) {
  LogOptions log;
  log.durability = options.get(server_options::kLakestreamDurability) == DurabilityChoice::kSync
                       ? Durability::kSync
                       : Durability::kOs;
  log.segment_bytes_max = std::min(
      static_cast<uint64_t>(options.get(server_options::kLogSegmentFileSize)), kSegmentBytesLimit);
  log.segment_age_max = options.get(server_options::kLakestreamLogSegmentAge);
  log.index_interval_bytes =
      static_cast<uint64_t>(options.get(server_options::kLogIndexIntervalSize));
  log.batch_bytes_max =
      static_cast<uint64_t>(options.get(server_options::kLakestreamLogMaxBatchBytes));
  log.pending_bytes_max = std::max(log.pending_bytes_max, 2 * log.batch_bytes_max);
  log.writer_expiration = options.get(server_options::kServerWriterIdExpirationTime);
  log.tail_bytes_total_max =
      static_cast<uint64_t>(options.get(server_options::kLakestreamLogTailCache));
  return log;
}

TabletOptions tablet_options(const ConfigMap& options) {
  TabletOptions tablet;
  tablet.data_directory = options.get(server_options::kDataDir);
  tablet.log = log_options(options);
  tablet.checkpoint_interval = options.get(server_options::kLogFlushOffsetCheckpointInterval);
  tablet.retention_check_interval = options.get(server_options::kLogRetentionCheckInterval);
  tablet.writer_check_interval =
      options.get(server_options::kServerWriterIdExpirationCheckInterval);
  tablet.settings = tablet_settings(options);
  tablet.disk_check_interval = options.get(server_options::kServerDataDiskCheckInterval);
  tablet.kv_row_cache_bytes =
      static_cast<uint64_t>(options.get(server_options::kLakestreamKvRowCache));
  // Without a place of its own, copies would take the disk that they are to relieve.
  if (options.is_set(server_options::kRemoteDataDir) ||
      options.is_set(server_options::kRemoteLogTaskIntervalDuration)) {
    tablet.remote_log_interval = options.get(server_options::kRemoteLogTaskIntervalDuration);
  }
  tablet.remote_log_copies_max =
      static_cast<size_t>(options.get(server_options::kRemoteLogTaskMaxUploadSegments));
  tablet.remote_log_workers =
      static_cast<size_t>(options.get(server_options::kRemoteLogDataTransferThreadNum));
  tablet.serve_remote_reads =
      options.get(server_options::kLakestreamRemoteServeReads) == ServeReadsChoice::kAlways;
  tablet.kv_scan_check_interval = options.get(server_options::kKvScannerExpirationInterval);
  tablet.kv_scans.idle_max = options.get(server_options::kKvScannerTtl);
  tablet.kv_scans.per_bucket =
      static_cast<size_t>(options.get(server_options::kKvScannerMaxPerBucket));
  tablet.kv_scans.per_server =
      static_cast<size_t>(options.get(server_options::kKvScannerMaxPerServer));
  tablet.kv_scans.page_bytes_max =
      static_cast<size_t>(options.get(server_options::kKvScannerMaxBatchSize));
  return tablet;
}

RocksOptions rocks_options(const ConfigMap& options) {
  RocksOptions rocks;
  rocks.block_cache_bytes =
      static_cast<uint64_t>(options.get(server_options::kKvRocksdbSharedBlockCacheSize));
  rocks.write_buffer_bytes =
      static_cast<uint64_t>(options.get(server_options::kKvRocksdbSharedWriteBufferSize));
  rocks.level0_slowdown_trigger = options.get(server_options::kKvBackpressureL0SlowdownTrigger);
  return rocks;
}

coordinator::CoordinatorOptions coordinator_options(Server::Parts& parts) {
  const ConfigMap& options = parts.setup.options;
  coordinator::CoordinatorOptions result;
  result.configs = &parts;
  result.remote_data_dir = parts.remote_root;
  result.remote_data_dirs = parts.remote_dirs;
  result.rules = table_rules(options, effective_texts(parts.setup.texts, parts.dynamic));
  result.lake = parts.lake;
  result.snapshots_retained =
      static_cast<size_t>(options.get(server_options::kKvSnapshotNumRetained));
  result.lease_check_interval =
      options.get(server_options::kKvSnapshotLeaseExpirationCheckInterval);
  result.producer_ttl = options.get(server_options::kCoordinatorProducerOffsetsTtl);
  result.producer_check_interval =
      options.get(server_options::kCoordinatorProducerOffsetsCleanupInterval);
  result.partition_count_max = options.get(server_options::kMaxPartitionNum);
  result.authorizer = &*parts.authorizer;
  result.partition_check_interval = options.get(server_options::kAutoPartitionCheckInterval);
  return result;
}

// The answer is what was set while a server ran before.
Result<DynamicTexts> open_directory(Server::Parts* parts) {
  Disk& disk = parts->env.disk;
  std::string directory = parts->setup.options.get(server_options::kDataDir);
  RETURN_IF_ERROR(disk.create_directories(directory));
  auto lock = disk.lock(directory + "/lock");
  if (!lock) {
    return fail(std::move(lock).error().with_context(
        fmt::format("data directory {} is not free; stop the server that uses it, make it "
                    "writable, or choose another one with --data",
                    directory)));
  }
  parts->lock = std::move(*lock);
  parts->store = parts->setup.meta_store;
  if (parts->store == nullptr) {
    ASSIGN_OR_RETURN(parts->own_store, open_meta_store("embedded", {disk, directory + "/meta"}));
    parts->store = parts->own_store.get();
  }
  return read_dynamic_options(*parts->store);
}

void register_apis(Server::Parts& parts) {
  register_catalog_apis(parts.apis, parts.reads);
  coordinator::register_coordinator_apis(parts.apis, *parts.coordinator);
  parts.tablet_apis.emplace(TabletApiContext{
      *parts.replicas,
      *parts.writer_ids,
      *parts.shards.control,
      static_cast<size_t>(parts.setup.options.get(server_options::kLakestreamFetchMaxBytes)),
      parts.catalog,
      *parts.authorizer});
  register_tablet_apis(parts.apis, *parts.tablet_apis);
  guard_apis(parts.apis, *parts.authorizer, parts.catalog);
}

// Notes the port that each listener got.
Task<Status> bind_all(rpc::Server* server,
                      std::vector<ListenerSetup>* listeners,
                      bool checks_rights) {
  for (ListenerSetup& listener : *listeners) {
    if (checks_rights && listener.rules.is_internal && listener.rules.login == nullptr) {
      LOG_WARN("server",
               "connections on the internal listener are not checked",
               KV("listener", listener.rules.name),
               KV("remedy", "bind it to an address that servers alone reach"));
    }
    CO_ASSIGN_OR_RETURN(listener.bind, server->listen(listener.bind, listener.rules));
    LOG_INFO("server",
             "listening",
             KV("listener", listener.rules.name),
             KV("address", to_string(listener.bind)),
             KV("login", listener.rules.login != nullptr),
             KV("tls", listener.rules.tls != nullptr));
  }
  co_return ok();
}

Task<bool> serve(rpc::Server* server) {
  server->serve();
  co_return true;
}

Task<bool> stop_rpc(rpc::Server* server) {
  co_await server->stop();
  co_return true;
}

Result<security::Authorizer> make_authorizer(const ConfigMap& options) {
  security::Authorizer::Options rules;
  rules.enabled = options.get(server_options::kAuthorizerEnabled);
  rules.ignore_case = options.get(server_options::kSecurityAclPrincipalIgnoreCase);
  if (auto users = options.find(server_options::kSuperUsers)) {
    auto parsed = security::parse_principals(*users);
    if (!parsed) return fail(std::move(parsed).error().with_context("option 'super.users'"));
    rules.super_users = std::move(*parsed);
  }
  return security::Authorizer(std::move(rules));
}

// Of each listener. Half of the descriptors are for files: who floods the doors stops no writes.
size_t connections_max(const Server::Parts& parts) {
  auto wanted =
      static_cast<size_t>(parts.setup.options.get(server_options::kLakestreamRpcMaxConnections));
  size_t descriptors = raise_descriptor_limit();
  size_t most = descriptors / 2 / parts.listeners.size();
  if (most >= wanted) return wanted;
  LOG_INFO("server",
           "fewer connections than lakestream.rpc.max-connections",
           KV("listener", most),
           KV("descriptors", descriptors),
           KV("remedy", "raise the limit of open files, ulimit -n or LimitNOFILE"));
  return most;
}

Task<Status> open_listeners(Server::Parts* parts) {
  const ConfigMap& options = parts->setup.options;
  rpc::ServerOptions rpc_options;
  rpc_options.request_bytes_max =
      static_cast<size_t>(options.get(server_options::kNettyServerMaxRequestSize));
  rpc_options.idle_max = options.get(server_options::kNettyConnectionMaxIdleTime);
  rpc_options.connection_requests_max =
      static_cast<size_t>(options.get(server_options::kNettyServerMaxQueuedRequests));
  rpc_options.bytes_max = static_cast<size_t>(options.get(server_options::kLakestreamRpcMemory));
  rpc_options.listener_connections_max = connections_max(*parts);
  rpc_options.address_connections_max =
      static_cast<size_t>(options.get(server_options::kLakestreamRpcMaxConnectionsPerAddress));
  rpc_options.stall_max = options.get(server_options::kLakestreamRpcStallTimeout);
  rpc_options.login_time_max = options.get(server_options::kLakestreamLoginTimeout);
  rpc_options.login_bytes_max =
      static_cast<size_t>(options.get(server_options::kLakestreamLoginMaxRequestSize));
  rpc_options.login_failures_max = options.get(server_options::kLakestreamLoginMaxFailures);
  parts->rpc =
      std::make_unique<rpc::Server>(parts->env, parts->shards.homes, parts->apis, rpc_options);
  auto bind = [parts] {
    return bind_all(parts->rpc.get(), &parts->listeners, parts->authorizer->is_enabled());
  };
  co_return co_await call_on(*parts->shards.control, *parts->shards.homes[0], std::move(bind));
}

// Where others come in, and what they may do inside. Nobody is answered yet.
Task<Status> open_doors(Server::Parts* parts) {
  const ConfigMap& options = parts->setup.options;
  CO_ASSIGN_OR_RETURN(parts->authorizer, make_authorizer(options));
  parts->reads.authorizer = &*parts->authorizer;
  CO_ASSIGN_OR_RETURN(ListenerSetups setups, listener_setups(options, parts->setup.texts));
  parts->listeners = std::move(setups.listeners);
  if (parts->setup.listens) CO_RETURN_IF_ERROR(co_await open_listeners(parts));
  if (setups.tls != nullptr) {
    parts->tls_reload =
        std::make_unique<TlsReload>(parts->env,
                                    *parts->shards.control,
                                    std::move(setups.tls),
                                    options.get(server_options::kLakestreamTlsReloadInterval));
  }
  co_return ok();
}

ServerNode advertised(const Server::Parts& parts) {
  ServerNode node;
  node.id = parts.self;
  node.rack = parts.setup.options.find(server_options::kTabletServerRack);
  for (const ListenerSetup& listener : parts.listeners) {
    const Address& told = listener.advertised;
    uint16_t port = told.port != 0 ? told.port : listener.bind.port;
    node.listeners.push_back({listener.rules.name, told.host, port});
  }
  node.host = node.listeners.front().host;
  node.port = node.listeners.front().port;
  return node;
}

Task<Status> start_parts(Server::Parts* parts) {
  const ConfigMap& options = parts->setup.options;
  Shard& control = *parts->shards.control;
  CO_RETURN_IF_ERROR(co_await open_doors(parts));
  CO_ASSIGN_OR_RETURN(parts->remote_root, remote_root(options));
  parts->remote = remote_access(options, parts->remote_root);
  CO_ASSIGN_OR_RETURN(std::shared_ptr<ClientSessions> sessions,
                      make_client_sessions(parts->env, control, options));
  if (sessions != nullptr && parts->remote.scheme != "file") {
    parts->remote.session = sessions->session();
  } else if (parts->remote.keys && !options.is_set(server_options::kLakestreamS3ClientAccessKey)) {
    LOG_WARN("server",
             "clients get the server's own keys to remote storage",
             KV("remedy", "set lakestream.s3.client-access-key"));
  }

  auto open = [parts] { return open_directory(parts); };
  CO_ASSIGN_OR_RETURN(DynamicTexts dynamic,
                      co_await run_on_pool(parts->env.pool, control, std::move(open)));
  parts->objects = parts->setup.objects;
  if (parts->objects == nullptr) {
    parts->own_objects = make_object_stores(parts->env.disk, object_store_options(options));
    parts->objects = parts->own_objects.get();
  }
  CO_RETURN_IF_ERROR(take_options(parts, std::move(dynamic)));
  TabletOptions tablet = tablet_options(options);
  tablet.kv_engines = parts->setup.kv_engines;
  if (tablet.kv_engines == nullptr) tablet.kv_engines = make_rocks_engines(rocks_options(options));
  tablet.coordinator = &parts->coordinator_link;
  tablet.objects = parts->objects;
  CO_ASSIGN_OR_RETURN(
      parts->replicas,
      co_await ReplicaManager::open(
          parts->env, control, parts->shards.homes, parts->catalog, std::move(tablet)));
  parts->link.connect(*parts->replicas);
  parts->writer_ids = std::make_unique<WriterIds>(*parts->store, parts->env.pool, control);
  parts->coordinator = std::make_unique<coordinator::Coordinator>(parts->env,
                                                                  control,
                                                                  *parts->store,
                                                                  *parts->objects,
                                                                  parts->catalog,
                                                                  parts->link,
                                                                  coordinator_options(*parts));
  parts->coordinator_link.connect(*parts->coordinator);
  parts->reads.store = parts->store;
  parts->reads.objects = parts->objects;
  parts->reads.pool = &parts->env.pool;
  register_apis(*parts);

  ServerNode node = advertised(*parts);
  ServerNode coordinator_node = node;
  coordinator_node.id = ServerId(0);
  CO_RETURN_IF_ERROR(co_await parts->coordinator->start(coordinator_node));
  CO_RETURN_IF_ERROR(co_await parts->coordinator->server_joined(node));
  CO_RETURN_IF_ERROR(co_await parts->replicas->erase_unknown_logs());
  CO_RETURN_IF_ERROR(co_await start_tiering(parts));
  // From here on options may change, and the lake with them.
  if (parts->rpc) {
    auto begin = [parts] { return serve(parts->rpc.get()); };
    co_await call_on(control, *parts->shards.homes[0], std::move(begin));
  }
  co_return ok();
}

Task<Status> stop_parts(Server::Parts* parts) {
  Shard& control = *parts->shards.control;
  Status result = ok();
  parts->stopping = true;
  co_await stop_tiering(parts);
  if (parts->rpc) {
    auto stop = [parts] { return stop_rpc(parts->rpc.get()); };
    co_await call_on(control, *parts->shards.homes[0], std::move(stop));
  }
  if (parts->tls_reload) co_await parts->tls_reload->stop();
  if (parts->coordinator) co_await parts->coordinator->stop();
  co_await stop_tiering(parts);  // one that a change of options was starting
  if (parts->replicas) result = co_await parts->replicas->stop();
  auto close = [parts] {
    parts->own_store.reset();
    parts->lock.reset();
    return true;
  };
  co_await run_on_pool(parts->env.pool, control, std::move(close));
  co_return result;
}

}  // namespace

Task<Result<std::unique_ptr<Server>>> Server::start(Env& env,
                                                    ServerShards shards,
                                                    ServerSetup setup) {
  auto parts = std::make_unique<Parts>(env, std::move(shards), std::move(setup));
  Status started = co_await start_parts(parts.get());
  if (!started) {
    (void)co_await stop_parts(parts.get());
    co_return fail(std::move(started).error());
  }
  co_return std::make_unique<Server>(std::move(parts));
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() = default;
const Address& Server::address() const { return parts_->listeners.front().bind; }
const rpc::ApiTable& Server::apis() const { return parts_->apis; }
Task<Status> Server::stop() { return stop_parts(parts_.get()); }

}  // namespace lakestream
