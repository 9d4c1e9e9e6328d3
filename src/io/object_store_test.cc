#include "io/object_store.h"

#include <atomic>
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "io/disk.h"
#include "io/object_stores.h"
#include "io/pool.h"
#include "io/real_env.h"
#include "io/sim/sim_disk.h"
#include "io/sim/sim_object_store.h"

namespace lakestream {
namespace {

// A store with a root in it, and a local disk with a folder.
struct Place {
  virtual ~Place() = default;
  virtual ObjectStore& store() = 0;
  virtual Disk& disk() = 0;
  std::string root;
  std::string folder;
};

struct RealPlace final : Place {
  RealPlace() {
    folder = testing::TempDir() + "objectsXXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    root = "file://" + folder + "/remote";
  }
  ~RealPlace() override { std::filesystem::remove_all(folder); }
  ObjectStore& store() override { return *objects; }
  Disk& disk() override { return real.env().disk; }
  RealEnv real{1};
  std::unique_ptr<ObjectStore> objects = make_local_object_store(real.env().disk);
};

struct SimDiskPlace final : Place {
  SimDiskPlace() {
    folder = "/data";
    root = "/data/remote";
    EXPECT_TRUE(files.create_directories(folder).has_value());
  }
  ObjectStore& store() override { return *objects; }
  Disk& disk() override { return files; }
  SimDisk files{Random(1)};
  std::unique_ptr<ObjectStore> objects = make_local_object_store(files, Random(2));
};

struct MapPlace final : Place {
  MapPlace() {
    folder = "/data";
    root = "s3://bucket/remote";
    EXPECT_TRUE(files.create_directories(folder).has_value());
  }
  ObjectStore& store() override { return objects; }
  Disk& disk() override { return files; }
  SimDisk files{Random(1)};
  SimObjectStore objects{files};
};

// A store that runs beside the tests, where LAKESTREAM_TEST_S3_ENDPOINT says, with a bucket
// "conformance".
struct ServicePlace final : Place {
  ServicePlace() {
    folder = testing::TempDir() + "objectsXXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    root = fmt::format("s3://conformance{}", folder);
  }
  ~ServicePlace() override { std::filesystem::remove_all(folder); }
  ObjectStore& store() override { return *objects; }
  Disk& disk() override { return real.env().disk; }
  static std::string endpoint() {
    const char* value = std::getenv("LAKESTREAM_TEST_S3_ENDPOINT");
    return value == nullptr ? "" : value;
  }
  RealEnv real{1};
  std::unique_ptr<ObjectStore> objects = make_object_stores(
      real.env().disk,
      {.s3 = {.endpoint = endpoint(), .access_key = "key", .secret_key = "secret"}});
};

struct Kind {
  const char* name;
  std::function<std::unique_ptr<Place>()> make;
};

class Runtime final : public testing::Environment {
  void TearDown() override { runtime_.reset(); }
  std::optional<ObjectStoreRuntime> runtime_{std::in_place};
};
[[maybe_unused]] const testing::Environment* const kRuntime =
    testing::AddGlobalTestEnvironment(std::make_unique<Runtime>().release());

std::unique_ptr<Place> make_service_place() {
  if (ServicePlace::endpoint().empty()) return nullptr;
  return std::make_unique<ServicePlace>();
}

class ObjectStores : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (place_ == nullptr) GTEST_SKIP() << "there is no store: LAKESTREAM_TEST_S3_ENDPOINT";
  }
  ObjectStore& store() { return place_->store(); }
  std::string at(std::string_view name) { return object_path(place_->root, name); }
  std::unique_ptr<Place> place_ = GetParam().make();
};

std::string text(const Result<std::optional<Bytes>>& content) {
  if (!content) return content.error().to_string();
  return *content ? std::string((*content)->view()) : "absent";
}

