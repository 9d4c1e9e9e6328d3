#include "lake/iceberg/table_update.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/config.h"
#include "lake/iceberg/iceberg_catalog.h"

namespace lakestream::iceberg {
namespace {

constexpr std::string_view kMaxVersions = "write.metadata.previous-versions-max";
constexpr int64_t kDefaultMaxVersions = 100;

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

template <typename... Args>
tl::unexpected<Error> refused(fmt::format_string<Args...> format, Args&&... args) {
  return make_error(ErrorCode::kUnknownServerError, format, std::forward<Args>(args)...);
}

int64_t max_versions(const Properties& properties) {
  auto option = properties.find(kMaxVersions);
  if (option == properties.end()) return kDefaultMaxVersions;
  Result<int64_t> count = parse_integer(option->second);
  return count && *count > 0 ? *count : kDefaultMaxVersions;
}

// Applies updates one after the other.
class Applier {
 public:
  Applier(TableMetadata metadata, int64_t now_ms)
      : metadata_(std::move(metadata)), now_ms_(std::max(now_ms, metadata_.last_updated_ms)) {}

  Status operator()(const update::AssignUuid& update) {
    metadata_.uuid = update.uuid;
    return ok();
  }

  Status operator()(const update::UpgradeFormatVersion& update) {
    if (update.version == metadata_.format_version) return ok();
    return refused(
        "format version {} is asked for, and only {} is written", update.version, kFormatVersion);
  }

  Status operator()(const update::AddSchema& update) {
    last_schema_ = id_for(metadata_.schemas, update.schema, same_columns);
    metadata_.last_column_id = std::max(metadata_.last_column_id, update.schema.highest_id());
    return ok();
  }
  Status operator()(const update::SetCurrentSchema& update) {
    return set_current(
        "schema", update.id, last_schema_, metadata_.schemas, &metadata_.current_schema_id);
  }

  Status operator()(const update::AddSpec& update) {
    last_spec_ = id_for(metadata_.specs,
                        update.spec,
                        [](const IcebergPartitionSpec& a, const IcebergPartitionSpec& b) {
                          return a.fields == b.fields;
                        });
    for (const PartitionField& field : update.spec.fields) {
      metadata_.last_partition_id = std::max(metadata_.last_partition_id, field.field_id);
    }
    return ok();
  }
  Status operator()(const update::SetDefaultSpec& update) {
    return set_current(
        "partition spec", update.id, last_spec_, metadata_.specs, &metadata_.default_spec_id);
  }

  Status operator()(const update::AddSortOrder& update) {
    last_order_ =
        id_for(metadata_.sort_orders, update.order, [](const SortOrder& a, const SortOrder& b) {
          return a.fields == b.fields;
        });
    return ok();
  }
  Status operator()(const update::SetDefaultSortOrder& update) {
    return set_current("sort order",
                       update.id,
                       last_order_,
                       metadata_.sort_orders,
                       &metadata_.default_sort_order_id);
  }

  Status operator()(const update::AddSnapshot& update) {
    const IcebergSnapshot& snapshot = update.snapshot;
    if (metadata_.find_snapshot(snapshot.id) != nullptr) {
      return refused("snapshot {} is there already", snapshot.id);
    }
    if (snapshot.sequence <= metadata_.last_sequence) {
      return refused("snapshot {} has sequence number {}, behind the last one, {}",
                     snapshot.id,
                     snapshot.sequence,
                     metadata_.last_sequence);
    }
    metadata_.last_sequence = snapshot.sequence;
    now_ms_ = std::max(now_ms_, snapshot.time_ms);
    metadata_.snapshots.push_back(snapshot);
    return ok();
  }

  Status operator()(const update::SetSnapshotRef& update) {
    const IcebergSnapshot* snapshot = metadata_.find_snapshot(update.snapshot_id);
    if (snapshot == nullptr) {
      return refused(
          "{} {}: there is no snapshot {}", update.type, update.name, update.snapshot_id);
    }
    SnapshotRef& ref = metadata_.refs[update.name];
    ref.snapshot_id = update.snapshot_id;
    ref.type = update.type;
    ref.others = update.others;
    if (update.name == kMainBranch && metadata_.current_snapshot_id != update.snapshot_id) {
      metadata_.current_snapshot_id = update.snapshot_id;
      metadata_.snapshot_log.push_back({now_ms_, update.snapshot_id});
    }
    return ok();
  }

  Status operator()(const update::RemoveSnapshots& update) {
    std::set<int64_t> ids(update.ids.begin(), update.ids.end());
    std::erase_if(metadata_.snapshots,
                  [&](const IcebergSnapshot& snapshot) { return ids.contains(snapshot.id); });
    std::erase_if(metadata_.refs,
                  [&](const auto& ref) { return ids.contains(ref.second.snapshot_id); });
    if (metadata_.current_snapshot_id && ids.contains(*metadata_.current_snapshot_id)) {
      metadata_.current_snapshot_id.reset();
    }
    // What was the current one before a gap can not be told any more.
    std::vector<SnapshotLogEntry>& log = metadata_.snapshot_log;
    auto last_gap = std::find_if(log.rbegin(), log.rend(), [&](const SnapshotLogEntry& entry) {
      return metadata_.find_snapshot(entry.snapshot_id) == nullptr;
    });
    log.erase(log.begin(), last_gap.base());
    return ok();
  }

