#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "cli/session.h"
#include "client/delivery.h"
#include "table/path.h"
#include "table/schema.h"

// Where `lakestream put` sends rows: to the log of a table, or, of a primary-key table, as upserts
// or as keys of rows to delete.
//
// Thread rule: the main thread, which waits.
//
//   ASSIGN_OR_RETURN(auto sink, open_sink(session, options));
//   ASSIGN_OR_RETURN(client::WriteCounters counters, sink->send(rows));
//   Status closed = sink->close(&counters);
namespace lakestream::cli {

struct SinkOptions {
  TablePath table;
  client::WriteOptions write;
  std::optional<int32_t> bucket;  // of a log table without a bucket key
  // Of a primary-key table.
  std::vector<std::string> columns;  // only these are written
  bool remove = false;               // rows are keys
  bool overwrite = false;            // in spite of a merge engine
  std::string keyed_option;          // the one given that other tables do not have, for messages
};

class PutSink {
 public:
  virtual ~PutSink() = default;
  // Of the rows that send() takes.
  virtual const Schema& schema() const = 0;
  virtual Result<client::WriteCounters> send(std::shared_ptr<arrow::RecordBatch> rows) = 0;
  // Waits for what was sent. The sink is of no more use.
  virtual Status close(client::WriteCounters* counters) = 0;
};

// Errors: also for options that the table does not have.
Result<std::unique_ptr<PutSink>> open_sink(ClientSession& session, const SinkOptions& options);

}  // namespace lakestream::cli
