#include "catalog/catalog.h"

#include <algorithm>
#include <utility>

namespace lakestream {

const SchemaEntry* TableEntry::find_schema(SchemaId schema_id) const {
  auto found = std::lower_bound(
      schemas.begin(), schemas.end(), schema_id, [](const auto& entry, SchemaId wanted) {
        return entry->id < wanted;
      });
  return found != schemas.end() && (*found)->id == schema_id ? found->get() : nullptr;
}

const DatabaseEntry* CatalogSnapshot::find_database(std::string_view name) const {
  auto found = databases_.find(name);
  return found == databases_.end() ? nullptr : found->second.get();
}

std::shared_ptr<const TableEntry> CatalogSnapshot::find_table(const TablePath& path) const {
  const DatabaseEntry* database = find_database(path.database);
  if (database == nullptr) return nullptr;
  auto found = database->tables.find(path.table);
  return found == database->tables.end() ? nullptr : found->second;
}

std::shared_ptr<const TableEntry> CatalogSnapshot::find_table(TableId id) const {
  auto found = tables_.find(id);
  return found == tables_.end() ? nullptr : found->second;
}

namespace {

constexpr auto kByName = [](const PartitionEntry& entry) -> std::string_view { return entry.name; };
constexpr auto kById = [](const PartitionEntry& entry) { return entry.id; };

// The first entry whose key is not below the wanted one.
template <typename Entries, typename Key, typename Wanted>
auto place_of(Entries& entries, Key key, const Wanted& wanted) {
  return std::lower_bound(
      entries.begin(), entries.end(), wanted, [key](const auto& entry, const Wanted& value) {
        return key(*entry) < value;
      });
}

template <typename Entries, typename Key, typename Wanted>
std::shared_ptr<const PartitionEntry> find_in(const Entries& entries,
                                              Key key,
                                              const Wanted& wanted) {
  auto place = place_of(entries, key, wanted);
  return place != entries.end() && key(**place) == wanted ? *place : nullptr;
}

}  // namespace

std::shared_ptr<const PartitionEntry> TablePartitions::find(std::string_view name) const {
  return find_in(by_name_, kByName, name);
}

std::shared_ptr<const PartitionEntry> TablePartitions::find(PartitionId id) const {
  return find_in(by_id_, kById, id);
}

void TablePartitions::put(std::shared_ptr<const PartitionEntry> entry) {
  remove(entry->name);
  by_name_.insert(place_of(by_name_, kByName, entry->name), entry);
  by_id_.insert(place_of(by_id_, kById, entry->id), entry);
}

void TablePartitions::remove(std::string_view name) {
  auto place = place_of(by_name_, kByName, name);
  if (place == by_name_.end() || (*place)->name != name) return;
  by_id_.erase(place_of(by_id_, kById, (*place)->id));
  by_name_.erase(place);
}

const TablePartitions& CatalogSnapshot::partitions(TableId table) const {
  static const TablePartitions kNone;
  auto found = partitions_.find(table);
  return found == partitions_.end() ? kNone : *found->second;
}

std::shared_ptr<const PartitionEntry> CatalogSnapshot::find_partition(TableId table,
                                                                      PartitionId id) const {
  return partitions(table).find(id);
}

std::shared_ptr<const PartitionEntry> CatalogSnapshot::find_partition(PartitionId id) const {
  for (const auto& [table, partitions] : partitions_) {
    std::shared_ptr<const PartitionEntry> found = partitions->find(id);
    if (found != nullptr) return found;
  }
  return nullptr;
}

const std::vector<BucketEntry>* CatalogSnapshot::find_buckets(const PhysicalTableId& id) const {
  if (id.partition) {
    std::shared_ptr<const PartitionEntry> partition = find_partition(id.table, *id.partition);
    return partition == nullptr ? nullptr : &partition->buckets;
  }
  auto table = tables_.find(id.table);
  return table == tables_.end() ? nullptr : &table->second->buckets;
}

// nullptr when there is no such database.
DatabaseEntry* CatalogBuilder::touch(std::string_view name) {
  auto touched = touched_.find(name);
  if (touched != touched_.end()) return touched->second.get();
  auto found = next_.databases_.find(name);
  if (found == next_.databases_.end()) return nullptr;
  auto copy = std::make_shared<DatabaseEntry>(*found->second);
  found->second = copy;
  return touched_.emplace(name, std::move(copy)).first->second.get();
}

CatalogBuilder& CatalogBuilder::put_database(DatabaseEntry entry) {
  DatabaseEntry* known = touch(entry.name);
  if (known != nullptr) {
    entry.tables = std::move(known->tables);
    *known = std::move(entry);
    return *this;
  }
  auto made = std::make_shared<DatabaseEntry>(std::move(entry));
  next_.databases_[made->name] = made;
  touched_[made->name] = made;
  return *this;
}

CatalogBuilder& CatalogBuilder::remove_database(std::string_view name) {
  auto found = next_.databases_.find(name);
  if (found == next_.databases_.end()) return *this;
  for (const auto& [table_name, table] : found->second->tables) forget_table(table->id);
  next_.databases_.erase(found);
  auto touched = touched_.find(name);
  if (touched != touched_.end()) touched_.erase(touched);
  return *this;
}

CatalogBuilder& CatalogBuilder::put_table(std::shared_ptr<const TableEntry> entry) {
  DatabaseEntry* database = touch(entry->path.database);
  CHECK(database != nullptr, "a table's database is in the catalog");
  std::shared_ptr<const TableEntry>& place = database->tables[entry->path.table];
  if (place != nullptr && place->id != entry->id) forget_table(place->id);
  place = entry;
  next_.tables_[entry->id] = std::move(entry);
  return *this;
}

CatalogBuilder& CatalogBuilder::remove_table(const TablePath& path) {
  std::shared_ptr<const TableEntry> known = next_.find_table(path);
  if (known == nullptr) return *this;
  touch(path.database)->tables.erase(path.table);
  forget_table(known->id);
  return *this;
}

void CatalogBuilder::forget_table(TableId id) {
  next_.tables_.erase(id);
  next_.partitions_.erase(id);
  touched_partitions_.erase(id);
}

TablePartitions* CatalogBuilder::touch(TableId table) {
  auto touched = touched_partitions_.find(table);
  if (touched != touched_partitions_.end()) return touched->second.get();
  auto copy = std::make_shared<TablePartitions>(next_.partitions(table));
  next_.partitions_[table] = copy;
  return touched_partitions_.emplace(table, std::move(copy)).first->second.get();
}

CatalogBuilder& CatalogBuilder::put_partition(std::shared_ptr<const PartitionEntry> entry) {
  CHECK(next_.tables_.contains(entry->table), "a partition's table is in the catalog");
  touch(entry->table)->put(std::move(entry));
  return *this;
}

CatalogBuilder& CatalogBuilder::remove_partition(TableId table, std::string_view name) {
  if (next_.partitions(table).find(name) != nullptr) touch(table)->remove(name);
  return *this;
}

CatalogBuilder& CatalogBuilder::put_buckets(const PhysicalTableId& id,
                                            std::vector<BucketEntry> buckets) {
  if (id.partition) {
    std::shared_ptr<const PartitionEntry> known = next_.find_partition(id.table, *id.partition);
    CHECK(known != nullptr, "a partition of the catalog");
    auto next = std::make_shared<PartitionEntry>(*known);
    next->buckets = std::move(buckets);
    return put_partition(std::move(next));
  }
  std::shared_ptr<const TableEntry> known = next_.find_table(id.table);
  CHECK(known != nullptr, "a table of the catalog");
  auto next = std::make_shared<TableEntry>(*known);
  next->buckets = std::move(buckets);
  return put_table(std::move(next));
}

CatalogBuilder& CatalogBuilder::set_coordinator(std::optional<ServerNode> node) {
  next_.coordinator_ = std::move(node);
  return *this;
}

CatalogBuilder& CatalogBuilder::set_acls(security::AclRules acls) {
  next_.acls_ = std::make_shared<const security::AclRules>(std::move(acls));
  return *this;
}

CatalogBuilder& CatalogBuilder::set_tablet_servers(std::vector<ServerNode> nodes) {
  std::sort(nodes.begin(), nodes.end(), [](const ServerNode& a, const ServerNode& b) {
    return a.id < b.id;
  });
  next_.tablet_servers_ = std::move(nodes);
  return *this;
}

std::shared_ptr<const CatalogSnapshot> CatalogBuilder::build() {
  touched_.clear();
  touched_partitions_.clear();
  return std::make_shared<const CatalogSnapshot>(std::exchange(next_, {}));
}

}  // namespace lakestream
