#include "cli/input/csv_reader.h"

#include <algorithm>

namespace lakestream::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<Step> CsvReader::next(bool may_wait) {
  for (;;) {
    std::string_view text = text_->rest();
    if (next_line_ == 1 && text.starts_with(kByteOrderMark)) {
      text_->consume(kByteOrderMark.size());
      continue;
    }
    std::optional<size_t> length;
    if (!text.empty()) length = cut(text, at_end_);
    if (length) {
      line_ = next_line_;
      next_line_ +=
          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*length), '\n');
      text_->consume(*length);
      bool is_empty = fields_.size() == 1 && fields_[0].text.empty() && !fields_[0].quoted;
      if (is_empty) continue;
      return Step::kRecord;
    }
    if (at_end_) return Step::kEnd;
    if (!may_wait && text_->would_wait()) return Step::kPause;
    ASSIGN_OR_RETURN(bool has_more, text_->fill());
    at_end_ = !has_more;
  }
}

std::optional<size_t> CsvReader::cut(std::string_view text, bool is_all) {
  fields_.clear();
  problem_.reset();
  arena_.clear();
  size_t at = 0;
  for (;;) {
    if (at < text.size() && text[at] == '"') {
      std::optional<size_t> end = cut_quoted(text, at, is_all);
      if (!end) return std::nullopt;
      at = *end;
    } else {
      size_t begin = at;
      while (at < text.size() && text[at] != delimiter_ && text[at] != '\n') ++at;
      if (at == text.size() && !is_all) return std::nullopt;
      std::string_view field = text.substr(begin, at - begin);
      bool ends_line = at == text.size() || text[at] == '\n';
      if (ends_line && field.ends_with('\r')) field.remove_suffix(1);
      fields_.push_back({field, false});
    }
    if (at == text.size()) return at;
    if (text[at++] == '\n') return at;
  }
}

std::optional<size_t> CsvReader::cut_quoted(std::string_view text, size_t begin, bool is_all) {
  size_t at = begin + 1;
  size_t from = at;
  unescaped_.clear();
  for (;;) {
    size_t quote = text.find('"', at);
    if (quote == std::string_view::npos) {
      if (!is_all) return std::nullopt;
      problem_ = "a double quote opens a field and nothing closes it";
      fields_.push_back({text.substr(from), true});
      return text.size();
    }
    if (quote + 1 == text.size() && !is_all) return std::nullopt;
    if (quote + 1 < text.size() && text[quote + 1] == '"') {
      unescaped_.append(text.substr(from, quote + 1 - from));
      at = from = quote + 2;
      continue;
    }
    std::string_view field = text.substr(from, quote - from);
    if (!unescaped_.empty()) field = arena_.copy(unescaped_.append(field));
    fields_.push_back({field, true});
    at = quote + 1;
    break;
  }
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] != delimiter_ && text[at] != '\n') {
    problem_ = "there is text between a closing double quote and the end of the field";
    while (at < text.size() && text[at] != delimiter_ && text[at] != '\n') ++at;
  }
  if (at == text.size() && !is_all) return std::nullopt;
  return at;
}

}  // namespace lakestream::cli
