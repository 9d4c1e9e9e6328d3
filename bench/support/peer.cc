#include "support/peer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/support.h"

namespace lakestream::bench {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

bool read_all(int file, uint8_t* data, size_t size) {
  while (size > 0) {
    ssize_t count = read(file, data, size);
    if (count <= 0) return false;
    data += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool write_all(int file, const uint8_t* data, size_t size) {
  while (size > 0) {
    ssize_t count = write(file, data, size);
    if (count <= 0) return false;
    data += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

void send_at_once(int socket) {
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// A listener on a free port of the loopback.
int listen_any(sockaddr_in* address) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  *address = {};
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof *address;
  auto* generic = reinterpret_cast<sockaddr*>(address);
  if (bind(listener, generic, size) != 0 || listen(listener, 1) != 0) return -1;
  return getsockname(listener, generic, &size) == 0 ? listener : -1;
}

int connect_to(const sockaddr_in& address) {
  int socket_file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(socket_file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return -1;
  }
  send_at_once(socket_file);
  return socket_file;
}

bool take_messages(int socket, int file, const PeerAppend& load, uint8_t* buffer) {
  size_t unacknowledged = 0;
  for (size_t i = 0; i < load.messages; ++i) {
    uint64_t size = 0;
    if (!read_all(socket, reinterpret_cast<uint8_t*>(&size), sizeof size)) return false;
    if (size > load.message_bytes || !read_all(socket, buffer, size)) return false;
    if (!write_all(file, buffer, size)) return false;
    ++unacknowledged;
    if (unacknowledged < load.sync_every && i + 1 < load.messages) continue;
    if (load.sync_every > 0 && fdatasync(file) != 0) return false;
    for (; unacknowledged > 0; --unacknowledged) {
      if (!write_all(socket, buffer, 1)) return false;
    }
  }
  return true;
}

bool give_messages(int socket, const PeerAppend& load, const uint8_t* buffer) {
  size_t sent = 0;
  std::vector<uint8_t> acks(load.in_flight);
  for (size_t acknowledged = 0; acknowledged < load.messages;) {
    while (sent < load.messages && sent - acknowledged < load.in_flight) {
      uint64_t size = load.message_bytes;
      if (!write_all(socket, reinterpret_cast<uint8_t*>(&size), sizeof size)) return false;
      if (!write_all(socket, buffer, load.message_bytes)) return false;
      ++sent;
    }
    ssize_t count = read(socket, acks.data(), acks.size());
    if (count <= 0) return false;
    acknowledged += static_cast<size_t>(count);
  }
  return true;
}

bool send_file(int socket, int file, size_t bytes) {
  off_t offset = 0;
  while (static_cast<size_t>(offset) < bytes) {
    if (sendfile(socket, file, &offset, bytes - static_cast<size_t>(offset)) <= 0) return false;
  }
  return true;
}

bool drain(int socket, size_t bytes, uint8_t* buffer) {
  while (bytes > 0) {
    ssize_t count = read(socket, buffer, std::min(bytes, kChunk));
    if (count <= 0) return false;
    bytes -= static_cast<size_t>(count);
  }
  return true;
}

// Runs `serve` in a child with its end of a connection and `call` here with the other one.
template <typename Serve, typename Call>
double run_pair(Serve serve, Call call) {
  sockaddr_in address;
  int listener = listen_any(&address);
  if (listener < 0) return 0;
  pid_t child = fork();
  if (child == 0) {
    int socket = accept(listener, nullptr, nullptr);
    send_at_once(socket);
    _exit(serve(socket) ? 0 : 1);
  }
  close(listener);
  int socket = connect_to(address);
  double begin = seconds_now();
  bool done = socket >= 0 && call(socket);
  double seconds = seconds_now() - begin;
  if (socket >= 0) close(socket);
  int status = 1;
  waitpid(child, &status, 0);
  return done && status == 0 ? seconds : 0;
}

}  // namespace

double peer_append_seconds(const std::string& file, const PeerAppend& load) {
  std::vector<uint8_t> buffer(load.message_bytes, 'x');
  int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0) return 0;
  double seconds =
      run_pair([&](int socket) { return take_messages(socket, out, load, buffer.data()); },
               [&](int socket) { return give_messages(socket, load, buffer.data()); });
  close(out);
  unlink(file.c_str());
  return seconds;
}

double peer_read_seconds(const std::string& file, size_t bytes) {
  std::vector<uint8_t> buffer(kChunk);
  int in = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return 0;
  double seconds = run_pair([&](int socket) { return send_file(socket, in, bytes); },
                            [&](int socket) { return drain(socket, bytes, buffer.data()); });
  close(in);
  return seconds;
}

std::vector<double> peer_echo_seconds(const std::string& file,
                                      size_t bytes,
                                      size_t messages,
                                      double period) {
  int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0) return {};
  std::vector<uint8_t> buffer(bytes, 'x');
  std::vector<double> seconds;
  auto echo = [&](int socket) {
    for (size_t i = 0; i < messages; ++i) {
      if (!read_all(socket, buffer.data(), bytes)) return false;
      if (!write_all(out, buffer.data(), bytes)) return false;
      if (!write_all(socket, buffer.data(), bytes)) return false;
    }
    return true;
  };
  auto call = [&](int socket) {
    double start = seconds_now();
    for (size_t i = 0; i < messages; ++i) {
      double left = start + static_cast<double>(i) * period - seconds_now();
      if (left > 0) usleep(static_cast<useconds_t>(left * 1e6));
      double begin = seconds_now();
      if (!write_all(socket, buffer.data(), bytes)) return false;
      if (!read_all(socket, buffer.data(), bytes)) return false;
      seconds.push_back(seconds_now() - begin);
    }
    return true;
  };
  if (run_pair(echo, call) <= 0) seconds.clear();
  close(out);
  unlink(file.c_str());
  return seconds;
}

bool make_file(const std::string& file, size_t bytes) {
  std::vector<uint8_t> buffer(kChunk, 'x');
  int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool done = out >= 0;
  for (size_t written = 0; done && written < bytes; written += kChunk) {
    done = write_all(out, buffer.data(), std::min(kChunk, bytes - written));
  }
  if (out >= 0) close(out);
  return done;
}

}  // namespace lakestream::bench
