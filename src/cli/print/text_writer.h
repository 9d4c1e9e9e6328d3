#pragma once

#include <span>
#include <string>

#include "cli/print/row_writer.h"
#include "format/value.h"

// The writers whose output is text, row by row. A format says how a header and a row look.
//
// Thread rule: the main thread.
//
//   class CsvWriter : public TextWriter { void append_row(row, out) override; };
namespace lakestream::cli {

class TextWriter : public RowWriter {
 public:
  explicit TextWriter(Schema schema) : schema_(std::move(schema)) {}
  Status write(const std::shared_ptr<arrow::RecordBatch>& rows) override;
  Status finish() override;

 protected:
  const Schema& schema() const { return schema_; }
  // Called once, before the first row; `first_rows` may tell how wide columns are.
  virtual Status append_header(const arrow::RecordBatch* first_rows, std::string* out) = 0;
  virtual void append_row(std::span<const Value> row, std::string* out) = 0;
  // Called once, behind the last row.
  virtual void append_footer(std::string*) {}

 private:
  Status begin(const arrow::RecordBatch* first_rows);
  Status flush();

  Schema schema_;
  std::string out_;
  bool begun_ = false;
};

std::unique_ptr<RowWriter> make_csv_writer(Schema schema);
std::unique_ptr<RowWriter> make_ndjson_writer(Schema schema);
std::unique_ptr<RowWriter> make_json_writer(Schema schema);
std::unique_ptr<RowWriter> make_table_writer(Schema schema);
std::unique_ptr<RowWriter> make_arrow_writer(Schema schema);

}  // namespace lakestream::cli
