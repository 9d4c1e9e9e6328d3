#include "lake/paimon/table_files.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/clock.h"
#include "io/env.h"
#include "io/object_store.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "io/sim/sim_world.h"
#include "lake/avro/avro_file.h"
#include "lake/paimon/binary_row.h"
#include "lake/paimon/commit.h"
#include "lake/paimon/expiry.h"
#include "lake/paimon/live_files.h"
#include "lake/paimon/manifest_merge.h"
#include "lake/paimon/manifest_schema.h"

namespace lakestream::paimon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// A table whose data files are names without content.
class TableFilesTest : public testing::Test {
 protected:
  TableFilesTest() {
    schema_.fields = {{.id = 0, .name = "id", .type = DataType::bigint().not_null()}};
    schema_.highest_field_id = 0;
    schema_.options = {{"bucket", "1"}};
    EXPECT_TRUE(*files_.add_schema(schema_));
  }

  WrittenFiles written(const std::vector<std::string>& added,
                       const std::vector<std::string>& removed = {},
                       int64_t sequence = 0) {
    WrittenFiles made;
    made.place = {
        .partition = binary_row({}, {}), .folder = "bucket-0", .bucket = 0, .total_buckets = 1};
    for (const std::string& name : added) {
      made.added.push_back(file(name, sequence));
      EXPECT_TRUE(objects_.put(files_.data_path(made.place, name), Bytes::copy_of("data")));
    }
    for (const std::string& name : removed) made.removed.push_back(file(name, sequence));
    return made;
  }
  static DataFile file(const std::string& name, int64_t sequence) {
    return DataFile{.name = name,
                    .size = 4,
                    .rows = 10,
                    .min_sequence = sequence,
                    .max_sequence = sequence + 9};
  }
  Result<PaimonSnapshot> commit(const std::vector<WrittenFiles>& parts,
                                std::string_view kind = kAppendCommit) {
    CommitRequest request{.kind = std::string(kind), .user = "me"};
    for (const WrittenFiles& part : parts) request.files.push_back(&part);
    return commit_files(files_, cache_, node_.env().clock, std::move(request));
  }
  std::vector<std::string> live_at(int64_t id) {
    std::vector<std::string> names;
    PaimonSnapshot snapshot = files_.snapshot(id)->value();
    LiveFiles live = *live_files(files_, snapshot);
    if (id == (*files_.latest_snapshot())->id) {
      LiveFiles known = (*cache_.of(snapshot))->files;
      EXPECT_EQ(known.size(), live.size());
      for (const auto& [place, entries] : live) EXPECT_EQ(*known[place], *entries);
    }
    for (const auto& [place, entries] : live) {
      for (const ManifestEntry& entry : *entries) names.push_back(entry.file.name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string path(std::string_view name) { return object_path(kRoot, name); }
  void put(std::string_view name, std::string_view text) {
    ASSERT_TRUE(objects_.put(path(name), Bytes::copy_of(text)));
  }
  size_t count(std::string_view folder) { return objects_.list(path(folder))->size(); }

  static constexpr std::string_view kRoot = "/lake/db.db/t";
  SimWorld world_{3};
  SimNode& node_ = world_.add_node("a");
  SimObjectStore objects_{node_.disk()};
  FileNames names_{Random(5)};
  TableFiles files_{objects_, names_, std::string(kRoot)};
  LiveCache cache_{files_};
  PaimonSchema schema_;
};

TEST_F(TableFilesTest, TheNewestSnapshotIsFoundWhateverTheHint) {
  // Proves that a hint which is missing, behind, ahead or no number does not hide a snapshot.
  EXPECT_EQ(*files_.latest_snapshot(), std::nullopt);
  EXPECT_EQ(*files_.earliest_snapshot_id(), std::nullopt);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(commit({}));
  for (std::string_view hint : {"100", "1", "7\n", "900", "x", "", "-3"}) {
    put("snapshot/LATEST", hint);
    EXPECT_EQ((*files_.latest_snapshot())->id, 100) << hint;
  }
  ASSERT_TRUE(objects_.remove(path("snapshot/LATEST")));
  EXPECT_EQ((*files_.latest_snapshot())->id, 100);
  put("snapshot/EARLIEST", "0");
  EXPECT_EQ(*files_.earliest_snapshot_id(), 1);
  put("snapshot/snapshot-77", "{}");
  put("snapshot/LATEST", "77");
  EXPECT_THAT(files_.latest_snapshot().error().message(), HasSubstr("snapshot-77: id: is missing"));
}

TEST_F(TableFilesTest, SchemasHaveAnOrderOfNumbers) {
  // Proves that the newest is by number and not by name, and that none is replaced.
  for (int64_t id = 1; id < 12; ++id) {
    schema_.id = id;
    EXPECT_TRUE(*files_.add_schema(schema_));
    EXPECT_FALSE(*files_.add_schema(schema_));
  }
  put("schema/schema-x", "");
  EXPECT_EQ((*files_.latest_schema())->id, 11);
  EXPECT_THAT(files_.schema(99).error().message(), HasSubstr("schema-99: it is named, but not"));
}

TEST_F(TableFilesTest, FilesAddUp) {
  // Proves what snapshots have after rows, a compaction, and rows again; counts included.
  ASSERT_TRUE(commit({written({"a"}), written({"b"})}));
  Result<PaimonSnapshot> compacted = commit({written({"c"}, {"a", "b"})}, kCompactCommit);
  ASSERT_TRUE(compacted) << compacted.error().message();
  EXPECT_EQ(compacted->delta_records, -10);
  EXPECT_EQ(compacted->commit_kind, "COMPACT");
  Result<PaimonSnapshot> last = commit({written({"d"})});
  ASSERT_TRUE(last);
  EXPECT_EQ(last->total_records, 20);
  EXPECT_THAT(live_at(1), ElementsAre("a", "b"));
  EXPECT_THAT(live_at(2), ElementsAre("c"));
  EXPECT_THAT(live_at(3), ElementsAre("c", "d"));
}

TEST_F(TableFilesTest, WhatIsGoneCanNotBeRemovedAgain) {
  // Proves that of two compactions of a file one is refused, and leaves no manifest.
  ASSERT_TRUE(commit({written({"a"})}));
  ASSERT_TRUE(commit({written({"b"}, {"a"})}, kCompactCommit));
  size_t manifests = count("manifest");
  Result<PaimonSnapshot> refused = commit({written({"c"}, {"a"})}, kCompactCommit);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnknownServerError);
  EXPECT_THAT(refused.error().message(), HasSubstr("bucket-0: file a is to be removed"));
  EXPECT_EQ(count("manifest"), manifests);
  EXPECT_EQ((*files_.latest_snapshot())->id, 2);
}

TEST_F(TableFilesTest, ACommitThatWasFasterIsTakenIn) {
  // Proves that a commit which meets another one stands on it, and leaves nothing of its first try.
  ASSERT_TRUE(commit({written({"a"})}));
  bool met = false;
  objects_.fail([&](std::string_view operation, const std::string& object) {
    if (met || operation != "put_if_absent" || object != path("snapshot/snapshot-2")) {
      return SimObjectStore::Fault::kNone;
    }
    met = true;
    EXPECT_TRUE(commit({written({"b"})}));
    return SimObjectStore::Fault::kNone;
  });
  Result<PaimonSnapshot> made = commit({written({"c"})});
  objects_.fail({});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->id, 3);
  EXPECT_EQ(made->total_records, 30);
  EXPECT_THAT(live_at(2), ElementsAre("a", "b"));
  EXPECT_THAT(live_at(3), ElementsAre("a", "b", "c"));
  EXPECT_EQ(count("manifest"), 3u * 3);  // of each commit one manifest and two lists
}

TEST_F(TableFilesTest, AnAnswerThatIsLostIsNoOtherCommit) {
  // Proves that a snapshot which was made, though the store gave an error, is known for its own.
  objects_.fail([&](std::string_view operation, const std::string&) {
    return operation == "put_if_absent" ? SimObjectStore::Fault::kAnswerLost
                                        : SimObjectStore::Fault::kNone;
  });
  Result<PaimonSnapshot> made = commit({written({"a"})});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->id, 1);
  objects_.fail({});
  EXPECT_THAT(live_at(1), ElementsAre("a"));
}

