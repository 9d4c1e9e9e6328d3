#include "catalog/catalog.h"

#include <gtest/gtest.h>

#include "io/sim/sim_world.h"

namespace lakestream {
namespace {

std::shared_ptr<const TableEntry> table(std::string database, std::string name, int64_t id) {
  auto entry = std::make_shared<TableEntry>();
  entry->path = {std::move(database), std::move(name)};
  entry->id = TableId(id);
  for (int16_t schema : {int16_t{1}, int16_t{3}}) {
    entry->schemas.push_back(
        std::make_shared<const SchemaEntry>(SchemaEntry{SchemaId(schema), {}, {}}));
  }
  return entry;
}

DatabaseEntry database(std::string name) {
  DatabaseEntry entry;
  entry.name = std::move(name);
  return entry;
}

// Proves that a table is found by path and id, and only under the names it has now.
TEST(CatalogSnapshot, FindsTables) {
  CatalogSnapshot empty;
  EXPECT_EQ(empty.find_table(TableId(0)), nullptr);
  EXPECT_EQ(empty.find_table(TablePath{"a", "t"}), nullptr);
  EXPECT_EQ(empty.find_database("a"), nullptr);

  auto first = CatalogBuilder()
                   .put_database(database("a"))
                   .put_database(database("b"))
                   .put_table(table("a", "t", 0))
                   .put_table(table("b", "t", 1))
                   .build();
  EXPECT_EQ(first->find_table(TableId(0))->path, (TablePath{"a", "t"}));
  EXPECT_EQ(first->find_table(TablePath{"b", "t"})->id, TableId(1));
  EXPECT_EQ(first->find_table(TablePath{"b", "u"}), nullptr);
  EXPECT_EQ(first->table_count(), 2U);

  auto second = CatalogBuilder(*first).put_table(table("a", "t", 2)).build();
  EXPECT_EQ(second->find_table(TableId(0)), nullptr);
  EXPECT_EQ(second->find_table(TablePath{"a", "t"})->id, TableId(2));
  EXPECT_EQ(second->table_count(), 2U);

  auto third = CatalogBuilder(*second).remove_table({"a", "t"}).remove_table({"x", "t"}).build();
  EXPECT_EQ(third->find_table(TableId(2)), nullptr);
  EXPECT_TRUE(third->find_database("a")->tables.empty());

  auto fourth = CatalogBuilder(*second).remove_database("a").remove_database("x").build();
  EXPECT_EQ(fourth->find_table(TableId(2)), nullptr);
  EXPECT_EQ(fourth->find_database("a"), nullptr);
  EXPECT_EQ(fourth->table_count(), 1U);
  // The snapshots before have not changed.
  EXPECT_EQ(first->find_table(TableId(0))->path.database, "a");
  EXPECT_EQ(second->databases().size(), 2U);
}

std::shared_ptr<const PartitionEntry> partition(int64_t table, int64_t id, std::string name) {
  auto entry = std::make_shared<PartitionEntry>();
  entry->table = TableId(table);
  entry->id = PartitionId(id);
  entry->name = std::move(name);
  return entry;
}

// Proves that partitions are found by name and id, in the order of names, and live as long as
// their table, whose entry they leave alone.
TEST(CatalogSnapshot, Partitions) {
  CatalogBuilder builder;
  builder.put_database(database("a")).put_table(table("a", "t", 0)).put_table(table("a", "u", 1));
  builder.put_partition(partition(0, 5, "y")).put_partition(partition(0, 7, "x"));
  builder.put_partition(partition(1, 6, "x"));
  auto first = builder.build();
  EXPECT_EQ(first->partitions(TableId(0)).find("x")->id, PartitionId(7));
  EXPECT_EQ(first->find_partition(TableId(0), PartitionId(5))->name, "y");
  EXPECT_EQ(first->find_partition(TableId(0), PartitionId(6)), nullptr);
  EXPECT_EQ(first->find_partition(PartitionId(6))->table, TableId(1));
  EXPECT_EQ(first->find_partition(PartitionId(8)), nullptr);
  ASSERT_EQ(first->partitions(TableId(0)).size(), 2U);
  EXPECT_EQ(first->partitions(TableId(0)).by_name()[0]->name, "x");
  EXPECT_EQ(first->partitions(TableId(9)).size(), 0U);

  CatalogBuilder next(*first);
  next.put_partition(partition(0, 9, "x")).remove_partition(TableId(0), "y");
  next.remove_partition(TableId(0), "none");
  next.put_buckets({TableId(1), PartitionId(6)}, {BucketEntry{}});
  auto second = next.put_table(table("a", "u", 1)).build();
  EXPECT_EQ(second->find_partition(PartitionId(7)), nullptr);
  EXPECT_EQ(second->find_partition(PartitionId(5)), nullptr);
  EXPECT_EQ(second->partitions(TableId(0)).find("x")->id, PartitionId(9));
  EXPECT_EQ(second->find_buckets({TableId(1), PartitionId(6)})->size(), 1U);
  EXPECT_EQ(second->find_buckets({TableId(1), PartitionId(9)}), nullptr);
  EXPECT_EQ(second->find_table(TableId(0)), first->find_table(TableId(0)));
  EXPECT_EQ(first->partitions(TableId(0)).find("x")->id, PartitionId(7));

  auto third = CatalogBuilder(*second).remove_table({"a", "t"}).build();
  EXPECT_EQ(third->find_partition(PartitionId(9)), nullptr);
  EXPECT_EQ(third->find_partition(PartitionId(6))->name, "x");
  auto fourth = CatalogBuilder(*second).put_table(table("a", "u", 3)).build();
  EXPECT_EQ(fourth->find_partition(PartitionId(6)), nullptr);
  EXPECT_EQ(CatalogBuilder(*second).remove_database("a").build()->find_partition(PartitionId(9)),
            nullptr);
}

// Proves that what is said about a database can change without its tables.
TEST(CatalogSnapshot, DatabaseKeepsItsTables) {
  DatabaseEntry changed = database("a");
  changed.descriptor.comment = "new";
  auto snapshot = CatalogBuilder()
                      .put_database(database("a"))
                      .put_table(table("a", "t", 0))
                      .put_database(changed)
                      .build();
  EXPECT_EQ(snapshot->find_database("a")->descriptor.comment, "new");
  EXPECT_EQ(snapshot->find_database("a")->tables.size(), 1U);
}

// Proves that schemas are found by id, gaps included.
TEST(CatalogSnapshot, FindsSchemas) {
  auto entry = table("a", "t", 0);
  EXPECT_EQ(entry->find_schema(SchemaId(1))->id, SchemaId(1));
  EXPECT_EQ(entry->find_schema(SchemaId(3))->id, SchemaId(3));
  EXPECT_EQ(entry->find_schema(SchemaId(2)), nullptr);
  EXPECT_EQ(entry->find_schema(SchemaId(4)), nullptr);
  EXPECT_EQ(entry->latest_schema().id, SchemaId(3));
}

// Proves that servers are listed by id.
TEST(CatalogSnapshot, Servers) {
  auto snapshot = CatalogBuilder()
                      .set_tablet_servers({{ServerId(2), "b", 2, {}}, {ServerId(1), "a", 1, {}}})
                      .set_coordinator(ServerNode{ServerId(0), "c", 3, {}})
                      .build();
  EXPECT_EQ(snapshot->tablet_servers()[0].id, ServerId(1));
  EXPECT_EQ(snapshot->coordinator()->host, "c");
}

// Proves that each shard takes what is published in its own turn, the last one last, and that a
// held snapshot stays as it was.
TEST(Catalog, PublishesToEachShard) {
  SimWorld world(1);
  SimNode& node = world.add_node("a", 2);
  Catalog catalog({&node.shard(0), &node.shard(1)});
  auto held = catalog.hold(node.shard(1));
  auto one = CatalogBuilder().put_database(database("a")).build();
  auto two = CatalogBuilder(*one).put_database(database("b")).build();
  catalog.publish(one);
  catalog.publish(two);
  EXPECT_TRUE(catalog.on(node.shard(0)).databases().empty());
  world.run_for(std::chrono::milliseconds(1));
  EXPECT_EQ(&catalog.on(node.shard(0)), two.get());
  EXPECT_EQ(&catalog.on(node.shard(1)), two.get());
  EXPECT_TRUE(held->databases().empty());
}

}  // namespace
}  // namespace lakestream
