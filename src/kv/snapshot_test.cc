#include "kv/snapshot.h"

#include <filesystem>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "io/disk.h"
#include "io/real_env.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"

namespace lakestream {
namespace {

using Files = std::map<std::string, std::string>;
using Fault = SimObjectStore::Fault;

constexpr const char* kFolder = "s3://b/kv/db/t-7/0";

class SnapshotTest : public testing::Test {
 protected:
  // A checkpoint with these files: "*.sst" never change.
  KvUpload checkpoint(int64_t id, const Files& files, std::vector<KvSnapshot> previous) {
    KvUpload upload;
    upload.bucket = TableBucket{TableId(7), std::nullopt, BucketId(0)};
    upload.id = KvSnapshotId(id);
    upload.folder = kFolder;
    upload.directory = fmt::format("/data/snap{}", id);
    EXPECT_TRUE(disk_.create_directories(upload.directory).has_value());
    upload.checkpoint.mark = {Offset(100 * id), 5 * id, {{2, 10, 19}}};
    for (const auto& [name, content] : files) {
      Bytes bytes = Bytes::copy_of(content);
      EXPECT_TRUE(write_file_atomically(disk_, upload.directory + "/" + name, bytes).has_value());
      upload.checkpoint.files.push_back({name, content.size(), name.ends_with(".sst")});
    }
    upload.previous = std::move(previous);
    return upload;
  }
  UploadedSnapshot upload(int64_t id, const Files& files, std::vector<KvSnapshot> previous) {
    return upload_snapshot(objects_, random_.fork(), checkpoint(id, files, std::move(previous)))
        .value();
  }
  Files downloaded(const KvSnapshot& snapshot) {
    EXPECT_TRUE(download_snapshot(disk_, objects_, snapshot, "/data/db").has_value());
    Files files;
    std::vector<DirectoryEntry> entries = disk_.list("/data/db").value();
    for (const DirectoryEntry& entry : entries) {
      files[entry.name] = std::string(read_file(disk_, "/data/db/" + entry.name).value().view());
    }
    return files;
  }
  static std::set<std::string> paths_of(const KvSnapshot& snapshot) {
    std::set<std::string> paths;
    for (const KvSnapshotFile& file : snapshot.shared_files) paths.insert(file.path);
    for (const KvSnapshotFile& file : snapshot.private_files) paths.insert(file.path);
    return paths;
  }
  std::set<std::string> stored() {
    std::set<std::string> paths;
    for (const auto& [path, content] : objects_.objects()) paths.insert(path);
    return paths;
  }

  Random random_{1};
  SimDisk disk_{Random(2)};
  SimObjectStore objects_{disk_};
  Files first_{{"000008.sst", "eight"}, {"000011.sst", "eleven"}, {"CURRENT", "c"}, {"OPT", ""}};
};

// Proves that what comes back is what was there, under the names it had, with all it covers.
TEST_F(SnapshotTest, RoundTrip) {
  UploadedSnapshot done = upload(3, first_, {});
  const KvSnapshot& snapshot = done.snapshot;
  EXPECT_EQ(snapshot.location, "s3://b/kv/db/t-7/0/snap-3");
  ASSERT_EQ(snapshot.shared_files.size(), 2U);
  ASSERT_EQ(snapshot.private_files.size(), 2U);
  for (const KvSnapshotFile& file : snapshot.shared_files) {
    EXPECT_TRUE(file.path.starts_with("s3://b/kv/db/t-7/0/shared/")) << file.path;
  }
  for (const KvSnapshotFile& file : snapshot.private_files) {
    EXPECT_TRUE(file.path.starts_with("s3://b/kv/db/t-7/0/snap-3/")) << file.path;
  }
  EXPECT_EQ(snapshot.incremental_bytes, 5 + 6 + 1 + 0);
  EXPECT_EQ(stored(), paths_of(snapshot));
  EXPECT_EQ(done.new_files.size(), 4U);
  // What was in the folder goes.
  ASSERT_TRUE(disk_.create_directories("/data/db").has_value());
  ASSERT_TRUE(write_file_atomically(disk_, "/data/db/old.sst", {}).has_value());
  KvSnapshot read = kv_snapshot_from_json(to_json(snapshot)).value();
  EXPECT_EQ(downloaded(read), first_);
  KvMark expected{Offset(300), 15, {{2, 10, 19}}};
  EXPECT_EQ(mark_of(read), expected);
}

// Proves that table files are uploaded once, by name and size; others each time.
TEST_F(SnapshotTest, Incremental) {
  KvSnapshot first = upload(1, first_, {}).snapshot;
  Files files = first_;
  files.erase("000008.sst");
  files["000011.sst"] = "elevenX";  // not the same: another size
  files["000012.sst"] = "twelve";
  KvSnapshot second = upload(2, files, {first}).snapshot;
  EXPECT_EQ(second.incremental_bytes, 7 + 6 + 1);
  UploadedSnapshot third = upload(3, files, {first, second});
  EXPECT_EQ(third.snapshot.shared_files, second.shared_files);
  EXPECT_EQ(third.snapshot.incremental_bytes, 1);
  EXPECT_EQ(third.new_files.size(), 2U);
  EXPECT_EQ(downloaded(first), first_);
  EXPECT_EQ(downloaded(second), files);
  EXPECT_EQ(downloaded(third.snapshot), files);

  // Discarding it takes nothing away from those before.
  std::string document = third.snapshot.location + "/_METADATA";
  ASSERT_TRUE(objects_.put(document, Bytes::copy_of("{}")).has_value());
  ASSERT_TRUE(discard_snapshot(objects_, third).has_value());
  std::set<std::string> left = paths_of(first);
  left.merge(paths_of(second));
  EXPECT_EQ(stored(), left);
}

// Proves that an upload that fails at any of its steps leaves no file behind, whether or not the
// step had an effect, and that the upload can be done again.
TEST_F(SnapshotTest, UploadFails) {
  KvSnapshot first = upload(1, first_, {}).snapshot;
  Files files = first_;
  files["000012.sst"] = "twelve";
  std::set<std::string> before = stored();
  for (Fault fault : {Fault::kRefused, Fault::kAnswerLost}) {
    for (int step = 0; step < 3; ++step) {
      int count = 0;
      objects_.fail([&](std::string_view operation, const std::string&) {
        return operation == "put_file" && count++ == step ? fault : Fault::kNone;
      });
      auto done = upload_snapshot(objects_, random_.fork(), checkpoint(2, files, {first}));
      ASSERT_FALSE(done.has_value());
      EXPECT_EQ(done.error().code(), ErrorCode::kStorageException);
      EXPECT_EQ(stored(), before);
    }
  }
  objects_.fail({});
  EXPECT_EQ(downloaded(upload(2, files, {first}).snapshot), files);
}

// Proves that an upload ends between two files when it has to, and leaves nothing.
TEST_F(SnapshotTest, UploadStops) {
  KvUpload stopped = checkpoint(1, first_, {});
  int sent = 0;
  objects_.fail([&sent](std::string_view operation, const std::string&) {
    if (operation == "put_file") ++sent;
    return Fault::kNone;
  });
  stopped.is_stopped = [&sent] { return sent == 2; };
  auto done = upload_snapshot(objects_, random_.fork(), stopped);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::kNotLeaderOrFollower);
  EXPECT_EQ(sent, 2);
  EXPECT_TRUE(stored().empty());
}

// Proves that a checkpoint whose files are not as it says is not uploaded.
TEST_F(SnapshotTest, WrongCheckpoint) {
  KvUpload wrong = checkpoint(1, first_, {});
  wrong.checkpoint.files[0].size += 1;
  auto done = upload_snapshot(objects_, random_.fork(), wrong);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::kKvStorageException);
  EXPECT_TRUE(stored().empty());
}

