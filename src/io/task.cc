#include "io/task.h"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lakestream {

Task<void> Waiter::wait() {
  CHECK(!resume_, "one waiter at a time");
  if (std::exchange(woken_, false)) co_return;
  using Token = const boost::asio::use_awaitable_t<Executor>;
  constexpr Token token;
  auto keep = [this](auto handler) {
    resume_ = [handler = std::move(handler)]() mutable {
      Executor executor = boost::asio::get_associated_executor(handler);
      boost::asio::post(executor, std::move(handler));
    };
  };
  co_await boost::asio::async_initiate<Token, void()>(keep, token);
}

void Waiter::wake() {
  if (resume_) {
    UniqueFunction<void()> resume = std::exchange(resume_, {});
    resume();
  } else {
    woken_ = true;
  }
}

Task<void> Gate::closed() {
  closed_ = true;
  if (inside_ > 0) co_await drained_.wait();
}

}  // namespace lakestream
