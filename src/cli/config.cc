#include "base/config.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/server_options.h"
#include "cli/commands.h"
#include "cli/option_rules.h"
#include "cli/output.h"
#include "cli/session.h"
#include "client/admin.h"
#include "client/cluster_admin.h"
#include "table/options.h"
#include "table/table_options.h"

namespace lakestream::cli {
namespace {

using Connected = std::shared_ptr<client::Connection>;
using Json = nlohmann::ordered_json;

struct Options {
  ServerAccess server;
  OutputFormat format = OutputFormat::kTable;
  bool explain = false;
  std::string key;
};

struct Kind {
  std::string_view name;
  std::string_view place;  // where it is set
  OptionTable options = {};
};

std::vector<Kind> kinds() {
  return {
      {"server", "in the file of `server --config`, or with -o KEY=VALUE", server_option_table()},
      {"table", "in WITH ('KEY' = 'VALUE') of CREATE TABLE", table_option_table()}};
}

std::string limits_of(const OptionInfo& option) {
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, ", "));
  if (!option.min && !option.max) return "";
  auto text = [&option](double limit) {
    auto whole = static_cast<int64_t>(limit);
    if (option.type == OptionType::kDuration) {
      return format_duration(std::chrono::milliseconds(whole));
    }
    if (option.type == OptionType::kSize) return format_memory_size(whole);
    return fmt::format("{}", limit);
  };
  if (!option.max) return fmt::format("{} or more", text(*option.min));
  if (!option.min) return fmt::format("{} or less", text(*option.max));
  return fmt::format("{} to {}", text(*option.min), text(*option.max));
}

Json json_of(const Kind& kind, const OptionInfo& option) {
  return {{"key", option.key},
          {"of", kind.name},
          {"type", option_type_name(option.type)},
          {"default", option.has_default ? Json(option.default_text) : Json()},
          {"limits", limits_of(option)},
          {"alterable", option.alterable},
          {"stability", option.stability},
          {"module", option.module},
          {"meaning", option.meaning}};
}

std::string_view how_to_change(const Kind& kind, const OptionInfo& option) {
  if (!option.alterable) return "not afterwards";
  bool is_server = kind.options.data() == server_option_table().data();
  return is_server ? "at any time, with `lakestream config set`" : "at any time, with ALTER TABLE";
}

void print_option(const Kind& kind, const OptionInfo& option) {
  print_line(fmt::format("{}\n  {}", option.key, option.meaning));
  auto line = [](std::string_view name, std::string_view value) {
    if (!value.empty()) print_line(fmt::format("  {:<10}{}", name, value));
  };
  line("type", option_type_name(option.type));
  line("default", option.has_default ? option.default_text : "none");
  line("limits", limits_of(option));
  line("set it", kind.place);
  line("change it", how_to_change(kind, option));
  line("stability", option.stability);
}

int explain_all(OutputFormat format) {
  if (format == OutputFormat::kJson) {
    Json document = Json::array();
    for (const Kind& kind : kinds()) {
      for (const OptionInfo& option : kind.options) document.push_back(json_of(kind, option));
    }
    print_json(document);
    return kSuccess;
  }
  for (const Kind& kind : kinds()) {
    print_line(fmt::format("Options of a {}, set {}:\n", kind.name, kind.place));
    TextTable table({"key", "default", "meaning"});
    for (const OptionInfo& option : kind.options) {
      table.add({std::string(option.key),
                 option.has_default ? std::string(option.default_text) : "",
                 std::string(option.meaning)});
    }
    table.print();
    print_line("");
  }
  print_line("`lakestream config --explain KEY` tells more of one.");
  return kSuccess;
}

int explain_one(const std::string& key, OutputFormat format) {
  for (const Kind& kind : kinds()) {
    const OptionInfo* option = find_option(kind.options, key);
    if (option == nullptr) continue;
    if (format == OutputFormat::kJson) {
      print_json(json_of(kind, *option));
    } else {
      print_option(kind, *option);
    }
    return kSuccess;
  }
  std::string_view nearest =
      nearest_option(is_table_property(key) ? table_option_table() : server_option_table(), key);
  return refuse("config",
                Error(ErrorCode::kInvalidConfigException,
                      fmt::format("option '{}' is unknown, did you mean '{}'; `lakestream config "
                                  "--explain` lists all",
                                  key,
                                  nearest)),
                format);
}

