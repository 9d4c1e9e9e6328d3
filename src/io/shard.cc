#include "io/shard.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include "base/check.h"

namespace lakestream {
namespace {

void end_process_on(std::exception_ptr escaped) {
  if (!escaped) return;
  try {
    std::rethrow_exception(escaped);
  } catch (const std::exception& e) {
    check_failed("no exception leaves a task", e.what(), __FILE__, __LINE__);
  } catch (...) {
    check_failed("no exception leaves a task", "unknown", __FILE__, __LINE__);
  }
}

}  // namespace

void Shard::post(UniqueFunction<void()> job) {
  boost::asio::post(context_, [job = std::move(job)]() mutable { job(); });
}

void Shard::spawn(Task<void> task) {
  // co_spawn alone would run the task up to its first wait inside of this call.
  boost::asio::post(context_, [this, task = std::move(task)]() mutable {
    boost::asio::co_spawn(context_.get_executor(), std::move(task), end_process_on);
  });
}

bool Shard::is_current() const { return context_.get_executor().running_in_this_thread(); }

}  // namespace lakestream
