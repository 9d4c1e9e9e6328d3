#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/dynamic_config.h"
#include "catalog/api/api.h"
#include "catalog/catalog.h"
#include "catalog/writer_ids.h"
#include "coordinator/coordinator.h"
#include "io/disk.h"
#include "io/object_stores.h"
#include "lake/lake.h"
#include "meta/meta.h"
#include "rpc/api_table.h"
#include "rpc/server.h"
#include "security/authorizer.h"
#include "server/coordinator_link.h"
#include "server/embedded_tiering.h"
#include "server/listeners.h"
#include "server/server.h"
#include "server/tablet_link.h"
#include "server/tls_reload.h"
#include "tablet/api/tablet_apis.h"
#include "tablet/replica_manager.h"

// What a server is made of, for the files that start it, stop it and change its options.
//
// Thread rule: control shard.
//
//   CO_RETURN_IF_ERROR(co_await start_tiering(parts));
//   (void)co_await stop_tiering(parts);
namespace lakestream {

struct Server::Parts final : coordinator::ConfigLink {
  Parts(Env& e, ServerShards s, ServerSetup st)
      : env(e),
        shards(std::move(s)),
        setup(std::move(st)),
        self(setup.options.get(server_options::kTabletServerId)),
        catalog(all_shards()),
        reads{catalog, {all_shards(), std::make_shared<const ClusterState>()}},
        link(*shards.control, self) {}

  std::vector<Shard*> all_shards() const {
    std::vector<Shard*> all = shards.homes;
    all.push_back(shards.control);
    return all;
  }

  Task<Status> alter(std::vector<ConfigChange> changes) override;

  Env& env;
  ServerShards shards;
  ServerSetup setup;     // its options are those that count, its texts those it was started with
  DynamicTexts dynamic;  // what was set over the texts
  bool stopping = false;
  ServerId self;
  std::vector<ListenerSetup> listeners;
  std::unique_ptr<TlsReload> tls_reload;
  std::unique_ptr<File> lock;
  std::unique_ptr<MetaStore> own_store;
  MetaStore* store = nullptr;
  std::unique_ptr<ObjectStore> own_objects;
  ObjectStore* objects = nullptr;
  std::string remote_root;
  std::vector<coordinator::RemoteDir> remote_dirs;
  Catalog catalog;
  std::shared_ptr<LakeFormat> lake;  // none when tables have no lake
  std::optional<security::Authorizer> authorizer;
  RemoteAccess remote;
  CatalogContext reads;
  LocalTabletLink link;
  LocalCoordinatorLink coordinator_link;
  std::unique_ptr<ReplicaManager> replicas;
  std::unique_ptr<coordinator::Coordinator> coordinator;
  std::unique_ptr<WriterIds> writer_ids;
  std::optional<TabletApiContext> tablet_apis;
  rpc::ApiTable apis;
  std::unique_ptr<rpc::Server> rpc;
  std::unique_ptr<EmbeddedTiering> tiering;
};

// What was set while a server ran before. Blocks.
Result<DynamicTexts> read_dynamic_options(MetaStore& store);
// Sets the options that count, the places of remote data, and the lake. Of the dynamic ones those
// that do not fit what the server is started with now are left out, with a warning: nobody could
// unset them while no server runs.
Status take_options(Server::Parts* parts, DynamicTexts dynamic);

TabletSettings tablet_settings(const ConfigMap& options);
TableRules table_rules(const ConfigMap& options, const TextMap& texts);

// Nothing when there is no lake, or when it is left to others.
Task<Status> start_tiering(Server::Parts* parts);
Task<void> stop_tiering(Server::Parts* parts);

}  // namespace lakestream
