#include "table/ddl/token_reader.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace lakestream {

const Token& TokenReader::peek(size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

void TokenReader::advance() { at_ = std::min(at_ + 1, tokens_.size() - 1); }

bool TokenReader::at_word(std::string_view word, size_t ahead) const {
  return peek(ahead).kind == TokenKind::kWord && same_word(peek(ahead).text, word);
}

bool TokenReader::at_symbol(char symbol) const {
  return peek().kind == TokenKind::kSymbol && peek().text[0] == symbol;
}

bool TokenReader::take_word(std::string_view word) {
  if (!at_word(word)) return false;
  advance();
  return true;
}

bool TokenReader::take_words(std::initializer_list<std::string_view> words) {
  size_t ahead = 0;
  for (std::string_view word : words) {
    if (!at_word(word, ahead++)) return false;
  }
  at_ += words.size();
  return true;
}

bool TokenReader::take_symbol(char symbol) {
  if (!at_symbol(symbol)) return false;
  advance();
  return true;
}

Status TokenReader::expect_words(std::initializer_list<std::string_view> words) {
  for (std::string_view word : words) {
    if (!take_word(word)) return expected(word);
  }
  return ok();
}

Status TokenReader::expect_symbol(char symbol) {
  if (take_symbol(symbol)) return ok();
  return expected(fmt::format("'{}'", symbol));
}

Result<std::string> TokenReader::expect_name(std::string_view what) {
  const Token& token = peek();
  bool named = token.kind == TokenKind::kWord || token.kind == TokenKind::kName;
  if (!named || token.text.empty()) return expected(what);
  std::string name = token.text;
  advance();
  return name;
}

Result<std::string> TokenReader::expect_literal(std::string_view what) {
  if (peek().kind != TokenKind::kLiteral) return expected(fmt::format("{} in single quotes", what));
  std::string text = peek().text;
  advance();
  return text;
}

Result<int32_t> TokenReader::expect_int32(std::string_view what) {
  const std::string& text = peek().text;
  int32_t value = 0;
  if (peek().kind != TokenKind::kNumber) return expected(what);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return error_at(peek(), fmt::format("{} does not fit 32 bits", text));
  }
  advance();
  return value;
}

Result<std::string> TokenReader::expect_decimal(std::string_view what) {
  // The tokens that stand together: "-", "1", ".", "5", "e3" or "e", "+", "3".
  std::string text;
  size_t count = 0;
  bool has_digits = false;
  for (;; ++count) {
    const Token& token = peek(count);
    bool is_joined = count == 0 || token.begin == peek(count - 1).end;
    bool is_sign = token.text == "-" || token.text == "+";
    bool begins_exponent = !text.empty() && (text.back() == 'e' || text.back() == 'E');
    bool is_exponent = token.kind == TokenKind::kWord && has_digits &&
                       (token.text[0] | 0x20) == 'e' &&
                       token.text.find_first_not_of("0123456789", 1) == std::string::npos;
    bool belongs = token.kind == TokenKind::kNumber || is_exponent ||
                   (token.kind == TokenKind::kSymbol &&
                    (token.text == "." || (is_sign && (count == 0 || begins_exponent))));
    if (!is_joined || !belongs) break;
    has_digits = has_digits || token.kind == TokenKind::kNumber;
    text += token.text;
  }
  if (!has_digits) return expected(what);
  at_ += count;
  return text;
}

Status TokenReader::expect_end() {
  if (peek().kind == TokenKind::kEnd) return ok();
  return expected("the end of the statement");
}

tl::unexpected<Error> TokenReader::expected(std::string_view what) const {
  const Token& token = peek();
  std::string found;
  switch (token.kind) {
    case TokenKind::kEnd:
      found = "the end";
      break;
    case TokenKind::kLiteral:
      found = fmt::format("the text '{}'", token.text);
      break;
    default:
      found = fmt::format("'{}'", token.text);
  }
  return error_at(token, fmt::format("expected {}, found {}", what, found));
}

}  // namespace lakestream
