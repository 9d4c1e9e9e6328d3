#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "format/arrow_fwd.h"
#include "table/schema.h"

// Writes rows to standard output in one format. A pipe that nobody reads any more is no error: from
// then on nothing is written, and is_closed() says so.
//
// Thread rule: the main thread.
//
//   std::unique_ptr<RowWriter> writer = make_row_writer(RowFormat::kCsv, schema);
//   RETURN_IF_ERROR(writer->write(rows));
//   RETURN_IF_ERROR(writer->finish());
namespace lakestream::cli {

enum class RowFormat : uint8_t {
  kTable,
  kCsv,
  kJson,    // one array of objects
  kNdjson,  // an object a line
  kArrow,
};

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  // Requires: rows of the writer's schema. They have left when it ends.
  virtual Status write(const std::shared_ptr<arrow::RecordBatch>& rows) = 0;
  // What the format has in the end, or in the beginning when there were no rows.
  virtual Status finish() = 0;
  bool is_closed() const { return is_closed_; }

 protected:
  Status put(std::string_view bytes);

 private:
  bool is_closed_ = false;
};

std::unique_ptr<RowWriter> make_row_writer(RowFormat format, Schema schema);
// Arrow, in any types.
std::unique_ptr<RowWriter> make_arrow_writer(std::shared_ptr<arrow::Schema> schema);

}  // namespace lakestream::cli