// Proves that an object is read as it was put, whole and in parts, and that absence is no error.
TEST_P(ObjectStores, PutAndGet) {
  EXPECT_EQ(text(store().get(at("a/b"))), "absent");
  EXPECT_EQ(text(store().get_range(at("a/b"), 3, 4)), "absent");
  ASSERT_TRUE(store().put(at("a/b"), Bytes::copy_of("0123456789")).has_value());
  EXPECT_EQ(text(store().get(at("a/b"))), "0123456789");
  EXPECT_EQ(text(store().get_range(at("a/b"), 3, 4)), "3456");
  EXPECT_EQ(text(store().get_range(at("a/b"), 8, 100)), "89");
  EXPECT_EQ(text(store().get_range(at("a/b"), 100, 1)), "");
  ASSERT_TRUE(store().put(at("a/b"), Bytes::copy_of("x")).has_value());
  EXPECT_EQ(text(store().get(at("a/b"))), "x");
  ASSERT_TRUE(store().put(at("empty"), {}).has_value());
  EXPECT_EQ(text(store().get(at("empty"))), "");
}

// Proves that an object of parts is there when it is finished and not before, over what was there,
// and that one which is given up leaves nothing.
TEST_P(ObjectStores, Uploads) {
  auto upload = store().open_upload(at("a/b")).value();
  std::vector<Bytes> first{Bytes::copy_of("01"), Bytes::copy_of("234")};
  std::vector<Bytes> second{Bytes::copy_of("5"), Bytes()};
  ASSERT_TRUE(upload->append(first).has_value());
  ASSERT_TRUE(upload->append(second).has_value());
  EXPECT_EQ(text(store().get(at("a/b"))), "absent");
  EXPECT_TRUE(store().list(at("a")).value().empty());
  ASSERT_TRUE(upload->finish().has_value());
  upload.reset();
  EXPECT_EQ(text(store().get(at("a/b"))), "012345");

  upload = store().open_upload(at("a/b")).value();
  ASSERT_TRUE(upload->append(second).has_value());
  upload.reset();
  EXPECT_EQ(text(store().get(at("a/b"))), "012345");
  upload = store().open_upload(at("a/b")).value();
  ASSERT_TRUE(upload->append(second).has_value());
  ASSERT_TRUE(upload->finish().has_value());
  EXPECT_EQ(text(store().get(at("a/b"))), "5");
  EXPECT_EQ(store().list(at("a")).value().size(), 1U);
}

// Proves that the second of two who put the same object if it is absent is told so.
TEST_P(ObjectStores, PutIfAbsent) {
  EXPECT_TRUE(store().put_if_absent(at("a/b"), Bytes::copy_of("1")).value());
  EXPECT_FALSE(store().put_if_absent(at("a/b"), Bytes::copy_of("2")).value());
  EXPECT_EQ(text(store().get(at("a/b"))), "1");
}

// Proves that files of several parts go there and back unchanged, over what was there.
TEST_P(ObjectStores, Files) {
  std::string content;
  while (content.size() < (5u << 19))
    content += fmt::format("{:08x}", content.size() * 2654435761u);
  Disk& disk = place_->disk();
  std::string local = place_->folder + "/local";
  ASSERT_TRUE(write_file_atomically(disk, local, Bytes::copy_of(content)).has_value());
  EXPECT_EQ(store().put_file(at("f/1"), local).value(), content.size());
  EXPECT_EQ(store().put_file(at("f/1"), local).value(), content.size());
  EXPECT_FALSE(store().put_file(at("f/2"), place_->folder + "/none").has_value());
  EXPECT_EQ(text(store().get(at("f/2"))), "absent");

  std::string back = place_->folder + "/back";
  ASSERT_TRUE(write_file_atomically(disk, back, Bytes::copy_of(content + "tail")).has_value());
  EXPECT_EQ(store().get_file(at("f/1"), back).value(), content.size());
  EXPECT_EQ(read_file(disk, back).value().view(), content);
  EXPECT_EQ(store().get_file(at("f/2"), place_->folder + "/x").value(), std::nullopt);
  EXPECT_FALSE(disk.exists(place_->folder + "/x").value());
  ASSERT_EQ(store().list(at("f")).value().size(), 1U);
}

