#include "query/names.h"

#include <charconv>

#include "table/insert.h"

namespace lakestream::query {
namespace {

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
}

}  // namespace

std::string quoted_name(std::string_view name) { return quoted(name, '"'); }

std::string quoted_literal(std::string_view text) { return quoted(text, '\''); }

Result<std::string> engine_text(const SqlText& statement) { return with_double_quotes(statement); }

std::string with_user_lines(std::string message, int first_line) {
  constexpr std::string_view kLine = "\nLINE ";
  size_t at = message.find(kLine);
  if (first_line <= 1 || at == std::string::npos) return message;
  size_t begin = at + kLine.size();
  size_t end = message.find(':', begin);
  int line = 0;
  const char* last = message.data() + end;
  if (end == std::string::npos || std::from_chars(message.data() + begin, last, line).ptr != last) {
    return message;
  }
  std::string number = std::to_string(line + first_line - 1);
  size_t mark = message.find('\n', end);
  if (mark != std::string::npos) message.insert(mark + 1, number.size() - (end - begin), ' ');
  return message.replace(begin, end - begin, number);
}

}  // namespace lakestream::query
