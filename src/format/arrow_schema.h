#pragma once

#include <memory>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "format/value.h"
#include "table/schema.h"
#include "table/types.h"

// How columns look in Arrow: the types of ARROW batches, whole rows between Arrow columns and
// Values, and columns of an older schema under a newer one.
//
// Thread rule: functions are pure; an ArrowRows is immutable, an ArrowAppender belongs to one
// thread.
//
//   std::shared_ptr<arrow::Schema> schema = arrow_schema_of(table_schema);
//   ArrowAppender appender(table_schema);
//   RETURN_IF_ERROR(appender.append(row));
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> batch, appender.finish());
namespace lakestream {

// Timestamps carry no time zone, also those with local time zone.
std::shared_ptr<arrow::DataType> arrow_type_of(const DataType& type);
std::shared_ptr<arrow::Schema> arrow_schema_of(const Schema& schema);

// Reads rows out of columns, by value.
class ArrowRows {
 public:
  // Errors: kUnknownServerError when the columns are not those of the schema. Names may differ.
  static Result<ArrowRows> make(std::shared_ptr<arrow::RecordBatch> batch, const Schema& schema);

  int64_t size() const;
  // Texts point into the columns, nested values into the arena. Requires: 0 <= index < size().
  // Errors: kUnknownServerError for a time that milliseconds can not hold.
  Result<std::span<const Value>> row(int64_t index, Arena* arena) const;
  Result<Value> cell(size_t column, int64_t index, Arena* arena) const;

 private:
  ArrowRows(std::shared_ptr<arrow::RecordBatch> batch, std::vector<DataType> types);

  std::shared_ptr<arrow::RecordBatch> batch_;
  std::vector<std::shared_ptr<arrow::Array>> columns_;
  std::vector<DataType> types_;
};

// Gathers rows to columns.
class ArrowAppender {
 public:
  explicit ArrowAppender(const Schema& schema);
  ~ArrowAppender();
  ArrowAppender(ArrowAppender&&) noexcept;
  ArrowAppender& operator=(ArrowAppender&&) noexcept;

  // Errors: kUnknownServerError for a value that its type can not hold; then the appender is of no
  // more use.
  Status append(std::span<const Value> row);
  int64_t size() const;
  // The rows so far; the appender starts anew.
  Result<std::shared_ptr<arrow::RecordBatch>> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Shows batches of one schema under another: columns are matched by id, those that the source lacks
// read as null, those that the target lacks are dropped. Thread rule: immutable.
class SchemaAlignment {
 public:
  // Errors: kUnknownServerError when a column has two types.
  static Result<SchemaAlignment> make(const Schema& source, const Schema& target);

  bool is_identity() const { return identity_; }
  // Requires: the batch is of the source schema.
  Result<std::shared_ptr<arrow::RecordBatch>> apply(
      std::shared_ptr<arrow::RecordBatch> batch) const;

 private:
  std::shared_ptr<arrow::Schema> schema_;  // of the target
  std::vector<int> source_of_;             // per target column, -1 for none
  bool identity_ = false;
};

}  // namespace lakestream
