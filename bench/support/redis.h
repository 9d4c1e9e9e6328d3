#pragma once

#include <memory>
#include <string>

#include <sys/types.h>

#include "base/result.h"

// The peer of lookups: a redis-server without persistence as a child process, and what
// redis-benchmark measures of it. Both have to be installed.
//
// Thread rule: the main thread.
//
//   ASSIGN_OR_RETURN(auto redis, Redis::start());
//   RETURN_IF_ERROR(redis->fill(load));
//   ASSIGN_OR_RETURN(double seconds, redis->get(load));
namespace lakestream::bench {

struct RedisLoad {
  size_t keys = 0;
  size_t value_bytes = 100;
  size_t clients = 8;
  size_t pipeline = 1;
  size_t calls = 0;
};

class Redis {
 public:
  // Errors: kUnknownServerError when it does not start.
  static Result<std::unique_ptr<Redis>> start();
  Redis(pid_t process, std::string port) : process_(process), port_(std::move(port)) {}
  ~Redis();
  Redis(const Redis&) = delete;
  Redis& operator=(const Redis&) = delete;

  Status fill(const RedisLoad& load);
  // Seconds of random GETs.
  Result<double> get(const RedisLoad& load);
  double cpu_seconds() const;

 private:
  Result<double> run(const RedisLoad& load, const char* command, size_t calls, size_t pipeline);

  pid_t process_;
  std::string port_;
};

}  // namespace lakestream::bench
