#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <arrow/record_batch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "format/arrow_schema.h"
#include "io/clock.h"
#include "io/disk.h"
#include "io/env.h"
#include "io/object_store.h"
#include "io/real_env.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "io/sim/sim_world.h"
#include "lake/lake.h"

// What every lake format has to do, over each store. A format that is added is added to kFormats.
namespace lakestream {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr LakeFormatKind kFormats[] = {LakeFormatKind::kPaimon, LakeFormatKind::kIceberg};

enum class Store : uint8_t { kSimulated, kLocal };

struct Param {
  LakeFormatKind format;
  Store store;
};

using Rows = std::vector<std::string>;

// A row of "id name".
struct Row {
  int64_t id;
  std::string name;
  ChangeType change = ChangeType::kAppend;
};

class LakeTest : public testing::TestWithParam<Param> {
 protected:
  LakeTest() {
    if (GetParam().store == Store::kSimulated) {
      store_ = std::make_unique<SimObjectStore>(node_.disk());
      return;
    }
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("lakestream-lake-{}-{}", ::getpid(), next_folder_++);
    store_ = make_local_object_store(real_.env().disk);
  }
  ~LakeTest() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  SimObjectStore& sim() { return static_cast<SimObjectStore&>(*store_); }
  bool is_simulated() const { return GetParam().store == Store::kSimulated; }
  std::string warehouse() const { return folder_.empty() ? "file:///lake" : folder_.string(); }

  std::unique_ptr<LakeFormat> format(LakeLayout layout = LakeLayout::kSystemColumns) {
    Result<std::unique_ptr<LakeFormat>> made =
        make_lake_format(GetParam().format,
                         {.catalog = {{"warehouse", warehouse()}}, .layout = layout},
                         node_.env(),
                         *store_);
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }

  static TableDescriptor log_table(int32_t buckets = 1, std::vector<std::string> keys = {}) {
    TableDescriptor table;
    table.schema = *SchemaBuilder()
                        .column("id", DataType::bigint())
                        .column("name", DataType::string())
                        .build();
    table.distribution = Distribution{.bucket_count = buckets, .bucket_keys = std::move(keys)};
    return *normalize(std::move(table));
  }
  static TableDescriptor key_table(int32_t buckets = 1) {
    TableDescriptor table;
    table.schema = *SchemaBuilder()
                        .column("id", DataType::bigint())
                        .column("name", DataType::string())
                        .primary_key({"id"})
                        .build();
    table.distribution = Distribution{.bucket_count = buckets, .bucket_keys = {}};
    return *normalize(std::move(table));
  }
  static bool is_paimon() { return GetParam().format == LakeFormatKind::kPaimon; }
  // A table partitioned by dates; where the format has none of these, by texts.
  static TableDescriptor partitioned_table() {
    DataType day = is_paimon() ? DataType::date() : DataType::string();
    TableDescriptor table;
    table.schema = *SchemaBuilder()
                        .column("id", DataType::bigint())
                        .column("name", DataType::string())
                        .column("day", day.not_null())
                        .build();
    table.partition_keys = {"day"};
    table.distribution = Distribution{.bucket_count = 1, .bucket_keys = {}};
    return *normalize(std::move(table));
  }

  // The option of the format for the snapshots that stay in any case.
  static std::string retention_option() {
    return is_paimon() ? "paimon.snapshot.num-retained.min"
                       : "iceberg.history.expire.min-snapshots-to-keep";
  }
  // Of which ten snapshots stay, and those of the last hour.
  static TableDescriptor short_lived(TableDescriptor table) {
    table.custom_properties[retention_option()] = "10";
    table.custom_properties["iceberg.history.expire.max-snapshot-age-ms"] = "3600000";
    return table;
  }

  std::shared_ptr<LakeTable> created(const TableDescriptor& descriptor,
                                     LakeLayout layout = LakeLayout::kSystemColumns) {
    std::unique_ptr<LakeFormat> made = format(layout);
    Status status = made->create_table(kPath, descriptor, LakeTableUse::kNewTable);
    EXPECT_TRUE(status) << status.error().message();
    return opened(descriptor);
  }
  std::shared_ptr<LakeTable> opened(const TableDescriptor& descriptor) {
    Result<std::shared_ptr<LakeTable>> table = format()->open_table(kPath, descriptor);
    EXPECT_TRUE(table) << table.error().message();
    return *std::move(table);
  }

