#pragma once

#include <memory>
#include <optional>
#include <span>

#include "cli/input/row_source.h"
#include "cli/input/text_buffer.h"
#include "cli/text/json_value.h"
#include "format/arrow_schema.h"
#include "format/value.h"

// The sources whose input is text, record by record: TextSource gathers the rows to columns, a
// RecordReader (one a format) makes rows out of records.
//
// Thread rule: the main thread.
//
//   return std::make_unique<TextSource>(std::move(reader), schema, bad_rows);
namespace lakestream::cli {

class RecordReader {
 public:
  virtual ~RecordReader() = default;
  // Errors end the input.
  virtual Result<Step> next(bool may_wait) = 0;
  // The record as a row. `row` has nulls. Errors: why it is none, with its line.
  virtual Status fill(std::span<Value> row, Arena* arena) = 0;
  // Bytes of the record, about.
  virtual size_t record_bytes() const = 0;
};

Result<std::unique_ptr<RecordReader>> open_csv(const SourceOptions& options,
                                               const Schema* schema,
                                               Input* input);
std::unique_ptr<RecordReader> open_ndjson(const SourceOptions& options,
                                          const Schema* schema,
                                          Input* input);

// "line 12, column 'price': 'abc' is no INT (…)"
tl::unexpected<Error> bad_cell(int64_t line, const Column& column, const Misfit& misfit);
// The first NOT NULL column that has none.
Status check_nulls(int64_t line, const Schema& schema, std::span<const Value> row);
// Of a name that the table does not have.
tl::unexpected<Error> unknown_column(std::string_view place,
                                     std::string_view name,
                                     const Schema& schema);

class TextSource : public RowSource {
 public:
  TextSource(std::unique_ptr<RecordReader> reader, const Schema* schema, BadRows* bad_rows);
  Result<std::shared_ptr<arrow::RecordBatch>> next() override;

 private:
  std::unique_ptr<RecordReader> reader_;
  BadRows* bad_rows_;
  ArrowAppender rows_;
  size_t column_count_;
  Arena arena_;
  std::optional<Error> failure_;  // told after the rows before it
};

}  // namespace lakestream::cli
