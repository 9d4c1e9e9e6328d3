#include "table/remote_paths.h"

#include "base/check.h"

namespace lakestream {
namespace {

constexpr std::string_view kOffsetsSuffix = ".offsets";

std::string bucket_folder(std::string_view tree,
                          const PhysicalTablePath& path,
                          const TableBucket& bucket) {
  CHECK(path.partition.has_value() == bucket.partition.has_value(),
        "name and id of a partition go together");
  std::string folder =
      fmt::format("{}/{}/{}-{}", tree, path.table.database, path.table.table, bucket.table);
  if (bucket.partition) folder += fmt::format("/{}-p{}", *path.partition, *bucket.partition);
  return fmt::format("{}/{}", folder, bucket.bucket);
}

std::string_view parent_of(std::string_view path) {
  size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view suffix_of(RemoteLogFile kind) {
  switch (kind) {
    case RemoteLogFile::kLog:
      return "log";
    case RemoteLogFile::kIndex:
      return "index";
    case RemoteLogFile::kTimeIndex:
      return "timeindex";
    case RemoteLogFile::kWriterSnapshot:
      break;
  }
  return "writer_snapshot";
}

}  // namespace

std::string remote_kv_folder(std::string_view root,
                             const PhysicalTablePath& path,
                             const TableBucket& bucket) {
  return bucket_folder(fmt::format("{}/kv", root), path, bucket);
}

std::string remote_kv_shared_folder(std::string_view bucket_folder) {
  return fmt::format("{}/shared", bucket_folder);
}

std::string remote_kv_snapshot_folder(std::string_view bucket_folder, KvSnapshotId id) {
  return fmt::format("{}/snap-{}", bucket_folder, id);
}

std::string remote_kv_metadata(std::string_view location) {
  return fmt::format("{}/_METADATA", location);
}

std::string remote_kv_lease(std::string_view root,
                            std::string_view lease_id,
                            TableId table,
                            std::string_view uuid) {
  return fmt::format("{}/lease/kv-snapshot/{}/{}/{}.metadata", root, lease_id, table, uuid);
}

std::string remote_log_folder(std::string_view root,
                              const PhysicalTablePath& path,
                              const TableBucket& bucket) {
  return bucket_folder(fmt::format("{}/log", root), path, bucket);
}

std::string remote_log_manifest(std::string_view bucket_folder, std::string_view uuid) {
  return fmt::format("{}/metadata/{}.manifest", bucket_folder, uuid);
}

std::string remote_log_folder_of(std::string_view manifest_path) {
  return std::string(parent_of(parent_of(manifest_path)));
}

std::string remote_log_segment_folder(std::string_view bucket_folder, std::string_view segment_id) {
  return fmt::format("{}/{}", bucket_folder, segment_id);
}

std::string remote_log_file(std::string_view segment_folder, Offset offset, RemoteLogFile kind) {
  return fmt::format("{}/{:020}.{}", segment_folder, offset.value(), suffix_of(kind));
}

std::string remote_lake_folder(std::string_view root, const TablePath& path, TableId table) {
  return fmt::format("{}/lake/{}/{}-{}", root, path.database, path.table, table);
}

std::string remote_lake_offsets(std::string_view table_folder, std::string_view uuid) {
  return fmt::format("{}/metadata/{}{}", table_folder, uuid, kOffsetsSuffix);
}

bool is_remote_lake_offsets(std::string_view path, const TablePath& table_path, TableId table) {
  std::string folder = remote_lake_folder("", table_path, table) + "/metadata";
  size_t slash = path.find_last_of('/');
  return slash != std::string_view::npos && path.substr(0, slash).ends_with(folder) &&
         path.size() > slash + 1 + kOffsetsSuffix.size() && path.ends_with(kOffsetsSuffix);
}

std::string remote_lake_folder_of(std::string_view offsets_path) {
  return std::string(parent_of(parent_of(offsets_path)));
}

std::string remote_producer_offsets(std::string_view root,
                                    std::string_view producer_id,
                                    TableId table,
                                    std::string_view uuid) {
  return fmt::format("{}/producers/{}/{}/{}{}", root, producer_id, table, uuid, kOffsetsSuffix);
}

std::string uuid_text(uint64_t high, uint64_t low) {
  high = (high & ~0xf000ull) | 0x4000ull;
  low = (low & ~(0xc0ull << 56)) | (0x80ull << 56);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                     high >> 32,
                     (high >> 16) & 0xffff,
                     high & 0xffff,
                     low >> 48,
                     low & 0xffff'ffff'ffffull);
}

}  // namespace lakestream
