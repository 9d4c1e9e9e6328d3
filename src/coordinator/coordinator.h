#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "coordinator/event_queue.h"
#include "coordinator/kv_snapshots.h"
#include "coordinator/lake_reports.h"
#include "coordinator/lake_tiering.h"
#include "coordinator/links.h"
#include "coordinator/metadata_writer.h"
#include "coordinator/remote_dirs.h"
#include "coordinator/remote_logs.h"
#include "coordinator/table_turns.h"
#include "coordinator/time_zone.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/random.h"
#include "meta/records.h"
#include "security/authorizer.h"
#include "table/alter.h"
#include "table/partition.h"
#include "table/validate.h"

// The Coordinator decides what databases, tables and partitions there are, which servers hold the
// buckets and who leads them. It is the only writer of the metadata. Every change is an event, and
// events happen one at a time: each is written to the metadata store first, then published to the
// catalog, then told to the tablet servers, then answered. So a state that somebody saw survives,
// and a crash between two steps is mended at the next start: leaders are elected anew, dropped
// tables and partitions and superseded snapshots are removed to the end.
//
// A table with a lake is made and changed there first, outside of events, as the lake may be slow;
// a change that was interrupted behind that is made again by the user, and finds the lake ready.
//
// Thread rule: everything on the control shard.
//
//   Coordinator coordinator(env, control, store, objects, catalog, tablets, options);
//   CO_RETURN_IF_ERROR(co_await coordinator.start(self));
//   CO_RETURN_IF_ERROR(co_await coordinator.server_joined(node));
//   CO_RETURN_IF_ERROR(co_await coordinator.drop_table(path, false));
namespace lakestream {
class LakeCatalog;
class ObjectStore;
}  // namespace lakestream

namespace lakestream::coordinator {

inline constexpr std::string_view kDefaultDatabase = "fluss";

struct CoordinatorOptions {
  TableRules rules;
  int32_t partition_count_max = 1000;  // of one table
  Duration offline_leader_retry = std::chrono::minutes(1);
  Duration deletion_retry = std::chrono::seconds(30);
  std::string remote_data_dir;              // root of remote storage
  std::vector<RemoteDir> remote_data_dirs;  // of new tables and partitions; none: that above
  size_t snapshots_retained = 2;            // of each bucket, beside those that are leased
  Duration lease_check_interval = std::chrono::minutes(10);
  Duration producer_ttl = std::chrono::hours(24);  // of offsets that do not say
  Duration producer_check_interval = std::chrono::hours(1);
  Duration partition_check_interval = std::chrono::minutes(10);
  std::shared_ptr<LakeCatalog> lake = nullptr;  // that of the rules, while tables may have a lake
  ConfigLink* configs = nullptr;                // without one no option changes while it runs
  const security::Authorizer* authorizer = nullptr;  // null: everybody may everything
};

// What the coordinator takes over of options that were changed.
struct ConfigPlan {
  DynamicTexts configs;
  TableRules rules;
  std::shared_ptr<LakeCatalog> lake;  // none: tables have no lake
  std::vector<RemoteDir> remote_data_dirs;
};

// Servers that are named by their ids or by their racks.
struct ServerSelection {
  std::vector<ServerId> ids;
  std::vector<std::string> racks;
};

// Who asks; null for this process itself.
using Caller = std::shared_ptr<const security::Session>;

// Where the tables that a job writes to ended when it began, so that it can undo what it wrote.
struct ProducerOffsets {
  TimestampMs expiration_time;
  std::map<TableBucket, Offset> offsets;
};

// What ALTER DATABASE changes: properties to set or, without a value, to remove; the comment, where
// an empty one means none.
struct DatabaseChange {
  std::vector<std::pair<std::string, std::optional<std::string>>> properties;
  std::optional<std::string> comment;
};

// What ALTER TABLE changes: options, or columns, or how many buckets later partitions get; never
// two of them.
struct TableChange {
  OptionChanges options;
  ColumnChanges columns;
  std::optional<int32_t> bucket_count;
};

// The checks of CREATE TABLE that need no knowledge of what exists: name, text, defaults, rules,
// and whether this server can serve such a table. Pure, any thread.
Result<TableDescriptor> prepare_table(const TablePath& path,
                                      std::string_view json,
                                      const TableRules& rules);

class Coordinator {
 public:
  Coordinator(Env& env,
              Shard& control,
              MetaStore& store,
              ObjectStore& objects,
              Catalog& catalog,
              TabletLink& tablets,
              CoordinatorOptions options);

