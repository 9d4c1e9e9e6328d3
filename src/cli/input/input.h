#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "cli/interrupt.h"

// The bytes that a command reads: a file, a pipe or standard input. An interrupt ends the input as
// if it were over.
//
// Thread rule: the main thread, which waits.
//
//   ASSIGN_OR_RETURN(auto input, Input::open("-", &interrupt));
//   ASSIGN_OR_RETURN(size_t count, input->read(buffer));
namespace lakestream::cli {

class Input {
 public:
  // "-" is standard input. Errors: kUnknownServerError, with what to do.
  static Result<std::unique_ptr<Input>> open(const std::string& path, const Interrupt* interrupt);
  Input(int file, std::string name, const Interrupt* interrupt);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const std::string& name() const { return name_; }
  // At least one byte, or none at the end.
  Result<size_t> read(std::span<char> into);
  // Whether read() would not wait.
  bool is_ready() const;
  bool was_interrupted() const { return interrupt_->requested(); }
  uint64_t bytes_read() const { return bytes_read_; }
  // Of a file; absent for what has no size beforehand.
  std::optional<uint64_t> size() const { return size_; }

 private:
  int file_;
  std::string name_;
  const Interrupt* interrupt_;
  std::optional<uint64_t> size_;
  uint64_t bytes_read_ = 0;
};

}  // namespace lakestream::cli
