#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "io/clock.h"
#include "io/shard.h"

// Byte streams between processes: TCP, or queues with seeded delays and faults in simulation.
// Errors carry kNetworkException.
//
// Thread rule: a Listener and a Stream belong to the shard they were made for.
//
//   CO_ASSIGN_OR_RETURN(auto stream, co_await network.connect(shard, address, timeout));
//   CO_RETURN_IF_ERROR(co_await stream->write(BytesChain(request)));
//   CO_ASSIGN_OR_RETURN(size_t count, co_await stream->read_some(buffer));
namespace lakestream {

struct Address {
  std::string host;
  uint16_t port = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

// "host:port" or "[v6]:port".
Result<Address> parse_address(std::string_view text);
std::string to_string(const Address& address);

class Stream {
 public:
  virtual ~Stream() = default;  // closes
  // Waits for at least one byte; 0 is the end of the stream. `into` must stay until the task ends.
  virtual Task<Result<size_t>> read_some(std::span<uint8_t> into) = 0;
  // Writes everything. One write at a time.
  virtual Task<Status> write(BytesChain data) = 0;
  // Ends pending reads and writes with an error. May be called at any time on the stream's shard.
  virtual void close() = 0;
  virtual const Address& peer() const = 0;
};

class Listener {
 public:
  virtual ~Listener() = default;
  // The next connection, for use on `owner` only.
  virtual Task<Result<std::unique_ptr<Stream>>> accept(Shard& owner) = 0;
  virtual void close() = 0;
  virtual const Address& address() const = 0;  // with the real port
};

class Network {
 public:
  virtual ~Network() = default;
  virtual Result<std::unique_ptr<Listener>> listen(Shard& shard, const Address& address) = 0;
  virtual Task<Result<std::unique_ptr<Stream>>> connect(Shard& shard,
                                                        Address address,
                                                        Duration timeout) = 0;
};

}  // namespace lakestream