  static LakeRows rows_of(const TableDescriptor& descriptor, const std::vector<Row>& rows) {
    ArrowAppender appender(descriptor.schema);
    LakeRows made;
    for (const Row& row : rows) {
      std::vector<Value> values(descriptor.schema.size());
      values[0] = Value::integer(row.id);
      values[1] = row.name.empty() ? Value::null() : Value::bytes(row.name);
      if (descriptor.is_partitioned()) {
        values[2] = is_paimon() ? Value::integer(20'000) : Value::bytes("2026-11-30");
      }
      Status appended = appender.append(values);
      EXPECT_TRUE(appended) << appended.error().message();
      if (descriptor.has_primary_key()) made.changes.push_back(row.change);
    }
    made.rows = *appender.finish();
    made.base_offset = Offset(7);
    made.timestamp = TimestampMs(1'000);
    return made;
  }

  Result<LakeFiles> try_write(LakeTable& table,
                              const TableDescriptor& descriptor,
                              const std::vector<Row>& rows,
                              LakeBucket bucket = {}) {
    ASSIGN_OR_RETURN(std::unique_ptr<LakeWriter> writer, table.open_writer(std::move(bucket)));
    RETURN_IF_ERROR(writer->write(rows_of(descriptor, rows)));
    return writer->finish();
  }
  LakeFiles write(LakeTable& table,
                  const TableDescriptor& descriptor,
                  const std::vector<Row>& rows,
                  LakeBucket bucket = {}) {
    Result<LakeFiles> files = try_write(table, descriptor, rows, std::move(bucket));
    EXPECT_TRUE(files) << files.error().message();
    return *std::move(files);
  }
  static LakeSnapshot commit(LakeTable& table,
                             std::vector<LakeFiles> files,
                             Properties properties = {}) {
    Result<LakeSnapshot> snapshot = table.commit(files, {.properties = std::move(properties)});
    EXPECT_TRUE(snapshot) << snapshot.error().message();
    return *std::move(snapshot);
  }

  // "id name" of each row of the snapshot, sorted.
  static Rows rows_at(LakeTable& table, LakeSnapshotId id, const PartitionSpec& partitions = {}) {
    LakeScanRequest request{.columns = {"id", "name"}, .partitions = partitions};
    Schema schema = *SchemaBuilder()
                         .column("id", DataType::bigint())
                         .column("name", DataType::string())
                         .build();
    Result<LakeScan> scan = table.plan(id, request);
    EXPECT_TRUE(scan) << scan.error().message();
    Rows rows;
    for (const LakeSplit& split : scan->splits) {
      Result<std::unique_ptr<LakeReader>> reader = table.open_reader(split, request);
      EXPECT_TRUE(reader) << reader.error().message();
      while (true) {
        Result<std::shared_ptr<arrow::RecordBatch>> batch = (*reader)->next();
        EXPECT_TRUE(batch) << batch.error().message();
        if (!batch || *batch == nullptr) break;
        Arena arena;
        ArrowRows values = *ArrowRows::make(*batch, schema);
        for (int64_t i = 0; i < values.size(); ++i) {
          std::span<const Value> row = *values.row(i, &arena);
          rows.push_back(fmt::format(
              "{} {}", row[0].as_integer(), row[1].is_null() ? "null" : row[1].as_bytes()));
        }
      }
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  static Rows newest_rows(LakeTable& table) {
    Result<std::optional<LakeSnapshot>> latest = table.latest_snapshot();
    EXPECT_TRUE(latest) << latest.error().message();
    return *latest ? rows_at(table, (*latest)->id) : Rows();
  }

  // Objects below the table whose path has the text.
  size_t objects_with(std::string_view text) {
    std::vector<ObjectInfo> objects = *store_->list(warehouse());
    return static_cast<size_t>(
        std::count_if(objects.begin(), objects.end(), [&](const ObjectInfo& object) {
          return object.path.find(text) != std::string::npos;
        }));
  }

  const TablePath kPath{"db", "orders"};
  SimWorld world_{17};
  SimNode& node_ = world_.add_node("a");
  RealEnv real_{1};
  std::filesystem::path folder_;
  std::unique_ptr<ObjectStore> store_;
  static inline int next_folder_ = 0;
};

TEST_P(LakeTest, TablesThatAreNotThere) {
  // Proves that opening and altering say that there is no table.
  EXPECT_EQ(format()->open_table(kPath, log_table()).error().code(), ErrorCode::kTableNotExist);
  EXPECT_EQ(format()->alter_table(kPath, log_table(), log_table()).error().code(),
            ErrorCode::kTableNotExist);
}

TEST_P(LakeTest, ATableIsTakenWhenItFits) {
  // Proves when a table that is there is taken: empty for a new one, and with the same columns.
  ASSERT_TRUE(format()->create_table(kPath, log_table(), LakeTableUse::kNewTable));
  EXPECT_TRUE(format()->create_table(kPath, log_table(), LakeTableUse::kNewTable));
  Status other = format()->create_table(kPath, key_table(), LakeTableUse::kExistingTable);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::kLakeTableAlreadyExist);
  commit(*opened(log_table()), {});
  Status full = format()->create_table(kPath, log_table(), LakeTableUse::kNewTable);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code(), ErrorCode::kLakeTableAlreadyExist);
  EXPECT_THAT(full.error().message(), HasSubstr("not empty"));
  EXPECT_TRUE(format()->create_table(kPath, log_table(), LakeTableUse::kExistingTable));
}

TEST_P(LakeTest, ATableOfTheOtherLayoutIsTaken) {
  // Proves that the columns of the system may be there or not, and that rows go in either way.
  for (LakeLayout layout : {LakeLayout::kPlain, LakeLayout::kSystemColumns}) {
    TablePath path{"db", layout == LakeLayout::kPlain ? "plain" : "system"};
    ASSERT_TRUE(format(layout)->create_table(path, log_table(), LakeTableUse::kNewTable));
    for (LakeLayout other : {LakeLayout::kPlain, LakeLayout::kSystemColumns}) {
      EXPECT_TRUE(format(other)->create_table(path, log_table(), LakeTableUse::kNewTable));
    }
    std::shared_ptr<LakeTable> table = *format()->open_table(path, log_table());
    commit(*table, {write(*table, log_table(), {{1, "a"}})});
    EXPECT_THAT(newest_rows(*table), ElementsAre("1 a"));
  }
}

TEST_P(LakeTest, NamesOfTheSystemAreRefused) {
  // Proves that a column can not have the name of one of the system's, and that it is named.
  TableDescriptor table = log_table();
  table.schema = *SchemaBuilder(table.schema).column("__offset", DataType::bigint()).build();
  Status created = format()->create_table(kPath, table, LakeTableUse::kNewTable);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code(), ErrorCode::kInvalidTableException);
  EXPECT_THAT(created.error().message(), HasSubstr("__offset"));
}

TEST_P(LakeTest, OptionsThatWouldStopAWriterAreRefused) {
  // Proves that a wrong value of a format's option is named when the table is made or altered.
  TableDescriptor wrong = log_table();
  wrong.custom_properties = {{retention_option(), "many"}};
  Status created = format()->create_table(kPath, wrong, LakeTableUse::kNewTable);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code(), ErrorCode::kInvalidTableException);
  EXPECT_THAT(created.error().message(), HasSubstr("'many'"));
  ASSERT_TRUE(format()->create_table(kPath, log_table(), LakeTableUse::kNewTable));
  Status altered = format()->alter_table(kPath, log_table(), wrong);
  ASSERT_FALSE(altered);
  EXPECT_EQ(altered.error().code(), ErrorCode::kInvalidAlterTableException);
}

TEST_P(LakeTest, RowsOfALogComeBack) {
  // Proves that a snapshot has the rows of all commits before it, and an older one stays as it was.
  TableDescriptor descriptor = log_table();
  std::shared_ptr<LakeTable> table = created(descriptor);
  EXPECT_FALSE(*table->latest_snapshot());
  LakeSnapshot first = commit(*table, {write(*table, descriptor, {{1, "a"}, {2, ""}})});
  LakeSnapshot second = commit(*table,
                               {write(*table, descriptor, {{3, "c"}}, {.bucket = BucketId(0)}),
                                write(*table, descriptor, {{4, "d"}}, {.bucket = BucketId(0)})});
  EXPECT_THAT(rows_at(*table, first.id), ElementsAre("1 a", "2 null"));
  EXPECT_THAT(newest_rows(*table), ElementsAre("1 a", "2 null", "3 c", "4 d"));
  EXPECT_EQ(second.total_rows, 4);
  Result<LakeScan> scan = opened(descriptor)->plan(second.id, {});
  ASSERT_TRUE(scan);
  ASSERT_THAT(scan->splits, SizeIs(1));
  EXPECT_EQ(scan->splits[0].bucket, is_paimon() ? std::nullopt : std::optional(BucketId(0)));
  EXPECT_FALSE(scan->splits[0].needs_merge);
  EXPECT_THAT(scan->splits[0].files, SizeIs(3));
  for (const LakeDataFile& file : scan->splits[0].files) {
    Result<std::optional<Bytes>> content = store_->get(file.path);
    ASSERT_TRUE(content && *content) << file.path;
    EXPECT_EQ((*content)->size(), file.bytes);
  }
}

TEST_P(LakeTest, BucketsKeepTheirNumbers) {
  // Proves that with bucket keys the lake's buckets are ours, and that a wrong one is refused.
  TableDescriptor descriptor = log_table(3, {"id"});
  std::shared_ptr<LakeTable> table = created(descriptor);
  commit(*table,
         {write(*table, descriptor, {{1, "a"}}, {.bucket = BucketId(0)}),
          write(*table, descriptor, {{2, "b"}}, {.bucket = BucketId(2)})});
  Result<LakeScan> scan = table->plan((*table->latest_snapshot())->id, {});
  ASSERT_TRUE(scan);
  ASSERT_THAT(scan->splits, SizeIs(2));
  EXPECT_EQ(scan->splits[0].bucket, BucketId(0));
  EXPECT_EQ(scan->splits[1].bucket, BucketId(2));
  EXPECT_FALSE(table->open_writer({.bucket = BucketId(3)}));
}

TEST_P(LakeTest, VersionsOfAKeyAreOneRow) {
  // Proves that the newest version of a key counts, over files, commits and deletions.
  TableDescriptor descriptor = key_table();
  std::shared_ptr<LakeTable> table = created(descriptor);
  using enum ChangeType;
  LakeSnapshot first = commit(
      *table,
      {write(*table, descriptor, {{1, "a", kInsert}, {2, "b", kInsert}, {3, "c", kInsert}})});
  commit(*table,
         {write(*table,
                descriptor,
                {{1, "a", kUpdateBefore}, {1, "a2", kUpdateAfter}, {2, "b", kDelete}})});
  EXPECT_THAT(rows_at(*table, first.id), ElementsAre("1 a", "2 b", "3 c"));
  EXPECT_THAT(newest_rows(*table), ElementsAre("1 a2", "3 c"));
  Result<LakeScan> scan = table->plan((*table->latest_snapshot())->id, {});
  ASSERT_THAT(scan->splits, SizeIs(1));
  EXPECT_TRUE(scan->splits[0].needs_merge);
}

TEST_P(LakeTest, PartitionsAreLeftOut) {
  // Proves that splits name their partition as we do, and that others are not planned.
  TableDescriptor descriptor = partitioned_table();
  std::shared_ptr<LakeTable> table = created(descriptor);
  commit(*table,
         {write(*table, descriptor, {{1, "a"}}, {.partition = {"2026-11-29"}}),
          write(*table, descriptor, {{2, "b"}}, {.partition = {"2026-11-30"}})});
  LakeSnapshotId id = (*table->latest_snapshot())->id;
  EXPECT_THAT(rows_at(*table, id), ElementsAre("1 a", "2 b"));
  EXPECT_THAT(rows_at(*table, id, {{"day", "2026-11-30"}}), ElementsAre("2 b"));
  EXPECT_THAT(rows_at(*table, id, {{"day", "1999-01-01"}}), IsEmpty());
  Result<LakeScan> scan = table->plan(id, {.partitions = {{"day", "2026-11-30"}}});
  ASSERT_THAT(scan->splits, SizeIs(1));
  EXPECT_THAT(scan->splits[0].partition, ElementsAre("2026-11-30"));
  EXPECT_EQ(scan->pruned_files, 1u);
  EXPECT_FALSE(table->plan(id, {.partitions = {{"hour", "7"}}}));
  EXPECT_EQ(table->open_writer({.partition = {"2026-11-30", "12"}}).error().code(),
            ErrorCode::kPartitionSpecInvalidException);
  if (!is_paimon()) return;
  EXPECT_EQ(table->open_writer({.partition = {"yesterday"}}).error().code(),
            ErrorCode::kPartitionSpecInvalidException);
}

TEST_P(LakeTest, AnEmptyCommitIsASnapshot) {
  // Proves that a commit without rows is there with its properties.
  std::shared_ptr<LakeTable> table = created(log_table());
  LakeSnapshot made = commit(*table, {}, {{"fluss-offsets", "/r/a.offsets"}});
  commit(*table, {LakeFiles()}, {{"fluss-offsets", "/r/b.offsets"}});
  Result<std::optional<LakeSnapshot>> there = table->snapshot(made.id);
  ASSERT_TRUE(there && *there);
  EXPECT_EQ((*there)->properties["fluss-offsets"], "/r/a.offsets");
  EXPECT_THAT(*table->snapshots(), SizeIs(2));
  EXPECT_THAT(newest_rows(*table), IsEmpty());
}

TEST_P(LakeTest, SnapshotsHaveAnOrder) {
  // Proves that what is newer has the higher order, whatever the ids, and that it can be asked for.
  std::shared_ptr<LakeTable> table = created(log_table());
  LakeSnapshot first = commit(*table, {});
  LakeSnapshot second = commit(*table, {});
  EXPECT_LT(first.order, second.order);
  EXPECT_EQ(*table->order_of(first.id), first.order);
  std::vector<LakeSnapshot> all = *table->snapshots();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].id, first.id);
  EXPECT_EQ(all[1].order, second.order);
}

