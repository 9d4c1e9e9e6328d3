#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "io/random.h"

// Storage that servers and clients share: whole objects under names, written once and read by many.
// A name is a URI or an absolute path, as the protocol carries it: "file:///data/kv/a.sst",
// "/data/kv/a.sst", "s3://bucket/kv/a.sst". An object appears whole or not at all, and is on stable
// storage when the call that wrote it ends well; an error leaves open whether it is there.
//
// Errors carry kStorageException and name the object. That there is no such object is no error.
//
// Thread rule: calls block; on the pool, any thread, many at a time.
//
//   RETURN_IF_ERROR(store.put_file("file:///remote/kv/a.sst", "/data/kv-0/000012.sst"));
//   ASSIGN_OR_RETURN(std::optional<Bytes> head, store.get_range("file:///remote/kv/a.sst", 0, 8));
//   if (!head) return gone();
//   RETURN_IF_ERROR(store.remove_prefix("file:///remote/kv"));
namespace lakestream {

class Disk;

struct ObjectInfo {
  std::string path;  // begins with the prefix as it was given
  uint64_t size = 0;

  friend bool operator==(const ObjectInfo&, const ObjectInfo&) = default;
};

// An object that comes in parts, which need not all be in memory at once. Destroyed before finish()
// has ended well, it leaves nothing.
//
// Thread rule: calls block; on the pool, one thread at a time.
class ObjectUpload {
 public:
  virtual ~ObjectUpload() = default;
  // Behind those before. Requires of both calls: those before went well.
  virtual Status append(std::span<const Bytes> parts) = 0;
  // Once: as ObjectStore::put of all of it.
  virtual Status finish() = 0;
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  // Replaces what is there.
  virtual Status put(const std::string& path, const Bytes& content) = 0;
  // False, and nothing is changed, when there is such an object already.
  virtual Result<bool> put_if_absent(const std::string& path, const Bytes& content) = 0;
  // The store outlives it. Unless a store knows better, the parts are kept until the end.
  virtual Result<std::unique_ptr<ObjectUpload>> open_upload(const std::string& path);
  // A copy of a file on the local disk: its size.
  virtual Result<uint64_t> put_file(const std::string& path, const std::string& local_file) = 0;

  virtual Result<std::optional<Bytes>> get(const std::string& path) = 0;
  // Shorter than `size` where the object ends.
  virtual Result<std::optional<Bytes>> get_range(const std::string& path,
                                                 uint64_t offset,
                                                 uint64_t size) = 0;
  // Makes or replaces a file on the local disk and syncs it, but not its folder: its size.
  virtual Result<std::optional<uint64_t>> get_file(const std::string& path,
                                                   const std::string& local_file) = 0;

  // All objects below a folder, at any depth, sorted by path; none when there is no such folder.
  virtual Result<std::vector<ObjectInfo>> list(const std::string& prefix) = 0;
  // Paths of those that were last written before then, sorted; also of files that puts which never
  // ended have left, where the store shows them.
  virtual Result<std::vector<std::string>> list_stale(const std::string& prefix,
                                                      TimestampMs before) = 0;
  // Fine when absent.
  virtual Status remove(const std::string& path) = 0;
  // Everything below a folder; fine when absent.
  virtual Status remove_prefix(const std::string& prefix) = 0;
};

// "file", "s3"; empty for a path without one.
std::string_view object_scheme(std::string_view path);
// "/data/kv" for "file:///data/kv", "file:/data/kv" and "/data/kv". kInvalidConfigException for
// another scheme, a host, a relative path, or one with "..".
Result<std::string> local_path_of(std::string_view path);
// `folder` and `name` with one slash between them.
std::string object_path(std::string_view folder, std::string_view name);

// Objects are files of a local disk. Temporary files that a crash leaves begin with "." and end in
// ".tmp", are listed only as stale, and go with their folder. `random` is for their names, which
// stores of several processes must not share.
std::unique_ptr<ObjectStore> make_local_object_store(Disk& disk,
                                                     Random random = Random::from_system());

}  // namespace lakestream
