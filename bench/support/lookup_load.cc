#include "support/lookup_load.h"

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/endian.h"
#include "format/keys.h"
#include "io/random.h"
#include "support/support.h"
#include "wire/api.h"
#include "wire/frame.h"
#include "wire/messages.h"

namespace lakestream::bench {
namespace {

constexpr int16_t kLookupVersion = 1;
constexpr size_t kReadBytes = 64 << 10;

class Client {
 public:
  ~Client() {
    if (socket_ >= 0) close(socket_);
  }
  bool connect_to(const std::string& address) {
    size_t colon = address.rfind(':');
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(colon + 1))));
    if (inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr) != 1) return false;
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  int file() const { return socket_; }
  bool send(const Bytes& frame, double due) {
    due_ = due;
    return ::send(socket_, frame.data(), frame.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(frame.size());
  }
  double due() const { return due_; }
  // The size of the answer when it is complete, 0 when it is not yet, -1 when it is none.
  ssize_t receive() {
    size_t before = answer_.size();
    answer_.resize(before + kReadBytes);
    ssize_t got = recv(socket_, answer_.data() + before, kReadBytes, 0);
    if (got <= 0) return -1;
    answer_.resize(before + static_cast<size_t>(got));
    if (answer_.size() < wire::kFrameLengthBytes) return 0;
    auto size = static_cast<size_t>(load_be<int32_t>(answer_.data())) + wire::kFrameLengthBytes;
    if (answer_.size() < size) return 0;
    bool is_error = answer_[wire::kFrameLengthBytes] != 0;
    answer_.clear();
    return is_error ? -1 : static_cast<ssize_t>(size);
  }

 private:
  int socket_ = -1;
  double due_ = 0;
  std::vector<uint8_t> answer_;
};

Result<std::vector<Bytes>> encode_requests(const LookupLoad& load) {
  ASSIGN_OR_RETURN(Schema plain, text_schema());
  ASSIGN_OR_RETURN(Schema schema, SchemaBuilder(std::move(plain)).primary_key({"id"}).build());
  ASSIGN_OR_RETURN(TableKeys keys, TableKeys::of(schema, {.bucket_keys = {"id"}}));
  Random random(1);
  std::vector<Bytes> frames;
  frames.reserve(load.requests);
  ByteWriter key;
  for (size_t i = 0; i < load.requests; ++i) {
    wire::LookupRequest request;
    request.table_id = load.table.value();
    wire::PbLookupReqForBucket& bucket = request.buckets_req.emplace_back();
    for (size_t k = 0; k < load.pipeline; ++k) {
      Value row[] = {Value::integer(static_cast<int64_t>(random.below(load.keys))), Value::null()};
      key.clear();
      RETURN_IF_ERROR(keys.primary_key()->encode(row, &key));
      bucket.keys.push_back(Bytes::copy_of(key.view()));
    }
    wire::RequestHeader header{.api_key = static_cast<int16_t>(wire::ApiKey::kLookup),
                               .api_version = kLookupVersion,
                               .request_id = static_cast<int32_t>(i)};
    ASSIGN_OR_RETURN(BytesChain frame, wire::encode_request_frame(header, request.encode()));
    frames.push_back(frame.flatten());
  }
  return frames;
}

tl::unexpected<Error> broken(const char* what) {
  return make_error(ErrorCode::kUnknownServerError, "lookups: {}", what);
}

// Sends what is due to clients that have nothing to do, and takes answers.
class Generator {
 public:
  Generator(const LookupLoad& load, std::vector<Bytes> frames)
      : load_(load), frames_(std::move(frames)), clients_(load.clients) {}
  ~Generator() {
    if (epoll_ >= 0) close(epoll_);
  }

  Result<LookupRun> run() {
    epoll_ = epoll_create1(0);
    for (Client& client : clients_) {
      if (!client.connect_to(load_.address)) return broken("no connection");
      epoll_event event{.events = EPOLLIN, .data = {.ptr = &client}};
      epoll_ctl(epoll_, EPOLL_CTL_ADD, client.file(), &event);
      idle_.push_back(&client);
    }
    begin_ = seconds_now();
    while (latencies_.size() < frames_.size()) {
      if (!send_due()) return broken("a request is not sent");
      RETURN_IF_ERROR(take_answers());
    }
    LookupRun run;
    run.seconds = seconds_now() - begin_;
    std::ranges::sort(latencies_);
    run.p50_seconds = latencies_[latencies_.size() / 2];
    run.p99_seconds = latencies_[latencies_.size() * 99 / 100];
    return run;
  }

 private:
  bool send_due() {
    while (!idle_.empty() && sent_ < frames_.size()) {
      double now = seconds_now();
      double due = now;
      if (load_.per_second > 0) due = begin_ + static_cast<double>(sent_) / load_.per_second;
      if (due > now) return true;
      if (!idle_.front()->send(frames_[sent_], due)) return false;
      idle_.pop_front();
      ++sent_;
    }
    return true;
  }

  Status take_answers() {
    std::array<epoll_event, 64> events;
    timespec until_due{};
    bool waits_for_time = load_.per_second > 0 && !idle_.empty() && sent_ < frames_.size();
    if (waits_for_time) {
      double left = begin_ + static_cast<double>(sent_) / load_.per_second - seconds_now();
      until_due.tv_nsec = std::clamp(static_cast<long>(left * 1e9), 0L, 999'999'999L);
    }
    int count = epoll_pwait2(epoll_,
                             events.data(),
                             static_cast<int>(events.size()),
                             waits_for_time ? &until_due : nullptr,
                             nullptr);
    for (int i = 0; i < count; ++i) {
      auto* client = static_cast<Client*>(events[static_cast<size_t>(i)].data.ptr);
      ssize_t size = client->receive();
      if (size == 0) continue;
      if (size < 0) return broken("an error for an answer");
      if (static_cast<size_t>(size) < load_.pipeline * load_.value_bytes) {
        return broken("a key that was put is not found");
      }
      latencies_.push_back(seconds_now() - client->due());
      idle_.push_back(client);
    }
    return ok();
  }

  const LookupLoad& load_;
  std::vector<Bytes> frames_;
  std::vector<Client> clients_;
  std::deque<Client*> idle_;
  std::vector<double> latencies_;
  size_t sent_ = 0;
  double begin_ = 0;
  int epoll_ = -1;
};

}  // namespace

Result<LookupRun> run_lookups(const LookupLoad& load) {
  ASSIGN_OR_RETURN(std::vector<Bytes> frames, encode_requests(load));
  return Generator(load, std::move(frames)).run();
}

}  // namespace lakestream::bench