TEST_P(LakeTest, SnapshotsOfAUserAreFound) {
  // Proves that the newest of a user is found below those of others.
  std::shared_ptr<LakeTable> table = created(log_table());
  EXPECT_FALSE(*table->latest_snapshot_of(kLakeCommitUser));
  LakeSnapshot ours = commit(*table, {}, {{"k", "v"}});
  ASSERT_TRUE(table->commit({}, {.user = "another"}));
  Result<std::optional<LakeSnapshot>> found = table->latest_snapshot_of(kLakeCommitUser);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->id, ours.id);
  EXPECT_EQ((*found)->properties, (Properties{{"k", "v"}}));
  EXPECT_EQ((*found)->user, kLakeCommitUser);
  EXPECT_FALSE(*table->latest_snapshot_of("nobody"));
  EXPECT_FALSE(*table->snapshot(LakeSnapshotId(4711)));
  EXPECT_EQ(table->plan(LakeSnapshotId(4711), {}).error().code(), ErrorCode::kLakeSnapshotNotExist);
}

TEST_P(LakeTest, WhoDoesNotKnowTheNewestIsRefused) {
  // Proves that of two who began at the same snapshot one commits, and that others do not disturb.
  TableDescriptor descriptor = log_table();
  std::shared_ptr<LakeTable> one = created(descriptor);
  std::shared_ptr<LakeTable> two = opened(descriptor);
  LakeFiles of_one = write(*one, descriptor, {{1, "a"}});
  LakeFiles of_two = write(*two, descriptor, {{1, "a"}});
  LakeCommitTag first;
  first.newest_known = LakeNewestKnown{};
  Result<LakeSnapshot> committed = one->commit({of_one}, first);
  ASSERT_TRUE(committed) << committed.error().message();
  Result<LakeSnapshot> refused = two->commit({of_two}, first);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kFencedTieringEpochException);
  two->abort({of_two});

  LakeCommitTag other;
  other.user = "somebody";
  ASSERT_TRUE(two->commit({write(*two, descriptor, {{2, "b"}})}, other));
  LakeCommitTag next;
  next.newest_known = LakeNewestKnown{committed->id};
  Result<LakeSnapshot> newest = one->commit({write(*one, descriptor, {{3, "c"}})}, next);
  ASSERT_TRUE(newest) << newest.error().message();
  EXPECT_EQ(newest->total_rows, 3);
}

