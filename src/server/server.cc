#include "server/server.h"

#include "base/logging.h"
#include "base/server_options.h"
#include "coordinator/api/api.h"
#include "io/pool.h"
#include "server/client_sessions.h"
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
      static_cast<size_t>(parts.setup.options.get(server_options::kLakestreamFetchMaxBytes))});
  register_tablet_apis(parts.apis, *parts.tablet_apis);
}

Task<Result<Address>> listen(rpc::Server* server, Address address) {
  co_return server->listen(address);
}

Task<bool> serve(rpc::Server* server) {
  server->serve();
  co_return true;
}

Task<bool> stop_rpc(rpc::Server* server) {
  co_await server->stop();
  co_return true;
}

Task<Result<Address>> open_listener(Server::Parts* parts) {
  const ConfigMap& options = parts->setup.options;
  rpc::ServerOptions rpc_options;
  rpc_options.request_bytes_max =
      static_cast<size_t>(options.get(server_options::kNettyServerMaxRequestSize));
  rpc_options.idle_max = options.get(server_options::kNettyConnectionMaxIdleTime);
  rpc_options.connection_requests_max =
      static_cast<size_t>(options.get(server_options::kNettyServerMaxQueuedRequests));
  rpc_options.bytes_max = static_cast<size_t>(options.get(server_options::kLakestreamRpcMemory));
  parts->rpc =
      std::make_unique<rpc::Server>(parts->env, parts->shards.homes, parts->apis, rpc_options);
  auto bind = [parts] { return listen(parts->rpc.get(), parts->addresses.bind); };
  co_return co_await call_on(*parts->shards.control, *parts->shards.homes[0], std::move(bind));
}

ServerNode advertised(const Server::Parts& parts) {
  ServerNode node;
  node.id = parts.self;
  node.host = parts.addresses.advertised_host;
  node.port =
      parts.addresses.advertised_port != 0 ? parts.addresses.advertised_port : parts.bound.port;
  node.rack = parts.setup.options.find(server_options::kTabletServerRack);
  return node;
}

Task<Status> start_parts(Server::Parts* parts) {
  const ConfigMap& options = parts->setup.options;
  Shard& control = *parts->shards.control;
  CO_ASSIGN_OR_RETURN(parts->addresses, listener_addresses(options));
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

  parts->bound = parts->addresses.bind;
  if (parts->setup.listens) {
    CO_ASSIGN_OR_RETURN(parts->bound, co_await open_listener(parts));
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
const Address& Server::address() const { return parts_->bound; }
const rpc::ApiTable& Server::apis() const { return parts_->apis; }
Task<Status> Server::stop() { return stop_parts(parts_.get()); }

}  // namespace lakestream
