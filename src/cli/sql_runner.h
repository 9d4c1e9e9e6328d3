#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "cli/interrupt.h"
#include "cli/print/row_writer.h"
#include "cli/session.h"
#include "query/query.h"

// Runs statements and prints what they give: rows on stdout; what a statement did on stdout when
// people read it, else on stderr, so that stdout has rows alone.
//
// Thread rule: the main thread.
//
//   SqlRunner runner(session, sql, RowFormat::kTable);
//   RETURN_IF_ERROR(runner.run({"SHOW TABLES"}, interrupt));
namespace lakestream::cli {

class SqlRunner {
 public:
  SqlRunner(ClientSession& session, query::Session& sql, RowFormat format)
      : session_(session), sql_(sql), format_(format) {}

  // Errors: also of one that was interrupted.
  Status run(const SqlText& statement, const Interrupt& interrupt);
  // Rows of the last statement; absent when it had none.
  std::optional<uint64_t> row_count() const { return row_count_; }
  double seconds() const { return seconds_; }

 private:
  Status print(const SqlText& statement, const Interrupt& interrupt);

  ClientSession& session_;
  query::Session& sql_;
  RowFormat format_;
  std::optional<uint64_t> row_count_;
  double seconds_ = 0;
};

}  // namespace lakestream::cli