// Proves that a listing has everything below a folder and nothing of its neighbours, in order.
TEST_P(ObjectStores, ListAndRemove) {
  EXPECT_TRUE(store().list(at("a")).value().empty());
  for (const char* name : {"a/c", "a/b/d", "a-b", "ab/x", "a/b-c"}) {
    ASSERT_TRUE(store().put(at(name), Bytes::copy_of(name)).has_value());
  }
  EXPECT_TRUE(store().put_if_absent(at("a/e"), Bytes::copy_of("a/e")).value());
  std::vector<ObjectInfo> expected{
      {at("a/b-c"), 5}, {at("a/b/d"), 5}, {at("a/c"), 3}, {at("a/e"), 3}};
  EXPECT_EQ(store().list(at("a")).value(), expected);
  EXPECT_EQ(store().list(at("a/")).value(), expected);

  ASSERT_TRUE(store().remove(at("a/c")).has_value());
  ASSERT_TRUE(store().remove(at("a/c")).has_value());
  ASSERT_TRUE(store().remove(at("no/where")).has_value());
  EXPECT_EQ(store().list(at("a")).value().size(), 3U);
  ASSERT_TRUE(store().remove_prefix(at("a")).has_value());
  ASSERT_TRUE(store().remove_prefix(at("a")).has_value());
  EXPECT_TRUE(store().list(at("a")).value().empty());
  EXPECT_EQ(store().list(place_->root).value().size(), 2U);
}

// Proves that what was written before a time is found, as far as the store knows times: a disk in
// memory does not.
TEST_P(ObjectStores, Stale) {
  for (const char* name : {"a/c", "a/b/d", "b"}) {
    ASSERT_TRUE(store().put(at(name), Bytes::copy_of(name)).has_value());
  }
  EXPECT_TRUE(store().list_stale(at("a"), TimestampMs(0)).value().empty());
  std::vector<std::string> all = store().list_stale(at("a"), TimestampMs(INT64_MAX)).value();
  if (dynamic_cast<SimDisk*>(&place_->disk()) == nullptr || object_scheme(place_->root) == "s3") {
    EXPECT_EQ(all, (std::vector<std::string>{at("a/b/d"), at("a/c")}));
  } else {
    EXPECT_TRUE(all.empty());
  }
}

// Proves that a temporary file that a crash left is shown as stale and nowhere else, and can be
// removed.
TEST(LocalObjectStore, StaleTemporaries) {
  RealPlace place;
  ASSERT_TRUE(place.store().put(place.root + "/a/b", Bytes::copy_of("b")).has_value());
  std::string left = place.folder + "/remote/a/.c.1-1.tmp";
  ASSERT_TRUE(write_file_atomically(place.disk(), left, Bytes::copy_of("c")).has_value());
  EXPECT_EQ(place.store().list(place.root).value().size(), 1U);
  auto stale = place.store().list_stale(place.root, TimestampMs(INT64_MAX)).value();
  EXPECT_EQ(stale, (std::vector<std::string>{place.root + "/a/.c.1-1.tmp", place.root + "/a/b"}));
  ASSERT_TRUE(place.store().remove(stale.front()).has_value());
  EXPECT_FALSE(place.disk().exists(left).value());
}

// Proves that stores of several processes that share a file system, as far as each other in their
// count, do not write each other's temporaries.
TEST(LocalObjectStore, SharedFolder) {
  RealPlace place;
  std::string path = object_path(place.root, "a");
  std::unique_ptr<ObjectStore> one = make_local_object_store(place.disk());
  std::unique_ptr<ObjectStore> other = make_local_object_store(place.disk());
  std::vector<Bytes> first{Bytes::copy_of("0123456789")};
  std::vector<Bytes> second{Bytes::copy_of("xyz")};
  auto slow = one->open_upload(path).value();
  ASSERT_TRUE(slow->append(first).has_value());
  auto quick = other->open_upload(path).value();
  ASSERT_TRUE(quick->append(second).has_value());
  ASSERT_TRUE(slow->finish().has_value());
  EXPECT_EQ(text(one->get(path)), "0123456789");
  ASSERT_TRUE(quick->finish().has_value());
  EXPECT_EQ(text(one->get(path)), "xyz");
}