TEST_P(LakeTest, TwoWhoCommitAtOnceBothSucceed) {
  // Proves that what two have written next to each other is all there, also in buckets of keys.
  TableDescriptor descriptor = key_table(2);
  std::shared_ptr<LakeTable> one = created(descriptor);
  std::shared_ptr<LakeTable> two = opened(descriptor);
  using enum ChangeType;
  LakeFiles of_one = write(*one, descriptor, {{1, "a", kInsert}}, {.bucket = BucketId(0)});
  LakeFiles of_two = write(*two, descriptor, {{2, "b", kInsert}}, {.bucket = BucketId(1)});
  LakeSnapshot first = commit(*one, {of_one});
  LakeSnapshot second = commit(*two, {of_two});
  EXPECT_NE(first.id, second.id);
  EXPECT_THAT(newest_rows(*one), ElementsAre("1 a", "2 b"));
}

TEST_P(LakeTest, ManyWhoCommitAtOnceAllSucceed) {
  // Proves that threads may share a table, and that no commit of theirs is lost.
  if (is_simulated()) GTEST_SKIP() << "the simulated store is of one thread";
  constexpr int64_t kThreads = 4;
  constexpr int64_t kCommits = 3;
  TableDescriptor descriptor = log_table();
  std::shared_ptr<LakeTable> table = created(descriptor);
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int64_t j = 0; j < kCommits; ++j) {
        commit(*table, {write(*table, descriptor, {{10 * i + j, "x"}})});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(newest_rows(*table), SizeIs(kThreads * kCommits));
  EXPECT_THAT(*table->snapshots(), SizeIs(kThreads * kCommits));
}

