#include "server/remote_tiering.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/server_config.h"
#include "base/server_options.h"
#include "client/admin.h"
#include "client/connection.h"
#include "io/object_stores.h"
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

// What servers say in place of a value that they keep to themselves.
constexpr std::string_view kHidden = "******";

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

// The options of this process, and those of the cluster's lake.
TextMap merged(TextMap texts, const std::vector<client::ConfigEntry>& of_cluster) {
  std::erase_if(texts, [](const auto& entry) { return is_of_cluster(entry.first); });
  for (const client::ConfigEntry& entry : of_cluster) {
    if (!is_of_lake(entry.key) || !entry.value || *entry.value == kHidden) continue;
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
  client::ConnectionOptions connection;
  auto opened = co_await client::Connection::open(env, shard, parts->servers, connection);
  if (!opened) {
    co_return make_error(opened.error().code(),
                         "no server answers at {} ({}); start one, or name another with "
                         "--server HOST:PORT",
                         fmt::join(setup.options.get(server_options::kBootstrapServers), ", "),
                         opened.error().message());
  }
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
