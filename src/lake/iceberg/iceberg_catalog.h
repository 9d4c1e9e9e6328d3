#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "lake/iceberg/table_metadata.h"
#include "lake/iceberg/table_update.h"
#include "table/descriptor.h"
#include "table/path.h"

// Knows which metadata is that of a table, and replaces it by the next one, atomically. Tables are
// <namespace of one level>.<name>, both as in TablePath.
//
// Errors: kStorageException for a catalog or a store that does not answer, kUnknownServerError for
// an answer that makes no sense. After an error nothing was changed, unless it is said otherwise.
//
// Thread rule: calls block; on the pool, any thread, many at a time.
//
//   ASSIGN_OR_RETURN(std::optional<LoadedTable> table, catalog.load_table(path));
//   ASSIGN_OR_RETURN(CommitOutcome outcome, catalog.commit(path, *table, change));
//   if (outcome.kind == CommitOutcome::Kind::kConflict) load_and_try_again();
namespace lakestream {
struct Env;
class ObjectStore;
}  // namespace lakestream

namespace lakestream::iceberg {

struct LoadedTable {
  TableMetadata metadata;
  std::string metadata_file;  // its path; empty where the catalog does not say
  // How the catalog counts: N of vN.metadata.json in a Hadoop catalog; else 0.
  int64_t version = 0;
  // What the catalog says beside the metadata, such as keys for the store.
  Properties config = {};
};

struct NewTable {
  IcebergSchema schema;  // ids are 1..n already, nested ones behind
  IcebergPartitionSpec spec;
  SortOrder order;
  Properties properties;
};

// The first metadata of such a table, for catalogs that write it themselves.
TableMetadata first_metadata(const NewTable& table,
                             std::string uuid,
                             std::string location,
                             int64_t now_ms);

struct CommitOutcome {
  enum class Kind : uint8_t {
    kDone,
    kConflict,  // nothing was changed: a requirement does not hold, or another was faster
    kUnknown,   // the answer was lost: load the table to see whether it was changed
  };
  Kind kind = Kind::kDone;
  std::optional<LoadedTable> table = std::nullopt;  // of kDone
  std::string reason = {};                          // of the others
};

class IcebergCatalog {
 public:
  virtual ~IcebergCatalog() = default;

  // Nothing to do when it is there, or where namespaces are folders only.
  virtual Status create_namespace(const std::string& name) = 0;
  // Nothing when there is no such table, or no such namespace.
  virtual Result<std::optional<LoadedTable>> load_table(const TablePath& path) = 0;
  // Nothing when there is a table of this name already. An error leaves open whether it was made.
  virtual Result<std::optional<LoadedTable>> create_table(const TablePath& path,
                                                          const NewTable& table) = 0;
  // Requires: `base` was loaded from here. kConflict also when the table is gone.
  virtual Result<CommitOutcome> commit(const TablePath& path,
                                       const LoadedTable& base,
                                       const TableChange& change) = 0;
};

// The catalog that the options ask for: "type" = hadoop (also without it), jdbc, sql or rest.
// `options`: without "datalake.iceberg.". kInvalidConfigException, naming the option, for one that
// is missing, wrong, or not there yet. Reaches for nothing.
Result<std::unique_ptr<IcebergCatalog>> make_iceberg_catalog(const Properties& options,
                                                             Env& env,
                                                             ObjectStore& objects);

}  // namespace lakestream::iceberg