// Proves that damage of a snapshot is named: file, what is wrong, what to do.
TEST_F(SnapshotTest, DownloadFails) {
  KvSnapshot snapshot = upload(1, first_, {}).snapshot;
  auto error_of = [&](const KvSnapshot& damaged) {
    Status done = download_snapshot(disk_, objects_, damaged, "/data/db");
    EXPECT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code(), ErrorCode::kKvSnapshotNotExist);
    return done.error().message();
  };
  for (const char* name : {"", ".", "..", "../x", "a/b", "CURRENT"}) {
    KvSnapshot damaged = snapshot;
    damaged.shared_files[0].local_name = name;
    EXPECT_NE(error_of(damaged).find("file " + std::string(name)), std::string::npos);
  }
  const KvSnapshotFile& file = snapshot.shared_files[1];
  ASSERT_TRUE(objects_.put(file.path, Bytes::copy_of("cut")).has_value());
  EXPECT_EQ(error_of(snapshot),
            fmt::format("snapshot 1 of table 7 bucket 0: file 000011.sst ({}) has 3 bytes, the "
                        "snapshot says 6; restore another snapshot or replay the log",
                        file.path));
  ASSERT_TRUE(objects_.remove(file.path).has_value());
  EXPECT_NE(error_of(snapshot).find("is missing"), std::string::npos);
}

// Everything in the engine, in order.
std::string content_of(KvEngine& engine) {
  std::string content;
  auto cursor = engine.open_cursor().value();
  for (cursor->seek(""); !cursor->at_end(); cursor->next()) {
    content += fmt::format("{}={} ", cursor->key(), cursor->value());
  }
  EXPECT_TRUE(cursor->status().has_value());
  return content;
}

// Proves that a database of the real store is restored as it was at each of two snapshots, the
// second of which may share files with the first.
TEST(RocksSnapshot, RestoreEach) {
  RealEnv real(1);
  Disk& disk = real.env().disk;
  std::string root = testing::TempDir() + "snapshotXXXXXX";
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  auto objects = make_local_object_store(disk);
  auto engines = make_rocks_engines({});
  auto engine = engines->open(root + "/kv").value();
  std::vector<KvSnapshot> snapshots;
  std::vector<std::string> contents;
  Random random(1);
  for (int64_t round = 1; round <= 2; ++round) {
    std::string key = fmt::format("k{}", round);
    std::vector<KvChange> changes{{.key = key, .value = {"v", key}}};
    ASSERT_TRUE(engine->write(changes, {.applied = Offset(round)}).has_value());
    std::string directory = fmt::format("{}/snap{}", root, round);
    KvUpload upload{.bucket = {TableId(7), std::nullopt, BucketId(0)},
                    .id = KvSnapshotId(round),
                    .folder = "file://" + root + "/remote/kv/db/t-7/0",
                    .directory = directory,
                    .checkpoint = engine->checkpoint(directory).value(),
                    .previous = snapshots};
    snapshots.push_back(upload_snapshot(*objects, random.fork(), upload).value().snapshot);
    contents.push_back(content_of(*engine));
  }
  ASSERT_FALSE(snapshots[0].shared_files.empty());
  engine.reset();
  for (size_t i = 0; i < snapshots.size(); ++i) {
    ASSERT_TRUE(engines->remove(root + "/kv").has_value());
    ASSERT_TRUE(download_snapshot(disk, *objects, snapshots[i], root + "/kv").has_value());
    engine = engines->open(root + "/kv").value();
    EXPECT_EQ(content_of(*engine), contents[i]);
    EXPECT_EQ(engine->mark(), mark_of(snapshots[i]));
    engine.reset();
  }
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace lakestream
