#include "catalog/entries.h"

#include <gtest/gtest.h>

#include "table/json.h"

namespace lakestream {
namespace {

TableRecord record() {
  TableDescriptor descriptor;
  descriptor.distribution = Distribution{.bucket_count = 2, .bucket_keys = {}};
  descriptor.properties = {{"table.log.ttl", "1 h"}};
  TableRecord record = TableRecord::of(TableId(4), descriptor, TimestampMs(7));
  record.modified_time = TimestampMs(8);
  return record;
}

std::vector<std::shared_ptr<const SchemaEntry>> schemas() {
  Schema schema = SchemaBuilder().column("a", DataType::integer()).build().value();
  return {make_schema_entry(SchemaId(1), schema)};
}

// Proves that an entry says what its record says, options parsed and JSON ready for answers.
TEST(Entries, Table) {
  auto table = make_table_entry({"db", "t"}, record(), schemas(), {}).value();
  EXPECT_EQ(table->id, TableId(4));
  EXPECT_EQ(table->options.log_ttl, std::chrono::hours(1));
  EXPECT_EQ(table->created_time, TimestampMs(7));
  EXPECT_EQ(table->modified_time, TimestampMs(8));
  EXPECT_EQ(table_from_json(table->json.view()).value(), table->descriptor);
  EXPECT_EQ(schema_from_json(table->latest_schema().json.view()).value(), table->descriptor.schema);
}

// Proves that a changed table keeps its identity and its buckets, and that its record is the one it
// was made of.
TEST(Entries, ChangedTable) {
  BucketEntry bucket;
  bucket.replicas = {ServerId(1)};
  TableRecord before = record();
  before.remote_data_dir = "s3://x";
  auto table = make_table_entry({"db", "t"}, before, schemas(), {bucket}).value();
  EXPECT_EQ(record_of(*table), before);
  TableRecord after = before;
  after.properties = {{"table.log.ttl", "2 h"}};
  after.modified_time = TimestampMs(9);
  auto both = schemas();
  Schema wider = SchemaBuilder(both[0]->schema).column("b", DataType::string()).build().value();
  both.push_back(make_schema_entry(SchemaId(2), wider));
  auto changed = with_record(*table, after, both).value();
  EXPECT_EQ(record_of(*changed), after);
  EXPECT_EQ(changed->path, table->path);
  EXPECT_EQ(changed->buckets, table->buckets);
  EXPECT_EQ(changed->options.log_ttl, std::chrono::hours(2));
  EXPECT_EQ(changed->descriptor.schema, wider);
  EXPECT_EQ(table_from_json(changed->json.view()).value(), changed->descriptor);
  EXPECT_EQ(changed->find_schema(SchemaId(1))->schema, both[0]->schema);
  after.properties["table.log.ttl"] = "often";
  EXPECT_FALSE(with_record(*table, after, both).has_value());
}

// Proves that a stored property without a readable value is an error that names the table.
TEST(Entries, BadProperties) {
  TableRecord bad = record();
  bad.properties["table.log.ttl"] = "often";
  auto table = make_table_entry({"db", "t"}, bad, schemas(), {});
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().code(), ErrorCode::kUnknownServerError);
  EXPECT_NE(table.error().message().find("db.t"), std::string::npos);
}

// Proves that databases and buckets survive the way to the record and back.
TEST(Entries, RoundTrips) {
  DatabaseRecord database{.descriptor = {.comment = "c", .custom_properties = {{"k", "v"}}},
                          .created_time = TimestampMs(1),
                          .modified_time = TimestampMs(2)};
  DatabaseEntry entry = make_database_entry("db", database);
  EXPECT_EQ(record_of(entry), database);
  EXPECT_EQ(database_from_json(entry.json.view()).value(), database.descriptor);

  BucketEntry bucket{.bucket = BucketId(3),
                     .replicas = {ServerId(1), ServerId(2)},
                     .leader = ServerId(2),
                     .leader_epoch = LeaderEpoch(4),
                     .bucket_epoch = 5,
                     .isr = {ServerId(2)}};
  EXPECT_EQ(make_bucket_entry(BucketId(3), bucket.replicas, record_of(bucket, 9)), bucket);
  EXPECT_EQ(record_of(bucket, 9).coordinator_epoch, 9);
  bucket.leader.reset();
  EXPECT_EQ(record_of(bucket, 9).leader, kNoLeader);
  EXPECT_EQ(make_bucket_entry(BucketId(3), bucket.replicas, record_of(bucket, 9)), bucket);
}

}  // namespace
}  // namespace lakestream
