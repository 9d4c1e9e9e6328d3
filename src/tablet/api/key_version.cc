#include "tablet/api/key_version.h"

namespace lakestream {

// Clients of version 0 encode keys as the lake format does, whatever the bucket key; since key
// version 2 a bucket key that is not the primary key makes them compact.
Status check_key_version(const Catalog& catalog,
                         const Shard& shard,
                         TableId table,
                         int16_t api_version) {
  std::shared_ptr<const TableEntry> entry = catalog.on(shard).find_table(table);
  if (entry == nullptr || api_version > 0 || !entry->options.lake.format) return ok();
  if (entry->options.kv_format_version.value_or(1) < 2) return ok();
  const TableDescriptor& descriptor = entry->descriptor;
  if (!descriptor.has_primary_key() ||
      descriptor.bucket_keys() ==
          default_bucket_keys(descriptor.schema, descriptor.partition_keys)) {
    return ok();
  }
  return make_error(ErrorCode::kUnsupportedVersion,
                    "table {} has keys that a client of this version cannot encode; use one of "
                    "version 1.0 or newer",
                    entry->path);
}

}  // namespace lakestream