TEST_F(TableFilesTest, NumbersOfKeysAreNotGivenTwice) {
  // Proves the refusal of rows that did not see the bucket's newest, and of a level with two runs.
  schema_.id = 1;
  schema_.primary_keys = {"id"};
  ASSERT_TRUE(*files_.add_schema(schema_));
  ASSERT_TRUE(commit({written({"a"}, {}, 0)}));
  EXPECT_THAT(commit({written({"b"}, {}, 5)}).error().message(),
              HasSubstr("file b begins at number 5, the bucket has 9 already"));
  ASSERT_TRUE(commit({written({"c"}, {}, 10)}));
  WrittenFiles top = written({"top"}, {"a"});
  top.added[0].level = 5;
  top.added[0].compacted = true;
  ASSERT_TRUE(commit({top}, kCompactCommit));
  WrittenFiles second = written({"second"}, {"c"}, 10);
  second.added[0].level = 5;
  second.added[0].compacted = true;
  EXPECT_THAT(commit({second}, kCompactCommit).error().message(),
              HasSubstr("file second is of level 5, where the bucket has top"));
  EXPECT_THAT(live_at(3), ElementsAre("c", "top"));
}

TEST_F(TableFilesTest, ManifestsStayFew) {
  // Proves that many commits keep few manifests, that removals vanish from them, and that the files
  // are the same.
  schema_.id = 1;
  schema_.options["manifest.merge-min-count"] = "5";
  schema_.options["manifest.full-compaction-threshold-size"] = "12 kb";
  ASSERT_TRUE(*files_.add_schema(schema_));
  std::vector<std::string> expected;
  for (int i = 0; i < 60; ++i) {
    std::string name = fmt::format("f{:02}", i);
    if (i % 3 == 2) {
      std::string gone = fmt::format("f{:02}", i - 1);
      ASSERT_TRUE(commit({written({name}, {gone})}, kCompactCommit));
      std::erase(expected, gone);
    } else {
      ASSERT_TRUE(commit({written({name})}));
    }
    expected.push_back(name);
    PaimonSnapshot snapshot = *files_.snapshot(i + 1).value();
    std::vector<ManifestFile> manifests = *files_.manifests_of(snapshot);
    ASSERT_LE(manifests.size(), 8u);
    ASSERT_EQ(live_at(i + 1), expected);
  }
  int64_t entries = 0;
  std::vector<ManifestFile> last = *files_.manifests_of(*files_.snapshot(60).value());
  for (const ManifestFile& file : last) {
    EXPECT_EQ(files_.manifest(file.name)->entries.size(),
              static_cast<size_t>(file.added_files + file.deleted_files));
    entries += file.added_files + file.deleted_files;
  }
  EXPECT_LE(entries, static_cast<int64_t>(expected.size()) + 12);
}

