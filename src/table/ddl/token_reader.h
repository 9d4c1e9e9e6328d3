#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "table/ddl/lexer.h"

// Reads tokens one after the other: take_… moves on when the token is there and says whether it
// was, expect_… makes it an error when it is not.
//
// Thread rule: belongs to one thread at a time.
//
//   TokenReader reader(std::move(tokens));
//   bool if_exists = reader.take_words({"IF", "EXISTS"});
//   ASSIGN_OR_RETURN(std::string name, reader.expect_name("a table name"));
namespace lakestream {

class TokenReader {
 public:
  // Requires: the last token is the end.
  explicit TokenReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& peek(size_t ahead = 0) const;
  bool at_word(std::string_view word, size_t ahead = 0) const;
  bool at_symbol(char symbol) const;

  bool take_word(std::string_view word);
  // All of them or none.
  bool take_words(std::initializer_list<std::string_view> words);
  bool take_symbol(char symbol);

  Status expect_words(std::initializer_list<std::string_view> words);
  Status expect_symbol(char symbol);
  Result<std::string> expect_name(std::string_view what);
  Result<std::string> expect_literal(std::string_view what);
  Result<int32_t> expect_int32(std::string_view what);
  // A number with sign, point and exponent, as it is written.
  Result<std::string> expect_decimal(std::string_view what);
  Status expect_end();

  // "expected …, found …" at the current token.
  tl::unexpected<Error> expected(std::string_view what) const;

 private:
  void advance();

  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace lakestream
