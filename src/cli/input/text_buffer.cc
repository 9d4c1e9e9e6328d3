#include "cli/input/text_buffer.h"

#include <algorithm>
#include <cstring>

#include "base/config.h"

namespace lakestream::cli {
namespace {

constexpr size_t kReadBytes = size_t{256} << 10;

}  // namespace

Result<bool> TextBuffer::fill() {
  if (begin_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ >= kRecordBytesMax) {
    return make_error(ErrorCode::kRecordTooLargeException,
                      "a record of {} is larger than {}; is it of another format? give it with "
                      "--input-format",
                      input_->name(),
                      format_memory_size(kRecordBytesMax));
  }
  if (bytes_.size() - end_ < kReadBytes) bytes_.resize(std::max(2 * end_, end_ + kReadBytes));
  ASSIGN_OR_RETURN(size_t count, input_->read({bytes_.data() + end_, bytes_.size() - end_}));
  end_ += count;
  if (count == 0 && input_->was_interrupted()) end_ = begin_;
  return count > 0;
}

}  // namespace lakestream::cli
