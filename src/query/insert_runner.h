#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "client/connection.h"
#include "io/shard.h"
#include "query/engine.h"
#include "table/insert.h"

// Carries out INSERT: the engine makes the rows, the client writes them. Rows of a log table lack
// columns only where these may be NULL; of a primary-key table the others keep their values (a
// partial update).
//
// Thread rule: the thread that runs statements.
//
//   InsertRunner insert(engine, shard, connection);
//   ASSIGN_OR_RETURN(int64_t rows, insert.run(statement, path));
namespace lakestream::query {

class InsertRunner {
 public:
  InsertRunner(Engine& engine, Shard& shard, std::shared_ptr<client::Connection> connection)
      : engine_(engine), shard_(shard), connection_(std::move(connection)) {}

  // The number of rows; all are acknowledged. Errors: of a statement that fails in the middle some
  // rows may be written, and the message says so.
  Result<int64_t> run(const InsertInto& statement, TablePath path);

 private:
  Engine& engine_;
  Shard& shard_;
  std::shared_ptr<client::Connection> connection_;
};

}  // namespace lakestream::query
