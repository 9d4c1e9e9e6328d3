#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/input/bad_rows.h"
#include "cli/input/input.h"
#include "format/arrow_fwd.h"
#include "table/schema.h"

// Rows out of an input, as columns of a table. A source gives what it has as soon as more would
// have to be waited for, so that rows which trickle in are not kept back. Columns that the input
// lacks are NULL.
//
// Thread rule: the main thread, which waits.
//
//   ASSIGN_OR_RETURN(auto source, open_source(options, schema, &input, &bad_rows));
//   for (;;) {
//     ASSIGN_OR_RETURN(auto rows, source->next());
//     if (rows == nullptr) break;
//   }
namespace lakestream::cli {

enum class InputFormat : uint8_t { kCsv, kNdjson, kArrow };

struct SourceOptions {
  InputFormat format = InputFormat::kCsv;
  bool skip_unknown = false;  // columns and fields that the table does not have
  // Of CSV.
  std::vector<std::string> columns = {};  // empty: the first record names them
  char delimiter = ',';
  std::string null_text = {};  // a field that is this and not in quotes is NULL
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  // At least one row; nullptr at the end. Rows before a bad one that ends the input are given
  // first. Errors: kUnknownServerError for what is no row, those of the input.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> next() = 0;
};

// Input, schema and bad rows outlive the source. Errors: also for columns that do not match.
Result<std::unique_ptr<RowSource>> open_source(const SourceOptions& options,
                                               const Schema* schema,
                                               Input* input,
                                               BadRows* bad_rows);

// By the end of a file's name.
std::optional<InputFormat> input_format_of(std::string_view path);

}  // namespace lakestream::cli
