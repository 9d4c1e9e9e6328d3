#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/input/text_buffer.h"
#include "format/value.h"

// Reads CSV as RFC 4180 has it: fields between delimiters, perhaps in double quotes, inside of
// which a double quote is doubled and lines may end. Empty lines are skipped. Unlike Arrow's reader
// it knows the line of every record and goes on after a bad one.
//
// Thread rule: the main thread.
//
//   CsvReader reader(&buffer, ',');
//   ASSIGN_OR_RETURN(Step step, reader.next(true));
//   if (step == Step::kRecord) use(reader.line(), reader.fields());
namespace lakestream::cli {

struct CsvField {
  std::string_view text;
  bool quoted = false;
};

class CsvReader {
 public:
  CsvReader(TextBuffer* text, char delimiter) : text_(text), delimiter_(delimiter) {}

  // Goes to the next record; what it gives is valid until the next call.
  Result<Step> next(bool may_wait);
  std::span<const CsvField> fields() const { return fields_; }
  // Where the record begins, from 1.
  int64_t line() const { return line_; }
  // Why the record is none, although its end was found.
  const std::optional<std::string>& problem() const { return problem_; }

 private:
  // The length of the record that `text` begins with; nothing when it may go on behind `text`.
  std::optional<size_t> cut(std::string_view text, bool is_all);
  std::optional<size_t> cut_quoted(std::string_view text, size_t begin, bool is_all);

  TextBuffer* text_;
  char delimiter_;
  Arena arena_;  // of fields with doubled quotes
  std::string unescaped_;
  std::vector<CsvField> fields_;
  std::optional<std::string> problem_;
  int64_t line_ = 0;
  int64_t next_line_ = 1;
  bool at_end_ = false;
};

}  // namespace lakestream::cli