TEST_P(LakeTest, RowsThatStandOnWhatIsGoneAreRefused) {
  // Proves that a writer that did not see the newest rows of its bucket has to begin anew.
  TableDescriptor descriptor = key_table();
  std::shared_ptr<LakeTable> table = created(descriptor);
  using enum ChangeType;
  LakeFiles late = write(*table, descriptor, {{1, "late", kInsert}});
  commit(*table, {write(*table, descriptor, {{1, "first", kInsert}})});
  Result<LakeSnapshot> refused = table->commit({late}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnknownServerError);
  EXPECT_THAT(*table->snapshots(), SizeIs(1));
  table->abort({late});
  commit(*table, {write(*table, descriptor, {{1, "late", kInsert}})});
  EXPECT_THAT(newest_rows(*table), ElementsAre("1 late"));
}

TEST_P(LakeTest, WhatIsNotCommittedGoes) {
  // Proves that abort and a writer that is not finished leave no data file.
  TableDescriptor descriptor = log_table();
  std::shared_ptr<LakeTable> table = created(descriptor);
  LakeFiles files = write(*table, descriptor, {{1, "a"}});
  EXPECT_EQ(files.rows(), 1u);
  EXPECT_EQ(objects_with(".parquet"), 1u);
  table->abort({files, LakeFiles()});
  {
    std::unique_ptr<LakeWriter> writer = *table->open_writer({});
    ASSERT_TRUE(writer->write(rows_of(descriptor, {{2, "b"}})));
  }
  EXPECT_EQ(objects_with(".parquet"), 0u);
  EXPECT_FALSE(*table->latest_snapshot());
}

