#include <utility>

#include "table/ddl/token_reader.h"
#include "table/insert.h"

namespace lakestream {
namespace {

SqlText text_from(const SqlText& whole, const Token& first, size_t end) {
  return {whole.text.substr(first.begin, end - first.begin), first.line, first.column};
}

}  // namespace

bool begins_with(const SqlText& statement, std::initializer_list<std::string_view> words) {
  Result<std::vector<Token>> tokens = tokenize(statement);
  if (!tokens) return false;
  return TokenReader(*std::move(tokens)).take_words(words);
}

Result<InsertInto> parse_insert(const SqlText& statement) {
  ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenize(statement));
  size_t end = tokens.back().begin;
  TokenReader reader(std::move(tokens));
  RETURN_IF_ERROR(reader.expect_words({"INSERT"}));
  RETURN_IF_ERROR(reader.expect_words({"INTO"}));
  reader.take_word("TABLE");
  InsertInto insert;
  Token place = reader.peek();
  ASSIGN_OR_RETURN(insert.name.table, reader.expect_name("a table name"));
  if (reader.take_symbol('.')) {
    insert.name.database = std::move(insert.name.table);
    ASSIGN_OR_RETURN(insert.name.table, reader.expect_name("a table name"));
  }
  insert.place = text_from(statement, place, place.end);
  // A parenthesis may begin a query as well.
  bool has_columns = reader.at_symbol('(') && !reader.at_word("SELECT", 1) &&
                     !reader.at_word("WITH", 1) && !reader.at_word("VALUES", 1) &&
                     !reader.at_word("FROM", 1);
  if (has_columns) {
    reader.take_symbol('(');
    do {
      ASSIGN_OR_RETURN(std::string name, reader.expect_name("a column name"));
      insert.columns.push_back(std::move(name));
    } while (reader.take_symbol(','));
    RETURN_IF_ERROR(reader.expect_symbol(')'));
  }
  Token first = reader.peek();
  if (first.kind == TokenKind::kEnd) return reader.expected("VALUES or a query");
  insert.source = text_from(statement, first, end);
  return insert;
}

Result<std::string> with_double_quotes(const SqlText& statement) {
  ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenize(statement));
  std::string text;
  size_t copied = 0;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kName || statement.text[token.begin] != '`') continue;
    text += statement.text.substr(copied, token.begin - copied);
    text += '"';
    for (char c : token.text) {
      if (c == '"') text += '"';
      text += c;
    }
    text += '"';
    copied = token.end;
  }
  text += statement.text.substr(copied);
  return text;
}

}  // namespace lakestream
