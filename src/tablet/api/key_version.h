#pragma once

#include "catalog/catalog.h"

// Whether a client that speaks this version of PutKv, Lookup or PrefixLookup can make the keys of
// the table.
//
// Thread rule: on the shard.
//
//   CO_RETURN_IF_ERROR(check_key_version(catalog, shard, table, context.api_version));
namespace lakestream {

// kUnsupportedVersion. A table that is not there is the buckets' business.
Status check_key_version(const Catalog& catalog,
                         const Shard& shard,
                         TableId table,
                         int16_t api_version);

}  // namespace lakestream
