#include "cli/statement_watch.h"

#include <cstdio>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "io/clock.h"

namespace lakestream::cli {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(50);
// What is over by then needs no line.
constexpr Duration kShowAfter = std::chrono::milliseconds(500);
constexpr int kBarWidth = 30;
constexpr std::string_view kEraseLine = "\r\033[K";

void write_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

struct StatementWatch::State {
  Clock* clock;
  query::Session* sql;
  const Interrupt* interrupt;
  Duration begin{0};
  bool shows = false;
  bool is_visible = false;
  bool is_over = false;

  void look() {
    // Each time, as one that comes before the statement has begun is lost.
    if (interrupt->requested()) sql->cancel();
    if (!shows || clock->monotonic() - begin < kShowAfter) return;
    std::optional<double> share = sql->progress();
    std::string bar;
    if (share) {
      int filled = static_cast<int>(*share * kBarWidth);
      bar = fmt::format(
          "  [{:=<{}}{: <{}}] {:3.0f} %", "", filled, "", kBarWidth - filled, *share * 100);
    }
    double seconds = std::chrono::duration<double>(clock->monotonic() - begin).count();
    write_error(fmt::format("{}{:.1f} s{}", kEraseLine, seconds, bar));
    is_visible = true;
  }

  void hide() {
    if (is_visible) write_error(kEraseLine);
    is_visible = shows = false;
  }
};

namespace {

using State = StatementWatch::State;

// Ends some time after the statement, which does not wait for it.
Task<void> watch(std::shared_ptr<State> state, Shard* shard) {
  while (!state->is_over) {
    state->look();
    co_await sleep_for(*state->clock, *shard, kLook);
  }
}

Task<bool> hide(std::shared_ptr<State> state) {
  state->hide();
  co_return true;
}

Task<bool> end(std::shared_ptr<State> state) {
  state->is_over = true;
  state->hide();
  co_return true;
}

}  // namespace

StatementWatch::StatementWatch(ClientSession& session,
                               query::Session& sql,
                               const Interrupt& interrupt)
    : session_(session), state_(std::make_shared<State>()) {
  state_->clock = &session.env().clock;
  state_->sql = &sql;
  state_->interrupt = &interrupt;
  state_->begin = state_->clock->monotonic();
  state_->shows = ::isatty(STDERR_FILENO) == 1;
  session.shard().spawn(watch(state_, &session.shard()));
}

StatementWatch::~StatementWatch() { session_.run(end(state_)); }

void StatementWatch::clear() { session_.run(hide(state_)); }

}  // namespace lakestream::cli
