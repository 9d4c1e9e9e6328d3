#include "table/ddl/lexer.h"

#include <utility>

namespace lakestream {
namespace {

constexpr ErrorCode kCode = ErrorCode::kUnknownServerError;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || !is_ascii(c);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Bytes of the UTF-8 sequence at the front, 0 when there is none. Overlong forms and surrogates are
// refused as in the Unicode Standard, table 3-7.
size_t utf8_length(std::string_view text) {
  auto byte = [text](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  auto continues = [&byte](size_t first, size_t last) {
    for (size_t i = first; i <= last; ++i) {
      if ((byte(i) & 0xC0u) != 0x80u) return false;
    }
    return true;
  };
  unsigned lead = byte(0);
  if (lead < 0x80u) return 1;
  if (lead >= 0xC2u && lead <= 0xDFu) return continues(1, 1) ? 2 : 0;
  if (lead >= 0xE0u && lead <= 0xEFu) {
    bool second = (lead != 0xE0u || byte(1) >= 0xA0u) && (lead != 0xEDu || byte(1) <= 0x9Fu);
    return second && continues(1, 2) ? 3 : 0;
  }
  if (lead >= 0xF0u && lead <= 0xF4u) {
    bool second = (lead != 0xF0u || byte(1) >= 0x90u) && (lead != 0xF4u || byte(1) <= 0x8Fu);
    return second && continues(1, 3) ? 4 : 0;
  }
  return 0;
}

class Lexer {
 public:
  explicit Lexer(const SqlText& sql) : text_(sql.text), line_(sql.line), column_(sql.column) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> tokens;
    do {
      ASSIGN_OR_RETURN(Token token, next());
      tokens.push_back(std::move(token));
    } while (tokens.back().kind != TokenKind::kEnd);
    return tokens;
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool done() const { return at_ >= text_.size(); }

  // Moves over one character; a column is a character, not a byte.
  Status advance() {
    size_t length = utf8_length(text_.substr(at_));
    if (length == 0) {
      return make_error(kCode, "line {}, column {}: the text is not UTF-8", line_, column_);
    }
    bool newline = text_[at_] == '\n';
    at_ += length;
    line_ += newline ? 1 : 0;
    column_ = newline ? 1 : column_ + 1;
    return ok();
  }

  Status advance(size_t count) {
    for (size_t i = 0; i < count; ++i) RETURN_IF_ERROR(advance());
    return ok();
  }

  Token here(TokenKind kind) const { return Token{kind, "", line_, column_, at_, at_}; }

  Status skip_blank() {
    while (!done()) {
      if (is_space(peek())) {
        RETURN_IF_ERROR(advance());
      } else if (peek() == '-' && peek(1) == '-') {
        while (!done() && peek() != '\n') RETURN_IF_ERROR(advance());
      } else if (peek() == '/' && peek(1) == '*') {
        RETURN_IF_ERROR(skip_block_comment());
      } else {
        break;
      }
    }
    return ok();
  }

  Status skip_block_comment() {
    Token start = here(TokenKind::kSymbol);
    RETURN_IF_ERROR(advance(2));
    while (peek() != '*' || peek(1) != '/') {
      if (done()) return error_at(start, "this comment is not closed, expected */");
      RETURN_IF_ERROR(advance());
    }
    return advance(2);
  }

  Result<Token> next() {
    RETURN_IF_ERROR(skip_blank());
    char c = peek();
    if (done()) return here(TokenKind::kEnd);
    if (c == '\'') return quoted(TokenKind::kLiteral);
    if (c == '`' || c == '"') return quoted(TokenKind::kName);
    Token token = here(TokenKind::kSymbol);
    if (begins_word(c)) {
      token.kind = TokenKind::kWord;
      while (!done() && (begins_word(peek()) || is_digit(peek()))) RETURN_IF_ERROR(advance());
    } else if (is_digit(c)) {
      token.kind = TokenKind::kNumber;
      while (is_digit(peek())) RETURN_IF_ERROR(advance());
    } else {
      RETURN_IF_ERROR(advance());
    }
    token.end = at_;
    token.text = text_.substr(token.begin, token.end - token.begin);
    return token;
  }

  // A quote inside is doubled.
  Result<Token> quoted(TokenKind kind) {
    Token token = here(kind);
    char quote = peek();
    RETURN_IF_ERROR(advance());
    while (true) {
      if (done()) return error_at(token, fmt::format("expected {} that ends the text", quote));
      size_t begin = at_;
      bool is_quote = peek() == quote;
      if (is_quote && peek(1) != quote) break;
      RETURN_IF_ERROR(advance());
      token.text += text_.substr(begin, at_ - begin);
      if (is_quote) RETURN_IF_ERROR(advance());
    }
    RETURN_IF_ERROR(advance());
    token.end = at_;
    return token;
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_;
  int column_;
};

}  // namespace

Result<std::vector<Token>> tokenize(const SqlText& sql) { return Lexer(sql).run(); }

tl::unexpected<Error> error_at(const Token& token, std::string_view message) {
  return make_error(kCode, "line {}, column {}: {}", token.line, token.column, message);
}

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

}  // namespace lakestream
