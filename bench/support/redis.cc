#include "support/redis.h"

#include <cstdlib>
#include <ctime>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr int kStartAttempts = 200;
constexpr timespec kPause{0, 20'000'000};
constexpr size_t kFillRounds = 5;  // random keys: nearly all of them are there afterwards

pid_t start_program(std::vector<std::string> words) {
  pid_t process = fork();
  if (process != 0) return process;
  int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDOUT_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// A port that nobody listened on a moment ago.
uint16_t free_port() {
  int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  uint16_t port = 0;
  if (bind(file, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    port = ntohs(address.sin_port);
  }
  close(file);
  return port;
}

bool answers(uint16_t port) {
  int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(port);
  bool done = connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(file);
  return done;
}

}  // namespace

Result<std::unique_ptr<Redis>> Redis::start() {
  uint16_t port = free_port();
  std::string text = fmt::format("{}", port);
  pid_t process = start_program(
      {"redis-server", "--port", text, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"});
  auto redis = std::make_unique<Redis>(process, text);
  for (int attempt = 0; attempt < kStartAttempts; ++attempt) {
    if (answers(port)) return redis;
    nanosleep(&kPause, nullptr);
  }
  return make_error(ErrorCode::kUnknownServerError,
                    "redis-server does not answer at port {}; see that it is installed",
                    port);
}

Redis::~Redis() {
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

double Redis::cpu_seconds() const { return cpu_seconds_of(process_); }

Result<double> Redis::run(const RedisLoad& load,
                          const char* command,
                          size_t calls,
                          size_t pipeline) {
  double begin = seconds_now();
  pid_t process = start_program({"redis-benchmark",
                                 "-h",
                                 "127.0.0.1",
                                 "-p",
                                 port_,
                                 "-t",
                                 command,
                                 "-n",
                                 fmt::format("{}", calls),
                                 "-r",
                                 fmt::format("{}", load.keys),
                                 "-d",
                                 fmt::format("{}", load.value_bytes),
                                 "-c",
                                 fmt::format("{}", load.clients),
                                 "-P",
                                 fmt::format("{}", pipeline),
                                 "-q"});
  int status = 0;
  waitpid(process, &status, 0);
  if (status == 0) return seconds_now() - begin;
  return make_error(ErrorCode::kUnknownServerError,
                    "redis-benchmark failed; see that it is installed");
}

Status Redis::fill(const RedisLoad& load) {
  constexpr size_t kPipeline = 64;
  auto seconds = run(load, "set", load.keys * kFillRounds, kPipeline);
  return seconds ? ok() : fail(std::move(seconds).error());
}

Result<double> Redis::get(const RedisLoad& load) {
  return run(load, "get", load.calls, load.pipeline);
}

}  // namespace lakestream::bench