  Shard& shard() { return control_; }
  const CoordinatorOptions& options() const { return options_; }
  const Catalog& catalog() const { return published_; }
  int32_t epoch() const { return writer_.epoch(); }

  // Takes leadership, reads the metadata and publishes it; `self` is what clients are told. Other
  // calls are refused before.
  Task<Status> start(ServerNode self);
  // Refuses new events and waits for those that run.
  Task<void> stop();

  // The server is there: buckets without a leader that it can lead get one. Ends when the server
  // has taken them, or refused; what it refused is tried again later.
  Task<Status> server_joined(ServerNode node);

  // kDatabaseAlreadyExist, kInvalidDatabaseException.
  Task<Status> create_database(std::string name,
                               DatabaseDescriptor descriptor,
                               bool ignore_if_exists);
  // kDatabaseNotExist.
  Task<Status> alter_database(std::string name, DatabaseChange change, bool ignore_if_not_exists);
  // kDatabaseNotExist, kDatabaseNotEmpty; the default database is refused. With `cascade` its
  // tables go, too.
  Task<Status> drop_database(std::string name, bool ignore_if_not_exists, bool cascade);
  // `descriptor` is one of prepare_table. Ends when the leaders take requests and automatic
  // partitions are there. kDatabaseNotExist, kTableAlreadyExist, kInvalidReplicationFactor,
  // kInvalidConfigException for a time zone that is not known; of its lake kLakeTableAlreadyExist,
  // kInvalidTableException and kStorageException.
  Task<Status> create_table(TablePath path, TableDescriptor descriptor, bool ignore_if_exists);
  // Holds for every request that comes after it ended, and for automatic partitions.
  // kTableNotExist, kInvalidConfigException for a time zone that is not known, those of alter.h,
  // and those of a lake that has to follow.
  Task<Status> alter_table(TablePath path, TableChange change, bool ignore_if_not_exists);
  // Ends when the name is free; the data is removed after it. kTableNotExist.
  Task<Status> drop_table(TablePath path, bool ignore_if_not_exists);

  // Ends when the leaders take requests. kTableNotExist, kTableNotPartitionedException,
  // kPartitionSpecInvalidException, kPartitionAlreadyExists, kPartitionMaxNumException,
  // kBucketMaxNumException, kInvalidReplicationFactor.
  Task<Status> create_partition(TablePath path, PartitionSpec spec, bool ignore_if_exists);
  // Ends when the name is free; the data is removed after it. kTableNotExist,
  // kTableNotPartitionedException, kPartitionSpecInvalidException, kPartitionNotExists.
  Task<Status> drop_partition(TablePath path, PartitionSpec spec, bool ignore_if_not_exists);

  // An id is given once, whatever becomes of it. kUnknownTableOrBucketException.
  Task<Result<KvSnapshotPlace>> next_kv_snapshot(TableBucket bucket);
  // Makes the snapshot the latest of its bucket; done for one that is it already. Refused for good:
  // kUnknownTableOrBucketException, kInvalidCoordinatorException, kFencedLeaderEpochException,
  // kKvSnapshotNotExist when it is not where it has to be or needs files that are gone. Any other
  // error leaves open whether it is committed: ask again.
  Task<Status> commit_kv_snapshot(KvSnapshotCommit commit);
  // Those that are kept, the newest first, but for any whose document is missing.
  // kUnknownTableOrBucketException.
  Task<Result<std::vector<KvSnapshot>>> kv_snapshots(TableBucket bucket);
  // The snapshots that may be read, those in use included. kTableNotExist, kPartitionNotExists.
  Task<Result<std::vector<BucketSnapshot>>> list_kv_snapshots(PhysicalTableId id);

  // Keeps snapshots from being removed until `duration` from now, or renews a lease. A bucket's
  // snapshot replaces the one that the lease had of it. Gives back what can not be had.
  // kInvalidConfigException for an id that is no name or a duration that is none.
  Task<Result<std::vector<BucketSnapshot>>> acquire_kv_lease(std::string lease,
                                                             Duration duration,
                                                             std::vector<BucketSnapshot> wanted);
  // An unknown lease or bucket is done.
  Task<Status> release_kv_lease(std::string lease, std::vector<TableBucket> buckets);
  Task<Status> drop_kv_lease(std::string lease);
  // That the lease has snapshots of; none of an unknown one.
  Task<Result<std::vector<TableId>>> kv_lease_tables(std::string lease);

