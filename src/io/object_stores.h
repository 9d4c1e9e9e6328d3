#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/object_store.h"

// The object stores that there are, one a scheme: "file" (and paths without a scheme) on the local
// disk, "s3" and "s3a" for what speaks the protocol of Amazon S3. Making them reaches for nothing:
// a store connects, and loads what it needs, when an object is first asked for.
//
// put_if_absent of an S3 store is decided by the store ("If-None-Match: *"). A store that answers
// 501 to that has it atomic among the threads of one process, and as a look before a put among
// processes; one that does not know the header and says nothing replaces what is there. Removing an
// object leaves an empty object "folder/" in place of the folder it was in, which is not listed and
// goes with the folder above.
//
// Thread rule: as ObjectStore; make and destroy on any thread. An ObjectStoreRuntime is of main.
//
//   ObjectStoreRuntime runtime;
//   S3Options s3{.endpoint = "http://host:9000"};
//   ASSIGN_OR_RETURN(std::string root, object_root("s3://bucket/lake/"));  // "s3://bucket/lake"
//   std::unique_ptr<ObjectStore> store = make_object_stores(disk, {.s3 = s3});
//   RETURN_IF_ERROR(store->put(object_path(root, "a"), content));
namespace lakestream {

inline constexpr std::string_view kS3RegionOfEndpoints = "us-east-1";  // unless one is given

struct S3Options {
  std::string endpoint = {};    // "http://host:9000"; https without a scheme; empty: Amazon's
  std::string region = {};      // empty: what the environment says; with an endpoint, us-east-1
  std::string access_key = {};  // with secret_key; both empty: the credentials of the environment
  std::string secret_key = {};
  // https://host/bucket/… and not https://bucket.host/…; nothing: only with an endpoint.
  std::optional<bool> path_style = {};
  std::string ca_file = {};  // certificates to trust; empty: those of the system
};

struct ObjectStoreOptions {
  S3Options s3 = {};
};

struct S3Place {
  std::string bucket;
  std::string key;  // empty: the bucket
};

// Outlives all stores of a process that may use S3, and ends before main does. No S3 store works
// after it.
class ObjectStoreRuntime {
 public:
  ObjectStoreRuntime() = default;
  ObjectStoreRuntime(const ObjectStoreRuntime&) = delete;
  ObjectStoreRuntime& operator=(const ObjectStoreRuntime&) = delete;
  ~ObjectStoreRuntime();
};

// One store that hands each path to the store of its scheme.
std::unique_ptr<ObjectStore> make_object_stores(Disk& disk, ObjectStoreOptions options);
std::unique_ptr<ObjectStore> make_s3_object_store(Disk& disk, S3Options options);

// The folder in its one form, with a scheme and without a slash at its end. kInvalidConfigException
// for a scheme that there is not and for a path that its store would refuse.
Result<std::string> object_root(std::string_view path);
// kInvalidConfigException for another scheme, no bucket, an empty part, "." or "..".
Result<S3Place> s3_place_of(std::string_view path);

}  // namespace lakestream
