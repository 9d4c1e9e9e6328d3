#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

// MetaStore is the tree of small nodes that a cluster's metadata lives in, with the rules of
// ZooKeeper: a node has a value, a version that starts at 0 and grows by one with each put, and
// children; a parent must exist before its child and a node with children can not be removed.
// multi() applies a list of checks and changes as a whole or not at all. When a call that changes
// something returns a done outcome, the change survives power loss. When it returns an Error the
// change may or may not have happened: read to find out.
//
// Paths look like "/metadata/databases/fluss"; "/" is the root, which always exists.
//
// Thread rule: calls block; make them on the pool (run_on_pool). Any thread, many at a time for the
// stores in the registry; a ModelStore belongs to the one thread of its test.
//
//   ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get("/metadata/writer_id"));
//   std::vector<MetaOp> ops{MetaOp::check("/coordinators/epoch", 3),
//                           MetaOp::put("/metadata/writer_id", value, node->version)};
//   ASSIGN_OR_RETURN(MultiResult result, store.multi(std::move(ops)));
//   if (result.outcome == MetaOutcome::kBadVersion) return somebody_else_was_faster();
namespace lakestream {

inline constexpr int32_t kAnyVersion = -1;
inline constexpr size_t kMetaValueBytesMax = 1 << 20;  // what ZooKeeper takes in one message
inline constexpr size_t kMetaPathBytesMax = 1024;

struct MetaNode {
  Bytes value;
  int32_t version = 0;
};

enum class MetaOutcome : uint8_t {
  kDone,
  kNoNode,  // the node, or the parent of a node to create, does not exist
  kNodeExists,
  kBadVersion,
  kNotEmpty,  // a node to remove has children
};
std::string_view to_string(MetaOutcome outcome);

struct MetaOp {
  enum class Kind : uint8_t { kCheck, kCreate, kPut, kRemove };
  Kind kind = Kind::kCheck;
  std::string path;
  Bytes value;                    // of kCreate and kPut
  int32_t version = kAnyVersion;  // of the others: the one the node must have

  // The node exists and has this version.
  static MetaOp check(std::string path, int32_t version);
  static MetaOp create(std::string path, Bytes value);
  static MetaOp put(std::string path, Bytes value, int32_t version);
  static MetaOp remove(std::string path, int32_t version);
};

struct MultiResult {
  MetaOutcome outcome = MetaOutcome::kDone;
  size_t failed = 0;  // index of the operation that was refused, when outcome is not kDone
};

class MetaStore {
 public:
  virtual ~MetaStore() = default;

  // Empty when there is no such node.
  virtual Result<std::optional<MetaNode>> get(const std::string& path) = 0;
  // Names (not paths) in order; none when there is no such node.
  virtual Result<std::vector<std::string>> children(const std::string& path) = 0;
  // In order, each seeing the effect of those before it. Nothing is changed unless all can be done.
  virtual Result<MultiResult> multi(std::vector<MetaOp> ops) = 0;

  // A multi of one.
  Result<MetaOutcome> create(std::string path, Bytes value);
  Result<MetaOutcome> put(std::string path, Bytes value, int32_t version);
  Result<MetaOutcome> remove(std::string path, int32_t version);
};

// Makes the node with an empty value, and its parents, where they are missing.
Status ensure_node(MetaStore& store, const std::string& path);
// Operations that remove the node and all below it, children first; none when it does not exist.
Result<std::vector<MetaOp>> removal_of(MetaStore& store, const std::string& path);

// What every store asks of an operation before it touches anything: a well-formed path, a value
// within kMetaValueBytesMax, no change of the root.
Status check_meta_path(std::string_view path);
Status check_meta_op(const MetaOp& op);

// "/a/b" for "/a/b/c", "/" for "/a". Requires: a well-formed path, not the root.
std::string_view parent_of(std::string_view path);
// "c" for "/a/b/c".
std::string_view name_of(std::string_view path);

class Disk;

struct MetaStoreOptions {
  Disk& disk;             // makes the folder
  std::string directory;  // of an embedded store; made when absent
};

// Opens a store of a kind that registry.cc lists ("embedded"). kInvalidConfigException names the
// kinds there are; kStorageException says what is wrong with the files and what to do.
Result<std::unique_ptr<MetaStore>> open_meta_store(std::string_view kind,
                                                   const MetaStoreOptions& options);

}  // namespace lakestream
