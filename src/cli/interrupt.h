#pragma once

#include <csignal>

// Ctrl-C (or SIGTERM) as a wish to end: the first one is remembered, so that a command can finish
// what it has begun, the second one ends the process at once. At most one object at a time.
//
// Thread rule: the main thread.
//
//   Interrupt interrupt;
//   while (!interrupt.requested()) work();
namespace lakestream::cli {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;
  // Readable once it was requested, for poll().
  int fd() const;

 private:
  struct sigaction before_int_ = {};
  struct sigaction before_term_ = {};
};

}  // namespace lakestream::cli
