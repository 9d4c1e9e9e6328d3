#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/logging.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/live.h"
#include "io/network.h"
#include "rpc/api_table.h"
#include "rpc/frame_reader.h"
#include "rpc/frame_writer.h"
#include "rpc/server.h"
#include "security/login_limiter.h"
#include "security/sasl.h"
#include "wire/frame.h"

// One client of the server. Requests start in the order of their arrival; an answer is sent when it
// is ready, whatever the order.
//
// Thread rule: shard-local. Lives until run() has ended.
namespace lakestream::rpc {

// What the connections of a shard share.
struct ConnectionContext {
  Env& env;
  Shard& shard;
  const ApiTable& apis;
  const ServerOptions& options;
  HeldBytes& held;                 // of all connections
  security::LoginLimiter& logins;  // of all shards
  LogLimiter warnings;             // that peers can cause
};

// Who may log in to a listener.
using Users = Live<security::Credentials>;

class ServerConnection {
 public:
  // What it refers to outlives it. `users` is null where everybody may come in.
  ServerConnection(ConnectionContext& context,
                   const ListenerRules& rules,
                   const Users* users,
                   std::unique_ptr<Stream> stream);

  // Ends when the peer has gone, broke the protocol, was idle for too long, or close() was called,
  // and no handler runs any more.
  Task<void> run();
  void close();

 private:
  // How far things were when they were last looked at.
  struct Progress {
    uint64_t frames = 0;
    uint64_t received_bytes = 0;
    uint64_t sent_pieces = 0;
    bool was_receiving = false;
    bool was_sending = false;
  };

  Task<Status> open();
  Task<Status> serve();
  Task<Status> read_requests();
  Task<void> wait_for_room();
  bool has_room() const;
  void accept(Bytes frame);
  // nullptr after the request was answered: it can not be served.
  const ApiTable::Entry* find_api(const wire::RequestHeader& header);
  Task<void> handle(const ApiTable::Entry* entry,
                    wire::RequestHeader header,
                    Bytes frame,
                    size_t weight,
                    Gate::Pass pass);
  Result<BytesChain> authenticate(Bytes payload);
  Status check_mechanism(std::string_view mechanism) const;
  Status log_in(const wire::AuthenticateRequest& request);
  void let_in(security::Principal principal);
  BytesChain api_versions() const;
  void answer(int32_t request_id, Result<BytesChain> payload);

  void watch();
  Duration watch_login(Duration now);
  Duration watch_idleness(Duration now);
  Duration watch_progress(Duration now);
  void cut_off(std::string_view reason);
  void warn(std::string_view message, std::string_view reason);

  ConnectionContext& context_;
  Env& env_;
  Shard& shard_;
  const ServerOptions& options_;
  const ListenerRules& rules_;
  const Users* users_;
  TlsStream* tls_ = nullptr;  // the stream, when it is one
  std::unique_ptr<Stream> stream_;
  FrameReader reader_;
  FrameWriter writer_;
  std::unique_ptr<security::SaslServer> login_;
  std::shared_ptr<const security::Session> session_;  // null before the login
  Gate handlers_;
  Cancellation cancellation_;
  size_t request_bytes_ = 0;  // that the requests whose handler runs are taken to hold
  Waiter room_;
  bool waits_for_room_ = false;
  bool closed_ = false;
  Duration opened_{0};
  Duration last_activity_{0};
  Duration progress_seen_{0};
  Progress progress_;
  Timer watch_timer_;
};

}  // namespace lakestream::rpc
