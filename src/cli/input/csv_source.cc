#include <map>
#include <vector>

#include <fmt/format.h>

#include "cli/input/csv_reader.h"
#include "cli/input/text_source.h"
#include "cli/text/parse_value.h"
#include "cli/text/show_value.h"

namespace lakestream::cli {
namespace {

class CsvRecords : public RecordReader {
 public:
  CsvRecords(const SourceOptions& options, const Schema* schema, Input* input)
      : schema_(schema),
        text_(input),
        reader_(&text_, options.delimiter),
        null_text_(options.null_text),
        rules_{options.skip_unknown} {}

  // Which column each field is of. The names are given, or stand in the first record.
  Status open(const SourceOptions& options) {
    std::vector<std::string> names = options.columns;
    if (names.empty()) {
      ASSIGN_OR_RETURN(Step step, reader_.next(true));
      if (step == Step::kEnd) return ok();
      for (const CsvField& field : reader_.fields()) names.emplace_back(field.text);
    }
    std::string_view place = options.columns.empty() ? "header line" : "--columns";
    std::vector<bool> seen(schema_->size(), false);
    for (const std::string& name : names) {
      std::optional<size_t> index = schema_->index_of(name);
      if (!index && !options.skip_unknown) return unknown_column(place, name, *schema_);
      if (index && seen[*index]) {
        return make_error(ErrorCode::kUnknownServerError,
                          "{}: column '{}' is there twice; remove one",
                          place,
                          name);
      }
      if (index) seen[*index] = true;
      columns_.push_back(index);
    }
    for (size_t i = 0; i < schema_->size(); ++i) {
      if (seen[i] || schema_->column(i).type.nullable()) continue;
      return make_error(ErrorCode::kUnknownServerError,
                        "{}: column '{}' is missing, which is NOT NULL in the table; add it",
                        place,
                        schema_->column(i).name);
    }
    return ok();
  }

  Result<Step> next(bool may_wait) override { return reader_.next(may_wait); }

  Status fill(std::span<Value> row, Arena* arena) override {
    std::span<const CsvField> fields = reader_.fields();
    if (reader_.problem()) {
      return make_error(
          ErrorCode::kUnknownServerError, "line {}: {}", reader_.line(), *reader_.problem());
    }
    if (fields.size() != columns_.size()) {
      return make_error(ErrorCode::kUnknownServerError,
                        "line {}: it has {} fields where {} columns are named",
                        reader_.line(),
                        fields.size(),
                        columns_.size());
    }
    bytes_ = 0;
    for (size_t i = 0; i < fields.size(); ++i) {
      bytes_ += fields[i].text.size() + 1;
      if (!columns_[i]) continue;
      RETURN_IF_ERROR(fill_cell(fields[i], *columns_[i], arena, &row[*columns_[i]]));
    }
    return check_nulls(reader_.line(), *schema_, row);
  }

  size_t record_bytes() const override { return bytes_; }

 private:
  bool is_null(const CsvField& field, const DataType& type) const {
    if (field.quoted || field.text != null_text_) return false;
    // Where there are no nulls, nothing is the empty text.
    bool is_text = type.is(TypeRoot::kString) || type.is(TypeRoot::kChar);
    return type.nullable() || !is_text || !field.text.empty();
  }

  Status fill_cell(const CsvField& field, size_t index, Arena* arena, Value* cell) {
    const Column& column = schema_->column(index);
    if (is_null(field, column.type)) return ok();
    Misfit misfit;
    std::optional<Value> value;
    if (column.type.is_nested()) {
      auto node = json_[index].parse(field.text);
      if (node) value = value_of_json(**node, column.type, rules_, arena, &misfit);
      if (!node) misfit = {"", shortened(field.text), column.type};
    } else {
      value = parse_value(column.type, field.text, arena);
      if (!value) misfit = {"", fmt::format("'{}'", shortened(field.text)), column.type};
    }
    if (!value) return bad_cell(reader_.line(), column, misfit);
    *cell = *value;
    return ok();
  }

  const Schema* schema_;
  TextBuffer text_;
  CsvReader reader_;
  std::string null_text_;
  JsonRules rules_;
  std::map<size_t, JsonParser> json_;  // one a nested column: values point into what it parsed
  std::vector<std::optional<size_t>> columns_;  // absent: left out
  size_t bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<RecordReader>> open_csv(const SourceOptions& options,
                                               const Schema* schema,
                                               Input* input) {
  auto records = std::make_unique<CsvRecords>(options, schema, input);
  RETURN_IF_ERROR(records->open(options));
  return records;
}

}  // namespace lakestream::cli
