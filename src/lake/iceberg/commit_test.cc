#include "lake/iceberg/commit.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/clock.h"
#include "io/env.h"
#include "io/object_store.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"
#include "io/sim/sim_world.h"
#include "lake/iceberg/expiry.h"
#include "lake/iceberg/hadoop_catalog.h"
#include "lake/iceberg/mapping.h"
#include "lake/iceberg/orphans.h"
#include "lake/iceberg/scan_plan.h"

namespace lakestream::iceberg {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// A catalog in which something else happens just before, or instead of, a commit.
class OtherCatalog final : public IcebergCatalog {
 public:
  explicit OtherCatalog(IcebergCatalog& catalog) : catalog_(catalog) {}

  Status create_namespace(const std::string& name) override {
    return catalog_.create_namespace(name);
  }
  Result<std::optional<LoadedTable>> load_table(const TablePath& path) override {
    if (is_away) return make_error(ErrorCode::kUnknownServerError, "a page of a proxy");
    return catalog_.load_table(path);
  }
  Result<std::optional<LoadedTable>> create_table(const TablePath& path,
                                                  const NewTable& table) override {
    return catalog_.create_table(path, table);
  }
  Result<CommitOutcome> commit(const TablePath& path,
                               const LoadedTable& base,
                               const TableChange& change) override {
    if (before) std::exchange(before, nullptr)();
    if (lost == Lost::kRequest) return CommitOutcome{.kind = CommitOutcome::Kind::kUnknown};
    ASSIGN_OR_RETURN(CommitOutcome outcome, catalog_.commit(path, base, change));
    if (after) std::exchange(after, nullptr)();
    if (lost == Lost::kAnswer) return CommitOutcome{.kind = CommitOutcome::Kind::kUnknown};
    return outcome;
  }

  enum class Lost : uint8_t { kNothing, kRequest, kAnswer };
  std::function<void()> before;
  std::function<void()> after;
  bool is_away = false;
  Lost lost = Lost::kNothing;

 private:
  IcebergCatalog& catalog_;
};

// A table whose data files are names with any content.
class CommitTest : public testing::Test {
 protected:
  CommitTest() {
    TableDescriptor table;
    table.schema = *SchemaBuilder().column("id", DataType::bigint()).build();
    table.distribution = Distribution{.bucket_count = 4, .bucket_keys = {}};
    table.custom_properties = {{"iceberg.commit.manifest.min-count-to-merge", "5"},
                               {"iceberg.history.expire.max-snapshot-age-ms", "1000"},
                               {"iceberg.history.expire.min-snapshots-to-keep", "2"}};
    EXPECT_TRUE(hadoop_->create_table(kPath, *iceberg_table_of(table)));
  }

  CommitContext context() {
    return {.catalog = catalog_,
            .path = kPath,
            .files = files_,
            .live = live_,
            .clock = node_.env().clock};
  }
  std::string data_path(std::string_view name) const {
    return fmt::format("/w/db/t/data/{}", name);
  }
  DataFile file(std::string_view name,
                int32_t bucket = 0,
                FileContent content = FileContent::kData) {
    EXPECT_TRUE(objects_.put(data_path(name), Bytes::of_static("data")));
    DataFile made{.content = content,
                  .path = data_path(name),
                  .partition = {.bucket = bucket},
                  .rows = 10,
                  .bytes = 4};
    if (content == FileContent::kEqualityDeletes) made.equality_ids = {1};
    return made;
  }
  Result<IcebergSnapshot> commit(const WrittenFiles& written, CommitRequest request = {}) {
    request.files = {&written};
    if (request.user.empty()) request.user = "me";
    return commit_files(context(), std::move(request));
  }
  IcebergSnapshot committed(const WrittenFiles& written, CommitRequest request = {}) {
    Result<IcebergSnapshot> made = commit(written, std::move(request));
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }
  IcebergSnapshot append(std::string_view name, int32_t bucket = 0) {
    return committed({.data = {file(name, bucket)}, .deletes = {}});
  }
  TableMetadata metadata() { return (*hadoop_->load_table(kPath))->metadata; }