// The manifest as a newer writer would write it: with one more field of a file.
Bytes with_more_fields(std::string_view manifest) {
  std::string text(kManifestEntrySchema);
  text.insert(text.find(R"({"name":"_LEVEL")"), R"({"name":"_NEW","type":["null","long"]},)");
  avro::AvroSchema schema = *avro::AvroSchema::parse(text);
  avro::AvroWriter writer(schema, {});
  avro::AvroReader reader = *avro::AvroReader::open(manifest);
  Status copied = reader.each([&](const avro::AvroValue& record) {
    std::vector<avro::AvroValue> fields(record.items().begin(), record.items().end());
    const avro::AvroValue& file = fields.back();
    std::vector<avro::AvroValue> parts(file.items().begin(), file.items().end());
    parts.insert(parts.begin() + 10, avro::AvroValue::integer(7));
    fields.back() = avro::AvroValue::record(std::move(parts));
    return writer.append(avro::AvroValue::record(std::move(fields)));
  });
  EXPECT_TRUE(copied) << copied.error().message();
  return *std::move(writer).finish();
}

TEST_F(TableFilesTest, ManifestsThatSayMoreAreLeftAlone) {
  // Proves that a manifest with a field of a newer writer is read and not written anew.
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(commit({written({fmt::format("f{}", i)})}));
  std::vector<ManifestFile> before = *files_.manifests_of(*files_.snapshot(3).value());
  MergedManifests merged = *merge_manifests(files_, before, {.merge_count_min = 2}, {});
  EXPECT_THAT(merged.files, SizeIs(1));
  EXPECT_THAT(merged.made, SizeIs(1));
  std::string name = object_path(path("manifest"), before[1].name);
  Bytes newer = with_more_fields(objects_.get(name)->value().view());
  ASSERT_TRUE(objects_.put(name, newer));
  EXPECT_TRUE(files_.manifest(before[1].name)->has_unknown_parts);
  merged = *merge_manifests(files_, before, {.merge_count_min = 2}, {});
  EXPECT_EQ(merged.files, before);
  EXPECT_THAT(merged.made, IsEmpty());
  EXPECT_THAT(live_at(3), ElementsAre("f0", "f1", "f2"));
}

