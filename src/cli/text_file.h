#pragma once

#include <string>

#include "base/result.h"

// Small files that a command reads before anything else is there: configuration, passwords.
//
// Thread rule: blocks; the main thread.
//
//   ASSIGN_OR_RETURN(std::string content, read_text_file(path));
namespace lakestream::cli {

// kInvalidConfigException when it can not be read.
Result<std::string> read_text_file(const std::string& path);
// The first line, which holds a secret: not empty.
Result<std::string> read_secret_file(const std::string& path);

}  // namespace lakestream::cli
