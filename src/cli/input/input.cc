#include "cli/input/input.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lakestream::cli {

Result<std::unique_ptr<Input>> Input::open(const std::string& path, const Interrupt* interrupt) {
  if (path == "-") return std::make_unique<Input>(STDIN_FILENO, "standard input", interrupt);
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return make_error(
        ErrorCode::kUnknownServerError,
        "file {} cannot be read: {}; give the path of a file, or - for standard input",
        path,
        std::strerror(errno));
  }
  return std::make_unique<Input>(file, path, interrupt);
}

Input::Input(int file, std::string name, const Interrupt* interrupt)
    : file_(file), name_(std::move(name)), interrupt_(interrupt) {
  struct stat info = {};
  if (::fstat(file_, &info) == 0 && S_ISREG(info.st_mode)) {
    size_ = static_cast<uint64_t>(info.st_size);
    ::posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
}

Input::~Input() {
  if (file_ != STDIN_FILENO) ::close(file_);
}

Result<size_t> Input::read(std::span<char> into) {
  for (;;) {
    pollfd waits[2] = {{file_, POLLIN, 0}, {interrupt_->fd(), POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0 && errno != EINTR) break;
    if (interrupt_->requested()) return size_t{0};
    if (waits[0].revents == 0) continue;
    ssize_t count = ::read(file_, into.data(), into.size());
    if (count >= 0) {
      bytes_read_ += static_cast<uint64_t>(count);
      return static_cast<size_t>(count);
    }
    if (errno != EINTR && errno != EAGAIN) break;
  }
  return make_error(
      ErrorCode::kUnknownServerError, "reading {} ends: {}", name_, std::strerror(errno));
}

bool Input::is_ready() const {
  pollfd wait{file_, POLLIN, 0};
  return ::poll(&wait, 1, 0) > 0;
}

}  // namespace lakestream::cli
