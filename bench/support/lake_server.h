#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/lake_admin.h"
#include "support/running.h"
#include "support/support.h"

// A server that copies tables to a lake beside its data.
//
// Thread rule: the main thread.
//
//   ASSIGN_OR_RETURN(auto place, LakeServer::start());
//   RETURN_IF_ERROR(place->wait_for_rows(table, 1'000'000));
namespace lakestream::bench {

struct LakeServer {
  // The lake is of the format: "paimon", "iceberg". Errors: kUnknownServerError.
  static Result<std::unique_ptr<LakeServer>> start(const std::string& format = "paimon");

  Status set_option(const TablePath& table, const std::string& key, const std::string& value);
  // Of all buckets, as far as the coordinator knows.
  Result<int64_t> rows_in_lake(const TablePath& table);
  // Ends when there are so many.
  Status wait_for_rows(const TablePath& table, int64_t rows);
  Status pause();
  std::string warehouse() const { return scratch.path() + "/lake"; }

  ScratchDirectory scratch;
  std::unique_ptr<ServerProcess> server;
  std::unique_ptr<cli::ClientSession> session;
};

}  // namespace lakestream::bench
