#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <arrow/record_batch.h>

#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/print/row_format.h"
#include "cli/print/row_writer.h"
#include "cli/session.h"
#include "client/table_scanner.h"

namespace lakestream::cli {
namespace {

using client::ScanBatch;
using client::TableScanner;

struct Options {
  ServerAccess server;
  TablePath table;
  client::TableScanOptions scan;
  RowFormat format = RowFormat::kTable;
};

Status print_rows(const Options& options, ClientSession& session, TableScanner* scanner) {
  std::unique_ptr<RowWriter> writer = make_row_writer(options.format, scanner->schema());
  Interrupt interrupt;
  while (!interrupt.requested() && !writer->is_closed()) {
    ASSIGN_OR_RETURN(std::optional<ScanBatch> batch, session.run(scanner->next()));
    if (!batch) break;
    RETURN_IF_ERROR(writer->write(batch->rows));
  }
  return writer->finish();
}

Status run(const Options& options) {
  ASSIGN_OR_RETURN(auto session, ClientSession::open(options.server));
  ASSIGN_OR_RETURN(auto table, session->run(session->connection()->table(options.table)));
  const Schema& schema = table->info.descriptor.schema;
  if (!schema.has_primary_key()) {
    return make_error(ErrorCode::kNonPrimaryKeyTableException,
                      "table {} has no primary key, its rows are in its log; read them with "
                      "`lakestream tail {} --no-follow`",
                      options.table,
                      options.table);
  }
  RETURN_IF_ERROR(check_columns(options.scan.columns, schema));
  ASSIGN_OR_RETURN(
      auto scanner,
      session->run(TableScanner::open(session->connection(), options.table, options.scan)));
  Status result = print_rows(options, *session, scanner.get());
  (void)session->run(scanner->close());
  session->release(std::move(scanner));
  return result;
}

int scan(const Options& options) {
  if (disturbs_terminal(options.format)) return misuse("scan", kBinaryOutput);
  Status result = run(options);
  return result ? kSuccess : refuse("scan", result.error(), OutputFormat::kTable);
}

}  // namespace

std::function<int()> declare_scan(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_table_argument(app, &options->table);
  app.add_option("--columns", options->scan.columns, "only these")
      ->type_name("A,B")
      ->delimiter(',');
  app.add_option("--limit", options->scan.limit, "end after so many rows")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<int64_t>::max()));
  add_partition_option(app, &options->scan.partitions);
  add_row_format_option(app, &options->format);
  add_server_options(app, &options->server);
  app.footer(
      "Each bucket is read as of one moment, in the order of its keys.\n"
      "  lakestream scan riders --columns id,city --limit 10\n"
      "  lakestream scan riders --format csv > riders.csv");
  return [options] { return scan(*options); };
}

}  // namespace lakestream::cli
