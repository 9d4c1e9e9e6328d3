#pragma once

#include "catalog/catalog.h"
#include "catalog/writer_ids.h"
#include "rpc/api_table.h"
#include "security/authorizer.h"
#include "tablet/replica_manager.h"

// The APIs of a tablet server, one a file.
//
// Thread rule: register before the server starts; handlers run on all shards.
//
//   TabletApiContext context{replicas, writer_ids, ids_home, fetch_bytes_max, catalog, authorizer};
//   register_tablet_apis(apis, context);  // context outlives the server
namespace lakestream {

struct TabletApiContext {
  ReplicaManager& replicas;
  WriterIds& writer_ids;
  Shard& ids_home;         // where writer_ids lives
  size_t fetch_bytes_max;  // of the records in one answer, whatever the client asks for
  const Catalog& catalog;
  const security::Authorizer& authorizer;
};

// For tables that a request does not name, or names many of: kAuthorizationException,
// kUnknownTableOrBucketException. Called on the shard of the connection.
Status check_readable(const TabletApiContext& tablets,
                      const rpc::RequestContext& context,
                      TableId table);

void register_tablet_apis(rpc::ApiTable& apis, TabletApiContext& context);

Task<Result<wire::ProduceLogResponse>> produce_log(TabletApiContext* tablets,
                                                   wire::ProduceLogRequest request,
                                                   rpc::RequestContext context);
Task<Result<wire::PutKvResponse>> put_kv(TabletApiContext* tablets,
                                         wire::PutKvRequest request,
                                         rpc::RequestContext context);
Task<Result<wire::LookupResponse>> lookup(TabletApiContext* tablets,
                                          wire::LookupRequest request,
                                          rpc::RequestContext context);
Task<Result<wire::PrefixLookupResponse>> prefix_lookup(TabletApiContext* tablets,
                                                       wire::PrefixLookupRequest request,
                                                       rpc::RequestContext context);
Task<Result<wire::ScanKvResponse>> scan_kv(TabletApiContext* tablets,
                                           wire::ScanKvRequest request,
                                           rpc::RequestContext context);
Task<Result<wire::FetchLogResponse>> fetch_log(TabletApiContext* tablets,
                                               wire::FetchLogRequest request,
                                               rpc::RequestContext context);
Task<Result<wire::ListOffsetsResponse>> list_offsets(TabletApiContext* tablets,
                                                     wire::ListOffsetsRequest request,
                                                     rpc::RequestContext context);
Task<Result<wire::LimitScanResponse>> limit_scan(TabletApiContext* tablets,
                                                 wire::LimitScanRequest request,
                                                 rpc::RequestContext context);
Task<Result<wire::GetTableStatsResponse>> get_table_stats(TabletApiContext* tablets,
                                                          wire::GetTableStatsRequest request,
                                                          rpc::RequestContext context);
Task<Result<wire::InitWriterResponse>> init_writer(TabletApiContext* tablets,
                                                   wire::InitWriterRequest request,
                                                   rpc::RequestContext context);

}  // namespace lakestream