// Proves that a temporary that is there is nobody else's: it is neither written nor removed.
TEST(LocalObjectStore, TemporaryTaken) {
  RealPlace place;
  std::string path = object_path(place.root, "a");
  std::string local = place.folder + "/local";
  ASSERT_TRUE(write_file_atomically(place.disk(), local, Bytes::copy_of("xyz")).has_value());
  std::vector<Bytes> first{Bytes::copy_of("0123456789")};
  std::vector<std::function<bool(ObjectStore&)>> writes{
      [&](ObjectStore& store) { return store.open_upload(path).has_value(); },
      [&](ObjectStore& store) { return store.put(path, Bytes::copy_of("xyz")).has_value(); },
      [&](ObjectStore& store) { return store.put_file(path, local).has_value(); },
  };
  for (auto& write : writes) {
    std::unique_ptr<ObjectStore> one = make_local_object_store(place.disk(), Random(7));
    std::unique_ptr<ObjectStore> same = make_local_object_store(place.disk(), Random(7));
    auto upload = one->open_upload(path).value();
    ASSERT_TRUE(upload->append(first).has_value());
    EXPECT_FALSE(write(*same));
    ASSERT_TRUE(upload->finish().has_value());
    EXPECT_EQ(text(one->get(path)), "0123456789");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Stores,
    ObjectStores,
    testing::Values(Kind{"local", [] { return std::make_unique<RealPlace>(); }},
                    Kind{"local_simulated", [] { return std::make_unique<SimDiskPlace>(); }},
                    Kind{"memory", [] { return std::make_unique<MapPlace>(); }},
                    Kind{"s3", make_service_place}),
    [](const auto& kind) { return std::string(kind.param.name); });

// Proves that the paths of the protocol lead to the same file, and which are refused.
TEST(ObjectPaths, Local) {
  for (const char* path : {"/a/b", "file:///a/b", "file:/a/b", "/a/b/"}) {
    EXPECT_EQ(local_path_of(path).value(), "/a/b") << path;
  }
  for (const char* path : {"a/b", "file:a/b", "s3://a/b", "", "/a/../b", "file:///..", "file://"}) {
    EXPECT_FALSE(local_path_of(path).has_value()) << path;
  }
  EXPECT_EQ(object_scheme("s3://a"), "s3");
  EXPECT_EQ(object_scheme("/a:b"), "");
  EXPECT_EQ(object_path("/a/", "b"), "/a/b");
  EXPECT_EQ(object_path("/a", ""), "/a/");
}

// Proves which folders can be the root of remote storage, and in which form it goes on.
TEST(ObjectPaths, Root) {
  EXPECT_EQ(object_root("/a/").value(), "file:///a");
  EXPECT_EQ(object_root("file:/a").value(), "file:///a");
  EXPECT_EQ(object_root("s3://b").value(), "s3://b");
  EXPECT_EQ(object_root("s3a://b/c/d/").value(), "s3a://b/c/d");
  for (const char* path : {"a",
                           "gs://b/c",
                           "s3://",
                           "s3:///c",
                           "s3:b",
                           "s3://b//c",
                           "s3://b/../c",
                           "s3://b/.",
                           "S3://b"}) {
    Result<std::string> root = object_root(path);
    ASSERT_FALSE(root.has_value()) << path;
    EXPECT_EQ(root.error().code(), ErrorCode::kInvalidConfigException) << path;
  }
  EXPECT_EQ(s3_place_of("s3://b/c/d").value().bucket, "b");
  EXPECT_EQ(s3_place_of("s3://b/c/d").value().key, "c/d");
}

// Proves that each path goes to the store of its scheme, and that one without a store is refused.
TEST(ObjectStoresByScheme, Routes) {
  SimDisk disk{Random(1)};
  std::unique_ptr<ObjectStore> stores = make_object_stores(disk, {});
  ASSERT_TRUE(stores->put("file:///r/a", Bytes::copy_of("1")).has_value());
  EXPECT_EQ(text(stores->get("/r/a")), "1");
  Status done = stores->put("gs://b/a", {});
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message(),
            "remote path gs://b/a: scheme 'gs' is not known; use an absolute path, file://…, "
            "s3://…, s3a://…");
}

