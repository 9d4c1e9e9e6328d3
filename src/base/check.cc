#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include <execinfo.h>
#include <unistd.h>

namespace lakestream {

void check_failed(std::string_view expression,
                  std::string_view why,
                  std::string_view file,
                  int line) {
  std::fprintf(stderr,
               "CHECK failed at %.*s:%d: %.*s%s%.*s\n",
               static_cast<int>(file.size()),
               file.data(),
               line,
               static_cast<int>(expression.size()),
               expression.data(),
               why.empty() ? "" : ": ",
               static_cast<int>(why.size()),
               why.data());
  void* frames[64];
  int count = backtrace(frames, 64);
  backtrace_symbols_fd(frames, count, STDERR_FILENO);
  std::abort();
}

}  // namespace lakestream