  Status operator()(const update::RemoveSnapshotRef& update) {
    metadata_.refs.erase(update.name);
    if (update.name == kMainBranch) metadata_.current_snapshot_id.reset();
    return ok();
  }

  Status operator()(const update::SetLocation& update) {
    metadata_.location = update.location;
    return ok();
  }

  Status operator()(const update::SetProperties& update) {
    for (const auto& [key, value] : update.properties) metadata_.properties[key] = value;
    return ok();
  }

  Status operator()(const update::RemoveProperties& update) {
    for (const std::string& key : update.keys) metadata_.properties.erase(key);
    return ok();
  }

  TableMetadata finish() && {
    metadata_.last_updated_ms = now_ms_;
    return std::move(metadata_);
  }

 private:
  // The id of the same one that is there, or that of a new one.
  template <typename T, typename Same>
  static int32_t id_for(std::vector<T>& list, const T& wanted, const Same& same) {
    int32_t highest = -1;
    for (const T& item : list) {
      if (same(item, wanted)) return item.id;
      highest = std::max(highest, item.id);
    }
    list.push_back(wanted);
    list.back().id = highest + 1;
    return highest + 1;
  }

  template <typename T>
  static Status set_current(std::string_view what,
                            int32_t wanted,
                            std::optional<int32_t> last,
                            const std::vector<T>& list,
                            int32_t* current) {
    int32_t id = wanted == -1 ? last.value_or(-1) : wanted;
    bool there =
        std::any_of(list.begin(), list.end(), [id](const T& item) { return item.id == id; });
    if (!there) return refused("there is no {} {}", what, id);
    *current = id;
    return ok();
  }

