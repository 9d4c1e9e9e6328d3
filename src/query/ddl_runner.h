#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/connection.h"
#include "format/arrow_fwd.h"
#include "table/ddl.h"
#include "table/schema.h"

// Carries out data definition statements through the client.
//
// Thread rule: shard-local.
//
//   CO_ASSIGN_OR_RETURN(DdlOutcome outcome, co_await run_ddl(connection, statement, database));
//   if (outcome.database) use(*outcome.database);
namespace lakestream::query {

// What a statement did (a sentence), or what it shows (rows of texts).
struct DdlOutcome {
  std::string message;
  std::optional<std::string> database;  // the current one from now on
  std::optional<Schema> schema;         // of the rows
  std::vector<std::vector<std::optional<std::string>>> rows;
};

// Names without a database are in `database`.
Task<Result<DdlOutcome>> run_ddl(std::shared_ptr<client::Connection> connection,
                                 Statement statement,
                                 std::string database);

}  // namespace lakestream::query
