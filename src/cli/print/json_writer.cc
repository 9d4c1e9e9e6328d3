#include <vector>

#include "cli/print/text_writer.h"
#include "cli/text/show_value.h"

namespace lakestream::cli {
namespace {

// Each row is an object on a line of its own, alone or as a part of an array.
class JsonWriter : public TextWriter {
 public:
  JsonWriter(Schema schema, bool is_array) : TextWriter(std::move(schema)), is_array_(is_array) {
    for (const Column& column : this->schema().columns()) {
      std::string name = names_.empty() ? "{" : ",";
      append_json_text(column.name, &name);
      names_.push_back(name + ':');
    }
  }

 protected:
  Status append_header(const arrow::RecordBatch*, std::string* out) override {
    if (is_array_) *out += '[';
    return ok();
  }

  void append_row(std::span<const Value> row, std::string* out) override {
    if (is_array_) *out += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    for (size_t i = 0; i < row.size(); ++i) {
      *out += names_[i];
      append_json(schema().column(i).type, row[i], out);
    }
    *out += is_array_ ? "}" : "}\n";
  }

  void append_footer(std::string* out) override {
    if (is_array_) *out += is_first_ ? "]\n" : "\n]\n";
  }

 private:
  bool is_array_;
  bool is_first_ = true;
  std::vector<std::string> names_;  // with what stands before and behind them
};

}  // namespace

std::unique_ptr<RowWriter> make_ndjson_writer(Schema schema) {
  return std::make_unique<JsonWriter>(std::move(schema), false);
}

std::unique_ptr<RowWriter> make_json_writer(Schema schema) {
  return std::make_unique<JsonWriter>(std::move(schema), true);
}

}  // namespace lakestream::cli
