#include "cli/interrupt.h"

#include <atomic>

#include <fcntl.h>
#include <unistd.h>

#include "base/check.h"

namespace lakestream::cli {
namespace {

// What a signal handler may touch.
std::atomic<bool> requested_now{false};
int pipe_ends[2] = {-1, -1};

void take_signal(int) {
  requested_now.store(true);
  char byte = 0;
  // The pipe is full only when a byte is there already.
  [[maybe_unused]] ssize_t written = ::write(pipe_ends[1], &byte, 1);
}

}  // namespace

Interrupt::Interrupt() {
  requested_now.store(false);
  CHECK(::pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) == 0, "a pipe for signals");
  struct sigaction action = {};
  action.sa_handler = take_signal;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &before_int_);
  ::sigaction(SIGTERM, &action, &before_term_);
}

Interrupt::~Interrupt() {
  ::sigaction(SIGINT, &before_int_, nullptr);
  ::sigaction(SIGTERM, &before_term_, nullptr);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

bool Interrupt::requested() const { return requested_now.load(); }

int Interrupt::fd() const { return pipe_ends[0]; }

}  // namespace lakestream::cli
