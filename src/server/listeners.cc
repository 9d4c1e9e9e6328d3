#include "server/listeners.h"

#include <algorithm>
#include <optional>

#include <unistd.h>

#include "base/letter_case.h"
#include "base/server_config.h"
#include "base/server_options.h"
#include "security/sasl.h"

namespace lakestream {
namespace {

constexpr auto kCode = ErrorCode::kInvalidConfigException;

struct NamedAddress {
  std::string name;
  Address address;
};

Result<NamedAddress> parse_listener(std::string_view text) {
  size_t separator = text.find("://");
  if (separator == std::string_view::npos || separator == 0) {
    return make_error(
        kCode,
        "listener \"{}\" is not NAME://HOST:PORT; write for example FLUSS://127.0.0.1:9123",
        text);
  }
  ASSIGN_OR_RETURN(Address address, parse_address(text.substr(separator + 3)));
  return NamedAddress{std::string(text.substr(0, separator)), std::move(address)};
}

Result<std::vector<NamedAddress>> parse_listeners(std::string_view key,
                                                  const std::vector<std::string>& texts) {
  std::vector<NamedAddress> listeners;
  for (const std::string& text : texts) {
    auto parsed = parse_listener(text);
    if (!parsed) return fail(std::move(parsed).error().with_context(key));
    for (const NamedAddress& before : listeners) {
      if (before.name != parsed->name) continue;
      return make_error(
          kCode, "{} names {} twice; give each listener its own name", key, before.name);
    }
    listeners.push_back(std::move(*parsed));
  }
  return listeners;
}

ListenerSetup* find(std::vector<ListenerSetup>& setups, std::string_view name) {
  auto is_it = [name](const ListenerSetup& setup) { return setup.rules.name == name; };
  auto found = std::find_if(setups.begin(), setups.end(), is_it);
  return found == setups.end() ? nullptr : &*found;
}

tl::unexpected<Error> unknown_listener(std::string_view key, std::string_view name) {
  return make_error(kCode, "{} names {}, which bind.listeners does not have", key, name);
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 && name[0] != 0 ? name : "localhost";
}

Status set_advertised(const ConfigMap& options, std::vector<ListenerSetup>& setups) {
  for (ListenerSetup& setup : setups) {
    setup.advertised = setup.bind;
    // Nobody can connect to the wildcard from elsewhere.
    bool is_wildcard = setup.bind.host == "0.0.0.0" || setup.bind.host == "::";
    if (is_wildcard) setup.advertised.host = host_name();
  }
  constexpr std::string_view kKey = "advertised.listeners";
  auto texts = options.find(server_options::kAdvertisedListeners);
  ASSIGN_OR_RETURN(auto told, parse_listeners(kKey, texts.value_or(std::vector<std::string>())));
  for (NamedAddress& listener : told) {
    ListenerSetup* setup = find(setups, listener.name);
    if (setup == nullptr) return unknown_listener(kKey, listener.name);
    setup->advertised = std::move(listener.address);
  }
  return ok();
}

Status set_internal(const ConfigMap& options, std::vector<ListenerSetup>& setups) {
  std::string name = options.get(server_options::kInternalListenerName);
  ListenerSetup* internal = find(setups, name);
  if (internal == nullptr && options.is_set(server_options::kInternalListenerName)) {
    return unknown_listener("internal.listener.name", name);
  }
  // Where there is one listener, everybody comes over it.
  if (internal != nullptr && setups.size() > 1) internal->rules.is_internal = true;
  return ok();
}

Result<std::vector<std::string>> enabled_mechanisms(const ConfigMap& options) {
  std::vector<std::string> mechanisms;
  std::vector<std::string_view> known = security::sasl_mechanisms();
  for (const std::string& name : options.get(server_options::kSecuritySaslEnabledMechanisms)) {
    std::string mechanism = upper(name);
    if (std::find(known.begin(), known.end(), mechanism) == known.end()) {
      return make_error(kCode,
                        "option 'security.sasl.enabled.mechanisms': '{}' is not known; use some of "
                        "{}",
                        name,
                        fmt::join(known, ", "));
    }
    mechanisms.push_back(std::move(mechanism));
  }
  return mechanisms;
}

Result<std::shared_ptr<const rpc::LoginRules>> login_rules(const ConfigMap& options,
                                                           const TextMap& texts,
                                                           std::string_view listener) {
  auto rules = std::make_shared<rpc::LoginRules>();
  ASSIGN_OR_RETURN(rules->mechanisms, enabled_mechanisms(options));
  auto users = std::make_shared<security::Credentials>();
  std::string key = "security.sasl.plain.jaas.config";
  std::optional<std::string> jaas = options.find(server_options::kSecuritySaslPlainJaasConfig);
  for (const auto& [name, text] : texts) {
    if (jaas_listener_of(name) != lower(listener)) continue;
    key = name;
    jaas = text;
  }
  if (jaas) {
    Status added = users->add_jaas(*jaas);
    if (!added) {
      return fail(std::move(added).error().with_context(fmt::format("option '{}'", key)));
    }
  }
  if (auto more = options.find(server_options::kSecuritySaslPlainCredentials)) {
    Status added = users->add(*more);
    if (!added) {
      return fail(
          std::move(added).error().with_context("option 'security.sasl.plain.credentials'"));
    }
  }
  if (users->empty() || rules->mechanisms.empty()) {
    return make_error(kCode,
                      "listener {} asks for a login and nobody could log in; set "
                      "security.sasl.plain.credentials, NAME:PASSWORD",
                      listener);
  }
  rules->users = std::move(users);
  return rules;
}

Status set_logins(const ConfigMap& options,
                  const TextMap& texts,
                  std::vector<ListenerSetup>& setups) {
  constexpr std::string_view kKey = "security.protocol.map";
  TextMap protocols = options.find(server_options::kSecurityProtocolMap).value_or(TextMap());
  for (const auto& [name, protocol] : protocols) {
    ListenerSetup* setup = find(setups, name);
    if (setup == nullptr) return unknown_listener(kKey, name);
    std::string kind = upper(protocol);
    if (kind == "SASL") {
      ASSIGN_OR_RETURN(setup->rules.login, login_rules(options, texts, name));
    } else if (kind != "PLAINTEXT") {
      return make_error(kCode,
                        "option '{}': '{}' of {} is not known; it is PLAINTEXT or SASL",
                        kKey,
                        protocol,
                        name);
    }
  }
  for (const auto& [key, text] : texts) {
    std::string_view name = jaas_listener_of(key);
    auto is_it = [name](const ListenerSetup& setup) {
      return setup.rules.login != nullptr && lower(setup.rules.name) == name;
    };
    if (name.empty() || std::any_of(setups.begin(), setups.end(), is_it)) continue;
    return make_error(kCode, "option '{}' is for no listener that asks for a login", key);
  }
  return ok();
}

Result<std::shared_ptr<TlsServer>> set_tls(const ConfigMap& options,
                                           std::vector<ListenerSetup>& setups) {
  constexpr std::string_view kKey = "lakestream.tls.listeners";
  auto names = options.find(server_options::kLakestreamTlsListeners);
  if (!names || names->empty()) return nullptr;
  auto certificate = options.find(server_options::kLakestreamTlsCertificateFile);
  auto key = options.find(server_options::kLakestreamTlsKeyFile);
  auto clients = options.find(server_options::kLakestreamTlsClientCaFile);
  bool requires_client = options.get(server_options::kLakestreamTlsRequireClientCertificate);
  if (!certificate || !key) {
    return make_error(kCode,
                      "option '{}' needs 'lakestream.tls.certificate-file' and "
                      "'lakestream.tls.key-file'; set both",
                      kKey);
  }
  if (requires_client && !clients) {
    return make_error(kCode,
                      "option 'lakestream.tls.require-client-certificate' needs "
                      "'lakestream.tls.client-ca-file', which says whose certificates are good");
  }
  ASSIGN_OR_RETURN(std::shared_ptr<TlsServer> tls,
                   TlsServer::load({*certificate, *key, clients.value_or(""), requires_client}));
  for (const std::string& name : *names) {
    ListenerSetup* setup = find(setups, name);
    if (setup == nullptr) return unknown_listener(kKey, name);
    setup->rules.tls = tls;
  }
  return tls;
}

// With the addresses to bind, and nothing else.
Result<std::vector<ListenerSetup>> bound_listeners(const ConfigMap& options) {
  constexpr std::string_view kKey = "bind.listeners";
  ASSIGN_OR_RETURN(auto binds, parse_listeners(kKey, options.get(server_options::kBindListeners)));
  if (binds.empty()) return make_error(kCode, "{} names no listener; give one", kKey);
  std::vector<ListenerSetup> setups;
  for (NamedAddress& bind : binds) {
    ListenerSetup& setup = setups.emplace_back();
    setup.rules.name = std::move(bind.name);
    setup.bind = std::move(bind.address);
  }
  return setups;
}

}  // namespace

Result<ListenerUsers> listener_users(const ConfigMap& options, const TextMap& texts) {
  ASSIGN_OR_RETURN(std::vector<ListenerSetup> setups, bound_listeners(options));
  RETURN_IF_ERROR(set_logins(options, texts, setups));
  ListenerUsers users;
  for (const ListenerSetup& setup : setups) {
    if (setup.rules.login) users[setup.rules.name] = setup.rules.login->users;
  }
  return users;
}

Result<ListenerSetups> listener_setups(const ConfigMap& options, const TextMap& texts) {
  ListenerSetups all;
  ASSIGN_OR_RETURN(all.listeners, bound_listeners(options));
  RETURN_IF_ERROR(set_advertised(options, all.listeners));
  RETURN_IF_ERROR(set_internal(options, all.listeners));
  RETURN_IF_ERROR(set_logins(options, texts, all.listeners));
  ASSIGN_OR_RETURN(all.tls, set_tls(options, all.listeners));
  return all;
}

}  // namespace lakestream
