#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "table/path.h"
#include "table/remote_documents.h"

// Where things lie in remote storage, below a root such as "file:///data/remote":
//
//   kv/{db}/{table}-{tableId}[/{partition}-p{partitionId}]/{bucket}/
//     shared/{uuid}            table files, shared by snapshots
//     snap-{snapshotId}/       the other files of a snapshot, and its document _METADATA
//   lake/{db}/{table}-{tableId}/metadata/{uuid}.offsets
//   producers/{producerId}/{tableId}/{uuid}.offsets
//                              where lake snapshots end
//   lease/kv-snapshot/{leaseId}/{tableId}/{uuid}.metadata
//   log/{db}/{table}-{tableId}[/{partition}-p{partitionId}]/{bucket}/
//     {uuid}/                  a segment: {start, 20 digits}.log, .index and .timeindex, and
//                              {end, 20 digits}.writer_snapshot
//     metadata/{uuid}.manifest which segments there are
//
// Paths that are written down somewhere are taken from there: the root may change.
//
// Thread rule: pure functions.
//
//   std::string folder = remote_kv_folder(root, path, bucket);
//   store.put(remote_kv_metadata(remote_kv_snapshot_folder(folder, id)), document);
namespace lakestream {

// Of a bucket. Requires: a partition name where the bucket has a partition id.
std::string remote_kv_folder(std::string_view root,
                             const PhysicalTablePath& path,
                             const TableBucket& bucket);
std::string remote_kv_shared_folder(std::string_view bucket_folder);
std::string remote_kv_snapshot_folder(std::string_view bucket_folder, KvSnapshotId id);
// The document of the snapshot that lies at `location`.
std::string remote_kv_metadata(std::string_view location);
std::string remote_kv_lease(std::string_view root,
                            std::string_view lease_id,
                            TableId table,
                            std::string_view uuid);

// Of a bucket, as remote_kv_folder.
std::string remote_log_folder(std::string_view root,
                              const PhysicalTablePath& path,
                              const TableBucket& bucket);
std::string remote_log_manifest(std::string_view bucket_folder, std::string_view uuid);
// The folder of a bucket whose manifest lies at `manifest_path`.
std::string remote_log_folder_of(std::string_view manifest_path);
std::string remote_log_segment_folder(std::string_view bucket_folder, std::string_view segment_id);
enum class RemoteLogFile : uint8_t { kLog, kIndex, kTimeIndex, kWriterSnapshot };
// `offset` is where the segment starts, of a writer snapshot where it ends.
std::string remote_log_file(std::string_view segment_folder, Offset offset, RemoteLogFile kind);

// Of a table.
std::string remote_lake_folder(std::string_view root, const TablePath& path, TableId table);
std::string remote_lake_offsets(std::string_view table_folder, std::string_view uuid);
// Whether the path is that of such a document of the table, below whatever root.
bool is_remote_lake_offsets(std::string_view path, const TablePath& table_path, TableId table);
// The folder of a table whose document lies at `offsets_path`.
std::string remote_lake_folder_of(std::string_view offsets_path);

// Where a table ended when a producer began to write.
std::string remote_producer_offsets(std::string_view root,
                                    std::string_view producer_id,
                                    TableId table,
                                    std::string_view uuid);

// A random (version 4) UUID out of 128 random bits: "01234567-89ab-4cde-8f01-23456789abcd".
std::string uuid_text(uint64_t high, uint64_t low);

}  // namespace lakestream
