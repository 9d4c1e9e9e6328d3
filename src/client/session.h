#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "client/connection.h"
#include "client/notice.h"
#include "client/transport.h"
#include "client/types.h"
#include "io/backoff.h"
#include "io/env.h"
#include "io/random.h"
#include "wire/messages.h"

// What the parts of the client share: the transport, what is known of the cluster, and calls that
// are repeated. Held by shared pointers, because tasks of an appender or a scanner may outlast it.
//
// Thread rule: shard-local.
//
//   auto answer = co_await session->ask<wire::ApiKey::kListDatabases>(Role::kTablet, request);
namespace lakestream::client {

// To whom a call goes: any tablet server, or the coordinator.
enum class Role : uint8_t { kTablet, kCoordinator };

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Env& env, Shard& shard, std::vector<Address> bootstrap, ConnectionOptions options);

  Env& env() { return env_; }
  Clock& clock() { return env_.clock; }
  Shard& shard() { return shard_; }
  Random& random() { return random_; }
  const ConnectionOptions& options() const { return options_; }
  Transport& transport() { return transport_; }

  Task<Status> start();
  Task<void> close();
  bool is_closed() const { return closed_; }
  // Ends early when the session is closed.
  Task<void> sleep(Duration delay);

  const ClusterNodes& nodes() const { return nodes_; }
  std::optional<Address> address_of(ServerId server) const;
  Task<Result<ClusterNodes>> refresh_nodes();
  Task<Result<std::shared_ptr<const TableMetadata>>> table(TablePath path);
  Task<Result<std::shared_ptr<const TableMetadata>>> refresh_table(TablePath path);
  // A table or a partition of it. Callers at the same time share one request. Errors: also
  // kPartitionNotExists.
  Task<Result<std::shared_ptr<const TableMetadata>>> place(PhysicalTablePath path);
  Task<Result<std::shared_ptr<const TableMetadata>>> refresh_place(PhysicalTablePath path);

  // Repeated after retriable errors, as the options say.
  template <wire::ApiKey key>
  Task<Result<typename wire::ApiTraits<key>::Response>> ask(
      Role role, typename wire::ApiTraits<key>::Request request) {
    Attempts attempts{0, Backoff(options_.backoff_min, options_.backoff_max)};
    for (;;) {
      std::optional<Error> error;
      Result<Address> server = choose(role, attempts.count);
      if (server) {
        auto answer = co_await transport_.call<key>(*server, request, options_.request_timeout);
        if (answer) co_return answer;
        error = std::move(answer).error();
      } else {
        error = std::move(server).error();
      }
      Status again = co_await before_next(&attempts, *std::move(error));
      if (!again) co_return fail(std::move(again).error());
    }
  }

  // Once. Errors: kNetworkException also when the server is not known.
  template <wire::ApiKey key>
  Task<Result<typename wire::ApiTraits<key>::Response>> ask_server(
      ServerId server, typename wire::ApiTraits<key>::Request request, Duration timeout) {
    std::optional<Address> address = address_of(server);
    if (!address) {
      co_return make_error(ErrorCode::kNetworkException, "server {} is not known", server);
    }
    co_return co_await transport_.call<key>(*std::move(address), std::move(request), timeout);
  }

 private:
  struct Attempts {
    int32_t count = 0;
    Backoff backoff;
  };
  struct Refresh {
    Notice done;
    std::optional<Result<std::shared_ptr<const TableMetadata>>> result;
  };

  Result<Address> choose(Role role, int32_t attempt) const;
  // The error itself when it is not worth another attempt.
  Task<Status> before_next(Attempts* attempts, Error error);
  std::vector<Address> candidates();
  Task<Result<wire::MetadataResponse>> fetch_metadata(wire::MetadataRequest request);
  Task<Result<wire::MetadataResponse>> fetch_metadata_once(wire::MetadataRequest request);
  Task<Result<std::shared_ptr<const TableMetadata>>> fetch_place(PhysicalTablePath path);

  Env& env_;
  Shard& shard_;
  std::vector<Address> bootstrap_;
  ConnectionOptions options_;
  Random random_;
  Transport transport_;
  bool closed_ = false;
  Notice closing_;
  ClusterNodes nodes_;
  size_t first_choice_ = 0;
  std::map<PhysicalTablePath, std::shared_ptr<const TableMetadata>> places_;
  std::map<PhysicalTablePath, std::shared_ptr<Refresh>> refreshes_;
};

}  // namespace lakestream::client