TEST_P(LakeTest, ColumnsAreAddedAtTheEnd) {
  // Proves that the lake follows a new column once, that old rows lack it, and old writers go on.
  TableDescriptor before = log_table();
  std::shared_ptr<LakeTable> old_table = created(before);
  commit(*old_table, {write(*old_table, before, {{1, "a"}})});
  TableDescriptor after = before;
  after.schema = *SchemaBuilder(before.schema).column("more", DataType::integer()).build();
  Status altered = format()->alter_table(kPath, before, after);
  ASSERT_TRUE(altered) << altered.error().message();
  ASSERT_TRUE(format()->alter_table(kPath, before, after));
  EXPECT_TRUE(format()->create_table(kPath, after, LakeTableUse::kExistingTable));
  EXPECT_FALSE(format()->create_table(kPath, before, LakeTableUse::kExistingTable));

  std::shared_ptr<LakeTable> table = opened(after);
  commit(*table, {write(*table, after, {{2, "b"}})});
  commit(*old_table, {write(*old_table, before, {{3, "c"}})});
  EXPECT_THAT(newest_rows(*table), ElementsAre("1 a", "2 b", "3 c"));
  LakeScanRequest request{.columns = {"id", "more"}};
  LakeScan scan = *table->plan((*table->latest_snapshot())->id, request);
  std::unique_ptr<LakeReader> reader = *table->open_reader(scan.splits[0], request);
  Result<std::shared_ptr<arrow::RecordBatch>> batch = reader->next();
  ASSERT_TRUE(batch) << batch.error().message();
  EXPECT_EQ((*batch)->num_columns(), 2);
}

TEST_P(LakeTest, ChangesThatCanNotBeFollowedAreRefused) {
  // Proves that renames, drops, NOT NULL and columns that others added are named and change
  // nothing.
  TableDescriptor before = log_table();
  created(before);
  auto refused = [&](const TableDescriptor& from, const TableDescriptor& to) {
    Status altered = format()->alter_table(kPath, from, to);
    if (altered) return std::string("altered");
    EXPECT_EQ(altered.error().code(), ErrorCode::kInvalidAlterTableException);
    return altered.error().message();
  };
  TableDescriptor renamed = before;
  renamed.schema = *SchemaBuilder(before.schema).rename(1, "title").build();
  EXPECT_THAT(refused(before, renamed), HasSubstr("name can not be renamed"));
  TableDescriptor dropped = before;
  dropped.schema = *SchemaBuilder(before.schema).rename(1, "__dropped_1_name").build();
  EXPECT_THAT(refused(before, dropped), HasSubstr("name can not be dropped"));
  TableDescriptor strict = before;
  strict.schema =
      *SchemaBuilder(before.schema).column("more", DataType::integer().not_null()).build();
  EXPECT_THAT(refused(before, strict), HasSubstr("more is NOT NULL"));
  TableDescriptor one = before;
  one.schema = *SchemaBuilder(before.schema).column("one", DataType::integer()).build();
  TableDescriptor two = one;
  two.schema = *SchemaBuilder(one.schema).column("two", DataType::integer()).build();
  EXPECT_THAT(refused(one, two), HasSubstr("changed by others"));
  EXPECT_EQ(refused(before, one), "altered");
  EXPECT_EQ(refused(one, two), "altered");
}

