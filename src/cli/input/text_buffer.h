#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/input/input.h"

// A window over an input of text that moves on record by record. Its memory is bounded by the
// longest record, which has a limit.
//
// Thread rule: the main thread.
//
//   ASSIGN_OR_RETURN(bool has_more, text.fill());
//   use(text.rest().substr(0, length));
//   text.consume(length);
namespace lakestream::cli {

inline constexpr size_t kRecordBytesMax = size_t{64} << 20;

// What the next step of a reader found.
enum class Step : uint8_t {
  kRecord,
  kPause,  // nothing yet, and waiting was not allowed
  kEnd,
};

class TextBuffer {
 public:
  explicit TextBuffer(Input* input) : input_(input) {}

  // What was read and not consumed.
  std::string_view rest() const { return {bytes_.data() + begin_, end_ - begin_}; }
  void consume(size_t count) { begin_ += count; }
  // Reads on; false at the end of the input. After an interrupt the rest is given up, as the record
  // may be half of one. Errors: those of the input, or that a record has
  // kRecordBytesMax and more.
  Result<bool> fill();
  bool would_wait() const { return !input_->is_ready(); }

 private:
  Input* input_;
  std::vector<char> bytes_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace lakestream::cli
