#pragma once

#include "catalog/api/context.h"
#include "rpc/api_table.h"

// Puts the read APIs of the metadata into a server's table of APIs.
//
// Thread rule: called before the server starts; the context must outlive it.
//
//   CatalogContext context{catalog, configs};
//   register_catalog_apis(apis, context);
namespace lakestream {

struct CatalogContext {
  const Catalog& catalog;
  ClusterConfigs configs;
};

void register_catalog_apis(rpc::ApiTable& apis, const CatalogContext& context);

}  // namespace lakestream
