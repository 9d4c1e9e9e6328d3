#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/ddl.h"

// Cuts SQL text into tokens; comments and space are dropped.
//
// Thread rule: pure functions.
//
//   ASSIGN_OR_RETURN(std::vector<Token> tokens, tokenize({"USE `d`"}));
namespace lakestream {

enum class TokenKind : uint8_t {
  kWord,     // a keyword or a name without quotes
  kName,     // a name in backticks or double quotes
  kLiteral,  // a text in single quotes
  kNumber,
  kSymbol,  // one character of punctuation
  kEnd,
};

struct Token {
  TokenKind kind;
  std::string text;  // without quotes
  int line;
  int column;
  size_t begin;  // in the text
  size_t end;
};

// The last token is the end. Errors: a quote or comment that is not closed, bytes that are no
// UTF-8.
Result<std::vector<Token>> tokenize(const SqlText& sql);

// An error at a token: "line 1, column 8: message".
tl::unexpected<Error> error_at(const Token& token, std::string_view message);

// Equal but for the case of ASCII letters.
bool same_word(std::string_view a, std::string_view b);

}  // namespace lakestream
