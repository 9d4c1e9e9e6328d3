#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/input/row_source.h"
#include "cli/interrupt.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/print/row_format.h"
#include "cli/print/row_writer.h"
#include "cli/session.h"
#include "cli/text/json_value.h"
#include "cli/text/parse_value.h"
#include "client/lookuper.h"
#include "format/arrow_schema.h"

namespace lakestream::cli {
namespace {

using client::LookedUp;
using client::Lookuper;
using client::PrefixLookuper;
using Rows = std::shared_ptr<arrow::RecordBatch>;

struct Options {
  ServerAccess server;
  TablePath table;
  std::vector<std::string> key;  // "id=7"
  bool from_stdin = false;
  SourceOptions source;
  bool by_prefix = false;
  client::LookupOptions lookup;
  RowFormat format = RowFormat::kTable;
};

// Looks up by key or by prefix.
struct Finder {
  const Schema* keys = nullptr;
  const Schema* rows = nullptr;
  std::function<Result<LookedUp>(Rows)> find;
};

struct Found {
  int64_t keys = 0;
  int64_t missing = 0;
};

// The one key of the command line.
Result<Rows> key_of(const Options& options, const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema.columns()) names.push_back(column.name);
  std::string wanted = fmt::format("a {} of table {} has the columns {}",
                                   options.by_prefix ? "prefix" : "key",
                                   options.table,
                                   fmt::join(names, ", "));
  std::vector<Value> values(schema.size());
  std::vector<bool> seen(schema.size(), false);
  Arena arena;
  for (const std::string& pair : options.key) {
    auto [name, text] = split_key_and_value(pair);
    std::optional<size_t> index = schema.index_of(name);
    if (!index || seen[*index]) {
      return make_error(ErrorCode::kUnknownServerError,
                        "{}: {}; {}",
                        pair,
                        index ? "the column is there twice" : "it is no column of it",
                        wanted);
    }
    const DataType& type = schema.column(*index).type;
    std::string_view kept = arena.copy(text);
    std::optional<Value> value = parse_value(type, kept, &arena);
    if (!value) {
      return make_error(ErrorCode::kUnknownServerError,
                        "{}: {}",
                        pair,
                        Misfit{"", fmt::format("'{}'", text), type}.to_string());
    }
    values[*index] = *value;
    seen[*index] = true;
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i]) continue;
    return make_error(
        ErrorCode::kUnknownServerError, "column '{}' is missing; {}", names[i], wanted);
  }
  ArrowAppender rows(schema);
  RETURN_IF_ERROR(rows.append(values));
  return rows.finish();
}

Status print_found(const Finder& finder, Rows keys, RowWriter* writer, Found* found) {
  ASSIGN_OR_RETURN(LookedUp rows, finder.find(std::move(keys)));
  for (int64_t count : rows.counts) {
    ++found->keys;
    found->missing += count == 0 ? 1 : 0;
  }
  return rows.rows->num_rows() == 0 ? ok() : writer->write(rows.rows);
}

Status look_up_input(const Options& options,
                     const Finder& finder,
                     RowWriter* writer,
                     Found* found) {
  Interrupt interrupt;
  ASSIGN_OR_RETURN(auto input, Input::open("-", &interrupt));
  BadRows bad_rows(false);
  ASSIGN_OR_RETURN(auto source, open_source(options.source, finder.keys, input.get(), &bad_rows));
  while (!writer->is_closed()) {
    ASSIGN_OR_RETURN(Rows keys, source->next());
    if (keys == nullptr) break;
    RETURN_IF_ERROR(print_found(finder, std::move(keys), writer, found));
  }
  return ok();
}

Status look_up(const Options& options, const Finder& finder) {
  std::unique_ptr<RowWriter> writer = make_row_writer(options.format, *finder.rows);
  Found found;
  if (options.from_stdin) {
    RETURN_IF_ERROR(look_up_input(options, finder, writer.get(), &found));
    RETURN_IF_ERROR(writer->finish());
    if (found.missing > 0) {
      std::fprintf(stderr,
                   "%s of %s without a row\n",
                   with_separators(static_cast<uint64_t>(found.missing)).c_str(),
                   count_of(static_cast<uint64_t>(found.keys), "key").c_str());
    }
    return ok();
  }
  ASSIGN_OR_RETURN(Rows key, key_of(options, *finder.keys));
  RETURN_IF_ERROR(print_found(finder, std::move(key), writer.get(), &found));
  if (found.missing == 0) return writer->finish();
  return make_error(ErrorCode::kUnknownServerError,
                    "table {} has no row of {}",
                    options.table,
                    fmt::join(options.key, " "));
}

