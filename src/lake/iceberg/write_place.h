#pragma once

#include <memory>
#include <string>

#include "lake/iceberg/partition_spec.h"
#include "lake/iceberg/schema.h"
#include "table/descriptor.h"

// Where one writer makes its files, and by which settings.
//
// Thread rule: values, any thread.
//
//   std::string path = place.path_of(1, "");  // ".../00000-0-5e1c-00001.parquet"
namespace lakestream {
class ObjectStore;
}  // namespace lakestream

namespace lakestream::iceberg {

struct WritePlace {
  ObjectStore& objects;
  std::shared_ptr<const IcebergSchema> schema;  // of the files that are made
  IcebergPartitionSpec spec;
  int32_t sort_order_id = 0;  // of data files
  Properties properties;      // of the table
  PartitionTuple partition;
  std::string
      folder;        // of this partition's files, as metadata spells it, without a slash at the end
  std::string uuid;  // in the names of this writer's files and of no other's

  // The file of this number from 1 on; `suffix` is "-deletes" or nothing.
  std::string path_of(int number, std::string_view suffix) const;
};

}  // namespace lakestream::iceberg
