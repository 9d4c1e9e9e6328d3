#pragma once

#include <memory>

#include "base/result.h"
#include "lake/iceberg/iceberg_catalog.h"
#include "table/descriptor.h"

// Tables as rows of an SQLite database that Java's JdbcCatalog and pyiceberg's SqlCatalog open too:
// a row says which metadata file is that of a table, and a commit is the change of the row from the
// file before to the next one. Any number of processes may use it at once; who is held up by
// another one waits for some seconds.
//
//   type       jdbc, or sql as pyiceberg calls it
//   uri        jdbc:sqlite:/path/of.db, or sqlite:////path/of.db
//   name       of the catalog in the database; fluss-iceberg-catalog
//   warehouse  the folder below which new tables are made: <warehouse>/<namespace>/<table>
//
// Thread rule: as IcebergCatalog.
//
//   ASSIGN_OR_RETURN(auto catalog, make_sql_catalog(
//       {{"uri", "jdbc:sqlite:/lake/catalog.db"}, {"warehouse", "/lake"}}, env, objects));
namespace lakestream::iceberg {

// kInvalidConfigException for a warehouse or a uri that is missing or wrong.
Result<std::unique_ptr<IcebergCatalog>> make_sql_catalog(const Properties& options,
                                                         Env& env,
                                                         ObjectStore& objects);

}  // namespace lakestream::iceberg
