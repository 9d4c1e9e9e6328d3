#include "cli/sql_runner.h"

#include <cstdio>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/statement_watch.h"
#include "io/clock.h"

namespace lakestream::cli {
namespace {

// Text formats show rows in the types of tables, Arrow as they are.
class RowPrinter {
 public:
  static Result<RowPrinter> make(RowFormat format, std::shared_ptr<arrow::Schema> schema) {
    RowPrinter printer;
    if (format == RowFormat::kArrow) {
      printer.writer_ = make_arrow_writer(std::move(schema));
      return printer;
    }
    ASSIGN_OR_RETURN(printer.schema_, query::shown_schema_of(*schema));
    printer.writer_ = make_row_writer(format, *printer.schema_);
    return printer;
  }

  Status write(std::shared_ptr<arrow::RecordBatch> rows) {
    if (schema_) {
      ASSIGN_OR_RETURN(rows, query::shown_rows_of(rows, *schema_));
    }
    return writer_->write(rows);
  }
  Status finish() { return writer_->finish(); }
  bool is_closed() const { return writer_->is_closed(); }

 private:
  std::optional<Schema> schema_;
  std::unique_ptr<RowWriter> writer_;
};

}  // namespace

Status SqlRunner::run(const SqlText& statement, const Interrupt& interrupt) {
  if (interrupt.requested()) {
    return make_error(ErrorCode::kUnknownServerError, "the statement was interrupted");
  }
  Duration begin = session_.env().clock.monotonic();
  row_count_.reset();
  Status done = print(statement, interrupt);
  seconds_ = std::chrono::duration<double>(session_.env().clock.monotonic() - begin).count();
  if (!done && interrupt.requested()) {
    return make_error(ErrorCode::kUnknownServerError, "the statement was interrupted");
  }
  return done;
}

Status SqlRunner::print(const SqlText& statement, const Interrupt& interrupt) {
  StatementWatch watch(session_, sql_, interrupt);
  ASSIGN_OR_RETURN(std::unique_ptr<query::Answer> answer, sql_.execute(statement));
  if (answer->schema() == nullptr) {
    watch.clear();
    if (answer->message().empty()) return ok();
    if (format_ == RowFormat::kTable) {
      print_line(answer->message());
    } else {
      std::fprintf(stderr, "%s\n", answer->message().c_str());
    }
    return ok();
  }
  ASSIGN_OR_RETURN(RowPrinter printer, RowPrinter::make(format_, answer->schema()));
  uint64_t rows = 0;
  // Of what waits in the buffer of stdio, messages of statements before.
  std::fflush(stdout);
  while (!interrupt.requested() && !printer.is_closed()) {
    ASSIGN_OR_RETURN(auto batch, answer->next());
    watch.clear();
    if (batch == nullptr) break;
    rows += static_cast<uint64_t>(batch->num_rows());
    RETURN_IF_ERROR(printer.write(std::move(batch)));
  }
  row_count_ = rows;
  RETURN_IF_ERROR(printer.finish());
  if (interrupt.requested()) {
    return make_error(ErrorCode::kUnknownServerError, "the statement was interrupted");
  }
  return ok();
}

}  // namespace lakestream::cli
