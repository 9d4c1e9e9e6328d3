#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "client/fetched.h"
#include "client/scanner.h"
#include "client/session.h"
#include "format/arrow_schema.h"
#include "format/decode.h"
#include "format/kv_value.h"
#include "format/predicate.h"
#include "format/rows.h"
#include "format/value.h"

// Turns batches and stored values into rows of one schema, whatever the schema they were written
// under. Schemas come from the server when they are first needed, so load() goes before decode().
//
// Thread rule: shard-local.
//
//   CO_RETURN_IF_ERROR(co_await reader->load(batch.view.schema_id()));
//   ASSIGN_OR_RETURN(auto rows, reader->decode(batch, from, end));
namespace lakestream::client {

class RowReader {
 public:
  // Without names the rows have all columns. With a condition decode() gives the rows that match
  // it. Errors: kInvalidColumnProjection, also for a column of the condition.
  static Result<std::shared_ptr<RowReader>> make(std::shared_ptr<Session> session,
                                                 TableInfo table,
                                                 std::vector<std::string> columns,
                                                 const Predicate& condition = {});
  RowReader(std::shared_ptr<Session> session, TableInfo table);

  const TableInfo& table() const { return table_; }
  // Of the rows.
  const Schema& schema() const { return shown_; }
  // What the server is asked to send, ascending; empty when it is everything or can not be chosen.
  const std::vector<int32_t>& projection() const { return projection_; }

  bool has(SchemaId schema) const { return schemas_.contains(schema); }
  static Task<Status> load(std::shared_ptr<RowReader> self, SchemaId schema);

  // The rows of the batch whose offsets are in [from, end) and that match; nothing when there are
  // none. Requires:
  // has(batch.view.schema_id()). Errors: kUnknownServerError.
  Result<std::optional<ScanBatch>> decode(const FetchedBatch& batch,
                                          Offset from,
                                          std::optional<Offset> end);
  // Stored values of a primary-key table (format/kv_value.h). Their memory is shared. Errors:
  // kUnknownServerError.
  static Task<Result<std::shared_ptr<arrow::RecordBatch>>> rows_of(std::shared_ptr<RowReader> self,
                                                                   std::vector<StoredValue> values);
  // One of them. Texts point into it, nested values into the arena. Requires: its schema was
  // loaded.
  Result<std::span<const Value>> decode_value(const StoredValue& value, Arena* arena);

 private:
  struct Form {
    BatchDecoder decoder;
    SchemaAlignment alignment;
  };
  struct ValueForm {
    RowCodec codec;
    RowAlignment alignment;
  };
  Result<const Form*> form_of(SchemaId schema, bool projected);
  Result<std::vector<int32_t>> positions_of(const std::vector<std::string>& names) const;
  Status add_condition(const Predicate& condition, std::vector<int32_t>* positions);
  // Leaves the rows that match, and their shown columns.
  Status keep_matching(ScanBatch* rows) const;

  std::shared_ptr<Session> session_;
  TableInfo table_;
  Schema shown_;
  Schema target_;  // what is decoded: first what is shown, then what only the condition needs
  std::optional<RowFilter> filter_;
  std::vector<int32_t> projection_;
  std::map<SchemaId, Schema> schemas_;
  std::map<std::pair<SchemaId, bool>, Form> forms_;
  std::map<SchemaId, ValueForm> value_forms_;
};

}  // namespace lakestream::client
