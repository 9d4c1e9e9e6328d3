#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/option_rules.h"
#include "cli/output.h"

// The scripts are made of the tree of commands, as it was declared. What an option takes shows in
// its type: "a|b" are choices, FILE and DIR names of files.

namespace lakestream::cli {
namespace {

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

// "--format", and "-f" where there is one.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_type_size() != 0; }

bool takes_file(const CLI::Option& option) {
  std::string type = option.get_type_name();
  return type == "FILE" || type == "DIR";
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return {};
  return CLI::detail::split(type, '|');
}

bool takes_input_file(const CLI::App& app) { return app.get_option_no_throw("FILE") != nullptr; }

// Calls `visit` for the app and all below it, with their path: "lakestream table create".
void visit_all(const CLI::App& app,
               const std::string& path,
               const std::function<void(const CLI::App&, const std::string&)>& visit) {
  visit(app, path);
  for (const CLI::App* sub : subcommands_of(app)) {
    visit_all(*sub, path + " " + sub->get_name(), visit);
  }
}

// ---- bash

std::string bash_values(const CLI::App& root) {
  std::string cases;
  visit_all(root, root.get_name(), [&cases](const CLI::App& app, const std::string& path) {
    for (const CLI::Option* option : options_of(app)) {
      if (!takes_value(*option)) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : names_of(*option)) {
        patterns.push_back(fmt::format("\"{} {}\"", path, name));
      }
      std::vector<std::string> choices = choices_of(*option);
      std::string words = takes_file(*option)
                              ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                              : fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))",
                                            fmt::join(choices, " "));
      cases += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, " | "), words);
    }
  });
  return cases;
}

std::string bash_words(const CLI::App& root) {
  std::string cases;
  visit_all(root, root.get_name(), [&cases](const CLI::App& app, const std::string& path) {
    std::vector<std::string> words;
    for (const CLI::App* sub : subcommands_of(app)) words.push_back(sub->get_name());
    for (const CLI::Option* option : options_of(app)) {
      for (const std::string& name : names_of(*option)) words.push_back(name);
    }
    std::string files = takes_input_file(app) ? " $(compgen -f -- \"$word\")" : "";
    cases += fmt::format("    \"{}\") COMPREPLY=($(compgen -W \"{}\" -- \"$word\"){}) ;;\n",
                         path,
                         fmt::join(words, " "),
                         files);
  });
  return cases;
}

std::string bash_script(const CLI::App& root) {
  std::string paths;
  visit_all(root, root.get_name(), [&](const CLI::App& app, const std::string& path) {
    if (&app != &root) paths += fmt::format("{}\"{}\"", paths.empty() ? "" : " | ", path);
  });
  return fmt::format(
      "# Completion of lakestream for bash: source <(lakestream completion bash)\n"
      "_lakestream() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" before=\"${{COMP_WORDS[COMP_CWORD - 1]}}\"\n"
      "  local path=lakestream i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$path ${{COMP_WORDS[i]}}\" in\n"
      "      {}) path=\"$path ${{COMP_WORDS[i]}}\" ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$path $before\" in\n{}  esac\n"
      "  case \"$path\" in\n{}  esac\n"
      "}}\n"
      "complete -F _lakestream lakestream\n",
      paths,
      bash_values(root),
      bash_words(root));
}

// ---- zsh

// Text inside of a specification in single quotes.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_function(const std::string& path) {
  std::string name = "_" + path;
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

std::string zsh_value(const CLI::Option& option) {
  if (!takes_value(option)) return "";
  std::vector<std::string> choices = choices_of(option);
  if (!choices.empty()) return fmt::format(":value:({})", fmt::join(choices, " "));
  return takes_file(option) ? ":file:_files" : ":value:";
}

