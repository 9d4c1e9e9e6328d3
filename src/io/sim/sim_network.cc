#include <algorithm>
#include <deque>

#include "io/sim/sim_process.h"

namespace lakestream {
namespace {

constexpr uint64_t kDelayMaxUs = 500;

// One direction of a connection: bytes that have arrived and wait for a reader.
struct Pipe {
  std::deque<uint8_t> arrived;
  Duration last_arrival{0};  // arrivals keep the order of the writes
  bool ended = false;        // the writer has closed
  bool broken = false;       // this end has closed or lost its peer's process
  Waiter* reader = nullptr;

  void wake_reader() {
    if (reader != nullptr) std::exchange(reader, nullptr)->wake();
  }
};

struct Connection {
  Pipe to_server;
  Pipe to_client;
  std::weak_ptr<SimNode::Process> client;
  std::weak_ptr<SimNode::Process> server;
};

}  // namespace

class SimListener;

struct SimPorts {
  std::map<uint16_t, SimListener*> listening;
  uint16_t next_port = 40'000;
};

class SimStream final : public Stream {
 public:
  SimStream(SimWorld& world, std::shared_ptr<Connection> connection, bool is_client, Address peer)
      : world_(world),
        connection_(std::move(connection)),
        is_client_(is_client),
        peer_(std::move(peer)) {}
  ~SimStream() override { close(); }

  Task<Result<size_t>> read_some(std::span<uint8_t> into) override {
    Pipe& pipe = incoming();
    while (pipe.arrived.empty()) {
      if (pipe.broken || closed_) {
        co_return make_error(
            ErrorCode::kNetworkException, "reading from {}: connection reset", to_string(peer_));
      }
      if (pipe.ended) co_return size_t{0};
      Waiter waiter;
      pipe.reader = &waiter;
      co_await waiter.wait();
    }
    size_t count = std::min(into.size(), pipe.arrived.size());
    std::copy_n(pipe.arrived.begin(), count, into.begin());
    pipe.arrived.erase(pipe.arrived.begin(), pipe.arrived.begin() + static_cast<ptrdiff_t>(count));
    co_return count;
  }

  Task<Status> write(BytesChain data) override {
    std::shared_ptr<SimNode::Process> target = peer_process();
    if (closed_ || target == nullptr || target->dead || incoming().ended) {
      co_return make_error(
          ErrorCode::kNetworkException, "writing to {}: connection reset", to_string(peer_));
    }
    deliver(target, [bytes = data.flatten()](Pipe& pipe) {
      pipe.arrived.insert(pipe.arrived.end(), bytes.begin(), bytes.end());
    });
    co_return ok();
  }

  void close() override {
    if (closed_) return;
    closed_ = true;
    incoming().broken = true;
    incoming().wake_reader();
    std::shared_ptr<SimNode::Process> target = peer_process();
    if (target != nullptr) deliver(target, [](Pipe& pipe) { pipe.ended = true; });
  }

  const Address& peer() const override { return peer_; }

 private:
  Pipe& incoming() { return is_client_ ? connection_->to_client : connection_->to_server; }
  Pipe& outgoing() { return is_client_ ? connection_->to_server : connection_->to_client; }
  std::shared_ptr<SimNode::Process> peer_process() {
    return is_client_ ? connection_->server.lock() : connection_->client.lock();
  }

  template <typename F>
  void deliver(const std::shared_ptr<SimNode::Process>& target, F change) {
    auto delay = std::chrono::microseconds(1 + world_.random().below(kDelayMaxUs));
    Duration at = std::max(world_.now() + delay, outgoing().last_arrival);
    outgoing().last_arrival = at;
    bool to_server = is_client_;
    world_.schedule(target, at - world_.now(), [connection = connection_, to_server, change] {
      Pipe& pipe = to_server ? connection->to_server : connection->to_client;
      change(pipe);
      pipe.wake_reader();
    });
  }

  SimWorld& world_;
  std::shared_ptr<Connection> connection_;
  bool is_client_;
  bool closed_ = false;
  Address peer_;
};

class SimListener final : public Listener {
 public:
  SimListener(SimPorts& ports, std::shared_ptr<SimNode::Process> process, Address address)
      : ports_(ports), process_(process), address_(std::move(address)) {
    ports_.listening[address_.port] = this;
  }
  ~SimListener() override { close(); }

  Task<Result<std::unique_ptr<Stream>>> accept(Shard&) override {
    while (!closed_ && waiting_.empty()) co_await arrival_.wait();
    if (closed_) {
      co_return make_error(
          ErrorCode::kNetworkException, "accepting on {}: closed", to_string(address_));
    }
    std::unique_ptr<Stream> stream = std::move(waiting_.front());
    waiting_.pop_front();
    co_return stream;
  }

  void close() override {
    if (closed_) return;
    closed_ = true;
    auto mine = ports_.listening.find(address_.port);
    if (mine != ports_.listening.end() && mine->second == this) ports_.listening.erase(mine);
    arrival_.wake();
  }

  const Address& address() const override { return address_; }
  std::shared_ptr<SimNode::Process> process() const { return process_.lock(); }
  void arrive(std::unique_ptr<Stream> stream) {
    waiting_.push_back(std::move(stream));
    if (waiting_.size() == 1) arrival_.wake();
  }

 private:
  SimPorts& ports_;
  std::weak_ptr<SimNode::Process> process_;
  Address address_;
  bool closed_ = false;
  std::deque<std::unique_ptr<Stream>> waiting_;
  Waiter arrival_;
};

class SimNetwork final : public Network {
 public:
  SimNetwork(SimWorld& world, std::weak_ptr<SimNode::Process> process)
      : world_(world), process_(std::move(process)) {}

  Result<std::unique_ptr<Listener>> listen(Shard&, const Address& address) override {
    SimPorts& ports = *world_.ports_;
    Address real = address;
    if (real.port == 0) real.port = ports.next_port++;
    auto taken = ports.listening.find(real.port);
    if (taken != ports.listening.end() && taken->second->process() != nullptr &&
        !taken->second->process()->dead) {
      return make_error(
          ErrorCode::kNetworkException, "listening on {}: Address already in use", to_string(real));
    }
    return std::make_unique<SimListener>(ports, process_.lock(), real);
  }

  Task<Result<std::unique_ptr<Stream>>> connect(Shard& shard, Address address, Duration) override {
    auto delay = std::chrono::microseconds(1 + world_.random().below(kDelayMaxUs));
    co_await sleep_for(*process_.lock()->clock, shard, delay);
    auto found = world_.ports_->listening.find(address.port);
    std::shared_ptr<SimNode::Process> server =
        found == world_.ports_->listening.end() ? nullptr : found->second->process();
    if (server == nullptr || server->dead) {
      co_return make_error(
          ErrorCode::kNetworkException, "connecting to {}: Connection refused", to_string(address));
    }
    auto connection = std::make_shared<Connection>();
    connection->client = process_;
    connection->server = server;
    found->second->arrive(
        std::make_unique<SimStream>(world_, connection, false, Address{"client", 0}));
    co_return std::make_unique<SimStream>(world_, connection, true, address);
  }

 private:
  SimWorld& world_;
  std::weak_ptr<SimNode::Process> process_;
};

namespace internal {

std::shared_ptr<SimPorts> make_sim_ports() { return std::make_shared<SimPorts>(); }

std::unique_ptr<Network> make_sim_network(SimWorld& world,
                                          std::shared_ptr<SimNode::Process> process) {
  return std::make_unique<SimNetwork>(world, process);
}

}  // namespace internal
}  // namespace lakestream