  TableMetadata metadata_;
  int64_t now_ms_;
  std::optional<int32_t> last_schema_;
  std::optional<int32_t> last_spec_;
  std::optional<int32_t> last_order_;
};

std::optional<std::string> broken(const TableRequirement& requirement,
                                  const TableMetadata& metadata) {
  auto differs = [](std::string_view what, auto is, auto wanted) -> std::optional<std::string> {
    if (is == wanted) return std::nullopt;
    return fmt::format("its {} is {}, not {}", what, is, wanted);
  };
  return std::visit(
      Overloaded{
          [](const requirement::NotThere&) {
            return std::optional<std::string>("it is there already");
          },
          [&](const requirement::Uuid& wanted) {
            return differs("uuid", metadata.uuid, wanted.uuid);
          },
          [&](const requirement::RefSnapshot& wanted) {
            auto ref = metadata.refs.find(wanted.ref);
            auto text = [](std::optional<int64_t> id) { return id ? std::to_string(*id) : "none"; };
            std::optional<int64_t> is;
            if (ref != metadata.refs.end()) is = ref->second.snapshot_id;
            return differs(
                fmt::format("snapshot of {}", wanted.ref), text(is), text(wanted.snapshot_id));
          },
          [&](const requirement::LastColumnId& wanted) {
            return differs("last column id", metadata.last_column_id, wanted.id);
          },
          [&](const requirement::CurrentSchema& wanted) {
            return differs("schema", metadata.current_schema_id, wanted.id);
          },
          [&](const requirement::LastPartitionId& wanted) {
            return differs("last partition id", metadata.last_partition_id, wanted.id);
          },
          [&](const requirement::DefaultSpec& wanted) {
            return differs("partition spec", metadata.default_spec_id, wanted.id);
          },
          [&](const requirement::DefaultSortOrder& wanted) {
            return differs("sort order", metadata.default_sort_order_id, wanted.id);
          },
      },
      requirement);
}

}  // namespace

std::optional<std::string> broken_requirement(std::span<const TableRequirement> requirements,
                                              const TableMetadata& metadata) {
  for (const TableRequirement& requirement : requirements) {
    if (std::optional<std::string> why = broken(requirement, metadata)) return why;
  }
  return std::nullopt;
}

Result<TableMetadata> apply(std::span<const TableUpdate> updates,
                            const TableMetadata& metadata,
                            int64_t now_ms) {
  Applier applier(metadata, now_ms);
  for (const TableUpdate& update : updates) RETURN_IF_ERROR(std::visit(applier, update));
  return std::move(applier).finish();
}

Result<TableMetadata> next_version(const TableChange& change,
                                   const TableMetadata& metadata,
                                   const std::string& file,
                                   int64_t now_ms) {
  ASSIGN_OR_RETURN(TableMetadata next, apply(change.updates, metadata, now_ms));
  next.metadata_log.push_back({metadata.last_updated_ms, file});
  auto most = static_cast<size_t>(max_versions(next.properties));
  if (next.metadata_log.size() > most) {
    auto excess = static_cast<long>(next.metadata_log.size() - most);
    next.metadata_log.erase(next.metadata_log.begin(), next.metadata_log.begin() + excess);
  }
  return next;
}

TableMetadata first_metadata(const NewTable& table,
                             std::string uuid,
                             std::string location,
                             int64_t now_ms) {
  TableMetadata metadata;
  metadata.uuid = std::move(uuid);
  metadata.location = std::move(location);
  metadata.last_updated_ms = now_ms;
  metadata.schemas = {table.schema};
  metadata.schemas[0].id = 0;
  metadata.last_column_id = table.schema.highest_id();
  metadata.specs = {table.spec};
  metadata.specs[0].id = 0;
  for (const PartitionField& field : table.spec.fields) {
    metadata.last_partition_id = std::max(metadata.last_partition_id, field.field_id);
  }
  metadata.sort_orders = {table.order};
  metadata.default_sort_order_id = table.order.id;
  metadata.properties = table.properties;
  return metadata;
}

void write_update(const TableUpdate& update, JsonWriter* json) {
  auto begin = [json](std::string_view action) -> JsonWriter& {
    return json->begin_object().field("action", action);
  };
  std::visit(
      Overloaded{
          [&](const update::AssignUuid& u) { begin("assign-uuid").field("uuid", u.uuid); },
          [&](const update::UpgradeFormatVersion& u) {
            begin("upgrade-format-version").field("format-version", u.version);
          },
          [&](const update::AddSchema& u) {
            write_schema(u.schema, &begin("add-schema").key("schema"));
            // Older servers ask for it.
            json->field("last-column-id", u.schema.highest_id());
          },
          [&](const update::SetCurrentSchema& u) {
            begin("set-current-schema").field("schema-id", u.id);
          },
          [&](const update::AddSpec& u) { write_spec(u.spec, &begin("add-spec").key("spec")); },
          [&](const update::SetDefaultSpec& u) {
            begin("set-default-spec").field("spec-id", u.id);
          },
          [&](const update::AddSortOrder& u) {
            write_sort_order(u.order, &begin("add-sort-order").key("sort-order"));
          },
          [&](const update::SetDefaultSortOrder& u) {
            begin("set-default-sort-order").field("sort-order-id", u.id);
          },
          [&](const update::AddSnapshot& u) {
            write_snapshot(u.snapshot, &begin("add-snapshot").key("snapshot"));
          },
          [&](const update::SetSnapshotRef& u) {
            begin("set-snapshot-ref")
                .field("ref-name", u.name)
                .field("type", u.type)
                .field("snapshot-id", u.snapshot_id);
            for (const auto& [name, value] : u.others) json->key(name).json(value);
          },
          [&](const update::RemoveSnapshots& u) {
            begin("remove-snapshots").key("snapshot-ids").begin_array();
            for (int64_t id : u.ids) json->integer(id);
            json->end_array();
          },
          [&](const update::RemoveSnapshotRef& u) {
            begin("remove-snapshot-ref").field("ref-name", u.name);
          },
          [&](const update::SetLocation& u) {
            begin("set-location").field("location", u.location);
          },
          [&](const update::SetProperties& u) {
            begin("set-properties").key("updates").text_map(u.properties);
          },
          [&](const update::RemoveProperties& u) {
            begin("remove-properties").key("removals").texts(u.keys);
          },
      },
      update);
  json->end_object();
}

void write_requirement(const TableRequirement& requirement, JsonWriter* json) {
  auto begin = [json](std::string_view type) -> JsonWriter& {
    return json->begin_object().field("type", type);
  };
  std::visit(
      Overloaded{
          [&](const requirement::NotThere&) { begin("assert-create"); },
          [&](const requirement::Uuid& r) { begin("assert-table-uuid").field("uuid", r.uuid); },
          [&](const requirement::RefSnapshot& r) {
            begin("assert-ref-snapshot-id").field("ref", r.ref).key("snapshot-id");
            if (r.snapshot_id) {
              json->integer(*r.snapshot_id);
            } else {
              json->null();
            }
          },
          [&](const requirement::LastColumnId& r) {
            begin("assert-last-assigned-field-id").field("last-assigned-field-id", r.id);
          },
          [&](const requirement::CurrentSchema& r) {
            begin("assert-current-schema-id").field("current-schema-id", r.id);
          },
          [&](const requirement::LastPartitionId& r) {
            begin("assert-last-assigned-partition-id").field("last-assigned-partition-id", r.id);
          },
          [&](const requirement::DefaultSpec& r) {
            begin("assert-default-spec-id").field("default-spec-id", r.id);
          },
          [&](const requirement::DefaultSortOrder& r) {
            begin("assert-default-sort-order-id").field("default-sort-order-id", r.id);
          },
      },
      requirement);
  json->end_object();
}

}  // namespace lakestream::iceberg
