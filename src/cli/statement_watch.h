#pragma once

#include <memory>

#include "cli/interrupt.h"
#include "cli/session.h"
#include "query/query.h"

// Looks after a statement while the main thread waits for it: an interrupt cancels it, and on a
// terminal a line on stderr tells how far it is when it takes long.
//
// Thread rule: the main thread; it works on the session's shard.
//
//   StatementWatch watch(session, sql, interrupt);
//   auto answer = sql.execute(statement);
//   watch.clear();
namespace lakestream::cli {

class StatementWatch {
 public:
  struct State;
  StatementWatch(ClientSession& session, query::Session& sql, const Interrupt& interrupt);
  ~StatementWatch();
  StatementWatch(const StatementWatch&) = delete;
  StatementWatch& operator=(const StatementWatch&) = delete;

  // Takes the line away for good: something else is shown from now on.
  void clear();

 private:
  ClientSession& session_;
  std::shared_ptr<State> state_;  // of the shard
};

}  // namespace lakestream::cli
