#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "lake/iceberg/table_metadata.h"

// How the state of a table changes: what has to hold of it, and the steps to the next one. A
// catalog that keeps metadata files applies them and writes the next file; a REST catalog is sent
// them. The JSON of both is that of the Iceberg REST specification.
//
// Thread rule: values, any thread; functions are pure.
//
//   std::vector<TableUpdate> updates = {update::AddSnapshot{snapshot},
//                                       update::SetSnapshotRef{"main", snapshot.id}};
//   ASSIGN_OR_RETURN(TableMetadata next, apply(updates, metadata, clock.now().value()));
namespace lakestream::iceberg {

namespace update {

struct AssignUuid {
  std::string uuid;
};
struct UpgradeFormatVersion {
  int32_t version = kFormatVersion;
};
struct AddSchema {
  IcebergSchema schema;  // its id is given by the table: the highest and one, or that of an equal
};
struct SetCurrentSchema {
  int32_t id = -1;  // -1: the one that was added last
};
struct AddSpec {
  IcebergPartitionSpec spec;
};
struct SetDefaultSpec {
  int32_t id = -1;
};
struct AddSortOrder {
  SortOrder order;
};
struct SetDefaultSortOrder {
  int32_t id = -1;
};
struct AddSnapshot {
  IcebergSnapshot snapshot;
};
struct SetSnapshotRef {
  std::string name;
  int64_t snapshot_id = 0;
  std::string type = "branch";
  OtherMembers others = {};  // how long it is kept: what is not named is kept no longer
};
struct RemoveSnapshots {
  std::vector<int64_t> ids;
};
struct RemoveSnapshotRef {
  std::string name;
};
struct SetLocation {
  std::string location;
};
struct SetProperties {
  Properties properties;
};
struct RemoveProperties {
  std::vector<std::string> keys;
};

}  // namespace update

using TableUpdate = std::variant<update::AssignUuid,
                                 update::UpgradeFormatVersion,
                                 update::AddSchema,
                                 update::SetCurrentSchema,
                                 update::AddSpec,
                                 update::SetDefaultSpec,
                                 update::AddSortOrder,
                                 update::SetDefaultSortOrder,
                                 update::AddSnapshot,
                                 update::SetSnapshotRef,
                                 update::RemoveSnapshots,
                                 update::RemoveSnapshotRef,
                                 update::SetLocation,
                                 update::SetProperties,
                                 update::RemoveProperties>;

namespace requirement {

struct NotThere {};  // "assert-create"
struct Uuid {
  std::string uuid;
};
struct RefSnapshot {
  std::string ref;
  std::optional<int64_t> snapshot_id;  // absent: there is no such ref
};
struct LastColumnId {
  int32_t id = 0;
};
struct CurrentSchema {
  int32_t id = 0;
};
struct LastPartitionId {
  int32_t id = 0;
};
struct DefaultSpec {
  int32_t id = 0;
};
struct DefaultSortOrder {
  int32_t id = 0;
};

}  // namespace requirement

using TableRequirement = std::variant<requirement::NotThere,
                                      requirement::Uuid,
                                      requirement::RefSnapshot,
                                      requirement::LastColumnId,
                                      requirement::CurrentSchema,
                                      requirement::LastPartitionId,
                                      requirement::DefaultSpec,
                                      requirement::DefaultSortOrder>;

struct TableChange {
  std::vector<TableRequirement> requirements = {};
  std::vector<TableUpdate> updates = {};
};

// The requirement that does not hold, in words; nothing when all hold.
std::optional<std::string> broken_requirement(std::span<const TableRequirement> requirements,
                                              const TableMetadata& metadata);

// The state after the updates, in their order. kUnknownServerError for an update that can not be,
// such as a snapshot that is there already or whose sequence number is not the next one.
Result<TableMetadata> apply(std::span<const TableUpdate> updates,
                            const TableMetadata& metadata,
                            int64_t now_ms);

// The next metadata file of catalogs that keep such files: requirements are not looked at; the
// metadata log gets `file`, that of `metadata`, and loses what is more than the option
// write.metadata.previous-versions-max.
Result<TableMetadata> next_version(const TableChange& change,
                                   const TableMetadata& metadata,
                                   const std::string& file,
                                   int64_t now_ms);

// {"action":"add-snapshot",…}, {"type":"assert-ref-snapshot-id",…}
void write_update(const TableUpdate& update, JsonWriter* json);
void write_requirement(const TableRequirement& requirement, JsonWriter* json);

}  // namespace lakestream::iceberg
