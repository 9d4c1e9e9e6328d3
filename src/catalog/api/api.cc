#include "catalog/api/api.h"

#include <utility>

#include "catalog/api/lake_apis.h"
#include "catalog/api/read_apis.h"
#include "catalog/api/snapshot_apis.h"

namespace lakestream {
namespace {

using wire::ApiKey;

template <ApiKey key>
using Request = typename wire::ApiTraits<key>::Request;
template <ApiKey key>
using Answer = Result<typename wire::ApiTraits<key>::Response>;

template <ApiKey key, auto handler>
Task<Answer<key>> run(Request<key> request,
                      rpc::RequestContext call,
                      const CatalogContext* context) {
  const ClusterState& cluster = context->cluster.on(*call.shard);
  ReadContext read{context->catalog.on(*call.shard),
                   cluster.configs,
                   cluster.remote,
                   cluster.lake_properties,
                   call.session.get(),
                   context->authorizer};
  co_return handler(request, read);
}

// Keys that expire are asked for first.
Task<Answer<ApiKey::kGetFilesystemSecurityToken>> give_token(
    wire::GetFileSystemSecurityTokenRequest request,
    rpc::RequestContext call,
    const CatalogContext* context) {
  // It may be replaced meanwhile.
  std::shared_ptr<const ClusterState> cluster = context->cluster.hold(*call.shard);
  RemoteAccess remote = cluster->remote;
  if (remote.session) {
    CO_ASSIGN_OR_RETURN(remote.keys, co_await cluster->remote.session(*call.shard));
  }
  ReadContext read{context->catalog.on(*call.shard),
                   cluster->configs,
                   remote,
                   cluster->lake_properties,
                   call.session.get(),
                   context->authorizer};
  co_return get_file_system_security_token(request, read);
}

template <ApiKey key, auto handler>
void add(rpc::ApiTable& apis, const CatalogContext& context) {
  apis.add<key>([context = &context](Request<key> request, rpc::RequestContext call) {
    return run<key, handler>(std::move(request), std::move(call), context);
  });
}

template <ApiKey key, auto handler>
void add_waiting(rpc::ApiTable& apis, const CatalogContext& context) {
  apis.add<key>([context = &context](Request<key> request, rpc::RequestContext call) {
    return handler(std::move(request), std::move(call), context);
  });
}

}  // namespace

void register_catalog_apis(rpc::ApiTable& apis, const CatalogContext& context) {
  add<ApiKey::kGetMetadata, get_metadata>(apis, context);
  add<ApiKey::kListDatabases, list_databases>(apis, context);
  add<ApiKey::kDatabaseExists, database_exists>(apis, context);
  add<ApiKey::kGetDatabaseInfo, get_database_info>(apis, context);
  add<ApiKey::kListTables, list_tables>(apis, context);
  add<ApiKey::kListPartitionInfos, list_partition_infos>(apis, context);
  add<ApiKey::kTableExists, table_exists>(apis, context);
  add<ApiKey::kGetTableInfo, get_table_info>(apis, context);
  add<ApiKey::kGetTableSchema, get_table_schema>(apis, context);
  add<ApiKey::kDescribeClusterConfigs, describe_cluster_configs>(apis, context);
  add_waiting<ApiKey::kGetFilesystemSecurityToken, give_token>(apis, context);
  add<ApiKey::kListAcls, list_acls>(apis, context);
  add<ApiKey::kGetClusterHealth, get_cluster_health>(apis, context);
  add_waiting<ApiKey::kGetLatestKvSnapshots, get_latest_kv_snapshots>(apis, context);
  add_waiting<ApiKey::kGetKvSnapshotMetadata, get_kv_snapshot_metadata>(apis, context);
  add_waiting<ApiKey::kGetLakeSnapshot, get_lake_snapshot>(apis, context);
}

}  // namespace lakestream