class ExpiryTest : public TableFilesTest {
 protected:
  // 12 snapshots; each but the first replaces the file of the one before.
  ExpiryTest() {
    EXPECT_TRUE(commit({written({"f1"})}));
    for (int i = 2; i <= 12; ++i) {
      EXPECT_TRUE(
          commit({written({fmt::format("f{}", i)}, {fmt::format("f{}", i - 1)})}, kCompactCommit));
    }
  }
  Result<std::vector<std::string>> run(std::optional<int64_t> keep_from = {}) {
    return expire(files_, node_.env().clock, schema_, keep_from);
  }
  std::vector<std::string> data() {
    std::vector<std::string> names;
    std::vector<ObjectInfo> objects = *objects_.list(path("bucket-0"));
    for (const ObjectInfo& object : objects) {
      names.push_back(object.path.substr(object.path.rfind('/') + 1));
    }
    return names;
  }
  void age() { world_.jump_wall_clock(std::chrono::hours(2)); }
};

TEST_F(ExpiryTest, TheOptionsSayWhatIsOld) {
  // Proves the smallest and greatest number, the age and the limit of a run.
  EXPECT_THAT(*run(), IsEmpty());
  age();
  EXPECT_THAT(*run(), SizeIs(1));
  EXPECT_EQ(*files_.earliest_snapshot_id(), 3);
  EXPECT_THAT(*run(), IsEmpty());
  schema_.options["snapshot.num-retained.min"] = "2";
  schema_.options["snapshot.expire.limit"] = "4";
  EXPECT_THAT(run()->front(), HasSubstr("4 snapshots before 7 are gone, with 4 data files"));
  schema_.options["snapshot.time-retained"] = "3 d";
  EXPECT_THAT(*run(), IsEmpty());
  schema_.options["snapshot.num-retained.max"] = "3";
  EXPECT_THAT(*run(), SizeIs(1));
  EXPECT_EQ(*files_.earliest_snapshot_id(), 10);
  EXPECT_THAT(data(), UnorderedElementsAre("f10", "f11", "f12"));
  EXPECT_THAT(live_at(10), ElementsAre("f10"));
  schema_.options["snapshot.num-retained.max"] = "1";
  EXPECT_THAT(run().error().message(), HasSubstr("less than snapshot.num-retained.min"));
  schema_.options["snapshot.num-retained.min"] = "many";
  EXPECT_THAT(run().error().message(), HasSubstr("'many', which is no value"));
}

TEST_F(ExpiryTest, WhatIsWantedStays) {
  // Proves that a kept snapshot, a consumer and a tag hold what they need.
  age();
  schema_.options["snapshot.num-retained.min"] = "1";
  put("consumer/consumer-reader", R"({"nextSnapshot":4})");
  EXPECT_THAT(*run(2), SizeIs(1));
  EXPECT_EQ(*files_.earliest_snapshot_id(), 2);
  EXPECT_THAT(*run(), SizeIs(1));
  EXPECT_EQ(*files_.earliest_snapshot_id(), 4);
  ASSERT_TRUE(objects_.remove_prefix(path("consumer")));
  PaimonSnapshot tagged = *files_.snapshot(6).value();
  put("tag/tag-monthly", to_json(tagged));
  EXPECT_THAT(*run(), SizeIs(1));
  EXPECT_EQ(*files_.earliest_snapshot_id(), 12);
  EXPECT_THAT(data(), UnorderedElementsAre("f12", "f6"));
  EXPECT_THAT(*live_files(files_, tagged)->begin()->second, SizeIs(1));
  EXPECT_THAT(live_at(12), ElementsAre("f12"));
}

TEST_F(ExpiryTest, WhatPaimonKeepsInOtherWaysIsLeftToIt) {
  // Proves that branches and a changelog that lives longer keep everything, and say so.
  age();
  put("branch/branch-b/snapshot/snapshot-1", "{}");
  EXPECT_THAT(run()->front(), HasSubstr("left to Paimon: the table has branches"));
  ASSERT_TRUE(objects_.remove_prefix(path("branch")));
  schema_.options["changelog.time-retained"] = "7 d";
  EXPECT_THAT(run()->front(), HasSubstr("changelog.time-retained"));
  EXPECT_THAT(data(), SizeIs(12));
}

}  // namespace
}  // namespace lakestream::paimon