TEST_P(LakeTest, CompactionKeepsTheRows) {
  // Proves that many small files become few with the same rows, as a snapshot that is no commit of
  // rows, and that nothing is done when there is nothing to do.
  if (!is_simulated()) GTEST_SKIP() << "the disk is slow, and the calls are those of other tests";
  for (bool keys : {false, true}) {
    TableDescriptor descriptor = keys ? key_table() : log_table();
    TablePath path{"db", keys ? "keys" : "log"};
    ASSERT_TRUE(format()->create_table(path, descriptor, LakeTableUse::kNewTable));
    std::shared_ptr<LakeTable> table = *format()->open_table(path, descriptor);
    for (int64_t i = 0; i < 12; ++i) {
      commit(*table, {write(*table, descriptor, {{i, "x", ChangeType::kInsert}})});
    }
    LakeSnapshot before = **table->latest_snapshot();
    Rows rows = newest_rows(*table);
    EXPECT_THAT(rows, SizeIs(12));
    Result<std::vector<std::string>> done = table->keep_up({.compact = true});
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_THAT(*done, SizeIs(1));
    EXPECT_EQ(newest_rows(*table), rows);
    EXPECT_EQ(rows_at(*table, before.id), rows);
    LakeScan scan = *table->plan((*table->latest_snapshot())->id, {});
    EXPECT_LT(scan.splits[0].files.size(), 12u);
    EXPECT_EQ((*table->latest_snapshot_of(kLakeCommitUser))->id, before.id);
    EXPECT_THAT(*table->keep_up({.compact = true}), IsEmpty());
    commit(*table, {write(*table, descriptor, {{99, "y", ChangeType::kInsert}})});
    EXPECT_THAT(newest_rows(*table), SizeIs(13));
  }
}

TEST_P(LakeTest, OldSnapshotsGo) {
  // Proves that expiry removes what only old snapshots need, and nothing that is to be kept.
  if (!is_simulated()) GTEST_SKIP() << "the disk is slow, and the calls are those of other tests";
  TableDescriptor descriptor = short_lived(key_table());
  std::shared_ptr<LakeTable> table = created(descriptor);
  for (int64_t i = 0; i < 20; ++i) {
    commit(*table, {write(*table, descriptor, {{i % 5, "v", ChangeType::kInsert}})});
    if (i != 8) continue;
    ASSERT_TRUE(table->keep_up({.compact = true}));
  }
  EXPECT_THAT(*table->keep_up({.expire = true}), IsEmpty());  // they are young
  ASSERT_TRUE(table->keep_up({.compact = true}));
  world_.jump_wall_clock(std::chrono::hours(48));
  size_t files = objects_with(".parquet");
  std::vector<LakeSnapshot> all = *table->snapshots();
  Result<std::vector<std::string>> done = table->keep_up({.expire = true, .keep_from = all[4].id});
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_THAT(*done, SizeIs(1));
  EXPECT_FALSE(*table->snapshot(all[3].id));
  EXPECT_THAT(rows_at(*table, all[4].id), SizeIs(5));

  ASSERT_TRUE(table->keep_up({.expire = true}));
  std::vector<LakeSnapshot> left = *table->snapshots();
  EXPECT_THAT(left, SizeIs(10));
  for (const LakeSnapshot& snapshot : left) {
    EXPECT_THAT(rows_at(*table, snapshot.id), SizeIs(5)) << snapshot.id.value();
  }
  EXPECT_LT(objects_with(".parquet"), files);
  EXPECT_EQ(newest_rows(*opened(descriptor)), newest_rows(*table));
  commit(*table, {write(*table, descriptor, {{7, "v", ChangeType::kInsert}})});
  EXPECT_THAT(newest_rows(*table), SizeIs(6));
}

TEST_P(LakeTest, FilesThatNothingNamesGo) {
  // Proves that the files of a commit that never came go when they are old enough, and no others.
  TableDescriptor descriptor = key_table();
  std::shared_ptr<LakeTable> table = created(descriptor);
  for (int64_t i = 0; i < 3; ++i) {
    commit(*table, {write(*table, descriptor, {{i, "v", ChangeType::kInsert}})});
  }
  ASSERT_TRUE(table->keep_up({.compact = true}));
  size_t objects = objects_with("");
  EXPECT_THAT(*table->keep_up({.orphans_before = TimestampMs(INT64_MAX)}), IsEmpty());
  EXPECT_EQ(objects_with(""), objects);
  write(*table, descriptor, {{7, "lost", ChangeType::kInsert}});
  ASSERT_GT(objects_with(""), objects);
  EXPECT_THAT(*table->keep_up({.orphans_before = TimestampMs(0)}), IsEmpty());
  ASSERT_GT(objects_with(""), objects);
  EXPECT_THAT(*opened(descriptor)->keep_up({.orphans_before = TimestampMs(INT64_MAX)}), SizeIs(1));
  EXPECT_EQ(objects_with(""), objects);
  EXPECT_THAT(newest_rows(*table), ElementsAre("0 v", "1 v", "2 v"));
}

