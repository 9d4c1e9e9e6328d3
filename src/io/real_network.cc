#include <limits>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <netdb.h>

#include "io/internal/real.h"

namespace lakestream::internal {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Socket = asio::basic_stream_socket<Tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<Tcp, Executor>;
using Resolver = asio::ip::basic_resolver<Tcp, Executor>;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable_t<Executor>{});

tl::unexpected<Error> network_error(std::string_view action,
                                    const Address& address,
                                    const boost::system::error_code& error) {
  return make_error(
      ErrorCode::kNetworkException, "{} {}: {}", action, to_string(address), error.message());
}

// Asio's own condition, transfer_all, gives the kernel 64 KiB a call.
size_t everything_at_once(const boost::system::error_code& error, size_t) {
  return error ? 0 : std::numeric_limits<size_t>::max();
}

// A listener for both families sees addresses of version 4 inside of those of version 6.
Address address_of(const Tcp::endpoint& endpoint) {
  asio::ip::address address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return Address{address.to_string(), endpoint.port()};
}

class RealStream final : public Stream {
 public:
  RealStream(Socket socket, Address peer) : socket_(std::move(socket)), peer_(std::move(peer)) {
    boost::system::error_code ignored;
    socket_.set_option(Tcp::no_delay(true), ignored);
    socket_.non_blocking(true, ignored);
  }

  Task<Result<size_t>> read_some(std::span<uint8_t> into) override {
    auto [error, count] =
        co_await socket_.async_read_some(asio::buffer(into.data(), into.size()), kToken);
    if (error == asio::error::eof) co_return size_t{0};
    if (error) co_return network_error("reading from", peer_, error);
    co_return count;
  }

  Task<Status> write(BytesChain data) override {
    std::vector<asio::const_buffer> buffers;
    buffers.reserve(data.parts().size());
    for (const Bytes& part : data.parts()) buffers.emplace_back(part.data(), part.size());
    auto [error, count] = co_await asio::async_write(socket_, buffers, everything_at_once, kToken);
    if (error) co_return network_error("writing to", peer_, error);
    co_return ok();
  }

  void close() override {
    boost::system::error_code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.close(ignored);
  }

  const Address& peer() const override { return peer_; }

 private:
  Socket socket_;
  Address peer_;
};

class RealListener final : public Listener {
 public:
  RealListener(Acceptor acceptor, Address address)
      : acceptor_(std::move(acceptor)), address_(std::move(address)) {}

  Task<Result<std::unique_ptr<Stream>>> accept(Shard& owner) override {
    Socket socket(owner.context());
    auto [error] = co_await acceptor_.async_accept(socket, kToken);
    if (error) co_return network_error("accepting on", address_, error);
    boost::system::error_code gone;
    Tcp::endpoint peer = socket.remote_endpoint(gone);
    co_return std::make_unique<RealStream>(std::move(socket), address_of(peer));
  }

  void close() override {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
  }

  const Address& address() const override { return address_; }

 private:
  Acceptor acceptor_;
  Address address_;
};

// Names are looked up while the server starts, where waiting is fine.
Result<Tcp::endpoint> resolve_blocking(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  int result =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (result != 0) {
    return make_error(ErrorCode::kNetworkException,
                      "host \"{}\" cannot be resolved: {}; use an address of this machine",
                      address.host,
                      ::gai_strerror(result));
  }
  Tcp::endpoint endpoint;
  std::memcpy(endpoint.data(), found->ai_addr, found->ai_addrlen);
  endpoint.resize(found->ai_addrlen);
  ::freeaddrinfo(found);
  return endpoint;
}

class RealNetwork final : public Network {
 public:
  Result<std::unique_ptr<Listener>> listen(Shard& shard, const Address& address) override {
    ASSIGN_OR_RETURN(Tcp::endpoint endpoint, resolve_blocking(address));
    Acceptor acceptor(shard.context());
    boost::system::error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(4096, error);
    if (error) return network_error("listening on", address, error);
    Address real{address.host, acceptor.local_endpoint(error).port()};
    return std::make_unique<RealListener>(std::move(acceptor), real);
  }

  Task<Result<std::unique_ptr<Stream>>> connect(Shard& shard,
                                                Address address,
                                                Duration timeout) override {
    auto socket = std::make_shared<Socket>(shard.context());
    auto resolver = std::make_shared<Resolver>(shard.context());
    auto expired = std::make_shared<bool>(false);
    asio::basic_waitable_timer<std::chrono::steady_clock,
                               asio::wait_traits<std::chrono::steady_clock>,
                               Executor>
        timer(shard.context(), timeout);
    timer.async_wait([socket, resolver, expired](const boost::system::error_code& cancelled) {
      if (cancelled) return;
      *expired = true;
      boost::system::error_code ignored;
      resolver->cancel();
      socket->close(ignored);
    });
    auto [unresolved, endpoints] =
        co_await resolver->async_resolve(address.host, std::to_string(address.port), kToken);
    boost::system::error_code error = unresolved;
    if (!error) {
      auto [refused, endpoint] = co_await asio::async_connect(*socket, endpoints, kToken);
      error = refused;
    }
    timer.cancel();
    if (*expired) error = asio::error::timed_out;
    if (error) co_return network_error("connecting to", address, error);
    co_return std::make_unique<RealStream>(std::move(*socket), address);
  }
};

}  // namespace

std::unique_ptr<Network> make_real_network() { return std::make_unique<RealNetwork>(); }

}  // namespace lakestream::internal
