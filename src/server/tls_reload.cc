#include "server/tls_reload.h"

#include <optional>
#include <utility>

#include "base/logging.h"
#include "io/pool.h"

namespace lakestream {

TlsReload::TlsReload(Env& env, Shard& shard, std::shared_ptr<TlsServer> tls, Duration interval)
    : env_(env), shard_(shard), tls_(std::move(tls)), interval_(interval) {
  look_later();
}

void TlsReload::look_later() {
  timer_ = env_.clock.start_timer(shard_, interval_, [this] {
    std::optional<Gate::Pass> pass = gate_.enter();
    if (pass) shard_.spawn(look(std::move(*pass)));
  });
}

Task<void> TlsReload::look(Gate::Pass) {
  auto reload = [tls = tls_] { return tls->reload(); };
  Result<bool> changed = co_await run_on_pool(env_.pool, shard_, std::move(reload));
  if (!changed) {
    LOG_WARN("server",
             "new files of TLS are not taken, the old ones stay",
             KV("reason", changed.error().message()));
  } else if (*changed) {
    LOG_INFO("server", "new files of TLS are taken");
  }
  if (!gate_.is_closed()) look_later();
}

Task<void> TlsReload::stop() {
  timer_.cancel();
  co_await gate_.closed();
}

}  // namespace lakestream
