#include "support/running.h"

#include <cstdio>

namespace lakestream::bench {

Result<std::unique_ptr<Running>> Running::start(const std::vector<std::string>& settings) {
  auto running = std::make_unique<Running>();
  ASSIGN_OR_RETURN(running->server,
                   ServerProcess::start(running->scratch.path() + "/data", settings));
  ASSIGN_OR_RETURN(running->session, cli::ClientSession::open({running->server->address()}));
  return running;
}

void print_head(const char* name, int rows_width) {
  std::printf("%-46s %6s %6s %6s %*s %8s %6s %6s\n",
              name,
              "MB/s",
              "median",
              "max",
              rows_width,
              "rows/s",
              "cpu s/M",
              "peer",
              "ratio");
}

}  // namespace lakestream::bench