// Proves that a file that goes there in many parts comes back as it was.
TEST(S3ObjectStore, ManyParts) {
  if (ServicePlace::endpoint().empty()) GTEST_SKIP() << "there is no store";
  SimDisk disk{Random(1)};
  ASSERT_TRUE(disk.create_directories("/d").has_value());
  std::string content(25 << 20, 'x');
  for (size_t i = 0; i < content.size(); i += 1000) content[i] = static_cast<char>(i / 1000);
  ASSERT_TRUE(write_file_atomically(disk, "/d/local", Bytes::copy_of(content)).has_value());
  S3Options options;
  options.endpoint = ServicePlace::endpoint();
  options.access_key = options.secret_key = "k";
  std::unique_ptr<ObjectStore> store = make_s3_object_store(disk, options);
  EXPECT_EQ(store->put_file("s3://conformance/parts/a", "/d/local").value(), content.size());
  EXPECT_EQ(store->get_file("s3://conformance/parts/a", "/d/back").value(), content.size());
  EXPECT_TRUE(read_file(disk, "/d/back").value().view() == content);
}

// Proves that a store that does not answer is an error that says where to look.
TEST(S3ObjectStore, NobodyListens) {
  SimDisk disk{Random(1)};
  S3Options options;
  options.endpoint = "http://127.0.0.1:1";
  options.access_key = options.secret_key = "k";
  std::unique_ptr<ObjectStore> store = make_s3_object_store(disk, options);
  Status done = store->put("s3://b/a", Bytes::copy_of("1"));
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::kStorageException);
  EXPECT_TRUE(done.error().message().starts_with("writing s3://b/a: ")) << done.error().message();
  EXPECT_NE(done.error().message().find("s3.endpoint"), std::string::npos);
}

// Proves that a crash at any step of a put leaves the old object, the new one, or none that is
// listed; and the new one once the put has ended.
TEST(LocalObjectStore, PowerLoss) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (int step = 0; step < 4; ++step) {
      SimDisk disk{Random(seed)};
      auto store = make_local_object_store(disk, Random(seed));
      ASSERT_TRUE(store->put("/r/a", Bytes::copy_of("old")).has_value());
      const char* operations[] = {"write", "sync", "rename", "sync_directory"};
      disk.fail_after(1, operations[step]);
      EXPECT_FALSE(store->put("/r/a", Bytes::copy_of("new")).has_value());
      disk.lose_power();
      std::string content = text(store->get("/r/a"));
      EXPECT_TRUE(content == "old" || (content == "new" && step == 3)) << content;
      ASSERT_EQ(store->list("/r").value().size(), 1U);
      ASSERT_TRUE(store->put("/r/a", Bytes::copy_of("new")).has_value());
      disk.lose_power();
      EXPECT_EQ(text(store->get("/r/a")), "new");
    }
  }
}

// Proves that objects under a scheme that is not known say what to do.
// Proves that objects and folders that others remove while they are looked at are no errors.
TEST(LocalObjectStore, RemovedMeanwhile) {
  RealEnv real(1);
  auto store = make_local_object_store(real.env().disk);
  std::string folder = testing::TempDir() + "removedXXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::string path = folder + "/deep/object";
  std::atomic<bool> is_done = false;
  real.env().pool.submit([&] {
    for (int i = 0; i < 300; ++i) {
      EXPECT_TRUE(store->put(path, Bytes::of_static("content")));
      EXPECT_TRUE(i % 2 == 0 ? store->remove(path) : store->remove_prefix(folder + "/deep"));
    }
    is_done = true;
  });
  while (!is_done) {
    auto found = store->get(path);
    EXPECT_TRUE(found) << found.error().message();
    EXPECT_TRUE(!found || !*found || (*found)->view() == "content");
    EXPECT_TRUE(store->list(folder));
  }
  std::filesystem::remove_all(folder);
}

TEST(LocalObjectStore, UnknownScheme) {
  SimDisk disk{Random(1)};
  auto store = make_local_object_store(disk);
  Status done = store->put("gs://bucket/a", {});
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::kInvalidConfigException);
  EXPECT_NE(done.error().message().find("'gs'"), std::string::npos);
}

}  // namespace
}  // namespace lakestream
