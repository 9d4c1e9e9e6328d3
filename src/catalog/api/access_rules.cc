#include "catalog/api/access_rules.h"

#include <utility>

#include "catalog/table_check.h"

namespace lakestream {
namespace {

using security::Operation;
using security::Resource;
using wire::ApiKey;

template <ApiKey key>
using Request = typename wire::ApiTraits<key>::Request;

// One request and what is asked of who sends it.
class Check {
 public:
  Check(const security::Authorizer& authorizer,
        const CatalogSnapshot& catalog,
        const security::Session* session)
      : authorizer_(authorizer), catalog_(catalog), session_(session) {}

  Status cluster(Operation operation) const {
    return resource(operation, security::cluster_resource());
  }
  Status database(Operation operation, std::string_view name) const {
    return resource(operation, security::database_resource(name));
  }
  Status table(Operation operation, const wire::PbTablePath& path) const {
    return resource(operation, security::table_resource(path.database_name, path.table_name));
  }
  Status table(Operation operation, int64_t id) const {
    return check_table(authorizer_, catalog_, session_, operation, TableId(id));
  }
  // A partition of the table, so that no right on one table opens another.
  Status partition(int64_t table, const std::optional<int64_t>& partition) const {
    if (!partition || catalog_.find_partition(TableId(table), PartitionId(*partition))) return ok();
    return make_error(ErrorCode::kPartitionNotExists,
                      "partition id {} of table id {} is not known here",
                      *partition,
                      table);
  }
  Status any_table(Operation operation, const std::vector<wire::PbTablePath>& paths) const {
    Status last = make_error(ErrorCode::kAuthorizationException,
                             "the request names no table; name one that may be written to");
    for (const wire::PbTablePath& path : paths) {
      last = table(operation, path);
      if (last) return ok();
    }
    return last;
  }
  // For what is no table's own, such as keys to remote storage.
  Status somewhere(Operation operation) const {
    if (authorizer_.may_somewhere(session_, operation, catalog_.acls())) return ok();
    return security::refusal(
        *session_, operation, {security::ResourceType::kTable, std::string(security::kEvery)});
  }

 private:
  Status resource(Operation operation, const Resource& resource) const {
    return authorizer_.check(session_, operation, resource, catalog_.acls());
  }

  const security::Authorizer& authorizer_;
  const CatalogSnapshot& catalog_;
  const security::Session* session_;
};

struct Guards {
  rpc::ApiTable& apis;
  const security::Authorizer& authorizer;
  const Catalog& catalog;

