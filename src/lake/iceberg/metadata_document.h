#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lake/iceberg/table_metadata.h"

// Metadata JSON files, for catalogs that keep them themselves.
//
// Thread rule: calls block; any thread.
//
//   MetadataCache cache(objects);
//   ASSIGN_OR_RETURN(TableMetadata metadata, cache.read("/lake/db/t/metadata/v3.metadata.json"));
namespace lakestream {
class ObjectStore;
}  // namespace lakestream

namespace lakestream::iceberg {

// Whether files of old states go, as the options of the table say.
bool removes_old_metadata(const TableMetadata& metadata);
// Removes files of states that the log of the table does not name any more, where its options say
// so. Failures are logged.
void remove_old_metadata(ObjectStore& objects,
                         const TableMetadata& before,
                         const TableMetadata& after);

// The states of a few tables in memory: files never change, and a table of many snapshots takes
// long to read. A file of another table that has got the same name is told by how it begins.
class MetadataCache {
 public:
  // Outlives it.
  explicit MetadataCache(ObjectStore& objects) : objects_(objects) {}

  // kUnknownServerError when there is no such file; kInvalidTableException for one that is
  // compressed.
  Result<TableMetadata> read(const std::string& file);
  // What was written as `text`.
  void add(const std::string& file, std::string_view text, const TableMetadata& metadata);

 private:
  struct Known {
    std::string file;
    std::string head;
    TableMetadata metadata;
  };
  std::shared_ptr<const Known> find(const std::string& file);
  void add(std::shared_ptr<const Known> known);

  ObjectStore& objects_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  // held while pointers are copied
  std::array<std::shared_ptr<const Known>, 8> known_;
  size_t next_ = 0;
};

}  // namespace lakestream::iceberg
