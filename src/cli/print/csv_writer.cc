#include "cli/print/text_writer.h"
#include "cli/text/show_value.h"

namespace lakestream::cli {
namespace {

// The empty text stands in quotes, so that it differs from NULL.
void append_field(std::string_view text, std::string* out) {
  bool is_plain = !text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos;
  if (is_plain) {
    *out += text;
    return;
  }
  *out += '"';
  for (char c : text) {
    if (c == '"') *out += '"';
    *out += c;
  }
  *out += '"';
}

class CsvWriter : public TextWriter {
 public:
  using TextWriter::TextWriter;

 protected:
  Status append_header(const arrow::RecordBatch*, std::string* out) override {
    for (size_t i = 0; i < schema().size(); ++i) {
      if (i > 0) *out += ',';
      append_field(schema().column(i).name, out);
    }
    *out += '\n';
    return ok();
  }

  void append_row(std::span<const Value> row, std::string* out) override {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) *out += ',';
      if (row[i].is_null()) continue;
      cell_.clear();
      append_text(schema().column(i).type, row[i], &cell_);
      append_field(cell_, out);
    }
    *out += '\n';
  }

 private:
  std::string cell_;
};

}  // namespace

std::unique_ptr<RowWriter> make_csv_writer(Schema schema) {
  return std::make_unique<CsvWriter>(std::move(schema));
}

}  // namespace lakestream::cli
