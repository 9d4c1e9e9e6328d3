#pragma once

#include <memory>

#include "io/clock.h"
#include "io/env.h"
#include "io/network.h"
#include "rpc/api_table.h"
#include "rpc/frame_reader.h"
#include "rpc/frame_writer.h"
#include "rpc/server.h"
#include "wire/frame.h"

// One client of the server. Requests start in the order of their arrival; an answer is sent when it
// is ready, whatever the order.
//
// Thread rule: shard-local. Lives until run() has ended.
namespace lakestream::rpc {

class ServerConnection {
 public:
  ServerConnection(Env& env,
                   Shard& shard,
                   std::unique_ptr<Stream> stream,
                   const ApiTable& apis,
                   const ServerOptions& options,
                   HeldBytes& held);

  // Ends when the peer has gone, broke the protocol, was idle for too long, or close() was called,
  // and no handler runs any more.
  Task<void> run();
  void close() { stream_->close(); }

 private:
  Task<Status> read_requests();
  Task<void> wait_for_room();
  bool has_room() const;
  void accept(Bytes frame);
  Task<void> handle(const ApiTable::Entry* entry,
                    wire::RequestHeader header,
                    Bytes frame,
                    Gate::Pass pass);
  Result<BytesChain> authenticate(Bytes payload);
  BytesChain api_versions() const;
  void answer(int32_t request_id, Result<BytesChain> payload);
  void watch_idleness();

  Env& env_;
  Shard& shard_;
  std::unique_ptr<Stream> stream_;
  const ApiTable& apis_;
  const ServerOptions& options_;
  HeldBytes& held_;  // of all connections
  FrameReader reader_;
  FrameWriter writer_;
  Gate handlers_;
  Cancellation cancellation_;
  size_t request_bytes_ = 0;  // of the requests whose handler runs
  Waiter room_;
  bool waits_for_room_ = false;
  Duration last_activity_{0};
  Timer idle_timer_;
};

}  // namespace lakestream::rpc