Task<Status> show_cluster(Connected connection, OutputFormat format) {
  client::Admin admin(std::move(connection));
  CO_ASSIGN_OR_RETURN(auto entries, co_await admin.describe_configs());
  Json document = Json::array();
  TextTable table({"key", "value", "source"});
  for (const client::ConfigEntry& entry : entries) {
    document.push_back({{"key", entry.key},
                        {"value", entry.value ? Json(*entry.value) : Json()},
                        {"source", entry.source}});
    table.add({entry.key, entry.value.value_or(""), entry.source});
  }
  if (format == OutputFormat::kJson) {
    print_json(document);
  } else {
    table.print();
  }
  co_return ok();
}

// What `config set` and `config unset` are given.
struct Change {
  ServerAccess server;
  OutputFormat format = OutputFormat::kTable;
  std::vector<std::string> items;
};

Task<Status> alter(Connected connection, std::vector<ConfigChange> changes, OutputFormat format) {
  client::ClusterAdmin admin(std::move(connection));
  std::vector<std::string> keys;
  for (const ConfigChange& change : changes) keys.push_back(change.key);
  CO_RETURN_IF_ERROR(co_await admin.alter_configs(std::move(changes)));
  if (format == OutputFormat::kJson) {
    print_json({{"changed", keys}});
  } else {
    print_line(fmt::format("changed {}", fmt::join(keys, ", ")));
  }
  co_return ok();
}

int run_change(const std::string& command,
               const Change& change,
               std::vector<ConfigChange> changes) {
  return run_with_session(
      command, change.server, change.format, [&change, &changes](Connected connection) {
        return alter(std::move(connection), std::move(changes), change.format);
      });
}

std::shared_ptr<Change> declare_change(CLI::App& app,
                                       const std::string& name,
                                       const std::string& meaning) {
  auto change = std::make_shared<Change>();
  app.add_option(name, change->items, meaning)->required()->type_name("");
  add_server_options(app, &change->server);
  add_format_option(app, &change->format);
  return change;
}

std::function<int()> declare_set(CLI::App& app) {
  auto change = declare_change(app, "KEY=VALUE", "options and their values");
  app.footer(
      "All of them or none. They hold on all servers, at once and after a restart, and go "
      "before what the servers were started with.");
  return [change] {
    std::vector<ConfigChange> changes;
    for (const std::string& item : change->items) {
      size_t equals = item.find('=');
      if (equals == std::string::npos || equals == 0) {
        return misuse("config set", fmt::format("'{}' is not KEY=VALUE", item));
      }
      changes.push_back({item.substr(0, equals), item.substr(equals + 1)});
    }
    return run_change("config set", *change, std::move(changes));
  };
}

std::function<int()> declare_unset(CLI::App& app) {
  auto change = declare_change(app, "KEY", "options that were set while the servers ran");
  app.footer("What the servers were started with counts again.");
  return [change] {
    std::vector<ConfigChange> changes;
    for (const std::string& key : change->items) {
      changes.push_back({key, std::nullopt, ConfigChange::Op::kDelete});
    }
    return run_change("config unset", *change, std::move(changes));
  };
}

constexpr Command kConfigCommands[] = {
    {"set", "set options of the running servers", declare_set},
    {"unset", "take back options that were set", declare_unset},
};

int config(const Options& options) {
  if (options.explain) {
    return options.key.empty() ? explain_all(options.format)
                               : explain_one(options.key, options.format);
  }
  if (!options.key.empty()) {
    return misuse(
        "config",
        fmt::format("'{}' alone says nothing; give --explain {}", options.key, options.key));
  }
  return run_with_session(
      "config", options.server, options.format, [&options](Connected connection) {
        return show_cluster(std::move(connection), options.format);
      });
}

}  // namespace

std::function<int()> declare_config(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_flag("--explain", options->explain, "explain all options, or the one of KEY");
  app.add_option("KEY", options->key, "the option to explain")->type_name("");
  add_server_options(app, &options->server);
  add_format_option(app, &options->format);
  app.footer("Without --explain and a command it shows how the running server is configured.");
  std::function<int()> change = declare_commands(app, kConfigCommands);
  app.require_subcommand(0, 1);
  return [&app, options, change] {
    return app.get_subcommands().empty() ? config(*options) : change();
  };
}

}  // namespace lakestream::cli
