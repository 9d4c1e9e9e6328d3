#include <algorithm>
#include <vector>

#include <arrow/record_batch.h>

#include "cli/print/text_writer.h"
#include "cli/text/show_value.h"
#include "cli/text/width.h"
#include "format/arrow_schema.h"

namespace lakestream::cli {
namespace {

constexpr size_t kGap = 2;
constexpr int64_t kRowsMeasured = 200;
constexpr size_t kWidthMax = 60;  // what is wider moves the cells behind it
constexpr std::string_view kNull = "NULL";

bool is_number(const DataType& type) {
  return type.root() >= TypeRoot::kTinyint && type.root() <= TypeRoot::kDouble;
}

// For people: columns below each other, as wide as the first rows need. Characters that would move
// the cursor are shown as escapes.
class TableWriter : public TextWriter {
 public:
  explicit TableWriter(Schema schema) : TextWriter(std::move(schema)) {}

 protected:
  Status append_header(const arrow::RecordBatch* first_rows, std::string* out) override {
    for (const Column& column : schema().columns()) widths_.push_back(width_of(column.name));
    if (first_rows != nullptr) RETURN_IF_ERROR(measure(*first_rows));
    for (size_t i = 0; i < schema().size(); ++i) append_cell(i, schema().column(i).name, out);
    for (size_t i = 0; i < schema().size(); ++i) {
      append_cell(i, std::string(widths_[i], '-'), out);
    }
    return ok();
  }

  void append_row(std::span<const Value> row, std::string* out) override {
    for (size_t i = 0; i < row.size(); ++i) append_cell(i, cell_text(i, row[i]), out);
  }

 private:
  Status measure(const arrow::RecordBatch& rows) {
    ASSIGN_OR_RETURN(ArrowRows cells, ArrowRows::make(rows.Slice(0, kRowsMeasured), schema()));
    Arena arena;
    for (int64_t i = 0; i < cells.size(); ++i) {
      arena.clear();
      ASSIGN_OR_RETURN(std::span<const Value> row, cells.row(i, &arena));
      for (size_t column = 0; column < row.size(); ++column) {
        size_t width = std::min(width_of(cell_text(column, row[column])), kWidthMax);
        widths_[column] = std::max(widths_[column], width);
      }
    }
    return ok();
  }

  std::string cell_text(size_t column, const Value& value) const {
    if (value.is_null()) return std::string(kNull);
    std::string text;
    append_text(schema().column(column).type, value, &text);
    bool has_control = std::any_of(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (!has_control) return text;
    std::string escaped;
    append_json_text(text, &escaped);
    return escaped.substr(1, escaped.size() - 2);
  }

  void append_cell(size_t column, std::string_view text, std::string* out) const {
    size_t width = width_of(text);
    size_t padding = width < widths_[column] ? widths_[column] - width : 0;
    bool is_last = column + 1 == widths_.size();
    bool to_the_right = is_number(schema().column(column).type);
    if (to_the_right) out->append(padding, ' ');
    *out += text;
    if (!to_the_right && !is_last) out->append(padding, ' ');
    if (is_last) {
      *out += '\n';
    } else {
      out->append(kGap, ' ');
    }
  }

  std::vector<size_t> widths_;
};

}  // namespace

std::unique_ptr<RowWriter> make_table_writer(Schema schema) {
  return std::make_unique<TableWriter>(std::move(schema));
}

}  // namespace lakestream::cli
