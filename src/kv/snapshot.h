#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/random.h"
#include "kv/engine.h"
#include "table/remote_documents.h"

// Moves the state of a bucket to remote storage and back. A snapshot is a checkpoint of an engine
// under other names: table files, which never change, go to "shared" and are uploaded once for all
// snapshots that have them; the few others go to a folder of this snapshot. The document lists
// every file with the name it has to get on a local disk.
//
// Thread rule: calls block; on the pool.
//
//   ASSIGN_OR_RETURN(KvCheckpoint checkpoint, engine->checkpoint("/data/kv-0/snap"));
//   KvUpload upload{bucket, ticket.id, ticket.folder, "/data/kv-0/snap", checkpoint, {last}};
//   ASSIGN_OR_RETURN(UploadedSnapshot done, upload_snapshot(objects, random.fork(), upload));
//   commit done.snapshot; refused for good: discard_snapshot(objects, done)
//   RETURN_IF_ERROR(download_snapshot(disk, objects, done.snapshot, "/data/kv-0/db"));
namespace lakestream {

class Disk;
class ObjectStore;

struct KvUpload {
  TableBucket bucket;
  KvSnapshotId id;
  std::string folder;     // of the bucket in remote storage
  std::string directory;  // of the checkpoint on the local disk
  KvCheckpoint checkpoint;
  // Committed snapshots whose table files need not be uploaded again: a file is taken for the same
  // when name and size are. That holds only for snapshots that this very database was restored from
  // or has uploaded since; for any other, the same name may stand for another content.
  std::vector<KvSnapshot> previous;
  // Asked before each file, on the pool: true ends the upload, as an error does.
  std::function<bool()> is_stopped = [] { return false; };
};

struct UploadedSnapshot {
  KvSnapshot snapshot;
  std::vector<std::string> new_files;  // what this upload made; the others belong to `previous`
};

// Writes no _METADATA: the coordinator does. An error leaves nothing behind, as far as the store
// allows. kStorageException, kKvStorageException for a checkpoint that is not as it says,
// kNotLeaderOrFollower when it was stopped.
Result<UploadedSnapshot> upload_snapshot(ObjectStore& objects,
                                         Random random,
                                         const KvUpload& upload);

// Removes what the upload made. Requires: the snapshot is not committed and never will be.
Status discard_snapshot(ObjectStore& objects, const UploadedSnapshot& uploaded);

// Makes `directory` out of the snapshot's files, replacing what was there; synced when it ends
// well. kStorageException; kKvSnapshotNotExist for a file that is missing or has another size.
Status download_snapshot(Disk& disk,
                         ObjectStore& objects,
                         const KvSnapshot& snapshot,
                         const std::string& directory);

// What a restored state covers.
KvMark mark_of(const KvSnapshot& snapshot);

}  // namespace lakestream
