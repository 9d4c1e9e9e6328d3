#pragma once

#include <cstddef>
#include <string>
#include <vector>

// The least that moves the same bytes through the same sockets and files, as a child process: what
// the programs of bench/ compare the server with. No protocol, no checks, no memory of anything.
//
// Thread rule: the calling thread waits; 0 or less means that it failed.
//
//   double seconds = peer_append_seconds(file, {.message_bytes = 1 << 20, .messages = 512});
namespace lakestream::bench {

struct PeerAppend {
  size_t message_bytes = 0;
  size_t messages = 0;
  size_t in_flight = 1;
  // 0: never; else fdatasync after so many messages, which are acknowledged behind it.
  size_t sync_every = 0;
};
// Messages with their length in front over loopback TCP to a child, which writes each to the file
// and acknowledges it with one byte.
double peer_append_seconds(const std::string& file, const PeerAppend& load);

// A child sends `bytes` of the file by sendfile over loopback TCP; we read all of them.
double peer_read_seconds(const std::string& file, size_t bytes);
// Sends messages of so many bytes, one a period, to a child that writes each to the file and sends
// it back; the seconds of each. What the machine itself adds to any latency. Empty when it failed.
std::vector<double> peer_echo_seconds(const std::string& file,
                                      size_t bytes,
                                      size_t messages,
                                      double period);
// Makes a file of so many bytes.
bool make_file(const std::string& file, size_t bytes);

}  // namespace lakestream::bench