  // Keeps offsets under the producer's name until `ttl` from now; false, and nothing is changed,
  // when it has some that have not expired. kInvalidProducerIdException, kTableNotExist,
  // kUnknownTableOrBucketException.
  Task<Result<bool>> register_producer(std::string producer,
                                       std::map<TableBucket, Offset> offsets,
                                       std::optional<Duration> ttl);
  // Nothing of an unknown producer. kInvalidProducerIdException.
  Task<Result<std::optional<ProducerOffsets>>> producer_offsets(std::string producer);
  // An unknown producer is done. kInvalidProducerIdException.
  Task<Status> forget_producer(std::string producer);

  // What is written down of a bucket's log in remote storage; takes no turn, as those who begin to
  // lead ask in the middle of one. kUnknownTableOrBucketException.
  Task<Result<RemoteLogRecord>> remote_log(TableBucket bucket);
  // The folder to copy to. kUnknownTableOrBucketException.
  Task<Result<std::string>> begin_remote_log(TableBucket bucket);
  // Makes the manifest the one that counts; done for one that is it already. Refused for good:
  // kUnknownTableOrBucketException, kInvalidCoordinatorException, kFencedLeaderEpochException. Any
  // other error leaves open whether it is committed: ask again.
  Task<Status> commit_remote_log(RemoteLogCommit commit);
  // The manifests that count. kTableNotExist, kPartitionNotExists.
  Task<Result<std::vector<RemoteLogManifestPlace>>> list_remote_logs(PhysicalTableId id);

  // The next values of a column that the server fills. kUnknownTableOrBucketException;
  // kUnknownServerError when there are not so many left.
  Task<Result<ColumnIds>> reserve_ids(TableId table, int32_t column_id, int64_t count);

  // What workers of the lake report, in this order: failed, running, finished; then a table is
  // handed out. Takes no turn. An outcome may be kInvalidCoordinatorException or those of
  // LakeTiering.
  Task<Result<TieringAnswer>> tiering_heartbeat(TieringReport report);
  // Of all tables that are copied to the lake. Takes no turn.
  Task<Result<std::vector<TieringView>>> tiering_views();
  // Writes the offsets of a round down: the path. kTableNotExist, kUnknownTableOrBucketException.
  Task<Result<std::string>> prepare_lake_snapshot(LakeRound round, LakeOffsetsBase base);
  // Makes a snapshot the last one of its table's lake; done for one that is known already.
  // kTableNotExist, kLakeSnapshotNotExist when a document is not where it has to be, and
  // kFencedTieringEpochException for one that others have left behind.
  Task<Status> commit_lake_snapshot(LakeSnapshotCommit commit);
  Task<Status> commit_lake_offsets(LakeOffsetsCommit commit);
  // From where on a reader of the lake needs the log of the bucket: 0 while no snapshot can be
  // read. Takes no turn. kUnknownTableOrBucketException, kLakeSnapshotNotExist, kStorageException.
  Task<Result<Offset>> lake_end(TableBucket bucket);

  // Options that change while the servers run. kConfigException, kUnsupportedVersion when none do.
  Task<Status> alter_configs(std::vector<ConfigChange> changes);
  // Of the server behind alter_configs(): writes the options down, and goes by them from then on.
  Task<Status> write_configs(ConfigPlan plan);

  // Takes servers out, all or none. kServerNotExistException for one that does not live,
  // kSeverTagAlreadyExistException for one with the other tag.
  Task<Status> add_server_tag(ServerSelection servers, ServerTag tag);
  // A server without a tag is done. kSeverTagNotExistException for one with the other tag.
  Task<Status> remove_server_tag(ServerSelection servers, ServerTag tag);
  // Moves buckets and leaders until the goals are met as well as they can be, by priority: the id
  // to ask for with. kRebalanceFailureException.
  Task<Result<std::string>> rebalance(std::vector<int32_t> goals);
  // The last one; nothing when there was none. kNoRebalanceInProgressException when it has another
  // id than the one that is asked for.
  Task<Result<std::optional<RebalanceRecord>>> rebalance_progress(std::optional<std::string> id);
  // Done when it has ended. kNoRebalanceInProgressException as above.
  Task<Status> cancel_rebalance(std::optional<std::string> id);
  // Adds entries: all that can be one, and what is wrong with each other. Who asks needs ALL on
  // each resource, or on the database of a table. kAuthorizationException,
  // kSecurityDisabledException.
  Task<Result<std::vector<Status>>> create_acls(Caller caller,
                                                std::vector<security::AclBinding> bindings);
  // Removes the entries that a filter matches: those of each, in their order. The same errors.
  Task<Result<std::vector<std::vector<security::AclBinding>>>> drop_acls(
      Caller caller, std::vector<security::AclFilter> filters);