  // Names of the live files of the current snapshot, as its manifests have them.
  std::vector<std::string> live_names() {
    TableMetadata now = metadata();
    uint64_t none = 0;
    if (now.current_snapshot() == nullptr) return {};
    Result<LiveFiles> live = live_files(files_, now, *now.current_snapshot(), {}, &none);
    EXPECT_TRUE(live) << live.error().message();
    std::vector<std::string> names = names_of(*live);
    std::shared_ptr<const LiveFiles> known = live_.known(now.current_snapshot());
    if (known) {
      EXPECT_EQ(names_of(*known), names);
    }
    return names;
  }
  static std::vector<std::string> names_of(const LiveFiles& live) {
    std::vector<std::string> names;
    for (const auto& [tuple, bucket] : live.buckets) {
      for (const auto* list : {&bucket->data, &bucket->deletes}) {
        for (const LiveFile& of : *list) {
          std::string_view path = of.file->path;
          names.push_back(
              fmt::format("{}@{}", path.substr(path.find_last_of('/') + 1), of.sequence));
        }
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  size_t objects_with(std::string_view text) const {
    return static_cast<size_t>(std::count_if(
        objects_.objects().begin(), objects_.objects().end(), [&](const auto& object) {
          return object.first.find(text) != std::string::npos;
        }));
  }

  const TablePath kPath{"db", "t"};
  SimWorld world_{17};
  SimNode& node_ = world_.add_node("a");
  SimObjectStore objects_{node_.disk()};
  FileNames names_{node_.env().random.fork()};
  std::unique_ptr<IcebergCatalog> hadoop_ =
      *make_hadoop_catalog({{"warehouse", "/w"}}, node_.env(), objects_);
  OtherCatalog catalog_{*hadoop_};
  MetadataFiles files_{objects_, names_, "/w/db/t"};
  LiveCache live_{files_};
};

TEST_F(CommitTest, SummariesCount) {
  // Proves operation and counters of appends, deletions and rewrites, and that properties are kept.
  CommitRequest request;
  request.properties = {{"fluss-offsets", "/r/a"}, {"operation", "mine"}};
  IcebergSnapshot first =
      committed({.data = {file("a"), file("b", 1)}, .deletes = {}}, std::move(request));
  EXPECT_EQ(first.sequence, 1);
  EXPECT_EQ(first.parent_id, std::nullopt);
  EXPECT_EQ(first.summary.at("operation"), "append");
  EXPECT_EQ(first.summary.at("commit-user"), "me");
  EXPECT_EQ(first.summary.at("fluss-offsets"), "/r/a");
  EXPECT_EQ(first.summary.at("added-data-files"), "2");
  EXPECT_EQ(first.summary.at("added-records"), "20");
  EXPECT_EQ(first.summary.at("changed-partition-count"), "2");
  EXPECT_EQ(first.summary.at("total-records"), "20");
  IcebergSnapshot second = committed({.data = {file("c")},
                                      .deletes = {file("d", 0, FileContent::kEqualityDeletes),
                                                  file("e", 0, FileContent::kPositionDeletes)}});
  EXPECT_EQ(second.parent_id, first.id);
  EXPECT_EQ(second.summary.at("operation"), "overwrite");
  EXPECT_EQ(second.summary.at("added-delete-files"), "2");
  EXPECT_EQ(second.summary.at("total-equality-deletes"), "10");
  EXPECT_EQ(second.summary.at("total-position-deletes"), "10");
  IcebergSnapshot third =
      committed({.data = {}, .deletes = {file("f", 0, FileContent::kEqualityDeletes)}});
  EXPECT_EQ(third.summary.at("operation"), "delete");
  WrittenFiles rewrite{.data = {file("g")},
                       .deletes = {},
                       .removed = {data_path("a"), data_path("c"), data_path("e")},
                       .data_sequence = 3};
  IcebergSnapshot fourth = committed(rewrite, {.replace = true});
  EXPECT_EQ(fourth.summary.at("operation"), "replace");
  EXPECT_EQ(fourth.summary.at("deleted-data-files"), "2");
  EXPECT_EQ(fourth.summary.at("removed-position-deletes"), "10");
  EXPECT_EQ(fourth.summary.at("total-data-files"), "2");
  EXPECT_EQ(fourth.summary.at("total-records"), "20");
  EXPECT_EQ(committed({.data = {}, .deletes = {}}).summary.at("total-records"), "20");
  EXPECT_THAT(live_names(), ElementsAre("b@1", "d@2", "f@3", "g@3"));
}

TEST_F(CommitTest, ManifestsStayFew) {
  // Proves that many commits do not make many manifests, and that no file is lost on the way.
  std::vector<std::string> expected;
  for (int i = 0; i < 60; ++i) {
    append(fmt::format("f{:02}", i), i % 4);
    expected.push_back(fmt::format("f{:02}@{}", i, i + 1));
    std::string list = metadata().current_snapshot()->manifest_list;
    EXPECT_LE(files_.manifest_list(list)->size(), 12u) << i;
  }
  EXPECT_EQ(live_names(), expected);
}

TEST_F(CommitTest, ManifestsWithRemovedFilesAreWrittenAnew) {
  // Proves that what is removed is no longer live in any manifest, also in one of many commits.
  for (int i = 0; i < 7; ++i) append(fmt::format("f{}", i), i % 2);
  IcebergSnapshot before = *metadata().current_snapshot();
  committed({.data = {file("big")},
             .deletes = {},
             .removed = {data_path("f0"), data_path("f2"), data_path("f6")},
             .data_sequence = before.sequence},
            {.replace = true});
  EXPECT_THAT(live_names(), ElementsAre("big@7", "f1@2", "f3@4", "f4@5", "f5@6"));
  append("f7");
  EXPECT_THAT(live_names(), ElementsAre("big@7", "f1@2", "f3@4", "f4@5", "f5@6", "f7@9"));
  // A cache that has seen nothing of it finds the same.
  LiveCache fresh(files_);
  TableMetadata now = metadata();
  EXPECT_EQ(names_of(**fresh.of(now, now.current_snapshot())), live_names());
}

TEST_F(CommitTest, AnotherCommitInBetweenIsNotLost) {
  // Proves that a commit which comes second is made again on top of the first one.
  append("a");
  catalog_.before = [&] { append("other", 1); };
  IcebergSnapshot mine = append("mine");
  EXPECT_EQ(mine.sequence, 3);
  EXPECT_THAT(live_names(), ElementsAre("a@1", "mine@3", "other@2"));
  EXPECT_EQ(objects_with("snap-"), 3u);  // the list of the first attempt is gone
}

TEST_F(CommitTest, PropertiesThatChangeInBetweenStay) {
  // Proves that a change of the table which is no snapshot is kept too.
  append("a");
  catalog_.before = [&] {
    LoadedTable now = **hadoop_->load_table(kPath);
    TableChange change{.updates = {update::SetProperties{{{"by", "another"}}}}};
    EXPECT_EQ(hadoop_->commit(kPath, now, change)->kind, CommitOutcome::Kind::kDone);
  };
  append("b");
  EXPECT_EQ(metadata().properties.at("by"), "another");
  EXPECT_THAT(live_names(), ElementsAre("a@1", "b@2"));
}

TEST_F(CommitTest, ALostAnswerIsNoSecondCommit) {
  // Proves that after a lost answer the table is looked at: what is there is not committed again,
  // and what can not be told is an error.
  catalog_.lost = OtherCatalog::Lost::kAnswer;
  append("a");
  EXPECT_THAT(live_names(), ElementsAre("a@1"));
  catalog_.lost = OtherCatalog::Lost::kRequest;
  Result<IcebergSnapshot> lost = commit({.data = {file("b")}, .deletes = {}});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), ErrorCode::kStorageException);
  EXPECT_THAT(metadata().snapshots, SizeIs(1));
  // Another one went on meanwhile: the lost one will not come any more.
  catalog_.before = [&] {
    catalog_.lost = OtherCatalog::Lost::kNothing;
    append("other");
    catalog_.lost = OtherCatalog::Lost::kRequest;
    catalog_.before = nullptr;
  };
  std::function<void()> heal = [&] { catalog_.lost = OtherCatalog::Lost::kNothing; };
  int attempts = 0;
  objects_.fail([&](std::string_view operation, const std::string& path) {
    if (operation == "put" && path.find("snap-") != std::string::npos && ++attempts == 3) heal();
    return SimObjectStore::Fault::kNone;
  });
  append("c");
  objects_.fail({});
  EXPECT_THAT(live_names(), ElementsAre("a@1", "c@3", "other@2"));
}

TEST_F(CommitTest, ALostAnswerIsNoRefusalWhereTheTableDoesNotTell) {
  // Proves that a commit whose snapshot has expired since, and one that can not be looked for, is
  // not said to be none: its files are those of the table.
  append("a");
  catalog_.lost = OtherCatalog::Lost::kAnswer;
  catalog_.after = [&] {
    catalog_.lost = OtherCatalog::Lost::kNothing;
    append("other");
    LoadedTable now = **hadoop_->load_table(kPath);
    int64_t lost = *now.metadata.current_snapshot()->parent_id;
    TableChange expiry{.updates = {update::RemoveSnapshots{{lost}}}};
    EXPECT_EQ(hadoop_->commit(kPath, now, expiry)->kind, CommitOutcome::Kind::kDone);
    catalog_.lost = OtherCatalog::Lost::kAnswer;
  };
  Result<IcebergSnapshot> made = commit({.data = {file("b")}, .deletes = {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::kStorageException);
  EXPECT_THAT(live_names(), ElementsAre("a@1", "b@2", "other@3"));

  catalog_.after = [&] { catalog_.is_away = true; };
  made = commit({.data = {file("c")}, .deletes = {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::kStorageException);
  EXPECT_THAT(made.error().message(), HasSubstr("a page of a proxy"));
}

TEST_F(CommitTest, ABranchIsKeptAsLongAsBefore) {
  // Proves that a commit hands on how long snapshots of the branch are kept.
  IcebergSnapshot first = append("a");
  LoadedTable now = **hadoop_->load_table(kPath);
  OtherMembers retention = {{"min-snapshots-to-keep", "7"}};
  TableChange change{.updates = {update::SetSnapshotRef{"main", first.id, "branch", retention}}};
  ASSERT_EQ(hadoop_->commit(kPath, now, change)->kind, CommitOutcome::Kind::kDone);
  append("b");
  EXPECT_EQ(metadata().refs.at("main").others, retention);
}

TEST_F(CommitTest, ARewriteIsOfTheColumnsThatItKnew) {
  // Proves that a column which came meanwhile is not rewritten without its values.
  append("a");
  auto rewrite = [&](std::string_view name) {
    WrittenFiles written{
        .data = {file(name)}, .deletes = {}, .removed = {data_path("a")}, .data_sequence = 1};
    return commit(written, {.replace = true, .schema_id = 0});
  };
  catalog_.before = [&] {
    LoadedTable now = **hadoop_->load_table(kPath);
    IcebergSchema wider = now.metadata.current_schema();
    wider.fields.push_back({.id = wider.highest_id() + 1, .name = "more", .type = {}});
    TableChange change{.updates = {update::AddSchema{wider}, update::SetCurrentSchema{}}};
    EXPECT_EQ(hadoop_->commit(kPath, now, change)->kind, CommitOutcome::Kind::kDone);
  };
  for (std::string_view name : {"a2", "a3"}) {
    Result<IcebergSnapshot> made = rewrite(name);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code(), ErrorCode::kUnknownServerError);
    EXPECT_THAT(made.error().message(), HasSubstr("its schema is 1, and not 0"));
  }
  EXPECT_THAT(live_names(), ElementsAre("a@1"));
}

TEST_F(CommitTest, FilesAreReadByNameOnlyWhereNamesAreSure) {
  // Proves that queries go by ids where a schema of the past is not known any more, and where a
  // column's name is none that other writers keep.
  append("a");
  auto goes_by_id = [&](auto change) {
    TableMetadata now = metadata();
    change(&now);
    LakeScan scan;
    LiveCache live(files_);
    EXPECT_TRUE(plan_splits(files_, live, now, *now.current_snapshot(), {}, &scan));
    EXPECT_THAT(scan.splits, SizeIs(1));
    return scan.splits.at(0).needs_merge;
  };
  EXPECT_FALSE(goes_by_id([](TableMetadata*) {}));
  EXPECT_TRUE(goes_by_id([](TableMetadata* now) {
    now->schemas[0].id = 1;
    now->current_schema_id = 1;
  }));
  EXPECT_TRUE(goes_by_id([](TableMetadata* now) {
    IcebergSchema next = now->schemas[0];
    next.id = 1;
    next.fields[0].type = {.kind = TypeKind::kStruct,
                           .fields = {{.id = 21, .name = "x", .type = {}}}};
    now->schemas[0].fields[0].type = next.fields[0].type;
    now->schemas[0].fields[0].type.fields[0].id = 20;
    now->schemas.push_back(next);
    now->current_schema_id = 1;
  }));
  for (std::string name : {"order-id", "1st", "größe"}) {
    EXPECT_TRUE(goes_by_id([&](TableMetadata* now) { now->schemas[0].fields[0].name = name; }));
  }
}

TEST_F(CommitTest, WhatStandsOnFilesThatAreGoneIsRefused) {
  // Proves that removals, position deletes and keys are held against the newest files.
  append("a");
  append("b");
  auto refused = [&](const WrittenFiles& written) {
    Result<IcebergSnapshot> made = commit(written);
    if (made) return std::string("committed");
    EXPECT_EQ(made.error().code(), ErrorCode::kUnknownServerError);
    return made.error().message();
  };
  WrittenFiles rewrite{
      .data = {file("ab")}, .deletes = {}, .removed = {data_path("a")}, .data_sequence = 2};
  committed(rewrite, {.replace = true});
  EXPECT_THAT(refused(rewrite), HasSubstr("a is to be removed and is no longer there"));
  EXPECT_THAT(refused({.data = {},
                       .deletes = {file("p", 0, FileContent::kPositionDeletes)},
                       .removed = {},
                       .referenced = {data_path("a")}}),
              HasSubstr("a, of which rows are to be deleted, is no longer there"));

  // Keys: the bucket has a file of commit 2, and one of a rewrite, which counts as old as that.
  EXPECT_EQ(refused({.data = {file("k")}, .deletes = {}, .seen_sequence = 2}), "committed");
  EXPECT_THAT(refused({.data = {file("l")}, .deletes = {}, .seen_sequence = 3}),
              HasSubstr("newer files than its writer knew"));
  EXPECT_EQ(refused({.data = {file("m", 1)}, .deletes = {}, .seen_sequence = 3}), "committed");

  // A rewrite of what it read at 5, while rows are deleted by position.
  committed({.data = {},
             .deletes = {file("q", 0, FileContent::kPositionDeletes)},
             .removed = {},
             .referenced = {data_path("k")}});
  EXPECT_THAT(
      refused(
          {.data = {file("n")}, .deletes = {}, .removed = {data_path("k")}, .data_sequence = 5}),
      HasSubstr("may be deleted by file"));
  committed({.data = {}, .deletes = {file("r", 1, FileContent::kEqualityDeletes)}});
  EXPECT_EQ(
      refused(
          {.data = {file("o", 1)}, .deletes = {}, .removed = {data_path("m")}, .data_sequence = 5}),
      "committed");
  EXPECT_EQ(objects_with("-m0.avro"), 10u);  // none of a commit that was refused
}

TEST_F(CommitTest, CrashesOfCommitsLeaveTheOldStateOrTheNewOne) {
  // Proves for every operation of a commit, before and after its effect, that the table has all of
  // it or nothing.
  using Fault = SimObjectStore::Fault;
  for (Fault kind : {Fault::kRefused, Fault::kAnswerLost}) {
    int number = 0;
    bool passed = false;
    for (int at = 0; !passed; ++at) {
      std::vector<std::string> before = live_names();
      WrittenFiles written{.data = {file(fmt::format("{}-{}", number++, at))}, .deletes = {}};
      int calls = 0;
      bool dead = false;
      objects_.fail([&](std::string_view, const std::string&) {
        if (dead) return Fault::kRefused;
        if (calls++ != at) return Fault::kNone;
        dead = true;
        return kind;
      });
      Result<IcebergSnapshot> made = commit(written);
      passed = !dead;
      objects_.fail({});
      std::vector<std::string> after = live_names();
      size_t grown = after.size() - before.size();
      EXPECT_LE(grown, 1u);
      if (made) {
        EXPECT_EQ(grown, 1u);
      }
      ASSERT_LT(at, 100);
    }
  }
}

TEST_F(CommitTest, ExpiryRemovesWhatNobodyNeeds) {
  // Proves that files of old snapshots go unless another snapshot, a branch or a tag has them.
  append("a");
  append("b");
  IcebergSnapshot tagged = append("c", 1);
  committed({.data = {file("ab")},
             .deletes = {},
             .removed = {data_path("a"), data_path("b")},
             .data_sequence = 3},
            {.replace = true});
  LoadedTable now = **hadoop_->load_table(kPath);
  TableChange tag{.updates = {update::SetSnapshotRef{"keep", tagged.id, "tag"}}};
  ASSERT_EQ(hadoop_->commit(kPath, now, tag)->kind, CommitOutcome::Kind::kDone);
  append("d");
  append("e");
  EXPECT_THAT(*expire(context(), now.metadata.uuid, std::nullopt), IsEmpty());  // all are young
  world_.jump_wall_clock(std::chrono::hours(1));
  Result<std::vector<std::string>> done = expire(context(), now.metadata.uuid, std::nullopt);
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_THAT(*done, SizeIs(1));
  std::vector<int64_t> sequences;
  for (const IcebergSnapshot& left : metadata().snapshots) sequences.push_back(left.sequence);
  EXPECT_THAT(sequences, UnorderedElementsAre(3, 5, 6));
  EXPECT_EQ(objects_with("/data/"), 6u);  // a and b are needed by the tag
  EXPECT_EQ(objects_with("snap-"), 3u);
  now = **hadoop_->load_table(kPath);
  TableChange untag{.updates = {update::RemoveSnapshotRef{"keep"}}};
  ASSERT_EQ(hadoop_->commit(kPath, now, untag)->kind, CommitOutcome::Kind::kDone);
  ASSERT_TRUE(expire(context(), now.metadata.uuid, std::nullopt));
  EXPECT_EQ(objects_with("/data/"), 4u);
  EXPECT_THAT(live_names(), ElementsAre("ab@3", "c@3", "d@5", "e@6"));
  EXPECT_THAT(*expire(context(), now.metadata.uuid, std::nullopt), IsEmpty());
  EXPECT_EQ(objects_with("lakestream-expiry"), 0u);
}

TEST_F(CommitTest, ExpiryMeetsACommit) {
  // Proves that a commit between the look and the removal is not lost.
  std::string uuid = metadata().uuid;
  for (int i = 0; i < 4; ++i) append(fmt::format("f{}", i));
  world_.jump_wall_clock(std::chrono::hours(1));
  catalog_.before = [&] { append("new"); };
  ASSERT_TRUE(expire(context(), uuid, std::nullopt));
  EXPECT_THAT(live_names(), ElementsAre("f0@1", "f1@2", "f2@3", "f3@4", "new@5"));
  EXPECT_THAT(metadata().snapshots, SizeIs(2));
}

TEST_F(CommitTest, ExpiryLeavesTablesThatShareFiles) {
  // Proves that nothing goes where the table says so, in any case of letters, as Java reads it.
  for (int i = 0; i < 4; ++i) append(fmt::format("f{}", i));
  world_.jump_wall_clock(std::chrono::hours(1));
  for (std::string text : {"false", "FALSE", "no"}) {
    LoadedTable now = **hadoop_->load_table(kPath);
    TableChange off{.updates = {update::SetProperties{{{"gc.enabled", text}}}}};
    ASSERT_EQ(hadoop_->commit(kPath, now, off)->kind, CommitOutcome::Kind::kDone);
    EXPECT_THAT(*expire(context(), now.metadata.uuid, std::nullopt),
                ElementsAre(HasSubstr("gc.enabled")));
  }
  EXPECT_THAT(metadata().snapshots, SizeIs(4));
  LoadedTable now = **hadoop_->load_table(kPath);
  TableChange on{.updates = {update::SetProperties{{{"gc.enabled", "TRUE"}}}}};
  ASSERT_EQ(hadoop_->commit(kPath, now, on)->kind, CommitOutcome::Kind::kDone);
  ASSERT_TRUE(expire(context(), now.metadata.uuid, std::nullopt));
  EXPECT_THAT(metadata().snapshots, SizeIs(2));
}

TEST_F(CommitTest, AnotherTableOfTheFolderKeepsItsFiles) {
  // Proves that neither files nor notes of a table which had the folder before are taken for ours.
  append("a");
  file("theirs.parquet");
  std::string uuid = metadata().uuid;
  TimestampMs now(node_.env().clock.now().value() + 1000);
  auto put = [&](std::string_view name, std::string_view text) {
    EXPECT_TRUE(objects_.put(fmt::format("/w/db/t/metadata/{}", name), Bytes::copy_of(text)));
  };
  put("00003-x.metadata.json", R"({"table-uuid":"another"})");
  EXPECT_THAT(*remove_orphans(context(), uuid, now), ElementsAre(HasSubstr("of another table")));
  EXPECT_EQ(objects_with("theirs"), 1U);
  put("00003-x.metadata.json", fmt::format(R"({{"table-uuid":"{}"}})", uuid));
  EXPECT_THAT(*remove_orphans(context(), uuid, now), ElementsAre(HasSubstr("1 files")));
  EXPECT_EQ(objects_with("theirs"), 0U);

  put("snap-theirs.avro", "");
  put("lakestream-expiry.json",
      R"({"version":1,"table-uuid":"another","snapshots":[)"
      R"({"snapshot-id":5,"manifest-list":"/w/db/t/metadata/snap-theirs.avro"}]})");
  EXPECT_THAT(*expire(context(), uuid, std::nullopt), IsEmpty());
  EXPECT_EQ(objects_with("snap-theirs"), 1U);
}

class HadoopCatalogTest : public CommitTest {
 protected:
  std::string hint() {
    return std::string((*objects_.get("/w/db/t/metadata/version-hint.text"))->view());
  }
};

TEST_F(HadoopCatalogTest, TheHintMayBeBehindOrMissing) {
  // Proves that the newest version is found behind an old hint, without one, and past a wrong one.
  append("a");
  append("b");
  EXPECT_EQ(hint(), "3");
  for (std::string_view wrong : {"1\n", "9", "what"}) {
    ASSERT_TRUE(objects_.put("/w/db/t/metadata/version-hint.text", Bytes::copy_of(wrong)));
    EXPECT_EQ((*hadoop_->load_table(kPath))->version, 3) << wrong;
    // One that is behind is moved, for readers that do not look behind it.
    EXPECT_EQ(hint(), wrong == "1\n" ? "3" : wrong);
  }
  ASSERT_TRUE(objects_.remove("/w/db/t/metadata/version-hint.text"));
  append("c");
  EXPECT_EQ(hint(), "4");
  EXPECT_THAT(live_names(), ElementsAre("a@1", "b@2", "c@3"));
}

TEST_F(HadoopCatalogTest, NamesOfOtherCatalogsAreRead) {
  // Proves that metadata which another catalog named is found where there is none of our own.
  append("a");
  std::string text = to_json(metadata());
  TablePath other{"db", "other"};
  ASSERT_TRUE(objects_.put("/w/db/other/metadata/00001-5e1c.metadata.json", Bytes::copy_of("{}")));
  ASSERT_TRUE(objects_.put("/w/db/other/metadata/00012-aa11.metadata.json", Bytes::copy_of(text)));
  Result<std::optional<LoadedTable>> loaded = hadoop_->load_table(other);
  ASSERT_TRUE(loaded && *loaded);
  EXPECT_EQ((*loaded)->version, 12);
  EXPECT_FALSE(*hadoop_->create_table(other, NewTable{}));
  EXPECT_FALSE(*hadoop_->load_table({"db", "none"}));
}

TEST_F(HadoopCatalogTest, OldVersionsGo) {
  // Proves that files which the table's log does not name any more are removed.
  LoadedTable now = **hadoop_->load_table(kPath);
  TableChange few{
      .updates = {update::SetProperties{{{"write.metadata.previous-versions-max", "3"}}}}};
  ASSERT_EQ(hadoop_->commit(kPath, now, few)->kind, CommitOutcome::Kind::kDone);
  for (int i = 0; i < 10; ++i) append(fmt::format("f{}", i));
  EXPECT_EQ(objects_with(".metadata.json"), 4u);
  EXPECT_EQ(metadata().metadata_log.size(), 3u);
}

// Proves that the newest snapshot of a user is found behind snapshots that somebody has expired,
// and that one which the current state does not stand on is not taken for it.
TEST(NewestOfUser, AlsoBehindExpiredSnapshots) {
  auto snapshot = [](int64_t id, std::optional<int64_t> parent, std::string user) {
    IcebergSnapshot made;
    made.id = made.sequence = id;
    made.parent_id = parent;
    if (!user.empty()) made.summary[std::string(kCommitUser)] = user;
    return made;
  };
  TableMetadata metadata;
  metadata.snapshots = {
      snapshot(1, {}, "us"), snapshot(2, 1, "us"), snapshot(3, 2, ""), snapshot(4, 3, "")};
  metadata.current_snapshot_id = 4;
  EXPECT_EQ(newest_of(metadata, "us")->id, 2);
  metadata.snapshots.erase(metadata.snapshots.begin() + 2);
  EXPECT_EQ(newest_of(metadata, "us")->id, 2);
  metadata.snapshots.back().parent_id = std::nullopt;
  EXPECT_EQ(newest_of(metadata, "us")->id, 2);
  EXPECT_EQ(newest_of(metadata, "them"), nullptr);
  // Set back to 1, then 5 on top of it.
  metadata.snapshots.push_back(snapshot(5, 1, ""));
  metadata.current_snapshot_id = 5;
  EXPECT_EQ(newest_of(metadata, "us")->id, 1);
}

TEST_F(HadoopCatalogTest, AVersionIsNotMadeTwice) {
  // Proves that one who slept while versions came and went does not make the next one of his again.
  LoadedTable now = **hadoop_->load_table(kPath);
  TableChange few{
      .updates = {update::SetProperties{{{"write.metadata.previous-versions-max", "1"}}}}};
  ASSERT_EQ(hadoop_->commit(kPath, now, few)->kind, CommitOutcome::Kind::kDone);
  LoadedTable old = **hadoop_->load_table(kPath);
  for (int i = 0; i < 5; ++i) append(fmt::format("f{}", i));
  TableChange late{.updates = {update::SetProperties{{{"late", "yes"}}}}};
  EXPECT_EQ(hadoop_->commit(kPath, old, late)->kind, CommitOutcome::Kind::kUnknown);
  EXPECT_EQ(hint(), "7");
  EXPECT_EQ(objects_with("/v3.metadata.json"), 0u);
  EXPECT_FALSE(metadata().properties.contains("late"));
}

// What Java's Iceberg 1.10.1 wrote, in testdata/java_iceberg: see MakeTable.java there.
class JavaTableTest : public testing::Test {
 protected:
  JavaTableTest() {
    std::filesystem::path folder = LAKESTREAM_SOURCE_DIR "/src/lake/testdata/java_iceberg";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream in(entry.path(), std::ios::binary);
      std::string content{std::istreambuf_iterator<char>(in), {}};
      EXPECT_TRUE(objects_.put(
          object_path("/tmp/lakestream-java/db/t/metadata", entry.path().filename().string()),
          Bytes::copy_of(content)));
    }
  }

  const TablePath kPath{"db", "t"};
  SimWorld world_{17};
  SimNode& node_ = world_.add_node("a");
  SimObjectStore objects_{node_.disk()};
  FileNames names_{node_.env().random.fork()};
  std::unique_ptr<IcebergCatalog> catalog_ =
      *make_hadoop_catalog({{"warehouse", "/tmp/lakestream-java"}}, node_.env(), objects_);
  MetadataFiles files_{objects_, names_, "/tmp/lakestream-java/db/t"};
  LiveCache live_{files_};
};

TEST_F(JavaTableTest, IsReadAndGoesOn) {
  // Proves that state, lists and manifests of Java are read, and that a commit on top keeps them.
  Result<std::optional<LoadedTable>> loaded = catalog_->load_table(kPath);
  ASSERT_TRUE(loaded && *loaded) << loaded.error().message();
  const TableMetadata& metadata = (*loaded)->metadata;
  EXPECT_EQ((*loaded)->version, 4);
  EXPECT_EQ(metadata.current_schema().fields.back().name, "more");
  EXPECT_EQ(metadata.last_column_id, 7);
  EXPECT_TRUE(check_spec(metadata.default_spec(), metadata.current_schema()));
  EXPECT_EQ(newest_of(metadata, kLakeCommitUser)->sequence, 1);
  EXPECT_EQ(*metadata_from_json(to_json(metadata)), metadata);

  std::shared_ptr<const LiveFiles> live = *live_.of(metadata, metadata.current_snapshot());
  BucketFiles bucket = live->files_of({.values = {"2026-11-30"}, .bucket = 3});
  ASSERT_THAT(bucket.data, SizeIs(2));
  EXPECT_EQ(bucket.data[0].sequence, 1);
  EXPECT_EQ(bucket.data[1].sequence, 2);
  const DataFile& first = *bucket.data[0].file;
  EXPECT_EQ(first.path, "/tmp/lakestream-java/db/t/data/a.parquet");
  EXPECT_EQ(first.rows, 10);
  EXPECT_EQ(first.sort_order_id, 1);
  ASSERT_THAT(first.metrics, SizeIs(1));
  EXPECT_EQ(first.metrics[0].upper, std::string("\x10\0\0\0\0\0\0\0", 8));
  ASSERT_THAT(bucket.deletes, SizeIs(2));
  for (const LiveFile& deletes : bucket.deletes) {
    bool by_key = deletes.file->content == FileContent::kEqualityDeletes;
    EXPECT_EQ(deletes.file->equality_ids,
              by_key ? std::vector<int32_t>{1} : std::vector<int32_t>());
    EXPECT_EQ(deletes.file->referenced_file,
              by_key ? std::nullopt : std::optional<std::string>(first.path));
  }

  WrittenFiles rewrite{.data = {first}, .deletes = {}, .removed = {}, .data_sequence = 2};
  rewrite.data[0].path += "-2";
  for (const auto* list : {&bucket.data, &bucket.deletes}) {
    for (const LiveFile& file : *list) rewrite.removed.push_back(file.file->path);
  }
  CommitRequest request{.files = {&rewrite}, .replace = true, .user = "me"};
  Result<IcebergSnapshot> made = commit_files({.catalog = *catalog_,
                                               .path = kPath,
                                               .files = files_,
                                               .live = live_,
                                               .clock = node_.env().clock},
                                              std::move(request));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->summary.at("total-records"), "30");
  EXPECT_EQ(made->summary.at("total-delete-files"), "0");
  EXPECT_EQ((*catalog_->load_table(kPath))->version, 5);
}

}  // namespace
}  // namespace lakestream::iceberg
