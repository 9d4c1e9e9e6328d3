#include "cli/sql_shell.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/input.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "table/ddl.h"

namespace lakestream::cli {
namespace {

constexpr std::string_view kPrompt = "lakestream> ";
constexpr std::string_view kMorePrompt = "        ... ";
constexpr std::string_view kHelp =
    "Statements end with a semicolon. SHOW TABLES; DESCRIBE t; SELECT … FROM t;\n"
    "\"t$changelog\" has what happened to the rows of t. Ctrl-C stops a statement, exit ends.";

void show(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n;";
  size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

// Lines of a terminal, which gives them one at a time.
class Lines {
 public:
  // Nothing at the end; an empty one after an interrupt, which also drops what was typed.
  Result<std::optional<std::string>> next(bool* was_interrupted) {
    Interrupt interrupt;
    ASSIGN_OR_RETURN(auto input, Input::open("-", &interrupt));
    *was_interrupted = false;
    size_t end = 0;
    while ((end = pending_.find('\n')) == std::string::npos) {
      char chunk[4096];
      ASSIGN_OR_RETURN(size_t count, input->read(chunk));
      if (count == 0 && input->was_interrupted()) {
        pending_.clear();
        *was_interrupted = true;
        return std::string();
      }
      if (count == 0 && pending_.empty()) return std::nullopt;
      if (count == 0) pending_ += '\n';
      pending_.append(chunk, count);
    }
    std::string line = pending_.substr(0, end + 1);
    pending_.erase(0, end + 1);
    return line;
  }

 private:
  std::string pending_;
};

// Whether the text ends behind a semicolon that ends a statement. A quote that is open is not the
// end.
bool is_complete(const std::string& text) {
  std::string_view rest = text;
  size_t last = rest.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos || rest[last] != ';') return false;
  // With one more word behind it there is one statement more, unless the semicolon is a part of
  // something.
  auto with_more = split_sql(text + " x");
  auto as_it_is = split_sql(text);
  return with_more && as_it_is && with_more->size() == as_it_is->size() + 1;
}

void run_all(SqlRunner& runner, const std::string& text) {
  auto statements = split_sql(text);
  Status done = ok();
  if (!statements) {
    (void)refuse("sql", statements.error(), OutputFormat::kTable);
    return;
  }
  Interrupt interrupt;
  for (const SqlText& statement : *statements) {
    done = runner.run(statement, interrupt);
    std::fflush(stdout);
    if (!done) {
      (void)refuse("sql", done.error(), OutputFormat::kTable);
      return;
    }
    if (runner.row_count()) {
      std::fprintf(
          stderr, "%s in %.3f s\n", count_of(*runner.row_count(), "row").c_str(), runner.seconds());
    }
  }
}

}  // namespace

Status run_sql_shell(SqlRunner& runner) {
  Lines lines;
  std::string text;
  for (;;) {
    show(text.empty() ? kPrompt : kMorePrompt);
    bool was_interrupted = false;
    ASSIGN_OR_RETURN(std::optional<std::string> line, lines.next(&was_interrupted));
    if (!line) break;
    if (was_interrupted) {
      text.clear();
      show("\n");
      continue;
    }
    if (text.empty()) {
      std::string_view word = trimmed(*line);
      if (word == "exit" || word == "quit" || word == "\\q") return ok();
      if (word == "help" || word == "\\?") {
        print_line(kHelp);
        continue;
      }
      if (word.empty()) continue;
    }
    text += *line;
    if (!is_complete(text)) continue;
    run_all(runner, text);
    text.clear();
  }
  show("\n");
  return ok();
}

}  // namespace lakestream::cli
