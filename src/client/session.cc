#include "client/session.h"

#include <algorithm>

#include "client/metadata.h"

namespace lakestream::client {
namespace {

// Tables and partitions whose metadata is kept; a client that touches more forgets them all and
// asks again.
constexpr size_t kCachedPlacesMax = 10'000;

}  // namespace

Session::Session(Env& env, Shard& shard, std::vector<Address> bootstrap, ConnectionOptions options)
    : env_(env),
      shard_(shard),
      bootstrap_(std::move(bootstrap)),
      options_(std::move(options)),
      random_(env.random.fork()),
      transport_(env, shard, options_) {
  // The name does not matter when every server is the one of this process.
  if (bootstrap_.empty() && transport_.is_local()) bootstrap_.push_back(Address{"local", 0});
}

Task<Status> Session::start() {
  if (bootstrap_.empty()) {
    co_return make_error(ErrorCode::kInvalidConfigException, "no bootstrap server is given");
  }
  auto nodes = co_await refresh_nodes();
  if (!nodes) co_return fail(std::move(nodes).error());
  co_return ok();
}

Task<void> Session::close() {
  closed_ = true;
  closing_.wake_all();
  co_await transport_.close();
}

Task<void> Session::sleep(Duration delay) {
  if (closed_) co_return;
  co_await closing_.wait_for(&env_.clock, &shard_, delay);
}

std::optional<Address> Session::address_of(ServerId server) const {
  for (const ServerNode& node : nodes_.tablet_servers) {
    if (node.id == server) return node.address;
  }
  return std::nullopt;
}

Result<Address> Session::choose(Role role, int32_t attempt) const {
  if (role == Role::kCoordinator) {
    if (nodes_.coordinator) return nodes_.coordinator->address;
    return make_error(ErrorCode::kLeaderNotAvailableException,
                      "no coordinator is known at the moment; try again");
  }
  if (nodes_.tablet_servers.empty()) {
    return make_error(ErrorCode::kLeaderNotAvailableException,
                      "no tablet server is known at the moment; try again");
  }
  size_t index = (first_choice_ + static_cast<size_t>(attempt)) % nodes_.tablet_servers.size();
  return nodes_.tablet_servers[index].address;
}

Task<Status> Session::before_next(Attempts* attempts, Error error) {
  bool retriable =
      is_retriable(error.code()) || error.code() == ErrorCode::kNotCoordinatorLeaderException;
  if (!retriable || ++attempts->count >= options_.attempts_max || closed_) {
    co_return fail(std::move(error));
  }
  co_await sleep(attempts->backoff.next(random_));
  if (closed_) co_return fail(std::move(error));
  bool stale =
      refreshes_metadata(error.code()) || error.code() == ErrorCode::kNotCoordinatorLeaderException;
  if (stale) {
    // What it says does not matter here: the next attempt fails when nothing became better.
    (void)co_await fetch_metadata_once(wire::MetadataRequest());
  }
  co_return ok();
}

std::vector<Address> Session::candidates() {
  std::vector<Address> result;
  auto add = [&result](const Address& address) {
    if (std::find(result.begin(), result.end(), address) == result.end()) result.push_back(address);
  };
  const std::vector<ServerNode>& tablets = nodes_.tablet_servers;
  first_choice_ = tablets.empty() ? 0 : random_.below(tablets.size());
  for (size_t i = 0; i < tablets.size(); ++i) {
    add(tablets[(first_choice_ + i) % tablets.size()].address);
  }
  if (nodes_.coordinator) add(nodes_.coordinator->address);
  for (const Address& address : bootstrap_) add(address);
  return result;
}

// Asks one server after the other until one answers.
Task<Result<wire::MetadataResponse>> Session::fetch_metadata_once(wire::MetadataRequest request) {
  std::optional<Error> last;
  for (const Address& server : candidates()) {
    auto answer = co_await transport_.call<wire::ApiKey::kGetMetadata>(
        server, request, options_.request_timeout);
    if (!answer) {
      last = std::move(answer).error();
      if (!is_retriable(last->code()) || closed_) break;
      continue;
    }
    auto nodes = nodes_of(*answer);
    if (!nodes) co_return fail(std::move(nodes).error());
    if (nodes->tablet_servers.empty()) {
      last = Error(ErrorCode::kLeaderNotAvailableException,
                   fmt::format("{} knows no tablet server that is alive", to_string(server)));
      continue;
    }
    nodes_ = *std::move(nodes);
    co_return answer;
  }
  CHECK(last.has_value(), "there is a bootstrap server");
  co_return fail(*std::move(last));
}

Task<Result<wire::MetadataResponse>> Session::fetch_metadata(wire::MetadataRequest request) {
  Backoff backoff(options_.backoff_min, options_.backoff_max);
  for (int32_t attempt = 1;; ++attempt) {
    auto answer = co_await fetch_metadata_once(request);
    if (answer) co_return answer;
    if (!is_retriable(answer.error().code()) || attempt >= options_.attempts_max || closed_) {
      co_return answer;
    }
    co_await sleep(backoff.next(random_));
  }
}

Task<Result<ClusterNodes>> Session::refresh_nodes() {
  auto answer = co_await fetch_metadata(wire::MetadataRequest());
  if (!answer) co_return fail(std::move(answer).error());
  co_return nodes_;
}

Task<Result<std::shared_ptr<const TableMetadata>>> Session::table(TablePath path) {
  return place({std::move(path), std::nullopt});
}

Task<Result<std::shared_ptr<const TableMetadata>>> Session::refresh_table(TablePath path) {
  return refresh_place({std::move(path), std::nullopt});
}

Task<Result<std::shared_ptr<const TableMetadata>>> Session::place(PhysicalTablePath path) {
  auto found = places_.find(path);
  if (found != places_.end()) co_return found->second;
  co_return co_await refresh_place(std::move(path));
}

Task<Result<std::shared_ptr<const TableMetadata>>> Session::refresh_place(PhysicalTablePath path) {
  auto found = refreshes_.find(path);
  if (found != refreshes_.end()) {
    std::shared_ptr<Refresh> refresh = found->second;
    while (!refresh->result) co_await refresh->done.wait();
    co_return *refresh->result;
  }
  auto refresh = std::make_shared<Refresh>();
  refreshes_[path] = refresh;
  Result<std::shared_ptr<const TableMetadata>> table = co_await fetch_place(path);
  if (places_.size() >= kCachedPlacesMax) places_.clear();
  if (table) {
    places_[path] = *table;
  } else {
    places_.erase(path);
  }
  refresh->result = table;
  refreshes_.erase(path);
  refresh->done.wake_all();
  co_return table;
}

Task<Result<std::shared_ptr<const TableMetadata>>> Session::fetch_place(PhysicalTablePath path) {
  wire::MetadataRequest request;
  request.table_path.push_back(to_message(path.table));
  if (path.partition) {
    request.partitions_path.push_back({path.table.database, path.table.table, path.partition});
  }
  CO_ASSIGN_OR_RETURN(wire::MetadataResponse answer, co_await fetch_metadata(std::move(request)));
  for (const wire::PbTableMetadata& message : answer.table_metadata) {
    if (message.table_path != to_message(path.table)) continue;
    CO_ASSIGN_OR_RETURN(TableMetadata table, table_of(message));
    if (path.partition) {
      CO_ASSIGN_OR_RETURN(
          table, partition_of(std::move(table), *path.partition, answer.partition_metadata));
    }
    co_return std::make_shared<const TableMetadata>(std::move(table));
  }
  // So a server answers for a table that the client may not describe.
  co_return make_error(
      ErrorCode::kTableNotExist, "table {} does not exist or is not for this client", path.table);
}

}  // namespace lakestream::client
