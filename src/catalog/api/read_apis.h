#pragma once

#include "base/result.h"
#include "catalog/api/context.h"
#include "wire/messages.h"

// The read APIs of the metadata, which every role answers from its catalog: one function an API, in
// the file of the same name.
//
// Thread rule: pure functions of request and context.
//
//   ReadContext context{catalog.on(shard), configs, remote, lake_properties};
//   ASSIGN_OR_RETURN(wire::MetadataResponse answer, get_metadata(request, context));
namespace lakestream {

// kTableNotExist, kPartitionNotExists.
Result<wire::MetadataResponse> get_metadata(const wire::MetadataRequest& request,
                                            const ReadContext& context);
Result<wire::ListDatabasesResponse> list_databases(const wire::ListDatabasesRequest& request,
                                                   const ReadContext& context);
Result<wire::DatabaseExistsResponse> database_exists(const wire::DatabaseExistsRequest& request,
                                                     const ReadContext& context);
// kDatabaseNotExist.
Result<wire::GetDatabaseInfoResponse> get_database_info(const wire::GetDatabaseInfoRequest& request,
                                                        const ReadContext& context);
// kDatabaseNotExist.
Result<wire::ListTablesResponse> list_tables(const wire::ListTablesRequest& request,
                                             const ReadContext& context);
Result<wire::TableExistsResponse> table_exists(const wire::TableExistsRequest& request,
                                               const ReadContext& context);
// kTableNotExist, kTableNotPartitionedException, kPartitionSpecInvalidException.
Result<wire::ListPartitionInfosResponse> list_partition_infos(
    const wire::ListPartitionInfosRequest& request, const ReadContext& context);
// kTableNotExist.
Result<wire::GetTableInfoResponse> get_table_info(const wire::GetTableInfoRequest& request,
                                                  const ReadContext& context);
// kTableNotExist, kSchemaNotExist.
Result<wire::GetTableSchemaResponse> get_table_schema(const wire::GetTableSchemaRequest& request,
                                                      const ReadContext& context);
Result<wire::DescribeClusterConfigsResponse> describe_cluster_configs(
    const wire::DescribeClusterConfigsRequest& request, const ReadContext& context);
// kSecurityDisabledException. Entries of resources that may not be seen are left out.
Result<wire::ListAclsResponse> list_acls(const wire::ListAclsRequest& request,
                                         const ReadContext& context);
// kSecurityTokenException when there are no keys to give.
Result<wire::GetFileSystemSecurityTokenResponse> get_file_system_security_token(
    const wire::GetFileSystemSecurityTokenRequest& request, const ReadContext& context);
Result<wire::GetClusterHealthResponse> get_cluster_health(
    const wire::GetClusterHealthRequest& request, const ReadContext& context);

}  // namespace lakestream
