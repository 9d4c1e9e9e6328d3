#include "table/remote_paths.h"

#include "base/check.h"

namespace lakestream {

std::string remote_kv_folder(std::string_view root,
                             const PhysicalTablePath& path,
                             const TableBucket& bucket) {
  CHECK(path.partition.has_value() == bucket.partition.has_value(),
        "name and id of a partition go together");
  std::string folder =
      fmt::format("{}/kv/{}/{}-{}", root, path.table.database, path.table.table, bucket.table);
  if (bucket.partition) folder += fmt::format("/{}-p{}", *path.partition, *bucket.partition);
  return fmt::format("{}/{}", folder, bucket.bucket);
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
