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
  for (const auto& [table_name, table] : found->second->tables) next_.tables_.erase(table->id);
  next_.databases_.erase(found);
  auto touched = touched_.find(name);
  if (touched != touched_.end()) touched_.erase(touched);
  return *this;
}

CatalogBuilder& CatalogBuilder::put_table(std::shared_ptr<const TableEntry> entry) {
  DatabaseEntry* database = touch(entry->path.database);
  CHECK(database != nullptr, "a table's database is in the catalog");
  std::shared_ptr<const TableEntry>& place = database->tables[entry->path.table];
  if (place != nullptr) next_.tables_.erase(place->id);
  place = entry;
  next_.tables_[entry->id] = std::move(entry);
  return *this;
}

CatalogBuilder& CatalogBuilder::remove_table(const TablePath& path) {
  std::shared_ptr<const TableEntry> known = next_.find_table(path);
  if (known == nullptr) return *this;
  touch(path.database)->tables.erase(path.table);
  next_.tables_.erase(known->id);
  return *this;
}

CatalogBuilder& CatalogBuilder::set_coordinator(std::optional<ServerNode> node) {
  next_.coordinator_ = std::move(node);
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
  return std::make_shared<const CatalogSnapshot>(std::exchange(next_, {}));
}

Catalog::Catalog(std::vector<Shard*> shards) : slots_(shards.size()) {
  auto empty = std::make_shared<const CatalogSnapshot>();
  for (size_t i = 0; i < shards.size(); ++i) {
    CHECK(shards[i]->index() == i, "shards are numbered from 0");
    slots_[i] = Slot{.shard = shards[i], .snapshot = empty};
  }
}

void Catalog::publish(std::shared_ptr<const CatalogSnapshot> snapshot) {
  for (Slot& slot : slots_) {
    Slot* mine = &slot;
    slot.shard->post([mine, snapshot] { mine->snapshot = snapshot; });
  }
}

}  // namespace lakestream
