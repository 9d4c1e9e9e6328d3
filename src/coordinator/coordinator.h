#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "coordinator/event_queue.h"
#include "coordinator/links.h"
#include "coordinator/metadata_writer.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/random.h"
#include "meta/records.h"
#include "table/validate.h"

// The Coordinator decides what databases and tables there are, which servers hold the buckets and
// who leads them. It is the only writer of the metadata. Every change is an event, and events
// happen one at a time: each is written to the metadata store first, then published to the catalog,
// then told to the tablet servers, then answered. So a state that somebody saw survives, and a
// crash between two steps is mended at the next start: leaders are elected anew, dropped tables are
// removed to the end.
//
// Thread rule: everything on the control shard.
//
//   Coordinator coordinator(env, control, store, catalog, tablets, options);
//   CO_RETURN_IF_ERROR(co_await coordinator.start(self));
//   CO_RETURN_IF_ERROR(co_await coordinator.server_joined(node));
//   CO_RETURN_IF_ERROR(co_await coordinator.drop_table(path, false));
namespace lakestream::coordinator {

inline constexpr std::string_view kDefaultDatabase = "fluss";

struct CoordinatorOptions {
  TableRules rules;
  Duration offline_leader_retry = std::chrono::minutes(1);
  Duration deletion_retry = std::chrono::seconds(30);
};

// What ALTER DATABASE changes: properties to set or, without a value, to remove; the comment, where
// an empty one means none.
struct DatabaseChange {
  std::vector<std::pair<std::string, std::optional<std::string>>> properties;
  std::optional<std::string> comment;
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
              Catalog& catalog,
              TabletLink& tablets,
              CoordinatorOptions options);

  Shard& shard() { return control_; }
  const CoordinatorOptions& options() const { return options_; }
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
  // `descriptor` is one of prepare_table. Ends when the leaders take requests. kDatabaseNotExist,
  // kTableAlreadyExist, kInvalidReplicationFactor.
  Task<Status> create_table(TablePath path, TableDescriptor descriptor, bool ignore_if_exists);
  // Ends when the name is free; the data is removed after it. kTableNotExist.
  Task<Status> drop_table(TablePath path, bool ignore_if_not_exists);

  // Tables whose data is still being removed.
  size_t deletion_count() const { return deletions_.size(); }

 private:
  // A table that is dropped while replicas of it may be left.
  struct Deletion {
    std::optional<TablePath> path;  // unknown when it was dropped before this coordinator started
    AssignmentRecord assignment;
    bool is_running = false;
  };
  // What an event holds while it runs.
  struct Event {
    Gate::Pass pass;
    EventQueue::Turn turn;
  };
  using BucketChanges = std::vector<std::pair<TableBucket, BucketEntry>>;

  // coordinator.cc
  Task<Result<Event>> begin_event();
  Task<Status> load();
  void set_catalog(std::shared_ptr<const CatalogSnapshot> next);
  std::vector<ServerId> live_servers() const;
  bool is_live(ServerId server) const;
  // The operations in the order given, in as few changes as their number allows.
  Task<Status> commit_in_parts(std::vector<MetaOp> ops);
  Task<Status> remove_unfinished(std::vector<std::string> nodes);
  Task<Status> write_database(DatabaseEntry entry, bool is_new);

  // tables.cc
  Task<Status> write_new_table(TablePath path,
                               TableDescriptor descriptor,
                               AssignmentRecord assignment);
  Task<Status> drop_tables_of(std::string database);
  Task<Status> drop_tables(std::vector<TablePath> tables);

  // leaders.cc
  Task<void> elect_leaders();
  Task<Status> write_leaders(BucketChanges changes);
  void set_leaders(const BucketChanges& changes);
  Task<void> tell_leaders(std::vector<TableBucket> buckets);
  Task<void> take_offline(std::vector<TableBucket> buckets);
  const BucketEntry* find_bucket(const TableBucket& bucket) const;
  void retry_elections_later();
  Task<void> retry_elections(Gate::Pass pass);

  // deletions.cc
  void add_deletion(TableId id, Deletion deletion);
  void run_deletions();
  Task<void> run_deletion(TableId id, Gate::Pass pass);
  Task<Status> delete_replicas(TableId id);
  Task<Status> remove_assignment(TableId id);
  void retry_deletions_later();

  Env& env_;
  Shard& control_;
  MetaStore& store_;
  Catalog& published_;
  TabletLink& tablets_;
  CoordinatorOptions options_;
  Random random_;

  MetadataWriter writer_;
  EventQueue events_;
  Gate gate_;
  bool started_ = false;
  ServerNode self_;
  // The state: what is written and published.
  std::shared_ptr<const CatalogSnapshot> catalog_;
  TableId next_table_id_;
  std::map<TableId, Deletion> deletions_;
  std::optional<Timer> election_retry_;
  std::optional<Timer> deletion_retry_;
};

}  // namespace lakestream::coordinator
