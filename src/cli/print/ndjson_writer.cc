#include <vector>

#include "cli/print/text_writer.h"
#include "cli/text/show_value.h"

namespace lakestream::cli {
namespace {

class NdjsonWriter : public TextWriter {
 public:
  explicit NdjsonWriter(Schema schema) : TextWriter(std::move(schema)) {
    for (const Column& column : this->schema().columns()) {
      std::string name = names_.empty() ? "{" : ",";
      append_json_text(column.name, &name);
      names_.push_back(name + ':');
    }
  }

 protected:
  Status append_header(const arrow::RecordBatch*, std::string*) override { return ok(); }

  void append_row(std::span<const Value> row, std::string* out) override {
    for (size_t i = 0; i < row.size(); ++i) {
      *out += names_[i];
      append_json(schema().column(i).type, row[i], out);
    }
    *out += "}\n";
  }

 private:
  std::vector<std::string> names_;  // with what stands before and behind them
};

}  // namespace

std::unique_ptr<RowWriter> make_ndjson_writer(Schema schema) {
  return std::make_unique<NdjsonWriter>(std::move(schema));
}

}  // namespace lakestream::cli