std::string zsh_body(const CLI::App& app, const std::string& path) {
  std::string specs;
  for (const CLI::Option* option : options_of(app)) {
    for (const std::string& name : names_of(*option)) {
      specs += fmt::format(
          " \\\n    '{}[{}]{}'", name, zsh_text(option->get_description()), zsh_value(*option));
    }
  }
  std::vector<const CLI::App*> subs = subcommands_of(app);
  if (subs.empty()) {
    std::string files = takes_input_file(app) ? " \\\n    '*:file:_files'" : "";
    return fmt::format("{}() {{\n  _arguments{}{}\n}}\n", zsh_function(path), specs, files);
  }
  std::string names;
  std::string cases;
  for (const CLI::App* sub : subs) {
    names += fmt::format(" {}\\:\"{}\"", sub->get_name(), zsh_text(sub->get_description()));
    cases +=
        fmt::format("    {}) {} ;;\n", sub->get_name(), zsh_function(path + " " + sub->get_name()));
  }
  return fmt::format(
      "{}() {{\n  local line state\n  _arguments -C{} \\\n    '1:command:(({}))' \\\n"
      "    '*::argument:->rest'\n  [[ $state == rest ]] && case $line[1] in\n{}  esac\n}}\n",
      zsh_function(path),
      specs,
      names.substr(1),
      cases);
}

std::string zsh_script(const CLI::App& root) {
  std::string script =
      "#compdef lakestream\n"
      "# Completion of lakestream for zsh: put it as _lakestream into a folder of $fpath\n";
  visit_all(root, root.get_name(), [&script](const CLI::App& app, const std::string& path) {
    script += zsh_body(app, path);
  });
  return script + "compdef _lakestream lakestream\n";
}

// ---- fish

std::string fish_text(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Whether the words so far lead to the command of the path, and to none below it.
std::string fish_condition(const CLI::App& app, const std::string& path) {
  std::vector<std::string> tests;
  std::vector<std::string> words = CLI::detail::split(path, ' ');
  for (size_t i = 1; i < words.size(); ++i) {
    tests.push_back("__fish_seen_subcommand_from " + words[i]);
  }
  std::vector<std::string> subs;
  for (const CLI::App* sub : subcommands_of(app)) subs.push_back(sub->get_name());
  if (!subs.empty()) {
    tests.push_back(fmt::format("not __fish_seen_subcommand_from {}", fmt::join(subs, " ")));
  }
  return fmt::format("{}", fmt::join(tests, "; and "));
}

std::string fish_option(const CLI::Option& option, const std::string& condition) {
  std::string line = fmt::format("complete -c lakestream -n '{}'", condition);
  for (const std::string& name : option.get_snames()) line += " -s " + name;
  for (const std::string& name : option.get_lnames()) line += " -l " + name;
  if (takes_value(option)) line += " -r";
  std::vector<std::string> choices = choices_of(option);
  if (!choices.empty()) line += fmt::format(" -a '{}'", fmt::join(choices, " "));
  if (takes_file(option)) line += " -F";
  return line + fmt::format(" -d '{}'\n", fish_text(option.get_description()));
}

std::string fish_script(const CLI::App& root) {
  std::string script =
      "# Completion of lakestream for fish: lakestream completion fish | source\n"
      "complete -c lakestream -f\n";
  visit_all(root, root.get_name(), [&script](const CLI::App& app, const std::string& path) {
    std::string condition = fish_condition(app, path);
    for (const CLI::App* sub : subcommands_of(app)) {
      script += fmt::format("complete -c lakestream -n '{}' -a {} -d '{}'\n",
                            condition,
                            sub->get_name(),
                            fish_text(sub->get_description()));
    }
    for (const CLI::Option* option : options_of(app)) script += fish_option(*option, condition);
    if (takes_input_file(app)) {
      script += fmt::format("complete -c lakestream -n '{}' -F\n", condition);
    }
  });
  return script;
}

}  // namespace

std::function<int()> declare_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")
      ->type_name("")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  const CLI::App* root = app.get_parent();
  app.footer("  source <(lakestream completion bash)");
  return [shell, root] {
    std::string script = *shell == "bash"  ? bash_script(*root)
                         : *shell == "zsh" ? zsh_script(*root)
                                           : fish_script(*root);
    script.pop_back();
    print_line(script);
    return kSuccess;
  };
}

}  // namespace lakestream::cli