TEST_P(LakeTest, ACrashLeavesTheTableAsOfItsLastCommit) {
  // Proves for every operation of a round that its failure, before or after the effect, leaves the
  // old state or the new one, and that the round can be made again.
  if (!is_simulated()) GTEST_SKIP() << "faults are those of the simulated store";
  using Fault = SimObjectStore::Fault;
  TableDescriptor descriptor = key_table();
  for (Fault kind : {Fault::kRefused, Fault::kAnswerLost}) {
    bool passed = false;
    for (int at = 0; !passed; ++at) {
      store_ = std::make_unique<SimObjectStore>(node_.disk());
      std::shared_ptr<LakeTable> table = created(descriptor);
      commit(*table, {write(*table, descriptor, {{1, "a", ChangeType::kInsert}})}, {{"n", "1"}});
      int calls = 0;
      bool dead = false;
      sim().fail([&](std::string_view, const std::string&) {
        if (dead) return Fault::kRefused;
        if (calls++ != at) return Fault::kNone;
        dead = true;
        return kind;
      });
      Result<LakeFiles> files = try_write(*table, descriptor, {{1, "b", ChangeType::kInsert}}, {});
      if (files) (void)table->commit({*files}, {.properties = {{"n", "2"}}});
      passed = !dead;
      sim().fail({});

      std::shared_ptr<LakeTable> again = opened(descriptor);
      Result<std::optional<LakeSnapshot>> latest = again->latest_snapshot_of(kLakeCommitUser);
      ASSERT_TRUE(latest && *latest);
      bool committed = (*latest)->properties["n"] == "2";
      EXPECT_THAT(newest_rows(*again), ElementsAre(committed ? "1 b" : "1 a")) << at;
      if (!committed) {
        commit(*again, {write(*again, descriptor, {{1, "b", ChangeType::kInsert}})}, {{"n", "2"}});
      }
      // What the crash left goes, and nothing else.
      ASSERT_TRUE(again->keep_up({.orphans_before = TimestampMs(INT64_MAX)})) << at;
      EXPECT_THAT(newest_rows(*again), ElementsAre("1 b")) << at;
      EXPECT_THAT(*again->snapshots(), SizeIs(2)) << at;
      ASSERT_LT(at, 200);
    }
  }
}

TEST_P(LakeTest, ACrashOfExpiryIsMadeGood) {
  // Proves for operations all over an expiry that its failure leaves what is kept as it was, and
  // that the next run removes the rest.
  if (!is_simulated()) GTEST_SKIP() << "faults are those of the simulated store";
  using Fault = SimObjectStore::Fault;
  TableDescriptor descriptor = short_lived(key_table());
  std::optional<size_t> objects_left;
  bool passed = false;
  for (int at = 0; !passed; at += 11) {
    store_ = std::make_unique<SimObjectStore>(node_.disk());
    std::shared_ptr<LakeTable> table = created(descriptor);
    for (int64_t i = 0; i < 14; ++i) {
      commit(*table, {write(*table, descriptor, {{i % 3, "v", ChangeType::kInsert}})});
      if (i != 6) continue;
      ASSERT_TRUE(table->keep_up({.compact = true}));
    }
    world_.jump_wall_clock(std::chrono::hours(2));
    int calls = 0;
    bool dead = false;
    sim().fail([&](std::string_view, const std::string&) {
      if (!dead && calls++ == at) dead = true;
      return dead ? Fault::kRefused : Fault::kNone;
    });
    (void)table->keep_up({.expire = true});
    passed = !dead;
    sim().fail({});

    std::shared_ptr<LakeTable> again = opened(descriptor);
    EXPECT_THAT(newest_rows(*again), SizeIs(3)) << at;
    Result<std::vector<std::string>> done = again->keep_up({.expire = true});
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_THAT(newest_rows(*again), SizeIs(3)) << at;
    EXPECT_THAT(*again->snapshots(), SizeIs(10)) << at;
    size_t objects = objects_with("");
    EXPECT_EQ(objects_left.value_or(objects), objects) << at;
    objects_left = objects;
    ASSERT_LT(at, 2000);
  }
}

std::vector<Param> all_params() {
  std::vector<Param> params;
  for (LakeFormatKind format : kFormats) {
    for (Store store : {Store::kSimulated, Store::kLocal}) params.push_back({format, store});
  }
  return params;
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         LakeTest,
                         testing::ValuesIn(all_params()),
                         [](const testing::TestParamInfo<Param>& test) {
                           std::string name(name_of(test.param.format));
                           name += test.param.store == Store::kSimulated ? "_simulated" : "_local";
                           return name;
                         });

}  // namespace
}  // namespace lakestream
