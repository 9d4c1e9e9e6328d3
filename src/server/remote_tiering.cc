#include "server/remote_tiering.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/secrets.h"
#include "base/server_config.h"
#include "base/server_options.h"
#include "client/admin.h"
#include "client/connection.h"
#include "io/object_stores.h"
#include "io/tls.h"
#include "lake/lake.h"
#include "server/lake_options.h"
#include "server/remote_root.h"
#include "tiering/tiering.h"

namespace lakestream {

struct RemoteTiering::Parts {
  std::vector<Address> servers;
  std::shared_ptr<client::Connection> connection;
  std::unique_ptr<ObjectStore> own_objects;
  std::unique_ptr<LakeFormat> lake;
  std::unique_ptr<TieringWorker> worker;
};

namespace {

// How to reach a store that the servers use, too.
constexpr std::string_view kStoreKeys[] = {"s3.endpoint", "s3.region", "s3.path-style-access"};

bool is_of_lake(std::string_view key) {
  return key.starts_with("datalake.") ||
         std::find(std::begin(kStoreKeys), std::end(kStoreKeys), key) != std::end(kStoreKeys);
}

// Which format the cluster has it alone decides.
bool is_of_cluster(std::string_view key) {
  return key == "datalake.format" || key == "datalake.enabled";
}

Result<std::vector<Address>> addresses_of(const ConfigMap& options) {
  std::vector<Address> addresses;
  for (const std::string& text : options.get(server_options::kBootstrapServers)) {
    ASSIGN_OR_RETURN(Address address, parse_address(text));
    addresses.push_back(std::move(address));
  }
  return addresses;
}

// How it gets into the cluster.
Result<client::ConnectionOptions> connection_options(const ConfigMap& options) {
  client::ConnectionOptions connection;
  if (auto user = options.find(server_options::kClientSecuritySaslUsername)) {
    std::string password = options.get(server_options::kClientSecuritySaslPassword);
    connection.login = client::UserLogin{*std::move(user), std::move(password)};
  }
  if (!options.get(server_options::kLakestreamClientTlsEnabled)) return connection;
  TlsClient::Options files;
  files.ca_file = options.find(server_options::kLakestreamClientTlsCaFile).value_or("");
  files.certificate_file =
      options.find(server_options::kLakestreamClientTlsCertificateFile).value_or("");
  files.key_file = options.find(server_options::kLakestreamClientTlsKeyFile).value_or("");
  ASSIGN_OR_RETURN(connection.tls, TlsClient::load(std::move(files)));
  return connection;
}

// Why there is no connection, and what to do.
Error why_no_connection(const ConfigMap& options, const Error& error) {
  if (error.code() == ErrorCode::kAuthenticateException) {
    return Error(error.code(),
                 fmt::format("{}; set client.security.sasl.username and "
                             "client.security.sasl.password",
                             error.message()));
  }
  return Error(error.code(),
               fmt::format("no server answers at {} ({}); start one, or name another with "
                           "--server HOST:PORT",
                           fmt::join(options.get(server_options::kBootstrapServers), ", "),
                           error.message()));
}

// The options of this process, and those of the cluster's lake.
TextMap merged(TextMap texts, const std::vector<client::ConfigEntry>& of_cluster) {
  std::erase_if(texts, [](const auto& entry) { return is_of_cluster(entry.first); });
  for (const client::ConfigEntry& entry : of_cluster) {
    bool is_told = entry.value && entry.value->find(kHiddenValue) == std::string::npos;
    if (!is_of_lake(entry.key) || !is_told) continue;
    texts.try_emplace(entry.key, *entry.value);
  }
  return texts;
}

Task<Result<std::unique_ptr<LakeFormat>>> open_lake(Env* env,
                                                    RemoteTiering::Parts* parts,
                                                    const RemoteTieringSetup* setup) {
  client::Admin admin(parts->connection);
  CO_ASSIGN_OR_RETURN(auto of_cluster, co_await admin.describe_configs());
  TextMap texts = merged(setup->texts, of_cluster);
  CO_ASSIGN_OR_RETURN(ServerConfig config, parse_server_config(texts));
  bool has_lake = lake_format(config.options).has_value();
  if (!has_lake || !config.options.find(server_options::kDatalakeEnabled).value_or(true)) {
    co_return make_error(ErrorCode::kInvalidConfigException,
                         "the cluster at {} has no lake; set datalake.format on its servers",
                         to_string(parts->servers.front()));
  }
  ObjectStore* objects = setup->objects;
  if (objects == nullptr) {
    parts->own_objects = make_object_stores(env->disk, object_store_options(config.options));
    objects = parts->own_objects.get();
  }
  co_return make_lake(lake_formats(config.options, texts), *env, *objects);
}

}  // namespace

Task<Result<std::unique_ptr<RemoteTiering>>> RemoteTiering::start(Env& env,
                                                                  Shard& shard,
                                                                  RemoteTieringSetup setup) {
  auto parts = std::make_unique<Parts>();
  CO_ASSIGN_OR_RETURN(parts->servers, addresses_of(setup.options));
  CO_ASSIGN_OR_RETURN(client::ConnectionOptions access, connection_options(setup.options));
  auto opened = co_await client::Connection::open(env, shard, parts->servers, std::move(access));
  if (!opened) co_return fail(why_no_connection(setup.options, opened.error()));
  parts->connection = *std::move(opened);
  Result<std::unique_ptr<LakeFormat>> lake = co_await open_lake(&env, parts.get(), &setup);
  if (!lake) {
    (void)co_await parts->connection->close();
    co_return fail(std::move(lake).error());
  }
  parts->lake = *std::move(lake);
  parts->worker = std::make_unique<TieringWorker>(
      env, shard, parts->connection, *parts->lake, tiering_options(setup.options));
  parts->worker->start();
  co_return std::make_unique<RemoteTiering>(std::move(parts));
}

RemoteTiering::RemoteTiering(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RemoteTiering::~RemoteTiering() = default;
const Address& RemoteTiering::server() const { return parts_->servers.front(); }

Task<Status> RemoteTiering::stop() {
  (void)co_await parts_->worker->stop();
  co_return co_await parts_->connection->close();
}

}  // namespace lakestream