template <typename T>
Status run_with(const Options& options,
                ClientSession& session,
                std::unique_ptr<T> lookuper,
                const Schema& keys) {
  T* raw = lookuper.get();
  Finder finder;
  finder.keys = &keys;
  finder.rows = &raw->schema();
  finder.find = [&session, raw](Rows rows) { return session.run(raw->lookup(std::move(rows))); };
  Status result = look_up(options, finder);
  session.release(std::move(lookuper));
  return result;
}

Status run(const Options& options) {
  ASSIGN_OR_RETURN(auto session, ClientSession::open(options.server));
  ASSIGN_OR_RETURN(auto table, session->run(session->connection()->table(options.table)));
  RETURN_IF_ERROR(check_columns(options.lookup.columns, table->info.descriptor.schema));
  if (options.by_prefix) {
    ASSIGN_OR_RETURN(
        auto lookuper,
        session->run(PrefixLookuper::open(session->connection(), options.table, options.lookup)));
    const Schema& keys = lookuper->prefix_schema();
    return run_with(options, *session, std::move(lookuper), keys);
  }
  ASSIGN_OR_RETURN(
      auto lookuper,
      session->run(Lookuper::open(session->connection(), options.table, options.lookup)));
  const Schema& keys = lookuper->key_schema();
  return run_with(options, *session, std::move(lookuper), keys);
}

int lookup(const Options& options) {
  if (disturbs_terminal(options.format)) return misuse("lookup", kBinaryOutput);
  if (options.from_stdin == !options.key.empty()) {
    return misuse("lookup",
                  options.from_stdin ? "give COLUMN=VALUE or --stdin, not both"
                                     : "give the key as COLUMN=VALUE, or many with --stdin");
  }
  if (options.by_prefix && options.lookup.insert_if_not_exists) {
    return misuse("lookup", "--insert-missing is for whole keys; leave out it or --prefix");
  }
  Status result = run(options);
  return result ? kSuccess : refuse("lookup", result.error(), OutputFormat::kTable);
}

}  // namespace

std::function<int()> declare_lookup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  options->source.format = InputFormat::kNdjson;
  options->source.skip_unknown = true;
  add_table_argument(app, &options->table);
  app.add_option("KEY", options->key, "COLUMN=VALUE, one for each column of the key")
      ->type_name("")
      ->check(key_and_value());
  app.add_flag("--stdin", options->from_stdin, "read keys from standard input, one a row");
  app.add_option_function<std::string>(
         "--input-format",
         [options](const std::string& text) {
           options->source.format = text == "csv"      ? InputFormat::kCsv
                                    : text == "ndjson" ? InputFormat::kNdjson
                                                       : InputFormat::kArrow;
         },
         "of --stdin, ndjson by default")
      ->type_name("csv|ndjson|arrow")
      ->check(one_of({"csv", "ndjson", "arrow"}));
  app.add_flag("--prefix",
               options->by_prefix,
               "the key is the bucket key of the table; all rows that begin with it");
  app.add_flag("--insert-missing",
               options->lookup.insert_if_not_exists,
               "a key without a row gets one of its columns alone");
  app.add_option("--columns", options->lookup.columns, "only these")
      ->type_name("A,B")
      ->delimiter(',');
  add_row_format_option(app, &options->format);
  add_server_options(app, &options->server);
  app.footer(
      "A key that has no row ends with exit code 1; with --stdin such keys are counted on stderr.\n"
      "  lakestream lookup riders id=7\n"
      "  lakestream lookup trips city=Basel --prefix --format ndjson\n"
      "  producer | lakestream lookup riders --stdin");
  return [options] { return lookup(*options); };
}

}  // namespace lakestream::cli
