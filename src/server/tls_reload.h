#pragma once

#include <memory>

#include "io/clock.h"
#include "io/env.h"
#include "io/shard.h"
#include "io/tls.h"

// Looks from time to time whether the files of a TlsServer have changed, and takes them.
//
// Thread rule: shard-local. Call stop() and wait for its end before the shard stops.
//
//   TlsReload reload(env, control, tls, std::chrono::seconds(10));
//   co_await reload.stop();
namespace lakestream {

class TlsReload {
 public:
  TlsReload(Env& env, Shard& shard, std::shared_ptr<TlsServer> tls, Duration interval);
  Task<void> stop();

 private:
  void look_later();
  Task<void> look(Gate::Pass pass);

  Env& env_;
  Shard& shard_;
  std::shared_ptr<TlsServer> tls_;
  Duration interval_;
  Timer timer_;
  Gate gate_;
};

}  // namespace lakestream