  // `rule` is a function of a Check and the request that gives a Status. An API that is not served
  // needs none.
  template <ApiKey key, typename Rule>
  void add(Rule rule) const {
    if (apis.find(static_cast<int16_t>(key)) == nullptr) return;
    apis.guard<key>([a = &authorizer, c = &catalog, rule](const Request<key>& request,
                                                          const rpc::RequestContext& call) {
      if (!a->is_enabled() || call.session == nullptr) return ok();
      return Status(rule(Check(*a, c->on(*call.shard), call.session.get()), request));
    });
  }
  template <ApiKey key>
  void cluster(Operation operation) const {
    add<key>([operation](const Check& check, const auto&) { return check.cluster(operation); });
  }
  template <ApiKey key>
  void database(Operation operation) const {
    add<key>([operation](const Check& check, const auto& request) {
      return check.database(operation, request.database_name);
    });
  }
  template <ApiKey key>
  void table_path(Operation operation) const {
    add<key>([operation](const Check& check, const auto& request) {
      return check.table(operation, request.table_path);
    });
  }
  template <ApiKey key>
  void table_id(Operation operation) const {
    add<key>([operation](const Check& check, const auto& request) {
      return check.table(operation, request.table_id);
    });
  }
  // Each table of a list of the request; when it names none, any table.
  template <ApiKey key, typename List>
  void table_ids(Operation operation, List list) const {
    add<key>([operation, list](const Check& check, const auto& request) -> Status {
      if ((request.*list).empty()) return check.somewhere(operation);
      for (const auto& entry : request.*list) {
        RETURN_IF_ERROR(check.table(operation, entry.table_id));
      }
      return ok();
    });
  }
  // The handler checks, or leaves out what may not be seen.
  template <ApiKey key>
  void by_handler() const {
    add<key>([](const Check&, const auto&) { return ok(); });
  }
};

Status may_look_up(const Check& check, const wire::LookupRequest& request) {
  bool writes = request.insert_if_not_exists.value_or(false);
  return check.table(writes ? Operation::kWrite : Operation::kRead, request.table_id);
}

Status may_see_snapshot(const Check& check, const wire::GetKvSnapshotMetadataRequest& request) {
  RETURN_IF_ERROR(check.table(Operation::kDescribe, request.table_id));
  return check.partition(request.table_id, request.partition_id);
}

Status may_commit_to_lake(const Check& check, const wire::CommitLakeTableSnapshotRequest& request) {
  for (const auto& table : request.lake_table_snapshot_metadata) {
    RETURN_IF_ERROR(check.table(Operation::kWrite, table.table_id));
  }
  for (const auto& table : request.tables_req) {
    if (table.table_id) RETURN_IF_ERROR(check.table(Operation::kWrite, *table.table_id));
  }
  return ok();
}

// Who changes passwords can become anybody.
Status may_alter_configs(const Check& check, const wire::AlterClusterConfigsRequest& request) {
  for (const auto& config : request.alter_configs) {
    bool is_login = config.config_key.starts_with("security.");
    if (is_login) RETURN_IF_ERROR(check.cluster(Operation::kAll));
  }
  return check.cluster(Operation::kAlter);
}

void guard_metadata(const Guards& on) {
  on.by_handler<ApiKey::kGetMetadata>();     // leaves tables out
  on.by_handler<ApiKey::kListDatabases>();   // leaves databases out
  on.by_handler<ApiKey::kListTables>();      // leaves tables out
  on.by_handler<ApiKey::kDatabaseExists>();  // says no
  on.by_handler<ApiKey::kTableExists>();     // says no
  on.database<ApiKey::kGetDatabaseInfo>(Operation::kDescribe);
  on.table_path<ApiKey::kGetTableInfo>(Operation::kDescribe);
  on.table_path<ApiKey::kGetTableSchema>(Operation::kDescribe);
  on.table_path<ApiKey::kListPartitionInfos>(Operation::kDescribe);
  on.table_path<ApiKey::kGetLatestKvSnapshots>(Operation::kDescribe);
  on.add<ApiKey::kGetKvSnapshotMetadata>(may_see_snapshot);
  on.table_id<ApiKey::kListKvSnapshots>(Operation::kDescribe);
  on.table_id<ApiKey::kListRemoteLogManifests>(Operation::kDescribe);
  on.table_path<ApiKey::kGetLakeSnapshot>(Operation::kDescribe);
}

void guard_changes(const Guards& on) {
  on.cluster<ApiKey::kCreateDatabase>(Operation::kCreate);
  on.database<ApiKey::kAlterDatabase>(Operation::kAlter);
  on.database<ApiKey::kDropDatabase>(Operation::kDrop);
  on.add<ApiKey::kCreateTable>([](const Check& check, const auto& request) {
    return check.database(Operation::kCreate, request.table_path.database_name);
  });
  on.table_path<ApiKey::kAlterTable>(Operation::kAlter);
  on.table_path<ApiKey::kDropTable>(Operation::kDrop);
  on.table_path<ApiKey::kCreatePartition>(Operation::kWrite);
  on.table_path<ApiKey::kDropPartition>(Operation::kWrite);
}

void guard_rows(const Guards& on) {
  on.add<ApiKey::kInitWriter>([](const Check& check, const auto& request) {
    return check.any_table(Operation::kWrite, request.table_path);
  });
  on.table_id<ApiKey::kProduceLog>(Operation::kWrite);
  on.table_id<ApiKey::kPutKv>(Operation::kWrite);
  on.by_handler<ApiKey::kFetchLog>();  // refuses buckets
  on.add<ApiKey::kLookup>(may_look_up);
  on.table_id<ApiKey::kPrefixLookup>(Operation::kRead);
  on.table_id<ApiKey::kLimitScan>(Operation::kRead);
  on.by_handler<ApiKey::kScanKv>();  // a scanner has a table, too
  on.table_id<ApiKey::kListOffsets>(Operation::kDescribe);
  on.table_id<ApiKey::kGetTableStats>(Operation::kRead);
}

void guard_readers_and_writers(const Guards& on) {
  on.table_ids<ApiKey::kAcquireKvSnapshotLease>(
      Operation::kRead, &wire::AcquireKvSnapshotLeaseRequest::snapshots_to_lease);
  on.table_ids<ApiKey::kReleaseKvSnapshotLease>(
      Operation::kRead, &wire::ReleaseKvSnapshotLeaseRequest::buckets_to_release);
  on.by_handler<ApiKey::kDropKvSnapshotLease>();  // a lease has tables
  on.table_ids<ApiKey::kRegisterProducerOffsets>(
      Operation::kWrite, &wire::RegisterProducerOffsetsRequest::table_offsets);
  on.by_handler<ApiKey::kGetProducerOffsets>();     // leaves tables out
  on.by_handler<ApiKey::kDeleteProducerOffsets>();  // a producer has tables
  on.table_ids<ApiKey::kPrepareLakeTableSnapshot>(
      Operation::kWrite, &wire::PrepareLakeTableSnapshotRequest::bucket_offsets);
  on.add<ApiKey::kCommitLakeTableSnapshot>(may_commit_to_lake);
}

void guard_cluster(const Guards& on) {
  on.cluster<ApiKey::kLakeTieringHeartbeat>(Operation::kWrite);
  on.cluster<ApiKey::kDescribeClusterConfigs>(Operation::kDescribe);
  on.cluster<ApiKey::kGetClusterHealth>(Operation::kDescribe);
  on.add<ApiKey::kAlterClusterConfigs>(may_alter_configs);
  on.cluster<ApiKey::kAddServerTag>(Operation::kAlter);
  on.cluster<ApiKey::kRemoveServerTag>(Operation::kAlter);
  on.cluster<ApiKey::kAddServerTagByRack>(Operation::kAlter);
  on.cluster<ApiKey::kRemoveServerTagByRack>(Operation::kAlter);
  on.cluster<ApiKey::kRebalance>(Operation::kWrite);
  on.cluster<ApiKey::kCancelRebalance>(Operation::kWrite);
  on.cluster<ApiKey::kListRebalanceProgress>(Operation::kDescribe);
  on.add<ApiKey::kGetFilesystemSecurityToken>(
      [](const Check& check, const auto&) { return check.somewhere(Operation::kRead); });
  on.by_handler<ApiKey::kCreateAcls>();  // ALL on the resource or its database
  on.by_handler<ApiKey::kDropAcls>();
  on.by_handler<ApiKey::kListAcls>();  // leaves resources out
}

}  // namespace

void guard_apis(rpc::ApiTable& apis,
                const security::Authorizer& authorizer,
                const Catalog& catalog) {
  Guards guards{apis, authorizer, catalog};
  guard_metadata(guards);
  guard_changes(guards);
  guard_rows(guards);
  guard_readers_and_writers(guards);
  guard_cluster(guards);
  for (const auto& [key, entry] : apis.entries()) {
    CHECK(entry.is_guarded, "an API whose right is not in the table");
  }
}

}  // namespace lakestream
