#include "kv/snapshot.h"

#include <map>
#include <set>
#include <utility>

#include "io/disk.h"
#include "io/object_store.h"
#include "table/remote_paths.h"

namespace lakestream {
namespace {

// Names come from a document that others may have written: a file must not leave its folder.
bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

using KnownFiles = std::map<std::string, KvSnapshotFile>;

// Table files that are in remote storage already, by local name.
KnownFiles known_files(const std::vector<KvSnapshot>& snapshots) {
  KnownFiles known;
  for (const KvSnapshot& snapshot : snapshots) {
    for (const KvSnapshotFile& file : snapshot.shared_files) known[file.local_name] = file;
  }
  return known;
}

Status upload_files(ObjectStore& objects,
                    Random& random,
                    const KvUpload& upload,
                    UploadedSnapshot* done) {
  KnownFiles known = known_files(upload.previous);
  std::string shared = remote_kv_shared_folder(upload.folder);
  KvSnapshot& snapshot = done->snapshot;
  for (const KvCheckpoint::File& file : upload.checkpoint.files) {
    auto size = static_cast<int64_t>(file.size);
    auto place = known.find(file.name);
    if (file.immutable && place != known.end() && place->second.size == size) {
      snapshot.shared_files.push_back(place->second);
      continue;
    }
    if (upload.is_stopped()) {
      return make_error(ErrorCode::kNotLeaderOrFollower,
                        "{} stops on this server, its snapshot {} is given up",
                        upload.bucket,
                        upload.id);
    }
    uint64_t high = random.next();
    std::string path =
        object_path(file.immutable ? shared : snapshot.location, uuid_text(high, random.next()));
    done->new_files.push_back(path);
    std::string local = object_path(upload.directory, file.name);
    ASSIGN_OR_RETURN(uint64_t sent, objects.put_file(path, local));
    if (sent != file.size) {
      return make_error(ErrorCode::kKvStorageException,
                        "checkpoint file {} has {} bytes where the checkpoint says {}; take "
                        "another checkpoint",
                        local,
                        sent,
                        file.size);
    }
    snapshot.incremental_bytes += size;
    auto& files = file.immutable ? snapshot.shared_files : snapshot.private_files;
    files.push_back({std::move(path), size, file.name});
  }
  return ok();
}

tl::unexpected<Error> bad_file(const KvSnapshot& snapshot,
                               const KvSnapshotFile& file,
                               std::string_view what) {
  return make_error(ErrorCode::kKvSnapshotNotExist,
                    "snapshot {} of {}: file {} ({}) {}; restore another snapshot or replay the "
                    "log",
                    snapshot.id,
                    snapshot.bucket,
                    file.local_name,
                    file.path,
                    what);
}

Status download_file(ObjectStore& objects,
                     const KvSnapshot& snapshot,
                     const KvSnapshotFile& file,
                     const std::string& directory) {
  std::string local = object_path(directory, file.local_name);
  ASSIGN_OR_RETURN(std::optional<uint64_t> size, objects.get_file(file.path, local));
  if (!size) return bad_file(snapshot, file, "is missing");
  if (static_cast<int64_t>(*size) != file.size) {
    return bad_file(
        snapshot, file, fmt::format("has {} bytes, the snapshot says {}", *size, file.size));
  }
  return ok();
}

Status check_names(const KvSnapshot& snapshot) {
  std::set<std::string_view> names;
  for (const auto* files : {&snapshot.shared_files, &snapshot.private_files}) {
    for (const KvSnapshotFile& file : *files) {
      if (!is_file_name(file.local_name)) return bad_file(snapshot, file, "has no file name");
      if (!names.insert(file.local_name).second) return bad_file(snapshot, file, "comes twice");
    }
  }
  return ok();
}

}  // namespace

Result<UploadedSnapshot> upload_snapshot(ObjectStore& objects,
                                         Random random,
                                         const KvUpload& upload) {
  UploadedSnapshot done;
  KvSnapshot& snapshot = done.snapshot;
  snapshot.bucket = upload.bucket;
  snapshot.id = upload.id;
  snapshot.location = remote_kv_snapshot_folder(upload.folder, upload.id);
  const KvMark& mark = upload.checkpoint.mark;
  snapshot.log_offset = mark.applied;
  snapshot.row_count = mark.row_count;
  for (const IdRange& range : mark.ids) {
    snapshot.ids.push_back({range.column_id, range.start, range.end});
  }
  Status uploaded = upload_files(objects, random, upload, &done);
  if (uploaded) return done;
  (void)discard_snapshot(objects, done);  // the error that counts is the first
  return fail(std::move(uploaded).error());
}

Status discard_snapshot(ObjectStore& objects, const UploadedSnapshot& uploaded) {
  Status result = ok();
  for (const std::string& path : uploaded.new_files) {
    Status removed = objects.remove(path);
    if (!removed) result = std::move(removed);
  }
  // The document, where the coordinator wrote one before it refused the snapshot.
  Status removed = objects.remove_prefix(uploaded.snapshot.location);
  return removed ? result : removed;
}

Status download_snapshot(Disk& disk,
                         ObjectStore& objects,
                         const KvSnapshot& snapshot,
                         const std::string& directory) {
  RETURN_IF_ERROR(check_names(snapshot));
  RETURN_IF_ERROR(disk.remove_all(directory));
  RETURN_IF_ERROR(disk.create_directories(directory));
  for (const auto* files : {&snapshot.shared_files, &snapshot.private_files}) {
    for (const KvSnapshotFile& file : *files) {
      RETURN_IF_ERROR(download_file(objects, snapshot, file, directory));
    }
  }
  return disk.sync_directory(directory);
}

KvMark mark_of(const KvSnapshot& snapshot) {
  KvMark mark{.applied = snapshot.log_offset, .row_count = snapshot.row_count};
  for (const AutoIncrementRange& range : snapshot.ids) {
    mark.ids.push_back({range.column_id, range.start, range.end});
  }
  return mark;
}

}  // namespace lakestream