  // Tables and partitions whose data is still being removed.
  size_t deletion_count() const { return deletions_.size(); }

 private:
  // A table or partition that is dropped while replicas of it may be left.
  struct Deletion {
    // Unknown when it was dropped before this coordinator started.
    std::optional<PhysicalTablePath> path;
    AssignmentRecord assignment;
    std::string lake_folder;  // of documents in remote storage; empty when there are none
    bool is_running = false;
    bool has_failed = false;  // waits to be tried again
  };
  // A table or partition as it is written down when it is new.
  struct NewPlace {
    PhysicalTableId id;
    PhysicalTablePath path;
    AssignmentRecord assignment;
    std::vector<BucketEntry> buckets;
  };
  // What an event holds while it runs.
  struct Event {
    Gate::Pass pass;
    EventQueue::Turn turn;
  };
  // The same of a change of a table that its lake follows; events happen meanwhile.
  struct Change {
    Gate::Pass pass;
    TableTurns::Turn turn;
  };
  using BucketChanges = std::vector<std::pair<TableBucket, BucketEntry>>;
  // Offsets that are to be kept under a name.
  struct ProducerPlan {
    bool exists = false;  // and has not expired: nothing is changed
    std::optional<ProducerRecord> expired;
  };
  using ProducerTables = std::map<TableId, LakeOffsets>;
  // A table that is to be.
  struct TablePlan {
    bool exists = false;  // and may: nothing is left to do
    AssignmentRecord assignment;
  };
  // A table after a change.
  struct Alteration {
    TableRecord record;
    std::shared_ptr<const SchemaEntry> added;  // none when its options changed
    std::shared_ptr<const TableEntry> before;
    std::shared_ptr<const TableEntry> after;
  };
  enum class LakeState : uint8_t {
    kAsKnown,
    kNew,  // made anew: nothing that is known of its snapshots is true
  };
  // What is known of a table's lake.
  struct LakeTable {
    LakeTableRecord record;
    // Of the last snapshot, and of the last one that can be read, once they were needed.
    std::optional<LakeOffsets> tiered;
    std::optional<LakeOffsets> readable;
  };
  // How it is learnt what is leased: once for all who ask, and not too often when it fails.
  struct LeaseReads {
    EventQueue turns;
    Status last;
    Duration pause{0};        // after a failure
    Duration next{0};         // when to read again
    bool is_awaited = false;  // by removals
  };
  struct LakeDocuments {
    LakeOffsets before;  // of the last snapshot that was known
    LakeOffsets tiered;
    std::optional<LakeOffsets> readable;
  };

  // coordinator.cc
  Task<Result<Event>> begin_turn(EventQueue* queue);
  Task<Result<Event>> begin_event();
  // As begin_event, with the leases known.
  Task<Result<Event>> begin_lease_event();
  Task<Result<Change>> begin_change(TablePath path);
  Task<Status> load();
  void set_catalog(std::shared_ptr<const CatalogSnapshot> next);
  std::vector<ServerId> live_servers() const;
  bool is_live(ServerId server) const;
  // The operations in the order given, in as few changes as their number allows.
  Task<Status> commit_in_parts(std::vector<MetaOp> ops);
  Task<Status> remove_unfinished(std::vector<std::string> nodes);
  // Until they are gone no node may name them. Requires: no event, as remote storage may hang, and
  // no wait since the one in which the last node that named them went.
  Task<void> remove_unused(std::vector<std::string> documents);
  Task<Status> write_database(DatabaseEntry entry, bool is_new);

  // acls.cc
  Status check_acls_enabled() const;
  Task<Status> write_acls(std::map<security::Resource, security::AclEntries> changed);

