#pragma once

#include "catalog/api/context.h"
#include "io/live.h"
#include "rpc/api_table.h"

// Puts the read APIs of the metadata into a server's table of APIs.
//
// Thread rule: called before the server starts; the context must outlive it.
//
//   CatalogContext context{catalog, {shards, std::make_shared<const ClusterState>(state)}};
//   context.store = &store;  // and the other two: for the APIs of snapshots
//   register_catalog_apis(apis, context);
namespace lakestream {

class MetaStore;
class ObjectStore;
class Pool;

struct CatalogContext {
  const Catalog& catalog;
  Live<ClusterState> cluster;
  const security::Authorizer* authorizer = nullptr;  // null: everybody may everything
  // What the APIs of snapshots, here and in the lake, read from, and where they may wait.
  MetaStore* store = nullptr;
  ObjectStore* objects = nullptr;
  Pool* pool = nullptr;
};

void register_catalog_apis(rpc::ApiTable& apis, const CatalogContext& context);

}  // namespace lakestream
