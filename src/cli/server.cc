#include "server/server.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <CLI/CLI.hpp>
#include <pthread.h>

#include "base/failpoint.h"
#include "base/logging.h"
#include "base/secrets.h"
#include "base/server_config.h"
#include "base/server_options.h"
#include "cli/commands.h"
#include "cli/text_file.h"
#include "io/background.h"
#include "io/object_stores.h"
#include "io/real_env.h"
#include "server/remote_tiering.h"
#include "server/roles.h"

namespace lakestream::cli {
namespace {

struct Options {
  std::string data;
  std::string bind;
  std::string roles;
  std::string server;
  std::string config_file;
  std::vector<std::string> settings;
};

Result<TextMap> gather_settings(const Options& options) {
  TextMap texts;
  if (!options.config_file.empty()) {
    Result<std::string> content = read_text_file(options.config_file);
    if (!content) return fail(std::move(content).error().with_context("--config"));
    ASSIGN_OR_RETURN(texts, parse_config_file(*content));
  }
  for (const std::string& setting : options.settings) {
    size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      std::string_view shown = is_secret_option(setting) ? kHiddenValue : setting;
      return make_error(ErrorCode::kInvalidConfigException, "-o {} is not key=value", shown);
    }
    texts[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  if (!options.data.empty()) texts["data.dir"] = options.data;
  if (!options.bind.empty()) {
    ASSIGN_OR_RETURN(Address address, parse_address(options.bind));
    texts["bind.listeners"] = fmt::format("FLUSS://{}", to_string(address));
  }
  if (!options.roles.empty()) texts["lakestream.roles"] = options.roles;
  if (!options.server.empty()) texts["bootstrap.servers"] = options.server;
  return texts;
}

// What a reference in a value of the configuration stands for.
Result<std::string> look_up(std::string_view kind, std::string_view name) {
  std::string text(name);
  if (kind == "file") return read_secret_file(text);
  const char* value = std::getenv(text.c_str());
  if (value != nullptr && *value != 0) return std::string(value);
  return make_error(ErrorCode::kInvalidConfigException, "environment variable {} is not set", name);
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

// The loops of the process and what they stand on. Made when the signals are blocked.
struct Machine {
  Machine(const ConfigMap& options, size_t loops)
      : real(static_cast<size_t>(options.get(server_options::kLakestreamPoolThreads))),
        shards(real, loops) {}

  ObjectStoreRuntime object_stores;
  RealEnv real;
  ShardGroup shards;
};

// Says that it serves, waits for a signal, and stops it.
template <typename Running>
Status serve_until_stopped(Shard& shard,
                           Running& running,
                           const std::string& ready,
                           const sigset_t& signals) {
  std::printf("ready %s\n", ready.c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  LOG_INFO("server", "stopping", KV("signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"));
  return run_blocking(shard, running.stop());
}

Status run_tiering(ConfigMap options, TextMap texts) {
  sigset_t signals = block_stop_signals();
  Machine machine(options, 1);
  Shard& shard = machine.shards.shard(0);
  RemoteTieringSetup setup{std::move(options), std::move(texts)};
  auto tiering =
      run_blocking(shard, RemoteTiering::start(machine.real.env(), shard, std::move(setup)));
  Status result = ok();
  if (tiering) {
    std::string ready = fmt::format("tiering for {}", to_string((*tiering)->server()));
    result = serve_until_stopped(shard, **tiering, ready, signals);
  } else {
    result = fail(std::move(tiering).error());
  }
  machine.shards.stop();
  return result;
}

Status run_all(ConfigMap options, TextMap texts, TextMap references) {
  if (!texts.contains("data.dir")) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "no data directory; give --data DIR or data.dir in the configuration");
  }
  sigset_t signals = block_stop_signals();
  auto homes = static_cast<size_t>(options.get(server_options::kLakestreamShards));
  size_t cores = std::max(1U, std::thread::hardware_concurrency());
  if (homes == 0) homes = cores;
  Machine machine(options, homes + 2);
  // For the lake: an encoder a core, and one thread that waits for the store.
  BackgroundEnv background(machine.real.env(), cores + 1);
  ServerShards roles;
  for (size_t i = 0; i < homes; ++i) roles.homes.push_back(&machine.shards.shard(i));
  roles.control = &machine.shards.shard(homes);
  roles.background = &machine.shards.shard(homes + 1);
  roles.background->post([] { step_back(); });
  roles.background_env = &background.env();
  ServerSetup setup{std::move(options), std::move(texts)};
  setup.references = std::move(references);
  auto server =
      run_blocking(*roles.control, Server::start(machine.real.env(), roles, std::move(setup)));
  Status result = ok();
  if (server) {
    std::string ready = to_string((*server)->address());
    result = serve_until_stopped(*roles.control, **server, ready, signals);
  } else {
    result = fail(std::move(server).error());
  }
  machine.shards.stop();
  return result;
}

Status run_server(const Options& options) {
  ASSIGN_OR_RETURN(TextMap texts, gather_settings(options));
  ASSIGN_OR_RETURN(TextMap references, resolve_references(&texts, look_up));
  ASSIGN_OR_RETURN(ServerConfig config, parse_server_config(texts));
  set_log_level(log_level_of(config.options));
  for (const std::string& warning : config.warnings) LOG_WARN("server", warning);
  RETURN_IF_ERROR(
      arm_failpoints(config.options.find(server_options::kLakestreamFailpoints).value_or("")));
  ASSIGN_OR_RETURN(Roles roles, roles_of(config.options));
  if (roles == Roles::kOnlyTiering) return run_tiering(std::move(config.options), std::move(texts));
  if (config.options.is_set(server_options::kBootstrapServers)) {
    LOG_WARN("server", "option 'bootstrap.servers' has no effect on a server");
  }
  return run_all(std::move(config.options), std::move(texts), std::move(references));
}

}  // namespace

std::function<int()> declare_server(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--data", options->data, "data directory; made when absent")->type_name("DIR");
  app.add_option("--bind", options->bind, "address to listen on; port 0 picks a free one")
      ->type_name("HOST:PORT");
  app.add_option("--roles",
                 options->roles,
                 "what the process does, of coordinator,tablet,tiering; all by default")
      ->type_name("ROLE,...");
  app.add_option("--server", options->server, "the server that --roles tiering works for")
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