  // tables.cc
  Task<Result<TablePlan>> plan_table(TablePath path,
                                     TableDescriptor descriptor,
                                     bool ignore_if_exists);
  Task<Status> write_new_table(TablePath path,
                               TableDescriptor descriptor,
                               AssignmentRecord assignment);
  Task<Status> write_place(const NewPlace* place, MetaOp counter, std::vector<MetaOp> naming);
  Task<void> tell_first_leaders(const NewPlace* place);
  Task<Status> drop_tables_of(std::string database);
  Task<Status> drop_tables(std::vector<TablePath> tables);
  void add_deletions_of(const TableEntry& table);

  // server_tags.cc
  std::vector<ServerId> servers_of_racks(const std::vector<std::string>& racks) const;
  Task<Status> write_server_tags(ServerTagsRecord next);
  // The live servers that replicas may be placed on.
  std::vector<ServerId> assignable_servers() const;

  // rebalance.cc
  Status check_rebalance_id(const std::optional<std::string>& id) const;

  // alter_tables.cc
  Task<Result<std::optional<Alteration>>> plan_alteration(TablePath path,
                                                          TableChange change,
                                                          bool ignore_if_not_exists);
  Task<Result<std::vector<std::string>>> write_alteration(
      std::shared_ptr<const Alteration> alteration, LakeState lake);

  // lake_tables.cc
  Task<Status> create_with_lake(TablePath path, TableDescriptor descriptor, bool ignore_if_exists);
  bool concerns_lake(const Alteration& alteration) const;
  Task<Result<LakeState>> alter_in_lake(std::shared_ptr<const Alteration> alteration);
  void follow_lake(const TableEntry& table);
  void follow_lakes();
  void forget_lake(TableId table);
  void note_failure(const TieringReport& report, const TieringClaim& claim, const Status& outcome);

  // lake_snapshots.cc
  Status check_offsets(TableId id, const LakeOffsets& offsets) const;
  Status check_documents(const LakeSnapshotCommit& commit) const;
  LakeTable* find_lake(TableId table);
  Task<Result<bool>> register_lake_snapshot(std::shared_ptr<const LakeSnapshotCommit> commit);
  Task<Result<bool>> add_lake_snapshot(std::shared_ptr<const LakeSnapshotCommit> commit,
                                       LakeTable before,
                                       LakeDocuments documents);
  Task<Result<bool>> register_lake_offsets(std::shared_ptr<const LakeOffsetsCommit> commit);
  Task<Result<LakeDocuments>> read_documents(std::shared_ptr<const LakeSnapshotCommit> commit,
                                             LakeTable before);
  Task<Status> write_lake_table(TableId table, LakeTable next);
  Task<std::vector<std::string>> forget_snapshots(TableId table);
  Task<void> tell_lake_ends(std::shared_ptr<const LakeNotice> ends);

  // partitions.cc
  Result<std::shared_ptr<const TableEntry>> partitioned_table(const TablePath& path) const;
  Task<Status> add_partition(std::shared_ptr<const TableEntry> table, std::string name);
  Task<Status> remove_partitions(TablePartitions::Entries partitions);

  // auto_partitions.cc
  Task<Result<TimeZone>> time_zone(std::string name);
  Task<Status> check_time_zone(std::string name);
  Task<Status> check_new_value(std::shared_ptr<const TableEntry> table,
                               ResolvedPartitionSpec wanted);
  Task<Status> follow_time(std::shared_ptr<const TableEntry> table, Duration spread);
  Task<void> follow_time_now(TablePath path);
  void check_partitions_after(Duration delay);
  Task<void> check_partitions(Gate::Pass pass);
  Task<Status> check_partitions_of(TablePath path);

  // leaders.cc
  Task<void> elect_leaders();
  Task<Status> write_leaders(BucketChanges changes);
  void set_leaders(const BucketChanges& changes);
  Task<void> tell_leaders(std::vector<TableBucket> buckets);
  Task<void> take_offline(std::vector<TableBucket> buckets);
  const BucketEntry* find_bucket(const TableBucket& bucket) const;
  std::optional<PhysicalTablePath> path_of(const PhysicalTableId& id) const;
  void retry_elections_later();
  Task<void> retry_elections(Gate::Pass pass);

  // kv_snapshots.cc
  std::string remote_root(const PhysicalTableId& id) const;
  Status check_commit(const KvSnapshotCommit& commit) const;
  bool is_committed(const KvSnapshot& snapshot) const;
  // Of APIs that list something of a table or partition.
  Status check_listed(const PhysicalTableId& id) const;
  Task<Status> register_snapshot(const KvSnapshot* snapshot);

