#include "cli/print/row_writer.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "cli/print/text_writer.h"

namespace lakestream::cli {

Status RowWriter::put(std::string_view bytes) {
  while (!bytes.empty() && !is_closed_) {
    ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EPIPE) {
      is_closed_ = true;
    } else if (errno != EINTR) {
      return make_error(ErrorCode::kUnknownServerError,
                        "standard output can not be written: {}",
                        std::strerror(errno));
    }
  }
  return ok();
}

std::unique_ptr<RowWriter> make_row_writer(RowFormat format, Schema schema) {
  switch (format) {
    case RowFormat::kTable:
      return make_table_writer(std::move(schema));
    case RowFormat::kCsv:
      return make_csv_writer(std::move(schema));
    case RowFormat::kJson:
      return make_json_writer(std::move(schema));
    case RowFormat::kNdjson:
      return make_ndjson_writer(std::move(schema));
    case RowFormat::kArrow:
      return make_arrow_writer(std::move(schema));
  }
  return nullptr;
}

}  // namespace lakestream::cli
