#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "cli/input/text_source.h"
#include "cli/text/json_node.h"
#include "cli/text/show_value.h"

namespace lakestream::cli {
namespace {

class NdjsonRecords : public RecordReader {
 public:
  NdjsonRecords(const SourceOptions& options, const Schema* schema, Input* input)
      : schema_(schema), text_(input), rules_{options.skip_unknown} {
    for (size_t i = 0; i < schema->size(); ++i) indexes_[schema->column(i).name] = i;
  }

  Result<Step> next(bool may_wait) override {
    text_.consume(consumed_);
    consumed_ = 0;
    for (;;) {
      std::string_view rest = text_.rest();
      size_t end = rest.find('\n', searched_);
      if (end == std::string_view::npos && !at_end_) {
        searched_ = rest.size();
        if (!may_wait && text_.would_wait()) return Step::kPause;
        ASSIGN_OR_RETURN(bool has_more, text_.fill());
        at_end_ = !has_more;
        continue;
      }
      searched_ = 0;
      if (rest.empty()) return Step::kEnd;
      record_ = rest.substr(0, end);
      size_t length = end == std::string_view::npos ? rest.size() : end + 1;
      ++line_;
      if (record_.find_first_not_of(" \t\r") == std::string_view::npos) {
        text_.consume(length);
        continue;
      }
      consumed_ = length;
      return Step::kRecord;
    }
  }

  Status fill(std::span<Value> row, Arena* arena) override {
    auto node = json_.parse(record_);
    if (!node) {
      return make_error(
          ErrorCode::kUnknownServerError, "line {}, {}", line_, node.error().message());
    }
    if ((*node)->kind != JsonNode::Kind::kObject) {
      return make_error(ErrorCode::kUnknownServerError,
                        "line {}: {} is no JSON object; a row is one as {{\"{}\": …}}",
                        line_,
                        short_text(**node),
                        schema_->column(0).name);
    }
    for (size_t i = 0; i < (*node)->items.size(); ++i) {
      auto index = indexes_.find((*node)->names[i]);
      if (index == indexes_.end()) {
        if (rules_.skip_unknown_fields) continue;
        return unknown_column(fmt::format("line {}", line_), (*node)->names[i], *schema_);
      }
      const Column& column = schema_->column(index->second);
      Misfit misfit;
      auto value = value_of_json((*node)->items[i], column.type, rules_, arena, &misfit);
      if (!value) return bad_cell(line_, column, misfit);
      row[index->second] = *value;
    }
    return check_nulls(line_, *schema_, row);
  }

  size_t record_bytes() const override { return record_.size(); }

 private:
  const Schema* schema_;
  TextBuffer text_;
  JsonRules rules_;
  JsonParser json_;
  std::unordered_map<std::string_view, size_t> indexes_;
  std::string_view record_;
  size_t consumed_ = 0;  // of the record, once the next one is wanted
  size_t searched_ = 0;  // bytes without the end of a line
  int64_t line_ = 0;
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<RecordReader> open_ndjson(const SourceOptions& options,
                                          const Schema* schema,
                                          Input* input) {
  return std::make_unique<NdjsonRecords>(options, schema, input);
}

}  // namespace lakestream::cli
