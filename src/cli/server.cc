#include "server/server.h"

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include <CLI/CLI.hpp>
#include <pthread.h>

#include "base/logging.h"
#include "base/server_config.h"
#include "base/server_options.h"
#include "cli/commands.h"
#include "io/object_stores.h"
#include "io/real_env.h"

namespace lakestream::cli {
namespace {

struct Options {
  std::string data;
  std::string bind;
  std::string config_file;
  std::vector<std::string> settings;
};

Result<TextMap> gather_settings(const Options& options) {
  TextMap texts;
  if (!options.config_file.empty()) {
    std::ifstream file(options.config_file);
    if (!file) {
      return make_error(ErrorCode::kInvalidConfigException,
                        "--config {} cannot be read; give a file of lines \"key: value\"",
                        options.config_file);
    }
    std::stringstream content;
    content << file.rdbuf();
    ASSIGN_OR_RETURN(texts, parse_config_file(content.str()));
  }
  for (const std::string& setting : options.settings) {
    size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return make_error(ErrorCode::kInvalidConfigException, "-o {} is not key=value", setting);
    }
    texts[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  if (!options.data.empty()) texts["data.dir"] = options.data;
  if (!options.bind.empty()) {
    ASSIGN_OR_RETURN(Address address, parse_address(options.bind));
    texts["bind.listeners"] = fmt::format("FLUSS://{}", to_string(address));
  }
  if (!texts.contains("data.dir")) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "no data directory; give --data DIR or data.dir in the configuration");
  }
  return texts;
}

// Blocked in every thread, so that sigwait gets them.
sigset_t block_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

LogLevel log_level(LogLevelChoice choice) {
  switch (choice) {
    case LogLevelChoice::kDebug:
      return LogLevel::kDebug;
    case LogLevelChoice::kInfo:
      return LogLevel::kInfo;
    case LogLevelChoice::kWarn:
      return LogLevel::kWarn;
    case LogLevelChoice::kError:
      return LogLevel::kError;
  }
  return LogLevel::kInfo;
}

Status run_server(const Options& options) {
  ASSIGN_OR_RETURN(TextMap texts, gather_settings(options));
  ASSIGN_OR_RETURN(ServerConfig config, parse_server_config(texts));
  set_log_level(log_level(config.options.get(server_options::kLakestreamLogLevel)));
  for (const std::string& warning : config.warnings) LOG_WARN("server", warning);
  sigset_t signals = block_stop_signals();

  auto homes = static_cast<size_t>(config.options.get(server_options::kLakestreamShards));
  if (homes == 0) homes = std::max(1U, std::thread::hardware_concurrency());
  ObjectStoreRuntime object_stores;
  RealEnv real(static_cast<size_t>(config.options.get(server_options::kLakestreamPoolThreads)));
  ShardGroup shards(real, homes + 2);
  ServerShards roles;
  for (size_t i = 0; i < homes; ++i) roles.homes.push_back(&shards.shard(i));
  roles.control = &shards.shard(homes);
  roles.background = &shards.shard(homes + 1);

  ServerSetup setup{std::move(config.options), std::move(texts)};
  auto server = run_blocking(*roles.control, Server::start(real.env(), roles, std::move(setup)));
  Status result = ok();
  if (server) {
    std::printf("ready %s\n", to_string((*server)->address()).c_str());
    std::fflush(stdout);
    int signal = 0;
    sigwait(&signals, &signal);
    LOG_INFO("server", "stopping", KV("signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"));
    result = run_blocking(*roles.control, (*server)->stop());
  } else {
    result = fail(std::move(server).error());
  }
  shards.stop();
  return result;
}

}  // namespace

std::function<int()> declare_server(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--data", options->data, "data directory; made when absent")->type_name("DIR");
  app.add_option("--bind", options->bind, "address to listen on; port 0 picks a free one")
      ->type_name("HOST:PORT");
  app.add_option("--config", options->config_file, "file of lines \"key: value\"")
      ->type_name("FILE");
  app.add_option("-o", options->settings, "a setting, over the file; see docs/config.md")
      ->type_name("KEY=VALUE");
  return [options] {
    Status result = run_server(*options);
    if (result) return kSuccess;
    std::fprintf(stderr, "lakestream server: %s\n", result.error().message().c_str());
    return kRefused;
  };
}

}  // namespace lakestream::cli
