#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/session.h"
#include "support/support.h"

// A server over a scratch directory with a session of it, and the head of a table of results; how
// most programs of bench/ begin.
//
// Thread rule: the main thread.
//
//   ASSIGN_OR_RETURN(auto running, Running::start({"lakestream.durability=os"}));
//   print_head("append", 10);
//   running->session->run(…);
namespace lakestream::bench {

struct Running {
  // Errors: kUnknownServerError.
  static Result<std::unique_ptr<Running>> start(const std::vector<std::string>& settings);

  ScratchDirectory scratch;
  std::unique_ptr<ServerProcess> server;
  std::unique_ptr<cli::ClientSession> session;
};

// The columns behind the name: MB/s of the worst, the middle and the best run, rows a second,
// seconds of the server's processor per million rows, MB/s of the peer, and the ratio to it.
void print_head(const char* name, int rows_width);

}  // namespace lakestream::bench