  // kv_removals.cc
  std::vector<KvSnapshotId> superseded(const TableBucket& bucket) const;
  bool is_leased(const TableBucket& bucket, KvSnapshotId id) const;
  void run_removals();
  void run_removal(TableBucket bucket);
  void learn_leases();
  Task<void> remove_once_leases_known(Gate::Pass pass);
  Task<void> remove_superseded(TableBucket bucket, Gate::Pass pass);
  Task<Result<bool>> remove_some(TableBucket bucket);
  Task<Status> remove_records(TableBucket bucket, std::vector<KvSnapshotId> ids);
  Task<Status> remove_remote(PhysicalTableId id);

  // kv_orphans.cc
  bool may_have_orphans(const TableBucket& bucket) const;
  Task<Status> remove_orphans(TableBucket bucket);

  // remote_logs.cc
  Status check_remote_log(const RemoteLogCommit& commit) const;
  Task<Status> write_remote_log(TableBucket bucket, RemoteLogRecord record);

  // kv_leases.cc
  Task<Status> load_leases();
  bool is_available(const BucketSnapshot& snapshot) const;
  Task<Result<bool>> write_lease(std::string id, KvLease next, std::vector<BucketSnapshot> taken);
  Task<Status> delete_lease(std::string id);
  void check_leases_later();
  Task<void> check_leases(Gate::Pass pass);
  Task<Status> delete_expired_leases();

  // producers.cc
  Task<Result<std::optional<ProducerRecord>>> read_producer(std::string producer);
  Task<Result<ProducerPlan>> plan_producer(std::string producer,
                                           std::shared_ptr<const ProducerTables> tables);
  Task<Result<bool>> write_producer(std::string producer,
                                    std::shared_ptr<const ProducerTables> tables,
                                    ProducerRecord next,
                                    std::vector<std::string>* unused);
  Task<Result<bool>> delete_producer(std::string producer, TimestampMs latest);
  void check_producers_later();
  Task<void> check_producers(Gate::Pass pass);
  Task<Status> delete_expired_producers();

  // deletions.cc
  void add_deletion(const PhysicalTableId& id, Deletion deletion);
  void run_deletions();
  Task<void> run_deletion(PhysicalTableId id, Gate::Pass pass);
  Task<Status> delete_replicas(PhysicalTableId id);
  Task<Status> remove_assignment(PhysicalTableId id);
  void retry_deletions_later();

  Env& env_;
  Shard& control_;
  MetaStore& store_;
  ObjectStore& objects_;
  Catalog& published_;
  TabletLink& tablets_;
  CoordinatorOptions options_;
  Random random_;

  MetadataWriter writer_;
  EventQueue events_;
  EventQueue config_turns_;  // changes of options, with events inside
  Gate gate_;
  bool started_ = false;
  ServerNode self_;
  // The state: what is written and published.
  std::shared_ptr<const CatalogSnapshot> catalog_;
  TableId next_table_id_;
  PartitionId next_partition_id_;
  std::map<PhysicalTableId, Deletion> deletions_;
  size_t running_deletions_ = 0;
  std::optional<Timer> election_retry_;
  std::optional<Timer> deletion_retry_;

  std::map<TableBucket, BucketSnapshots> snapshots_;
  std::map<TableBucket, KvRemoval> removals_;
  std::map<TableBucket, RemoteLogRecord> remote_logs_;
  // Unknown while remote storage can not be read: then nothing is removed.
  bool leases_known_ = false;
  std::map<std::string, KvLease> leases_;
  LeaseReads lease_reads_;
  EventQueue lease_changes_;  // with events inside
  std::optional<Timer> lease_check_;
  std::optional<Timer> producer_check_;

  std::map<TableId, LakeTable> lake_tables_;  // those that a snapshot is known of
  LakeTiering tiering_;
  std::set<std::string> leaving_;  // documents that are being removed
  TableTurns table_turns_;

  RemoteDirs remote_dirs_;
  ServerTagsRecord server_tags_;
  std::optional<RebalanceRecord> rebalance_;  // the last one

  std::map<std::string, TimeZone> zones_;  // those that were used
  std::optional<Timer> partition_check_;
};

}  // namespace lakestream::coordinator
